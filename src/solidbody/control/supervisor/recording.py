"""Pictures, movies and animations of the running world."""

from __future__ import annotations

import importlib
import importlib.util
import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose, Vec3, add, quat_to_matrix, subtract
from solidbody.control.supervisor.errors import SupervisorError
from solidbody.control.supervisor.poses import link_pose
from solidbody.control.supervisor.rule import controller_folder
from solidbody.control.supervisor.stage import Stage
from solidbody.devices.optics import planar
from solidbody.formats.webots.old_releases_turns import axis_angle
from solidbody.formats.webots.write import number_text
from solidbody.model.scene import world_poses

if TYPE_CHECKING:
    from solidbody.control.session import Session

SIZE: Final = (640, 480)
"""[pixels] Of pictures for which no size was given."""

FRAME_RATE: Final = 25
"""[1/s] Frames of movies per second."""

MAX_SIDE: Final = 4096
"""[pixels] Larger movies are refused: a frame would take minutes."""

Bytes = NDArray[np.uint8]


def view_pose(stage: Stage) -> Pose:
    """Return where the view stands: it goes along with what it follows."""
    view = stage.sim.scene.viewpoint
    if view.follow is None:
        return view.pose
    row = next(
        (k for k, link in enumerate(stage.sim.scene.links()) if link.path == view.follow), None
    )
    if row is None:
        return view.pose
    moved = subtract(link_pose(stage, row).position, _start_positions(stage)[row])
    return Pose(add(view.pose.position, moved), view.pose.rotation)


def _start_positions(stage: Stage) -> list[Vec3]:
    return [pose.position for body in stage.sim.scene.bodies for pose in world_poses(body)]


def picture(stage: Stage, width: int, height: int) -> Bytes:
    """Return what the view sees, (height, width, 3) of red, green and blue."""
    stage.settle()
    view, pose = stage.sim.scene.viewpoint, view_pose(stage)
    world = stage.sim.devices.world
    world.forget()  # things have moved since a device looked
    rays = world.rays
    # the angle is that of the larger side
    across = view.field_of_view
    if height > width:
        across = 2.0 * math.atan(math.tan(0.5 * across) * width / height)
    bundle = rays.bundle(planar(width, height, across))
    color, _, _ = rays.picture(
        bundle,
        np.array(pose.position),
        np.array(quat_to_matrix(pose.rotation)),
        near=view.near,
        far=view.far or math.inf,
    )
    shown = np.clip(color.reshape(height, width, 3) * view.exposure, 0.0, 1.0)
    return (shown * 255.0 + 0.5).astype(np.uint8)


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
    image = Image.fromarray(picture(stage, *SIZE))
    try:
        if path.suffix.lower() == ".png":
            image.save(path)
        else:
            image.save(path, quality=quality)
    except OSError as error:
        raise SupervisorError(f'exportImage(): "{path}": {error.strerror or error}') from error
    return True


# ---------------------------------------------------------------------- movies


class Movie:
    """Frames of the view, one each 1/25 s of the movie's time."""

    def __init__(self, stage: Stage, path: Path, size: tuple[int, int], quality: int, speed: float):
        self.stage, self.path, self.size, self.quality = stage, path, size, quality
        self._period = speed / FRAME_RATE
        self._due = stage.sim.time
        self.frames: list[Bytes] = []

    def after_step(self) -> None:
        """Take a frame when one is due."""
        if self.stage.sim.time >= self._due - 1e-9:
            self.frames.append(picture(self.stage, *self.size))
            self._due += self._period

    def write(self) -> None:
        """Write the file. Raises SupervisorError if that is not possible."""
        if not self.frames:
            raise SupervisorError("movieStopRecording(): nothing was recorded")
        try:
            if self.path.suffix.lower() == ".gif":
                self._write_gif()
            else:
                self._write_video()
        except OSError as error:
            text = f'movieStopRecording(): "{self.path}": {error.strerror or error}'
            raise SupervisorError(text) from error

    def _write_gif(self) -> None:
        from PIL import Image

        first, *rest = [Image.fromarray(frame) for frame in self.frames]
        first.save(
            self.path, save_all=True, append_images=rest, duration=1000 // FRAME_RATE, loop=0
        )

    def _write_video(self) -> None:
        encoder: Any = importlib.import_module(_ENCODER)
        writer = encoder.write_frames(
            str(self.path),
            self.size,
            fps=FRAME_RATE,
            quality=self.quality / 10.0,
            macro_block_size=2,
        )
        writer.send(None)
        for frame in self.frames:
            writer.send(frame.tobytes())
        writer.close()


_ENCODER: Final = "imageio_ffmpeg"


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
    path = _target(session, file, "movieStartRecording", (".gif", ".mp4"))
    if path.suffix.lower() == ".mp4" and importlib.util.find_spec(_ENCODER) is None:
        raise SupervisorError(
            "movieStartRecording(): .mp4 files need the Python package imageio-ffmpeg where solidbody "
            "runs; install it, or record a .gif"
        )
    size = (width if width > 0 else SIZE[0], height if height > 0 else SIZE[1])
    if max(size) > MAX_SIDE:
        raise SupervisorError(
            f"movieStartRecording(): at most {MAX_SIDE} pixels a side, got {size}"
        )
    if not 1 <= quality <= 100:
        raise SupervisorError(
            f"movieStartRecording(): quality must be between 1 and 100, got {quality}"
        )
    if not acceleration > 0.0:
        raise SupervisorError(
            f"movieStartRecording(): acceleration must be above 0, got {acceleration:g}"
        )
    stage.movie_failed = False
    # encoders want even sides
    even = (size[0] // 2 * 2, size[1] // 2 * 2)
    stage.recordings.append(Movie(stage, path, even, quality, acceleration))


def stop_movie(stage: Stage) -> None:
    """End the movie and write its file."""
    movie = _movie(stage)
    if movie is None:
        raise SupervisorError("movieStopRecording(): no movie is being recorded")
    stage.recordings.remove(movie)
    stage.movie_failed = True
    movie.write()
    stage.movie_failed = False


def _movie(stage: Stage) -> Movie | None:
    return next((item for item in stage.recordings if isinstance(item, Movie)), None)


def is_ready(stage: Stage) -> bool:
    """Whether no movie is being recorded or written."""
    return _movie(stage) is None


def has_failed(stage: Stage) -> bool:
    """Whether the last movie could not be made."""
    return stage.movie_failed


# ---------------------------------------------------------------------- animations


class Animation:
    """Poses of all solids over time, as Webots' web page plays them."""

    def __init__(self, stage: Stage, path: Path) -> None:
        self.stage, self.path = stage, path
        self._start = stage.sim.time
        self._last: dict[int, tuple[str, str]] = {}
        self._seen: set[int] = set()
        self.frames: list[dict[str, Any]] = []
        self.after_step()

    def after_step(self) -> None:
        """Note what has moved."""
        stage = self.stage
        updates: list[dict[str, Any]] = []
        poses = stage.sim.poses().tolist()
        for number, node in stage.tree.all():
            link = stage.link(node)
            if link is None:
                continue
            x, y, z, *turn = poses[link]
            where = _texts((x, y, z))
            rotation = _texts(axis_angle((turn[0], turn[1], turn[2], turn[3])))
            if self._last.get(number) != (where, rotation):
                self._last[number] = (where, rotation)
                self._seen.add(number)
                updates.append({"id": number, "translation": where, "rotation": rotation})
        milliseconds = round((stage.sim.time - self._start) * 1000.0)
        if updates or not self.frames:
            self.frames.append({"time": milliseconds, "updates": updates})

    def write(self) -> None:
        """Write the file: the header of a page that shows it is left to the user."""
        text = json.dumps(
            {
                "basicTimeStep": self.stage.sim.time_step * 1000.0,
                "ids": ";".join(str(number) for number in sorted(self._seen)),
                "labelsIds": ";".join(str(number) for number in sorted(self.stage.labels)),
                "frames": self.frames,
            }
        )
        try:
            self.path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise SupervisorError(
                f'animationStopRecording(): "{self.path}": {error.strerror or error}'
            ) from error


def _texts(values: tuple[float, ...]) -> str:
    # six digits, as in Webots' own files
    return " ".join(number_text(float(f"{value:.6g}")) for value in values)


def start_animation(stage: Stage, session: Session, file: str) -> None:
    """Begin to note how things move."""
    if _animation(stage) is not None:
        raise SupervisorError("animationStartRecording(): an animation is being recorded already")
    path = _target(session, file, "animationStartRecording", (".json", ".html"))
    stage.settle()
    stage.recordings.append(Animation(stage, path.with_suffix(".json")))


def stop_animation(stage: Stage) -> None:
    """End the animation and write its file."""
    animation = _animation(stage)
    if animation is None:
        raise SupervisorError("animationStopRecording(): no animation is being recorded")
    stage.recordings.remove(animation)
    animation.write()


def _animation(stage: Stage) -> Animation | None:
    return next((item for item in stage.recordings if isinstance(item, Animation)), None)
