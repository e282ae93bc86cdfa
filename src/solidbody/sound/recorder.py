"""Writes the sound of a simulation to a WAV file, in step with it."""

from __future__ import annotations

import contextlib
import os
import wave
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.output_files import GrowingFile, OutputError, reason_of
from solidbody.sound.clips import RATE, ClipLibrary
from solidbody.sound.mixer import Mixer
from solidbody.sound.sources import ContactSource, MotorSource, SpeakerSource

if TYPE_CHECKING:
    from solidbody.sim import Sim


class SoundRecorder:
    """Goes along with a simulation (`sim.attach`); `close` finishes the file.

    A step of h seconds gives h times RATE samples; what is left over is not lost but comes in later steps.

    Args:
        sim: The simulation.
        path: The file. It is opened at once: raises OSError if that is not possible.
    """

    def __init__(self, sim: Sim, path: str | os.PathLike[str]) -> None:
        self._sim = sim
        self.log = DiagnosticLog()
        self.mixer = Mixer(RATE)
        self._scene = sim.scene
        self._sources = self._found_sources()
        self._start = sim.step_count
        self._written = 0
        # opened apart from `wave`, whose own objects complain if they could not open their file
        self.path = Path(path)
        self._out = GrowingFile(self.path)
        self._file = wave.open(self._out.stream, "wb")  # noqa: SIM115  (`close` closes it)
        self._file.setnchannels(2)
        self._file.setsampwidth(2)
        self._file.setframerate(RATE)
        self._is_closed = False

    def _found_sources(self) -> list[ContactSource | MotorSource | SpeakerSource]:
        """Return what can be heard in the present scene."""
        clips = ClipLibrary(sound_folders(self._sim), self.log, self._sim.scene.files)
        kinds = (ContactSource, MotorSource, SpeakerSource)
        return [make(self._sim, clips, self.mixer) for make in kinds]

    def before_steps(self) -> None:
        """See `StepHook`."""

    def steps_until_due(self) -> int | None:
        """Every step is heard."""
        return 1

    def after_steps(self) -> None:
        """Write the sound of the last step. Raises OutputError if the file cannot be written on."""
        if self._is_closed:
            return
        step = self._sim.time_step
        if self._sim.scene is not self._scene:  # a program has changed it: voices begin anew
            self._scene = self._sim.scene
            self.mixer.clear()
            self._sources = self._found_sources()
        for source in self._sources:
            source.advance(step)
        due = round((self._sim.step_count - self._start) * step * RATE)
        samples = self.mixer.render(max(due - self._written, 0))
        self._written = max(due, self._written)
        data = np.round(samples * 32767.0).astype("<i2").tobytes()
        self._guarded(lambda: self._file.writeframes(data))
        self._guarded(self._out.keep)

    def _guarded(self, act: Callable[[], None]) -> None:
        try:
            act()
        except OSError as error:
            self._is_closed = True
            self._out.abandon()
            with contextlib.suppress(OSError, ValueError):
                self._file.close()  # or it would try again when it is forgotten
            raise OutputError(
                f"{self.path} cannot be written: {reason_of(error)}; the recording has ended"
            ) from error

    def reset(self) -> None:
        """The recording goes on; the simulation begins anew."""
        self.mixer.clear()
        for source in self._sources:
            source.reset()
        self._start = self._sim.step_count - round(self._written / RATE / self._sim.time_step)

    def close(self) -> None:
        """Finish the file, once. Raises OutputError if that fails."""
        if not self._is_closed:
            self._is_closed = True
            self._guarded(self._file.close)
            self._guarded(self._out.finish)


def sound_folders(sim: Sim) -> tuple[str, ...]:
    """Return where sounds may be: beside the world, the files that describe its bodies, and controllers."""
    source = sim.scene.source
    files = [source, *(link.span.file for link in sim.scene.links())]
    folders = [str(Path(file).parent) for file in files if file]
    if source:
        home = Path(source).absolute().parent.parent / "controllers"
        robots = (robot for body in sim.scene.bodies for robot in body.robots)
        folders += [str(home / robot.controller) for robot in robots if robot.controller]
    return tuple(dict.fromkeys(folders))
