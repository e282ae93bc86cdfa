"""The pictures in docs/sensors.md, taken by the devices of examples/sensors.wbt.

python docs/make_sensor_images.py
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from PIL import Image

import solidbody as sb
from solidbody.devices.cameras import Cameras
from solidbody.devices.optics import dual_fisheye, fisheye
from solidbody.devices.vision import Lidars

HERE = Path(__file__).parent
IMAGES = HERE / "images"
WORLD = HERE.parent / "examples" / "sensors.wbt"


def main() -> None:
    """Take all pictures."""
    sim = sb.Sim(sb.load(WORLD))
    for name in ("camera", "panorama", "range-finder", "lidar"):
        sim.device(name).enable()
    sim.run(0.5)
    _save("sensor_color", sim.device("camera").value)
    _save("sensor_panorama", sim.device("panorama").value)
    _save("sensor_depth", _grey(sim.device("range-finder").value))
    cameras, row = sim.devices.group_of(sim.devices.names["camera"])
    assert isinstance(cameras, Cameras)
    segmentation = cameras.segmentation(row)
    assert segmentation is not None
    _save("sensor_segmentation", segmentation[..., :3])
    for name, (directions, inside) in (
        ("sensor_fisheye", fisheye(320, math.pi)),
        ("sensor_dual_fisheye", dual_fisheye(480)),
    ):
        _save(name, _picture(sim, directions, inside))
    lidars, row = sim.devices.group_of(sim.devices.names["lidar"])
    assert isinstance(lidars, Lidars)
    _save("sensor_lidar", _from_above(lidars.points(row)))


def _picture(sim: sb.Sim, directions: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """A picture through any lens, from where the panorama camera is."""
    rays = sim.devices.world.rays
    place = np.array([0.0, 0.0, 0.35])
    color, _, _ = rays.picture(rays.bundle(directions), place, np.eye(3), near=0.35, far=100.0)
    picture = np.clip(color.reshape(directions.shape), 0.0, 1.0)
    return (np.where(inside[..., None], picture, 0.0) * 255.0 + 0.5).astype(np.uint8)


def _grey(depth: np.ndarray) -> np.ndarray:
    near = np.where(np.isfinite(depth), 1.0 - np.clip(depth / 5.0, 0.0, 1.0), 0.0)
    return (near * 255.0).astype(np.uint8)


def _from_above(points: np.ndarray, *, size: int = 360, reach: float = 4.5) -> np.ndarray:
    """The points of a scan, seen from above and coloured by height."""
    found = points[np.isfinite(points).all(axis=1)]
    x = ((found[:, 0] / reach + 1.0) * 0.5 * (size - 1)).astype(int)
    y = ((1.0 - found[:, 1] / reach) * 0.5 * (size - 1)).astype(int)
    ok = (x >= 0) & (x < size) & (y >= 0) & (y < size)
    height = np.clip((found[ok, 2] + 0.4) / 1.2, 0.0, 1.0)
    out = np.full((size, size, 3), 20, dtype=np.uint8)
    colors = np.stack([80 + 175 * height, 200 - 60 * height, 255 - 215 * height], axis=1)
    out[y[ok], x[ok]] = colors.astype(np.uint8)
    return out


def _save(name: str, picture: np.ndarray) -> None:
    Image.fromarray(picture).save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
