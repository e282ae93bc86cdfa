"""The pictures and the list of docs/standins-list.md: every PROTO of ours, seen by our own camera.

python docs/make_standin_images.py
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import solidbody as sb
from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.loading import read_scene_text
from solidbody.formats.vrml.proto import read_proto
from solidbody.formats.webots.protos.own import LOOKS, find_own, own_names

HERE = Path(__file__).parent
IMAGES = HERE / "images" / "standins"
WIDTH, HEIGHT, COLUMNS = 160, 120, 6
IN_SLOTS = {"DoorKnob", "DoorLever", "CabinetHandle"}
GEOMETRIES = {"Extrusion", "OwnTiles", "TexturedBox"}
UNSEEN = {"RoadLine", "TexturedBackgroundLight"}
"""Have no form of their own."""


def main() -> None:
    """Take all pictures and write the list."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    lines = ["<!-- GENERATED FILE, DO NOT EDIT: python docs/make_standin_images.py -->", ""]
    lines += [
        "# All stand-ins",
        "",
        "From left to right and top to bottom. [What they are](standins.md)",
    ]
    rows = sorted((_group(name), name) for name in own_names())
    for group, members in groupby(rows, key=lambda row: row[0]):
        names = [name for _, name in members]
        tiles = [tile for name in names if (tile := _tile(name)) is not None]
        _sheet(tiles).save(IMAGES / f"{group}.png", optimize=True)
        lines += ["", f"## {group}", "", f"![{group}](images/standins/{group}.png)", ""]
        lines += [", ".join(f"`{name}`" for name in names)]
    (HERE / "standins-list.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _group(name: str) -> str:
    own = find_own(name)
    assert own is not None
    return Path(own.file).parent.name


def _nodes(name: str) -> str:
    """Return an instance, inside what it needs to be seen."""
    own = find_own(name)
    assert own is not None
    proto = read_proto(own.text, own.file, name, DiagnosticLog())
    assert proto is not None
    if name in LOOKS or name.endswith("Appearance"):
        ball = "geometry Sphere { subdivision 3 }"
        return f"Solid {{ children [ Shape {{ appearance {name} {{ }} {ball} }} ] }}"
    if name in GEOMETRIES:
        grey = "appearance PBRAppearance { baseColor 0.7 0.7 0.7 metalness 0 }"
        return f"Solid {{ children [ Shape {{ {grey} geometry {name} {{ }} }} ] }}"
    if name in IN_SLOTS:
        return f"Solid {{ children [ Slot {{ endPoint {name} {{ }} }} ] }}"
    if _group(name) == "devices":
        return f"Robot {{ children [ {name} {{ }} ] }}"
    still = 'controller "<none>"' if "controller" in proto.parameters else ""
    return f"{name} {{ {still} }}"


def _tile(name: str) -> Image.Image | None:
    if name in UNSEEN:
        return None
    world = (
        f'#VRML_SIM R2025a utf8\nEXTERNPROTO "https://example.org/{name}.proto"\nWorldInfo {{ }}\n'
        "Viewpoint { }\nDirectionalLight { direction -0.4 0.5 -1 intensity 0.45 ambientIntensity 0.35 }\n"
    )
    sky = "" if name == "TexturedBackground" else "Background { skyColor [ 0.7 0.77 0.84 ] }\n"
    camera = 'Robot { name "eye" children [ Camera { name "camera" width 160 height 120 } ] }\n'
    scene, _ = read_scene_text(world + sky + camera + _nodes(name))
    assert scene is not None, name
    sim = sb.Sim(scene)
    centre, radius = _extent(sim)
    rays = sim.devices.world.rays
    look = np.array([-0.72, 0.5, -0.48])
    look /= np.linalg.norm(look)
    left = np.cross([0.0, 0.0, 1.0], look)
    left /= np.linalg.norm(left)
    axes = np.stack([look, left, np.cross(look, left)], axis=1)
    half = 0.45  # tangent of half the width of the view
    u = np.linspace(half, -half, WIDTH)
    v = np.linspace(half, -half, HEIGHT) * HEIGHT / WIDTH
    directions = np.stack([np.ones((HEIGHT, WIDTH)), *np.meshgrid(u, v)], axis=-1)
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    place = centre - look * radius / (half * HEIGHT / WIDTH) * 0.95
    color, _, _ = rays.picture(rays.bundle(directions), place, axes, near=1e-3 * radius, far=1e4)
    picture = (np.clip(color.reshape(directions.shape), 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8)
    tile = Image.fromarray(picture)
    ImageDraw.Draw(tile).text((4, HEIGHT - 13), name, fill=(20, 20, 20))
    return tile


def _extent(sim: sb.Sim) -> tuple[np.ndarray, float]:
    """Return the middle of all shapes and their greatest distance from it [m]."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    poses = sim.poses()
    for index, link in enumerate(sim.scene.links()):
        turn = _matrix(poses[index, 3:7])
        for shape in link.shapes:
            reach = _half_size(shape.geometry)
            if reach is None:
                continue
            own = _matrix(np.asarray(shape.pose.rotation))
            middle, half = reach
            at = poses[index, :3] + turn @ (np.asarray(shape.pose.position) + own @ middle)
            wide = np.abs(turn @ own) @ (half * np.asarray(shape.scale))
            low, high = np.minimum(low, at - wide), np.maximum(high, at + wide)
    if not np.isfinite(low).all():
        return np.zeros(3), 1.0
    return (low + high) / 2.0, max(1e-3, float(np.linalg.norm(high - low)) / 2.0)


def _half_size(geometry: object) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the middle and half the size of a form in its own frame; None for endless ones."""
    points = getattr(geometry, "vertices", None)
    if points is not None:
        corners = np.asarray(points, dtype=float).reshape(-1, 3)
        return (corners.min(0) + corners.max(0)) / 2.0, (corners.max(0) - corners.min(0)) / 2.0
    size = getattr(geometry, "size", None)
    if size is not None:
        return np.zeros(3), np.array([*size, 0.0][:3]) / 2.0
    radius = getattr(geometry, "radius", None)
    if radius is not None:
        height = getattr(geometry, "height", None)
        return np.zeros(3), np.array([radius, radius, radius if height is None else height / 2.0])
    spacing = getattr(geometry, "x_spacing", None)
    if spacing is not None:
        wide = np.array([
            (geometry.x_count - 1) * spacing,  # type: ignore[attr-defined]
            (geometry.y_count - 1) * geometry.y_spacing,  # type: ignore[attr-defined]
            0.0,
        ])  # fmt: skip
        return wide / 2.0, wide / 2.0
    return None


def _matrix(quat: np.ndarray) -> np.ndarray:
    w, x, y, z = quat
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def _sheet(tiles: list[Image.Image]) -> Image.Image:
    columns = min(COLUMNS, max(1, len(tiles)))
    rows = -(-len(tiles) // columns) or 1
    sheet = Image.new("RGB", (columns * WIDTH, rows * HEIGHT), (178, 196, 214))
    for index, tile in enumerate(tiles):
        sheet.paste(tile, ((index % columns) * WIDTH, (index // columns) * HEIGHT))
    return sheet


if __name__ == "__main__":
    main()
