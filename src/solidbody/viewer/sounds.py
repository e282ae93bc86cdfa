"""Voices and clips of a simulation, for tabs that play its sound."""

from __future__ import annotations

import io
import time
import wave
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import numpy as np

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog
from solidbody.sound.clips import RATE, ClipLibrary, Samples
from solidbody.sound.mixer import Mixer, Voice
from solidbody.sound.recorder import sound_folders
from solidbody.sound.sources import ContactSource, MotorSource, SpeakerSource
from solidbody.viewer.protocol_live import EventSounds, WireVoice

if TYPE_CHECKING:
    from solidbody.sim import Sim

KEPT: Final = 0.3
"""[s] How long a sound that ends by itself is told of: tabs that skip messages do not miss a short one."""

VOICE_LIMIT: Final = 64
"""Most sounds that are told of at a time; the loudest ones."""

CLIP_LIMIT: Final = 256
"""Clips that are kept for tabs to fetch; every spoken text is one of its own."""


RECORDING_SHARE: Final = 0.1
"""Share of the player's time that sounds may take which nobody hears now, but a replay may play."""

CREDIT_LIMIT: Final = 0.05
"""[s] Most that may be saved of this time for later, through pauses and between frames."""

LEAP: Final = 16
"""Steps that are left out at least when that time is spent."""


class SoundStage:
    """Goes along with a simulation while somebody listens or keeps a replay.

    Owned by the player's thread, clips apart.

    Args:
        sim: The simulation.
    """

    def __init__(self, sim: Sim) -> None:
        self._sim = sim
        self._scene = sim.scene
        self._mixer = Mixer(RATE)
        self._log = DiagnosticLog()
        self._told = 0
        self._clips: dict[int, Samples] = {}
        self._clip_count = 0
        self._number_of: dict[int, int] = {}
        self._recent: dict[int, tuple[Voice, float]] = {}
        self._library = ClipLibrary(sound_folders(sim), self._log, sim.scene.files)
        self._sources: list[ContactSource | MotorSource | SpeakerSource] = []
        self._is_on = self._is_heard = False
        self._last_step = 0
        self._last_look = self._credit = self._cost = 0.0

    def switch(self, *, is_on: bool, is_heard: bool) -> None:
        """Listen, or stop that; what is heard now misses no step."""
        self._is_heard = is_heard
        if is_on == self._is_on:
            return
        self._is_on = is_on
        if is_on:
            self._last_step, self._last_look = self._sim.step_count, time.perf_counter()
            self._scene = self._sim.scene
            self._sources = self._make_sources()
            self._sim.attach(self)
        else:
            self._sim.detach(self)
            self._silence()

    def event(self) -> EventSounds:
        """Return what is to be heard now."""
        voices = {v.number: v for v in self._mixer.voices.values() if not v.is_leaving}
        voices |= {number: voice for number, (voice, _) in self._recent.items()}
        loudest = sorted(voices.values(), key=lambda voice: -voice.gain)[:VOICE_LIMIT]
        return EventSounds([self._wire(voice) for voice in loudest])

    def clip(self, number: int) -> bytes | None:
        """Return a clip as a WAV file; None = there is none of that number. Callable from any thread."""
        clip = self._clips.get(number)
        return None if clip is None else wav_bytes(clip)

    def complaints(self) -> Iterable[Diagnostic]:
        """Return what cannot be played, each once."""
        items = list(self._log)[self._told :]
        self._told += len(items)
        return items

    # ------------------------------------------------------------------ beside the simulation

    def before_steps(self) -> None:
        """See `StepHook`."""

    def steps_until_due(self) -> int | None:
        """Every step is heard; for a replay alone, as many as there is time for."""
        return 1 if self._is_heard or self._credit >= self._cost else LEAP

    def after_steps(self) -> None:
        """Hear the last step."""
        now = time.perf_counter()
        earned = RECORDING_SHARE * (now - self._last_look)
        self._credit, self._last_look = min(self._credit + earned, CREDIT_LIMIT), now
        steps = self._sim.step_count - self._last_step
        if steps <= 0 or (not self._is_heard and self._credit < self._cost):
            return
        self._last_step = self._sim.step_count
        start = time.thread_time()  # other programs do not make it dearer
        self._hear(steps * self._sim.time_step)
        self._cost = time.thread_time() - start
        self._last_look = time.perf_counter()
        self._credit = max(self._credit - self._cost, 0.0)

    def _hear(self, elapsed: float) -> None:
        if self._sim.scene is not self._scene:  # a program has changed it: voices begin anew
            self._scene = self._sim.scene
            self._silence()
            folders = sound_folders(self._sim)
            if (folders, self._scene.files) != (self._library.folders, self._library.access):
                self._library = ClipLibrary(folders, self._log, self._scene.files)
            self._sources = self._make_sources()
        for source in self._sources:
            source.advance(elapsed)
        now = self._sim.time
        for voice in self._mixer.voices.values():
            if not voice.loops:
                self._recent.setdefault(voice.number, (voice, now + KEPT))
        for number in [n for n, (_, end) in self._recent.items() if end <= now]:
            del self._recent[number]
        self._mixer.skip(elapsed)

    def reset(self) -> None:
        """The simulation begins anew, in silence."""
        self._silence()
        self._last_step = self._sim.step_count
        for source in self._sources:
            source.reset()

    # ------------------------------------------------------------------

    def _make_sources(self) -> list[ContactSource | MotorSource | SpeakerSource]:
        kinds = (ContactSource, MotorSource, SpeakerSource)
        return [make(self._sim, self._library, self._mixer) for make in kinds]

    def _silence(self) -> None:
        self._mixer.clear()
        self._recent.clear()

    def _wire(self, voice: Voice) -> WireVoice:
        at = None if voice.at is None else tuple(round(x, 3) for x in voice.at)
        return WireVoice(
            number=voice.number,
            clip=self._clip_number(voice.clip),
            loops=voice.loops,
            gain=round(voice.gain, 3),
            pitch=round(voice.pitch, 3),
            balance=round(voice.balance, 3),
            at=at if at is None else (at[0], at[1], at[2]),
        )

    def _clip_number(self, clip: Samples) -> int:
        number = self._number_of.get(id(clip))
        if number is None:
            number = self._number_of[id(clip)] = self._clip_count
            self._clip_count += 1
            self._clips[number] = clip  # kept, so that its id stays its own
        if len(self._clips) > CLIP_LIMIT:
            oldest = next(iter(self._clips))
            del self._number_of[id(self._clips.pop(oldest))]
        return number


def wav_bytes(samples: Samples) -> bytes:
    """Return samples at RATE as a WAV file of 16 bits, mono."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(np.round(np.clip(samples, -1.0, 1.0) * 32767.0).astype("<i2").tobytes())
    return out.getvalue()
