"""Photos: path-traced stills of a simulation as it stands."""

from __future__ import annotations

import io
import math
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.output_files import OutputError, reason_of, write_whole
from solidbody.devices.surfaces.looks import Look, SurfaceLooks
from solidbody.devices.surfaces.render_snapshot import RenderSnapshot
from solidbody.record.base import RecordError
from solidbody.record.viewing import follow

if TYPE_CHECKING:
    from solidbody.render.path_tracing import PhotoEye
    from solidbody.sim import Sim

MOST_PIXELS: Final = 3840 * 2160
"""56 bytes are needed for each."""

MOST_SAMPLES: Final = 4096

SAMPLES: Final = 64
"""Paths per pixel of a photo, unless something else is asked for."""


Picture = Callable[[], NDArray[np.uint8]]
"""Gives a picture (height, width, 3) as it is now."""


@dataclass(frozen=True, slots=True)
class PhotoMoment:
    """What a photo is taken of: noted in the thread of the simulation, looked at in any.

    Attributes:
        snapshot: Where everything is, and how it looks.
        own: Shapes with looks that change, with their pictures.
        unseen: Shapes (link, number) that are left out.
        device: Where rays are followed.
    """

    snapshot: RenderSnapshot
    own: dict[tuple[int, int], NDArray[np.uint8] | None]
    unseen: frozenset[tuple[int, int]]
    device: str | None

    @classmethod
    def of(cls, sim: Sim, unseen: Collection[tuple[int, int]] = ()) -> PhotoMoment:
        """Note how a simulation stands."""
        world = sim.devices.world
        world.forget()
        snapshot = world.snapshot
        return cls(snapshot, world.surfaces.own, frozenset(unseen), world.ray_device)


def check_photo(width: int, height: int, samples: int, path: Path | None = None) -> None:
    """Find out whether a photo can be this large and fine, and written to a file.

    Raises:
        RecordError: It cannot.
    """
    if path is not None and path.suffix.lower() != ".png":
        raise RecordError(f'{path}: photos are PNG files, not "{path.suffix}"')
    if min(width, height) < 2 or width * height > MOST_PIXELS:
        raise RecordError(f"a photo of {width}x{height} pixels cannot be made")
    if not 1 <= samples <= MOST_SAMPLES:
        raise RecordError(f"a photo takes 1 to {MOST_SAMPLES} samples per pixel, not {samples}")


def eye_of(sim: Sim, size: tuple[int, int]) -> PhotoEye:
    """Return the viewpoint of a simulation as it is now."""
    from solidbody.render.path_tracing import PhotoEye

    view = sim.scene.viewpoint
    world = sim.devices.world
    world.forget()
    position, rotation = follow(sim.scene, world.poses)
    width, height = size
    across = view.field_of_view
    if height > width:  # the field of view goes across the longer side
        across = 2.0 * math.atan(math.tan(0.5 * across) * width / height)
    return PhotoEye(position, rotation, across, view.near, min(max(view.exposure, 0.1), 4.0))


def take_photo(
    moment: PhotoMoment,
    eye: PhotoEye,
    size: tuple[int, int],
    *,
    samples: int = SAMPLES,
    seconds: float = math.inf,
    go_on: Callable[[float, Picture | None], bool] = lambda *_: True,
) -> NDArray[np.uint8] | None:
    """Follow the paths of light of one photo; None = it was stopped.

    Args:
        moment: What it is taken of.
        eye: Where from.
        size: Width and height.
        samples: Paths per pixel.
        seconds: No pass begins after this time.
        go_on: Is told the share that is done, and how the picture can be had as it is (None = there
            is nothing yet); False stops it.

    Raises:
        RecordError: It cannot be made here.
    """
    from solidbody.render.hiding import hidden
    from solidbody.render.path_tracing import PathTracer, PathTracingError, lamp_level, photo_scene
    from solidbody.render.ray_engine import RayEngine

    check_photo(*size, samples)
    snapshot = moment.snapshot
    level = lamp_level(snapshot.painted, snapshot.poses)
    scene = photo_scene(snapshot.painted, level)
    rays = RayEngine(scene, device=moment.device, own=moment.own)
    SurfaceLooks().show(rays, _behind_sun(snapshot.look) if level.has_sun else snapshot.look)
    for show in snapshot.shows:
        show(rays)
    rays.update(snapshot.poses)
    try:
        tracer = PathTracer(rays, eye, size, level)
    except PathTracingError as error:
        raise RecordError(str(error)) from error
    began = time.monotonic()
    with hidden(rays, moment.unseen):
        for done in range(samples):
            share = done / samples
            late = time.monotonic() - began
            if late > seconds and done > 0:
                break
            if seconds < math.inf:
                share = max(share, min(late / max(seconds, 1e-9), 1.0))
            picture = tracer.picture if done else None
            if not tracer.add_pass(lambda s=share, p=picture: not go_on(s, p)):
                return None
    return tracer.picture()


def _behind_sun(look: Look) -> Look:
    """Return the looks of a scene that has got one more lamp before all others."""
    return replace(look, lamps={number + 1: lamp for number, lamp in look.lamps.items()})


def png(picture: NDArray[np.uint8]) -> bytes:
    """Return a picture (height, width, 3) as PNG."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(picture).save(out, "PNG")
    return out.getvalue()


def save_photo(
    sim: Sim,
    path: Path,
    *,
    size: tuple[int, int] = (1280, 720),
    samples: int = SAMPLES,
    **how: Any,
) -> None:
    """Write a photo of a simulation as it stands, from its viewpoint, as PNG."""
    check_photo(*size, samples, path)
    picture = take_photo(PhotoMoment.of(sim), eye_of(sim, size), size, samples=samples, **how)
    if picture is None:
        return
    try:
        write_whole(path, png(picture))
    except OSError as problem:
        raise OutputError(f"{path} cannot be written: {reason_of(problem)}") from problem
