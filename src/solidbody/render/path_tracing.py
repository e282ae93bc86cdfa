"""Path tracing: stills with soft shadows, light of the sky, and light that things throw on each other.

The picture is that of the page (`web/src/lights.ts`, `sky.ts`, `tone_mapping.ts`): the same strengths of
lamps, the same sky, the same curve from light to colours; but light is followed, not guessed. Each pass adds
one path per pixel; what noise is left is smoothed along surfaces.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.vectors import matrices
from solidbody.model.environment import LightDirectional
from solidbody.model.scene import PictureRule, Scene
from solidbody.render.device import NATIVE, compile_kernels
from solidbody.render.materials import lamps_of
from solidbody.render.ray_batches import FAR
from solidbody.render.ray_engine import RayEngine
from solidbody.render.tone_mapping import to_light

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

LEAST_LIGHT: Final = 1.8
MOST_LIGHT: Final = 2.0
"""Limits of the light of all lamps where things stand; pi makes a white surface white. As on the page."""

DARK_LIMIT: Final = 0.25
"""Less light than this where things stand, and our own sun shines as well."""

SHARE_LIMIT: Final = 8.0
"""Lamps are at most this many times as bright as the file says."""

SUN_COLOR: Final = (1.0, 0.97, 0.92)

SUN_RADIUS: Final = 0.009
"""[rad] Of the sun as shadows see it: twice that of the real one, so that their softness shows."""

BULB_RADIUS: Final = 0.04
"""[m] Of lamps."""

BOUNCES: Final = 5
"""Surfaces that light touches after the first."""

BAND: Final = 1 << 16
"""Pixels that are followed before somebody may stop it: a fraction of a second."""

LEVELS: Final = 5
"""Steps of smoothing, each over twice the distance."""


class PathTracingError(Exception):
    """Paths cannot be followed here; the text says why."""


@dataclass(frozen=True, slots=True)
class PhotoEye:
    """Where one looks from: position, axes (columns: forward, left, up), angle across the width [rad]."""

    position: Floats
    rotation: Floats
    across: float
    near: float = 0.01
    exposure: float = 1.0


@dataclass(frozen=True, slots=True)
class LampLevel:
    """How bright lamps are drawn: times what the file says, and whether our own sun shines as well."""

    share: float
    has_sun: bool


def lamp_level(scene: Scene, poses: Floats) -> LampLevel:
    """Return how bright the lamps of a scene are drawn, from the light where most things stand."""
    drawn = [row for row, link in enumerate(scene.links()) if link.shapes]
    places = poses[drawn, :3] if drawn else np.zeros((1, 3))
    received = np.zeros(len(places))
    for lamp in lamps_of(scene):
        light = lamp.light
        if not lamp.is_on:
            continue
        bright = light.intensity * float(np.dot(light.color, (0.2126, 0.7152, 0.0722)))
        if isinstance(light, LightDirectional):
            received += bright
            continue
        at = np.array(light.position)
        if lamp.link is not None:
            at = poses[lamp.link, :3] + matrices(poses[lamp.link : lamp.link + 1, 3:])[0] @ at
        distance = np.linalg.norm(places - at, axis=1)
        a, b, c = light.attenuation
        fade = 1.0 / np.maximum(a + b * distance + c * distance**2, 1.0)
        received += np.where(distance > light.radius, 0.0, bright * fade)
    typical = float(np.sort(received)[len(received) // 4])
    if typical < DARK_LIMIT:
        return LampLevel(1.0, True)
    wanted = min(max(typical, LEAST_LIGHT), MOST_LIGHT)
    return LampLevel(min(wanted / typical, SHARE_LIMIT), False)


def photo_scene(scene: Scene, level: LampLevel) -> Scene:
    """Return the scene as paths see it: colours stand for light, and there is a sun if it is dark."""
    lights = scene.lights
    if level.has_sun:
        lights = (LightDirectional(_sunlight(scene), SUN_COLOR, MOST_LIGHT), *lights)
    return replace(scene, pictures=PictureRule.FILM, lights=lights)


def _up(scene: Scene) -> Floats:
    return np.array(scene.geodesy.up, dtype=np.float64)


def _sunlight(scene: Scene) -> tuple[float, float, float]:
    """Return where our own sun shines to: from above, a little from the side."""
    up = _up(scene)
    side = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    x, y, z = (-(up - 0.45 * side + 0.6 * np.cross(up, side))).tolist()
    return x, y, z


def _sky_colors(scene: Scene) -> tuple[Floats, Floats, Floats]:
    """Return the light at zenith and horizon and below, as the page draws a sky without pictures."""
    if scene.background is None:
        return tuple(to_light(np.array(c) / 255.0) for c in _DEFAULT_SKY)  # type: ignore[return-value]
    color = to_light(scene.background.color)
    bright = float(np.dot(color, (0.2126, 0.7152, 0.0722)))
    haze = np.full(3, 0.04 + 0.9 * min(1.0, 1.6 * bright))
    return 0.92 * color, 0.55 * color + 0.45 * haze, 0.75 * (0.75 * color + 0.25 * haze)


_DEFAULT_SKY: Final = ((0x5F, 0x8F, 0xC9), (0xDF, 0xE8, 0xF2), (0x8F, 0x92, 0x99))


def page_colors(light: Singles, exposure: float) -> NDArray[np.uint8]:
    """Return the colours (sRGB) that the page shows of light: bright light rolls off towards white."""
    light = np.maximum(light, 0.0) * np.float32(exposure)
    shoulder, rest = 0.76, 0.24
    peak = light.max(axis=-1, keepdims=True)
    shown = 1.0 - rest * rest / (np.maximum(peak, shoulder) + rest - shoulder)
    white = 1.0 - 1.0 / (0.15 * (np.maximum(peak, shoulder) - shown) + 1.0)
    rolled = light * (shown / np.maximum(peak, shoulder)) * (1.0 - white) + shown * white
    out = np.where(peak < shoulder, light, rolled)
    srgb = np.where(
        out < 0.0031308, 12.92 * out, 1.055 * np.maximum(out, 1e-9) ** (1 / 2.4) - 0.055
    )
    return (np.clip(srgb, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8)


class PathTracer:
    """A still that becomes finer with every pass.

    Args:
        rays: An engine of a `photo_scene`, with everything in its place.
        eye: Where one looks from.
        size: Width and height.
        level: How bright lamps are.

    Raises:
        PathTracingError: There is no Warp.
    """

    def __init__(
        self, rays: RayEngine, eye: PhotoEye, size: tuple[int, int], level: LampLevel
    ) -> None:
        if rays.device == NATIVE:
            raise PathTracingError('photos need Warp: install solidbody with its extra "cameras"')
        import warp as wp

        from solidbody.render import path_kernels

        compile_kernels(path_kernels.__name__, rays.device)
        self._wp, self._kernels = wp, path_kernels
        self._rays, self._eye = rays, eye
        self.width, self.height = size
        self.passes = 0
        self._ahead = 0
        """Pixels that have a path of the next pass already."""
        self._lock = threading.Lock()
        """Held while paths are added: whoever looks meanwhile waits for a moment."""
        n = self.width * self.height
        self._sums = {
            name: wp.zeros(n, dtype=kind, device=rays.device)
            for name, kind in {
                "light": wp.vec3,
                "square": wp.float32,
                "albedo": wp.vec3,
                "normal": wp.vec3,
                "depth": wp.float32,
                "seen": wp.float32,
            }.items()
        }
        self._day = self._daylight(level)

    def _daylight(self, level: LampLevel) -> Any:
        scene, wp = self._rays.scene, self._wp
        up = _up(scene)
        zenith, horizon, ground = _sky_colors(scene)
        sky = self._rays.lights.sky
        mean = 0.5 * (zenith + horizon)
        if sky.has_pictures:
            sky.gamma = 2.2
            texels = self._rays.lights.sky.texels.numpy()
            mean = to_light(texels[:, :3].mean(axis=0) / 255.0)
        background = scene.background
        luminosity = 1.0 if background is None else background.luminosity
        lamps = sum(lamp.ambient for lamp in scene.lights if lamp.is_on)
        # the light from all around of the page
        ambient = min(0.6, 0.45 * min(max(0.6, luminosity), 1.3) + 0.1 * lamps)
        day = self._kernels.Daylight()
        day.up = wp.vec3(*up.tolist())
        day.zenith, day.horizon, day.ground = (
            wp.vec3(*color.tolist()) for color in (zenith, horizon, ground)
        )
        bright = float(np.dot(mean, (0.2126, 0.7152, 0.0722)))
        day.gain = 0.9 * ambient / max(bright, 0.25)
        day.least = 0.1 * ambient
        day.share = level.share
        day.sun, day.bulb = SUN_RADIUS, BULB_RADIUS
        return day

    def add_pass(self, is_stopped: Callable[[], bool] = lambda: False) -> bool:
        """Follow one more path from each pixel; False = somebody has stopped it."""
        wp, rays, eye = self._wp, self._rays, self._eye
        n = self.width * self.height
        x = math.tan(0.5 * eye.across)
        inputs = [
            rays.shapes,
            rays.materials,
            rays.paint_layers.struct,
            rays.lights,
            self._day,
            rays.tree_id,
            wp.vec3(*eye.position.tolist()),
            wp.mat33(*eye.rotation.ravel().tolist()),
            wp.vec2(x, x * self.height / self.width),
            self.width,
            self.height,
        ]
        for first in range(0, n, BAND):
            if is_stopped():
                return False
            with self._lock:
                wp.launch(
                    self._kernels.follow_paths,
                    dim=min(BAND, n - first),
                    inputs=[
                        *inputs,
                        first,
                        1 + 104_729 * self.passes,
                        BOUNCES,
                        eye.near,
                        FAR,
                        *self._sums.values(),
                    ],
                    device=rays.device,
                )
                self._ahead = min(first + BAND, n)
                if self._ahead == n:
                    self.passes, self._ahead = self.passes + 1, 0
        return True

    def light(self, *, smooth: bool = True) -> Singles:
        """Return the light that comes from each pixel (height, width, 3)."""
        with self._lock:
            sums = {
                name: np.array(array.numpy(), dtype=np.float32)
                for name, array in self._sums.items()
            }
            count = np.full((self.width * self.height, 1), self.passes, dtype=np.float32)
            count[: self._ahead] += 1.0  # a pass is under way
        count = np.maximum(count, 1.0)
        light: Singles = np.asarray(sums["light"] / count, dtype=np.float32)
        if smooth and self.passes > 1:
            light = self._smoothed(light, count, sums)
        return light.reshape(self.height, self.width, 3)

    def picture(self) -> NDArray[np.uint8]:
        """Return the picture (height, width, 3) as it is now."""
        return page_colors(self.light(), self._eye.exposure)

    def _smoothed(self, light: Singles, count: Singles, sums: Mapping[str, Singles]) -> Singles:
        wp, device = self._wp, self._rays.device
        seen = sums["seen"]
        noted = np.maximum(seen, 1.0)
        albedo = sums["albedo"] / noted[:, None] + np.float32(0.02)
        normal = sums["normal"]
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        count = count[:, 0]
        depth: Singles = np.asarray(sums["depth"] / noted, dtype=np.float32)
        # edges of things are mixtures already, as is what is seen of the sky: they stay
        depth[(length[:, 0] < 0.9 * seen) | (seen < 0.5 * count)] = 0.0
        gray = light @ np.array([0.2126, 0.7152, 0.0722], dtype=np.float32)
        spread = np.maximum(sums["square"] / count - gray**2, 0.0)
        base = albedo @ np.array([0.2126, 0.7152, 0.0722], dtype=np.float32)
        # colours of surfaces are sharp: only the light on them is smoothed
        arrays = {
            "light": (light / albedo, wp.vec3),
            "variance": (spread / (count * base**2), wp.float32),
            "normal": (normal / np.maximum(length, 1e-9), wp.vec3),
            "depth": (depth, wp.float32),
            "slant": (self._slant(depth), wp.float32),
        }
        on = {
            name: wp.array(np.ascontiguousarray(a, dtype=np.float32), dtype=kind, device=device)
            for name, (a, kind) in arrays.items()
        }
        spare = wp.zeros_like(on["light"]), wp.zeros_like(on["variance"])
        for level in range(LEVELS):
            now = on["light"], on["variance"]
            wp.launch(
                self._kernels.smooth,
                dim=len(light),
                inputs=[
                    self.width,
                    self.height,
                    2**level,
                    *now,
                    on["normal"],
                    on["depth"],
                    on["slant"],
                    *spare,
                ],
                device=device,
            )
            (on["light"], on["variance"]), spare = spare, now
        return on["light"].numpy() * albedo

    def _slant(self, depth: Singles) -> Singles:
        """Return how fast the depth changes from one pixel to the next."""
        picture = depth.reshape(self.height, self.width)
        if min(picture.shape) < 2:
            return np.full_like(depth, np.float32(1e-3))
        down, across = np.gradient(picture)
        slant = np.minimum(np.abs(down) + np.abs(across), 0.05 * picture + 1e-3).ravel() + 1e-5
        return slant.astype(np.float32)
