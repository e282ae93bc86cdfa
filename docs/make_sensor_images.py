"""The pictures in docs/sensors.md, taken by the devices of examples/sensors.wbt and examples/looks.wbt.

python docs/make_sensor_images.py
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from PIL import Image

import solidbody as sb
from solidbody.devices.imaging.cameras import Cameras
from solidbody.devices.imaging.optics import dual_fisheye, fisheye
from solidbody.devices.imaging.range_images import Lidars

HERE = Path(__file__).parent
IMAGES = HERE / "images"
EXAMPLES = HERE.parent / "examples"


def main() -> None:
    """Take all pictures."""
    sim = sb.Sim(sb.load(EXAMPLES / "sensors.wbt"))
    for name in ("camera", "panorama", "range-finder", "lidar"):
        sim.device(name).enable()
    sim.run(0.5)
    _save("sensor_color", sim.device("camera").value)
    _save("sensor_depth", _grey(sim.device("range-finder").value))
    cameras, row = sim.devices.group_of(sim.devices.names["camera"])
    assert isinstance(cameras, Cameras)
    segmentation = cameras.segmentation(row)
    assert segmentation is not None
    _save("sensor_segmentation", segmentation[..., :3])
    lidars, row = sim.devices.group_of(sim.devices.names["lidar"])
    assert isinstance(lidars, Lidars)
    _save("sensor_lidar", _from_aside(lidars.points(row)))
    _take_looks()


def _take_looks() -> None:
    """Pictures with a sky and textures, also through lenses that Webots does not have."""
    sim = sb.Sim(sb.load(EXAMPLES / "looks.wbt"))
    for name in ("camera", "panorama"):
        sim.device(name).enable()
    sim.run(0.3)
    _save("sensor_looks", sim.device("camera").value)
    _save("sensor_panorama", sim.device("panorama").value)
    for name, (directions, inside) in (
        ("sensor_fisheye", fisheye(640, math.pi)),
        ("sensor_dual_fisheye", dual_fisheye(960)),
    ):
        _save(name, _picture(sim, directions, inside))


def _picture(sim: sb.Sim, directions: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """A picture through any lens, from where the cameras are; four rays for each pixel."""
    rays = sim.devices.world.rays
    place = np.array([0.0, 0.0, 0.5])
    color, _, _ = rays.picture(rays.bundle(directions), place, np.eye(3), near=0.01, far=100.0)
    shown = rays.tone_mapped(color, 1.0).reshape(directions.shape)
    shown = np.where(inside[..., None], np.clip(shown, 0.0, 1.0), 0.0)
    rows, columns = shown.shape[0] // 2, shown.shape[1] // 2
    return (shown.reshape(rows, 2, columns, 2, 3).mean(axis=(1, 3)) * 255.0 + 0.5).astype(np.uint8)


def _grey(depth: np.ndarray) -> np.ndarray:
    near = np.where(np.isfinite(depth), 1.0 - np.clip(depth / 5.0, 0.0, 1.0), 0.0)
    return (near * 255.0).astype(np.uint8)


def _from_aside(points: np.ndarray, *, width: int = 480, height: int = 320) -> np.ndarray:
    """The points of a scan, seen from behind and above and coloured by height; near ones cover far ones."""
    found = points[np.isfinite(points).all(axis=1), :3]
    down = math.radians(38.0)
    away = found + np.array([3.2, 0.0, -2.6])
    ahead = away[:, 0] * math.cos(down) - away[:, 2] * math.sin(down)
    up = away[:, 0] * math.sin(down) + away[:, 2] * math.cos(down)
    order = np.argsort(-ahead)
    order = order[ahead[order] > 0.3]
    focal = 0.5 * width / math.tan(0.6)
    x = (0.5 * width - focal * away[order, 1] / ahead[order]).astype(int)
    y = (0.5 * height - focal * up[order] / ahead[order]).astype(int)
    share = np.clip((found[order, 2] + 0.42) / 0.9, 0.0, 1.0)[:, None]
    low, high = np.array([40.0, 110.0, 200.0]), np.array([255.0, 200.0, 60.0])
    colors = (low + (high - low) * share).astype(np.uint8)
    out = np.full((height, width, 3), 18, dtype=np.uint8)
    for dy, dx in ((0, 0), (0, 1), (1, 0), (1, 1)):
        ok = (x + dx >= 0) & (x + dx < width) & (y + dy >= 0) & (y + dy < height)
        out[y[ok] + dy, x[ok] + dx] = colors[ok]
    return out


def _save(name: str, picture: np.ndarray) -> None:
    Image.fromarray(picture).save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
