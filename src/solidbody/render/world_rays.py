"""Follows the rays of image sensors in all worlds of a batch at once, on the device of their states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import warp as wp
from numpy.typing import NDArray

from solidbody.base.vectors import matrices
from solidbody.model.environment import LightDirectional, LightSpot
from solidbody.render import world_kernels as kernels
from solidbody.render.device import compile_kernels, upload
from solidbody.render.ray_batches import FAR
from solidbody.render.ray_engine import Clipping, RayEngine

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

_BOXES: Final = ("position", "rotation", "scale", "middle", "half")
"""Where shapes are on their links: columns of `RayEngine.placed`."""

_LOOKS: Final = (
    *("kind", "size", "flags", "mesh", "group", "material", "corner", "has_normals", "has_uv"),
    "has_colors",
)
"""Columns of shapes that are the same in all worlds."""


@dataclass(frozen=True, slots=True, eq=False)
class WorldEye:
    """Where a sensor is, and which rays it follows.

    Attributes:
        link: It is fixed to.
        position: On the link.
        rotation: Its frame on the link (w x y z).
        optical: Axes (forward, left, up) of its rays in that frame (w x y z).
        directions: (rows, columns, 3), of its rays.
        clipping: What `near` and `far` are.
        near: Depth at which rays begin [m].
        far: Depth at which they end [m].
        inside: (rows, columns) which of them see anything; None = all.
        scale: How many of them make a pixel, along each side.
    """

    link: int
    position: Floats
    rotation: Floats
    optical: Floats
    directions: Floats
    clipping: Clipping
    near: float
    far: float
    inside: NDArray[np.bool_] | None = None
    scale: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class DepthMeter:
    """What a depth image says of distances.

    Attributes:
        along: (rows, columns) depth per distance; None = it says distances.
        resolution: Step [m]; None = continuous.
        low: Least value that counts [m].
        high: Greatest one [m].
        lost: What is said beyond them [m].
        is_single: Whether values are 32-bit numbers before they are compared.
    """

    along: Floats | None
    resolution: float | None
    low: float
    high: float
    lost: float
    is_single: bool


@dataclass(slots=True, eq=False)
class _Looks:
    """Pictures or distances to be made whenever worlds are looked at."""

    eyes: list[WorldEye] = field(default_factory=list[WorldEye])
    launches: list[Callable[[Any, Any], None]] = field(
        default_factory=list["Callable[[Any, Any], None]"]
    )


class WorldRays:
    """The scene of a ray engine in many worlds.

    Args:
        engine: With everything where it is at the start, on the device of the worlds.
        worlds: How many.
        column: By link, its column in `poses`; -1 = it stands still.
        poses: Of Warp: (worlds, links that move, 7), kept up to date by somebody else.
    """

    def __init__(self, engine: RayEngine, worlds: int, column: Ints, poses: Any) -> None:
        self._engine, self._count, self._column, self._poses = engine, worlds, column, poses
        self._device = engine.device
        self._looks = _Looks()
        self._eye_places: tuple[Any, ...] | None = None
        compile_kernels(kernels.__name__, self._device)
        self._make_shapes()
        self._make_lights()

    def _up(self, array: NDArray[Any], dtype: Any = None) -> Any:
        if dtype is None:
            return upload(array, self._device)
        return wp.array(np.ascontiguousarray(array), dtype=dtype, device=self._device)

    # ------------------------------------------------------------------ what is seen

    def _make_shapes(self) -> None:
        """Lay out shapes: those that stand still first, then the moving ones of each world."""
        engine, n = self._engine, self._count
        link = engine.placed["link"].numpy()
        column = self._column[link] if len(engine.rows) else np.full(len(link), -1)
        still, moving = np.flatnonzero(column < 0), np.flatnonzero(column >= 0)
        nothing = not len(still)
        if nothing:  # a tree has one box at least: of a shape that no ray counts
            still = moving[:1]
        order = np.concatenate([still, moving])
        self._order = order
        shapes = kernels.Shapes()
        for name in ("corner_normal", "corner_uv", "corner_color"):
            setattr(shapes, name, getattr(engine.shapes, name))
        for name in _LOOKS:
            values = getattr(engine.shapes, name).numpy()[order]
            if name == "flags" and nothing:
                values[0] = 0
            setattr(shapes, name, self._up(values))
        first, moves = len(still), len(moving)
        for name in ("inverse", "origin"):
            values = getattr(engine.shapes, name).numpy()
            rows = np.concatenate(
                [values[still], np.tile(values[moving], (n, *(1,) * (values.ndim - 1)))]
            )
            setattr(shapes, name, self._up(rows))
        self._shapes = shapes
        inks = kernels.Inks()
        inks.start = self._up(np.full(len(order), -1, dtype=np.int32))
        inks.size, inks.texels = engine.paint_layers.struct.size, engine.paint_layers.struct.texels
        self._inks = inks
        boxes = [engine.placed[name].numpy() for name in ("low", "high")]
        # one that is built once is best built well
        self._tree = wp.Bvh(*(self._up(box[still]) for box in boxes), constructor="sah")
        worlds = kernels.RayWorlds()
        worlds.tree, worlds.first, worlds.moves = self._tree.id, first, moves
        self._worlds = worlds
        self._moving: Any = None
        if not moves:
            return
        low, high = (wp.zeros(n * moves, dtype=wp.vec3, device=self._device) for _ in range(2))
        self._placing = [
            self._poses,
            self._up(column[moving].astype(np.int32)),
            *(self._up(engine.placed[name].numpy()[moving]) for name in _BOXES),
            first,
            shapes.inverse,
            shapes.origin,
            low,
            high,
        ]
        self._place_shapes()
        groups = self._up(np.repeat(np.arange(n, dtype=np.int32), moves))
        self._moving = wp.Bvh(low, high, groups=groups)
        worlds.moving = self._moving.id
        worlds.roots = wp.zeros(n, dtype=wp.int32, device=self._device)
        wp.launch(
            kernels.find_roots,
            dim=n,
            inputs=[worlds.moving, worlds.roots],
            device=self._device,
        )

    def _place_shapes(self) -> None:
        dim = (self._count, self._worlds.moves)
        wp.launch(kernels.place_moving, dim=dim, inputs=self._placing, device=self._device)

    def _make_lights(self) -> None:
        """Give lamps that are carried around a place in each world."""
        engine = self._engine
        self._lights = engine.lights
        self._lamps: list[Any] = []
        links = [-1 if lamp.link is None else int(self._column[lamp.link]) for lamp in engine.lamps]
        if max(links, default=-1) < 0:
            return
        at, way = np.zeros((len(links), 3)), np.zeros((len(links), 3))
        for k, lamp in enumerate(engine.lamps):
            if links[k] < 0:  # as it is now
                at[k] = engine.lights.position.numpy()[k]
                way[k] = engine.lights.direction.numpy()[k]
                continue
            turn, light = matrices(np.array([lamp.pose.rotation]))[0], lamp.light
            if not isinstance(light, LightDirectional):
                at[k] = np.array(lamp.pose.position) + turn @ np.array(light.position)
            given = getattr(light, "direction", None)
            if given is not None:
                way[k] = turn @ np.array(given)
                way[k] /= max(float(np.linalg.norm(way[k])), 1e-9)
        lights = kernels.Lights()
        for name in kernels.Lights.vars:
            setattr(lights, name, getattr(engine.lights, name))
        for name in ("position", "direction"):
            rows = wp.zeros(self._count * len(links), dtype=wp.vec3, device=self._device)
            setattr(lights, name, rows)
        self._lights = lights
        self._worlds.lamps = len(links)
        self._lamps = [
            self._poses,
            self._up(np.array(links, dtype=np.int32)),
            self._up(at, wp.vec3d),
            self._up(way, wp.vec3d),
            lights.position,
            lights.direction,
        ]

    # ------------------------------------------------------------------ who looks

    def _eye(self, eye: WorldEye) -> Any:
        rows, columns = (size // eye.scale for size in eye.directions.shape[:2])
        out = kernels.WorldLens()
        out.number = len(self._looks.eyes)
        out.directions = self._engine.bundle(eye.directions)
        out.columns, out.rows, out.scale = columns, rows, eye.scale
        out.clipping, out.near, out.far = int(eye.clipping), eye.near, min(eye.far, FAR)
        if eye.inside is not None:
            out.inside = self._up(eye.inside.ravel().astype(np.uint8), wp.uint8)
        self._looks.eyes.append(eye)
        self._eye_places = None
        return out

    def add_picture(
        self, eye: WorldEye, image: Any, item: int, *, exposure: float, corner_radius: float = 0.0
    ) -> None:
        """Take pictures from now on.

        Args:
            eye: Who looks.
            image: Of Warp: (worlds, items, rows, columns) of three bytes.
            item: Which of the items.
            exposure: Factor on the light.
            corner_radius: See `RayEngine.picture`.
        """
        seen = self._eye(eye)

        def launch(active: Any, places: Any) -> None:
            wp.launch(
                kernels.take_pictures,
                dim=(self._count, seen.rows * seen.columns),
                inputs=[
                    self._shapes,
                    self._engine.materials,
                    self._inks,
                    self._lights,
                    self._worlds,
                    active,
                    *places,
                    seen,
                    exposure,
                    corner_radius,
                    item,
                    image,
                ],
                device=self._device,
            )

        self._looks.launches.append(launch)

    def add_distances(self, eye: WorldEye, meter: DepthMeter, image: Any, item: int) -> None:
        """Measure distances from now on; `image`: (worlds, items, rows, columns) of 32-bit numbers."""
        seen, rule = self._eye(eye), kernels.Meter()
        if meter.along is not None:
            rule.along = self._up(meter.along.ravel(), wp.float64)
        rule.step = meter.resolution or 0.0
        rule.low, rule.high, rule.lost = meter.low, meter.high, meter.lost
        rule.is_single = meter.is_single

        def launch(active: Any, places: Any) -> None:
            wp.launch(
                kernels.measure_distances,
                dim=(self._count, seen.rows * seen.columns),
                inputs=[
                    self._shapes,
                    self._engine.materials,
                    self._worlds,
                    active,
                    *places,
                    seen,
                    rule,
                    item,
                    image,
                ],
                device=self._device,
            )

        self._looks.launches.append(launch)

    def add_infrared(
        self,
        eye: WorldEye,
        raw: Any,
        column: int,
        *,
        weights: Floats,
        sensitivity: float,
    ) -> None:
        """Measure with infra-red light from now on: how far things seem to be [m].

        Args:
            eye: Who looks; its rays end at `far`.
            raw: Of Warp: (worlds, columns), of all sensors.
            column: Which of them.
            weights: Of the rays.
            sensitivity: Share of what redness changes.
        """
        from solidbody.render import world_sense_kernels as single

        compile_kernels(single.__name__, self._device)
        seen, redness = self._eye(eye), single.Redness()
        rows = np.minimum(self._order, len(self._engine.infrared.red) - 1)
        redness.red = self._up(self._engine.infrared.red[rows])
        redness.roughness = self._up(self._engine.infrared.roughness[rows])
        share = self._up(weights, wp.float64)

        def launch(active: Any, places: Any) -> None:
            wp.launch(
                single.sense_infrared,
                dim=self._count,
                inputs=[
                    self._shapes,
                    self._engine.materials,
                    self._worlds,
                    redness,
                    *places,
                    seen.number,
                    seen.directions,
                    share,
                    seen.far,
                    sensitivity,
                    column,
                    raw,
                ],
                device=self._device,
            )

        self._looks.launches.append(launch)

    def add_light(
        self,
        eye: WorldEye,
        raw: Any,
        column: int,
        *,
        color_filter: tuple[float, float, float],
        skip: int,
        sees_occlusion: bool,
    ) -> None:
        """Measure light from now on: see `add_infrared`; `skip`: group that throws no shadow on it."""
        from solidbody.render import world_sense_kernels as single

        compile_kernels(single.__name__, self._device)
        seen, lamps = self._eye(eye), self._lamp_table(single)

        def launch(active: Any, places: Any) -> None:
            wp.launch(
                single.sense_light,
                dim=self._count,
                inputs=[
                    self._shapes,
                    self._engine.materials,
                    self._worlds,
                    self._lights,
                    lamps,
                    *places,
                    seen.number,
                    wp.vec3d(*color_filter),
                    skip,
                    sees_occlusion,
                    column,
                    raw,
                ],
                device=self._device,
            )

        self._looks.launches.append(launch)

    def _lamp_table(self, single: Any) -> Any:
        """Return what light sensors know of the lamps of now."""
        lamps = self._engine.lamps
        n, lights = max(len(lamps), 1), [lamp.light for lamp in lamps]
        on = np.array([lamp.is_on for lamp in lamps], dtype=np.float64)
        numbers = {"intensity": np.zeros(n), "ambient": np.zeros(n), "radius": np.ones(n)}
        rows = {"color": np.zeros((n, 3)), "attenuation": np.ones((n, 3)), "cone": np.ones((n, 2))}
        for k, light in enumerate(lights):
            numbers["intensity"][k] = light.intensity * on[k]
            numbers["ambient"][k] = light.ambient * on[k]
            rows["color"][k] = light.color
            if not isinstance(light, LightDirectional):
                numbers["radius"][k] = light.radius
                rows["attenuation"][k] = light.attenuation
            if isinstance(light, LightSpot):
                beam = min(light.beam_width, light.cut_off_angle)
                rows["cone"][k] = beam, light.cut_off_angle
        table = single.LampTable()
        for name, values in numbers.items():
            setattr(table, name, self._up(values, wp.float64))
        for name, kind in (("color", wp.vec3d), ("attenuation", wp.vec3d), ("cone", wp.vec2d)):
            setattr(table, name, self._up(rows[name], kind))
        return table

    def prepare(self) -> None:
        """Make what cannot be made while a graph is captured."""
        if self._eye_places is not None:
            return
        eyes, n = self._looks.eyes, self._count
        columns = [int(self._column[eye.link]) for eye in eyes]
        at, turn = (
            np.array([getattr(eye, name) for eye in eyes]) for name in ("position", "rotation")
        )
        self._eye_places = (
            self._up(np.array(columns, dtype=np.int32)),
            self._up(at, wp.vec3d),
            self._up(turn, wp.vec4d),
            self._up(np.array([eye.optical for eye in eyes]), wp.vec4d),
            wp.zeros((n, len(eyes)), dtype=wp.vec3, device=self._device),
            wp.zeros((n, len(eyes)), dtype=wp.mat33, device=self._device),
        )

    def look(self, active: Any) -> None:
        """Make all images anew, of the poses of now.

        Args:
            active: Of Warp: (worlds, 1) bytes; worlds in which it is 0 keep theirs.
        """
        if not self._looks.eyes:
            return
        self.prepare()
        assert self._eye_places is not None
        if self._moving is not None:
            self._place_shapes()
            self._moving.refit()
        eyes = (self._count, len(self._looks.eyes))
        inputs: Sequence[Any] = [self._poses, *self._eye_places]
        wp.launch(kernels.place_eyes, dim=eyes, inputs=inputs, device=self._device)
        if self._lamps:
            dim = (self._count, self._worlds.lamps)
            wp.launch(kernels.place_lamps, dim=dim, inputs=self._lamps, device=self._device)
        for launch in self._looks.launches:
            launch(active, self._eye_places[-2:])
