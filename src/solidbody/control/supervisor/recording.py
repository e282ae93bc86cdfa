"""Records pictures, movies and animations of the running world, for supervisors."""

from __future__ import annotations

import io
import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from solidbody.base.errors import SolidbodyError
from solidbody.base.output_files import OutputError, reason_of, write_whole
from solidbody.control.supervisor.errors import SupervisorError
from solidbody.control.supervisor.poses import local_pose
from solidbody.control.supervisor.run_control import controller_folder
from solidbody.control.supervisor.stage import PageRecorder, Stage
from solidbody.formats.webots.releases.turns import axis_angle
from solidbody.formats.webots.write.text import number_text
from solidbody.record.base import RecordError
from solidbody.record.video import FORMATS, MOST_PIXELS, encoder_for
from solidbody.record.viewing import ViewpointCamera

if TYPE_CHECKING:
    from solidbody.control.session import Session

SIZE: Final = (640, 480)
"""[pixels] Of pictures for which no size was given."""

FRAME_RATE: Final = 25
"""[1/s] Frames of movies per second."""


def _target(session: Session, file: str, function: str, endings: tuple[str, ...]) -> Path:
    path = Path(controller_folder(session), os.path.expanduser(file))
    if path.suffix.lower() not in endings:
        listed = ", ".join(endings)
        raise SupervisorError(f'{function}(): the name must end with {listed}, got "{file}"')
    if not path.parent.is_dir():
        raise SupervisorError(f'{function}(): there is no folder "{path.parent}"')
    return path


def export_image(stage: Stage, session: Session, file: str, quality: int) -> bool:
    """Write a picture of the view: PNG or JPEG, by its name."""
    from PIL import Image

    path = _target(session, file, "exportImage", (".png", ".jpg", ".jpeg"))
    if not 1 <= quality <= 100:
        raise SupervisorError(f"exportImage(): quality must be between 1 and 100, got {quality}")
    stage.settle()
    image = Image.fromarray(ViewpointCamera(stage.sim, SIZE).picture(stage.hiding.in_view(stage)))
    out = io.BytesIO()
    if path.suffix.lower() == ".png":
        image.save(out, "PNG")
    else:
        image.save(out, "JPEG", quality=quality)
    try:
        write_whole(path, out.getvalue())
    except OSError as error:
        raise SupervisorError(f'exportImage(): "{path}": {error.strerror or error}') from error
    return True


# ---------------------------------------------------------------------- movies


class Movie:
    """A film of the view: one picture each 1/25 s of the film's own time."""

    def __init__(self, stage: Stage, path: Path, size: tuple[int, int], speed: float) -> None:
        self.stage, self.path = stage, path
        self._view = ViewpointCamera(stage.sim, size)
        self._encoder = encoder_for(path, FRAME_RATE)
        self._period = speed / FRAME_RATE
        self._due = stage.sim.time
        self._count = 0
        self._failure = ""

    def after_step(self) -> None:
        """Take a picture when one is due."""
        if self.stage.sim.time >= self._due - 1e-9 and not self._failure:
            picture = self._view.picture(self.stage.hiding.in_view(self.stage))
            try:
                self._encoder.add(picture)
            except OSError as error:  # told when the movie is to end
                self._failure = reason_of(error)
                self._encoder.abandon()
            self._count += 1
            self._due += self._period

    def write(self) -> None:
        """Finish the file. Raises SupervisorError if that is not possible."""
        if self._failure:
            raise SupervisorError(f'movieStopRecording(): "{self.path}": {self._failure}')
        try:
            self._encoder.close()
        except OSError as error:
            text = f'movieStopRecording(): "{self.path}": {error.strerror or error}'
            raise SupervisorError(text) from error
        if not self._count:
            raise SupervisorError("movieStopRecording(): nothing was recorded")


def start_movie(
    stage: Stage,
    session: Session,
    file: str,
    width: int,
    height: int,
    quality: int,
    acceleration: float,
) -> None:
    """Begin a movie of the view."""
    stage.movie_failed = True  # until it has begun
    if _movie(stage) is not None:
        raise SupervisorError("movieStartRecording(): a movie is being recorded already")
    path = _target(session, file, "movieStartRecording", FORMATS)
    size = (width if width > 0 else SIZE[0], height if height > 0 else SIZE[1])
    if size[0] * size[1] > MOST_PIXELS:
        raise SupervisorError(
            f"movieStartRecording(): {size[0]}x{size[1]} pixels are too many; "
            f"at most {MOST_PIXELS} in all"
        )
    if not 1 <= quality <= 100:
        raise SupervisorError(
            f"movieStartRecording(): quality must be between 1 and 100, got {quality}"
        )
    if not acceleration > 0.0:
        raise SupervisorError(
            f"movieStartRecording(): acceleration must be above 0, got {acceleration:g}"
        )
    # encoders want even sides
    even = (max(size[0] // 2 * 2, 2), max(size[1] // 2 * 2, 2))
    try:
        movie = Movie(stage, path, even, acceleration)
    except RecordError as error:
        raise SupervisorError(f"movieStartRecording(): {error}") from error
    stage.movie_failed = False
    stage.recordings.append(movie)


def stop_movie(stage: Stage) -> None:
    """End the movie and write its file."""
    movie = _movie(stage)
    if movie is None:
        raise SupervisorError("movieStopRecording(): no movie is being recorded")
    stage.recordings.remove(movie)
    stage.movie_stopped_at = stage.sim.step_count
    stage.movie_failed = True
    movie.write()
    stage.movie_failed = False


def _movie(stage: Stage) -> Movie | None:
    return next((item for item in stage.recordings if isinstance(item, Movie)), None)


def is_ready(stage: Stage) -> bool:
    """Whether no movie is being recorded or was stopped in this step: Webots writes it in the next ones."""
    return _movie(stage) is None and stage.movie_stopped_at != stage.sim.step_count


def has_failed(stage: Stage) -> bool:
    """Whether the last movie could not be made."""
    return stage.movie_failed


# ---------------------------------------------------------------------- animations


class Animation:
    """Poses of all solids over time, as Webots writes them for its own page, and a page of ours.

    Args:
        stage: The world.
        path: The file of poses (.json).
        page: Makes the page; None = there is none.
    """

    def __init__(self, stage: Stage, path: Path, page: PageRecorder | None) -> None:
        self.stage, self.path, self._page = stage, path, page
        sim = stage.sim
        self._start, self._start_count = sim.time, sim.step_count
        self._every = max(1, math.ceil(1.0 / sim.scene.display_rate / sim.time_step - 1e-9))
        self._first = self._poses()
        self._last = dict(self._first)
        self._frames: list[dict[str, Any]] = []
        if page is not None:
            page.before_steps()

    def _poses(self) -> dict[int, tuple[str, str]]:
        """Return translation and rotation of each solid in the node around it, as text."""
        stage = self.stage
        found: dict[int, tuple[str, str]] = {}
        for number, node in stage.tree.all():
            if stage.link(node) is not None:
                pose = local_pose(stage, node)
                found[number] = _texts(pose.position), _texts(axis_angle(pose.rotation))
        return found

    def after_step(self) -> None:
        """Note what has moved, at the rate of the world's pictures."""
        if self._page is not None:
            self._page.after_steps()
        sim = self.stage.sim
        if (sim.step_count - self._start_count) % self._every:
            return
        poses = self._poses()
        moved = [n for n, pose in poses.items() if self._last.get(n) != pose]
        if moved:
            now = round((sim.time - self._start) * 1000.0)
            self._frames.append({"time": now, "updates": _updates(moved, poses)})
        self._last = poses

    def write(self) -> None:
        """Write the files."""
        frames = self._frames
        changed = dict.fromkeys(item["id"] for frame in frames for item in frame["updates"])
        known = [number for number in changed if number in self._first]
        start = {"time": 0, "updates": _updates(known, self._first)}
        text = json.dumps(
            {
                "basicTimeStep": self._every * self.stage.sim.time_step * 1000.0,
                "ids": ";".join(map(str, changed)),
                "labelsIds": ";".join(map(str, sorted(self.stage.labels))),
                "frames": [start, *frames],
            }
        )
        try:
            write_whole(self.path, text.encode("utf-8"))
            if self._page is not None:
                self._page.close()
        except OutputError as error:
            raise SupervisorError(f"animationStopRecording(): {error}") from error
        except OSError as error:
            raise SupervisorError(
                f'animationStopRecording(): "{self.path}": {error.strerror or error}'
            ) from error


def _updates(numbers: Iterable[int], poses: dict[int, tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"id": n, "translation": poses[n][0], "rotation": poses[n][1]} for n in numbers]


def _texts(values: tuple[float, ...]) -> str:
    # six digits, as in Webots' own files
    return " ".join(number_text(float(f"{value:.6g}")) for value in values)


def start_animation(stage: Stage, session: Session, file: str) -> bool:
    """Begin to note how things move; returns whether that is possible."""
    if _animation(stage) is not None:
        raise SupervisorError("animationStartRecording(): an animation is being recorded already")
    path = _target(session, file, "animationStartRecording", (".json", ".html"))
    stage.settle()
    page = None
    if path.suffix.lower() == ".html" and stage.page_recorder is not None:
        try:
            page = stage.page_recorder(stage.sim, path)
        except SolidbodyError as error:
            # our page was not built: the poses are written all the same
            stage.notes.append(f"Warning: animationStartRecording(): {error}")
        except OSError as error:
            reason = error.strerror or error
            raise SupervisorError(f'animationStartRecording(): "{path}": {reason}') from error
    stage.recordings.append(Animation(stage, path.with_suffix(".json"), page))
    return True


def stop_animation(stage: Stage) -> bool:
    """End the animation and write its file; returns whether that went well."""
    animation = _animation(stage)
    if animation is None:
        raise SupervisorError("animationStopRecording(): no animation is being recorded")
    stage.recordings.remove(animation)
    animation.write()
    return True


def _animation(stage: Stage) -> Animation | None:
    return next((item for item in stage.recordings if isinstance(item, Animation)), None)
