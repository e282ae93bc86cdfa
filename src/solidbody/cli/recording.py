"""Opens the recordings (MCAP, CSV, video, replay) that the command line asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from solidbody.base.errors import SolidbodyError
from solidbody.base.output_files import OutputError, check_target, is_special, reason_of
from solidbody.cli.console import print_diagnostics, say, say_error, say_warning
from solidbody.cli.status import UsageError

if TYPE_CHECKING:
    from solidbody.live.ros.settings import Ros2Settings
    from solidbody.sim import Sim

SAYING: Final = {"error": say_error, "warning": say_warning, "info": say}
"""How what a bridge has to tell is said."""


@dataclass(frozen=True, slots=True)
class RecordChoice:
    """What the command line says about recordings.

    Attributes:
        files: Recordings of data.
        period: Time between records [s]; None = 0.01.
        all_sensors: Whether sensors are turned on that no program has turned on.
        video: File of the film; None = no film.
        camera: Camera to film through; None = the viewpoint.
        size: Of the film from the viewpoint, as `WIDTHxHEIGHT`.
        fps: Pictures per simulated second.
        sound: File of what is heard; None = none.
        foxglove: Port at which Foxglove may look; None = none.
        ros2: The bridge to ROS 2; None = none.
        photo: File of a photo at the end; None = none.
        photo_size: Of the photo, as `WIDTHxHEIGHT`.
        photo_samples: Paths of light per pixel of it.
    """

    files: tuple[Path, ...] = ()
    period: float | None = None
    all_sensors: bool = False
    video: Path | None = None
    camera: str | None = None
    size: str = "640x480"
    fps: float = 30.0
    sound: Path | None = None
    foxglove: int | None = None
    ros2: Ros2Settings | None = None
    photo: Path | None = None
    photo_size: str = "1280x720"
    photo_samples: int = 64


def bridge_settings(file: str) -> Ros2Settings:
    """Return the settings of the bridge to ROS 2 that a file says; empty = the defaults."""
    from solidbody.live.ros.settings import Ros2Settings, SettingsError, read_settings

    try:
        return read_settings(Path(file)) if file else Ros2Settings()
    except SettingsError as error:
        raise UsageError(str(error), "--ros2") from error


def check_outputs(choice: RecordChoice, log: str | None, sources: Iterable[str] = ()) -> None:
    """Find out before the run starts whether its files can be written.

    Args:
        choice: What is recorded.
        log: File of the motion log, `-` = standard output; None = no log.
        sources: Files that the run reads.

    Raises:
        OutputError: One cannot, or two options name the same file.
    """
    from solidbody.record.base import is_bag

    wanted = [("--record", path) for path in choice.files]
    wanted += [("--video", choice.video)] if choice.video is not None else []
    wanted += [("--photo", choice.photo)] if choice.photo is not None else []
    wanted += [("--sound", choice.sound)] if choice.sound is not None else []
    wanted += [("--log", Path(log))] if log is not None and log != "-" else []
    taken = {Path(source).resolve(): "the command" for source in sources}
    for option, path in wanted:
        check_target(path, option, is_folder=option == "--record" and is_bag(path))
        place = path.resolve()
        if place in taken and not is_special(place):
            raise OutputError(f'{option}: "{path}" is used by {taken[place]} already')
        taken[place] = option


@contextmanager
def recordings_of(sim: Sim, choice: RecordChoice, *, has_page: bool = False) -> Iterator[None]:
    """Record while the block runs; files are finished however it ends.

    Args:
        sim: The simulation.
        choice: What is asked for.
        has_page: Whether the page decides when time passes.
    """
    with (
        _foxglove_of(sim, choice, has_page=has_page),
        _ros2_of(sim, choice.ros2, has_page=has_page),
        _sound_of(sim, choice.sound),
        _data_of(sim, choice),
        _photo_of(sim, choice),
    ):
        yield


@contextmanager
def _foxglove_of(sim: Sim, choice: RecordChoice, *, has_page: bool) -> Iterator[None]:
    if choice.foxglove is None:
        yield
        return
    from solidbody.live import foxglove

    with foxglove(
        sim, port=choice.foxglove, all_sensors=choice.all_sensors, holds_time=not has_page
    ) as bridge:
        say(f"Foxglove: {bridge.url}")
        yield


@contextmanager
def _ros2_of(sim: Sim, settings: Ros2Settings | None, *, has_page: bool) -> Iterator[None]:
    if settings is None:
        yield
        return
    from solidbody.live.ros.bridge import RosBridge

    bridge = RosBridge(
        sim,
        settings,
        holds_time=not has_page,
        announce=lambda level, text: SAYING[level](f"ROS 2: {text}"),
    )
    with bridge:
        say(str(bridge))
        yield


@contextmanager
def _sound_of(sim: Sim, path: Path | None) -> Iterator[None]:
    if path is None:
        yield
        return
    from solidbody.sound.recorder import SoundRecorder

    try:
        recorder = SoundRecorder(sim, path)
    except OSError as problem:
        raise OutputError(f"{path} cannot be written: {reason_of(problem)}") from problem
    sim.attach(recorder)
    try:
        yield
    finally:
        sim.detach(recorder)
        print_diagnostics(recorder.log)
        recorder.close()


@contextmanager
def _data_of(sim: Sim, choice: RecordChoice) -> Iterator[None]:
    if not choice.files and choice.video is None:
        yield
        return
    from solidbody.live.ros.bag import bag_recorder
    from solidbody.record import recorder_for
    from solidbody.record.video import VideoRecorder
    from solidbody.viewer.recordings import replay_recorder

    with ExitStack() as stack:
        for path in choice.files:
            recorder = recorder_for(
                sim,
                path,
                period=choice.period,
                all_sensors=choice.all_sensors,
                more={".html": replay_recorder, "": bag_recorder},
            )
            stack.callback(recorder.close)
        if choice.video is not None:
            film = VideoRecorder(
                sim,
                choice.video,
                fps=choice.fps,
                size=size_of(choice.size),
                camera=choice.camera,
            )
            sim.attach(film)
            stack.callback(film.close)
        yield


@contextmanager
def _photo_of(sim: Sim, choice: RecordChoice) -> Iterator[None]:
    if choice.photo is None:
        yield
        return
    from solidbody.record.photo import check_photo, save_photo

    size = size_of(choice.photo_size)
    check_photo(*size, choice.photo_samples, choice.photo)
    yield
    save_photo(sim, choice.photo, size=size, samples=choice.photo_samples)


def size_of(text: str) -> tuple[int, int]:
    """Return width and height of `WIDTHxHEIGHT`; raises SolidbodyError."""
    width, mark, height = text.partition("x")
    is_number = width.isdecimal() and height.isdecimal() and max(len(width), len(height)) < 6
    if not (mark and is_number):
        raise SolidbodyError(f'expected a size such as 640x480, got "{text}"')
    return int(width), int(height)
