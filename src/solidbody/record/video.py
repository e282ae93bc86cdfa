"""Video of a run: GIF with Pillow, MP4 where a video encoder is installed."""

from __future__ import annotations

import io
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import NameLookupError
from solidbody.base.extras import needs
from solidbody.base.output_files import DraftedFile, GrowingFile, reason_of
from solidbody.devices.imaging.cameras import Cameras
from solidbody.record.base import Recorder, RecordError, check_record_target
from solidbody.record.viewing import ViewpointCamera

if TYPE_CHECKING:
    from solidbody.sim import Sim

FORMATS = (".gif", ".mp4")
MOST_PIXELS = 1920 * 1080


class VideoRecorder(Recorder):
    """Films from the viewpoint, or through a camera, at `fps` pictures per simulated second."""

    def __init__(
        self,
        sim: Sim,
        path: Path,
        *,
        fps: float = 30.0,
        size: tuple[int, int] = (640, 480),
        camera: str | None = None,
    ) -> None:
        if path.suffix.lower() not in FORMATS:
            raise RecordError(
                f'{path}: cannot film to files with the extension "{path.suffix}"; '
                f"known: {', '.join(FORMATS)}"
            )
        if min(size) < 2 or size[0] * size[1] > MOST_PIXELS:
            raise RecordError(f"a video of {size[0]}x{size[1]} pixels cannot be made")
        check_record_target(path)
        super().__init__(sim, path, 1.0 / fps)
        self._fps = 1.0 / (self.every * sim.time_step)
        self._camera = _camera_of(sim, camera)
        self._view = ViewpointCamera(sim, size)
        self._encoder = encoder_for(path, self._fps)

    def scene_changed(self) -> None:
        """Nothing to find: each picture is taken of what is there."""

    def write(self) -> None:
        """Take one picture."""
        self._encoder.add(self._from_camera() if self._camera else self._view.picture())

    def _from_camera(self) -> NDArray[np.uint8]:
        assert self._camera is not None
        group, row = self._camera
        group.sample(np.array([row], dtype=np.intp), np.array([1.0 / self._fps]))
        image = group.image(row)
        assert image is not None
        return np.asarray(image, dtype=np.uint8)

    def finish(self) -> None:
        """Finish the film."""
        self._encoder.close()

    def abandon(self) -> None:
        """Keep the last draft of it, or what the encoder has written."""
        self._encoder.abandon()


def _camera_of(sim: Sim, name: str | None) -> tuple[Cameras, int] | None:
    if name is None:
        return None
    try:
        group, row = sim.devices.group_of(sim.devices.names[name])
    except NameLookupError as error:
        raise RecordError(str(error)) from error
    if not isinstance(group, Cameras):
        raise RecordError(f'"{name}" is not a camera')
    return group, row


class Encoder(Protocol):
    """Writes pictures (height, width, 3) to a file, one after the other."""

    def add(self, picture: NDArray[np.uint8]) -> None:
        """Take the next picture."""
        ...

    def close(self) -> None:
        """Finish the file."""
        ...

    def abandon(self) -> None:
        """Let the file be as it is, without an error."""
        ...


class _Gif:
    def __init__(self, path: Path, fps: float) -> None:
        self._file = DraftedFile(path)
        self._fps = fps
        self._frames: list[Any] = []

    def add(self, picture: NDArray[np.uint8]) -> None:
        from PIL import Image

        # a palette of its own per picture: an eighth of the memory, and what GIF holds anyway
        self._frames.append(Image.fromarray(picture).quantize(128))
        if self._file.is_due:
            started = time.monotonic()
            self._file.draft(self._film(), started)

    def _film(self) -> bytes:
        first, *others = self._frames
        pause = max(round(1000.0 / self._fps / 10.0) * 10, 20)
        out = io.BytesIO()
        first.save(out, format="GIF", save_all=True, append_images=others, duration=pause, loop=0)
        return out.getvalue()

    def close(self) -> None:
        if self._frames:
            self._file.finish(self._film())
        else:
            self._file.drop()

    def abandon(self) -> None:
        self._frames.clear()


class _Mp4:
    def __init__(self, path: Path, fps: float) -> None:
        try:
            import imageio_ffmpeg  # type: ignore[import-not-found]
        except ImportError as error:
            raise RecordError(f"MP4 {needs('video')} (GIF works without)") from error
        # an unwritable place is told at once; the encoder opens the file again, by its name
        self._file = GrowingFile(path)
        self._make = imageio_ffmpeg.write_frames
        self._fps = fps
        self._writer: Any = None

    def add(self, picture: NDArray[np.uint8]) -> None:
        if self._writer is None:
            height, width = picture.shape[:2]
            self._writer = self._make(
                str(self._file.place), (width, height), fps=self._fps, macro_block_size=1
            )
            self._writer.send(None)
        self._writer.send(np.ascontiguousarray(picture).tobytes())

    def close(self) -> None:
        if self._writer is None:
            self._file.drop()
            return
        self._writer.close()
        self._file.finish()

    def abandon(self) -> None:
        if self._writer is not None:
            with suppress(Exception):  # the encoder may have ended before
                self._writer.close()
        self._file.abandon()


def encoder_for(path: Path, fps: float) -> Encoder:
    """Return what writes a film to a file. Raises RecordError if that is not possible."""
    try:
        return _Gif(path, fps) if path.suffix.lower() == ".gif" else _Mp4(path, fps)
    except OSError as error:
        raise RecordError(f"{path} cannot be written: {reason_of(error)}") from error
