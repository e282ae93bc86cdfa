"""The pictures and the list of docs/standins-list.md: every PROTO of ours, seen by our own camera.

python docs/make_standin_images.py [GROUP ...]     pictures of these groups only, of all without
"""

from __future__ import annotations

import re
import sys
from itertools import groupby
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import solidbody as sb
from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.loading import read_scene_text
from solidbody.formats.vrml.proto import read_proto
from solidbody.formats.webots.protos.standin_protos import LOOKS, find_own, own_names
from solidbody.render.ray_engine import Clipping

HERE = Path(__file__).parent
IMAGES = HERE / "images" / "standins"
WIDTH, HEIGHT, COLUMNS = 160, 120, 6
LARGER = {"robots": 1.5}
"""Groups whose pictures are larger."""
IN_SLOTS = {"DoorKnob", "DoorLever", "CabinetHandle"}
GEOMETRIES = {
    *("Extrusion", "OwnTiles", "Rectangle", "TeapotMesh", "TexturedBox"),
    *("TrafficLightArrowLampGeometry", "TrafficLightStandardLampGeometry"),
}
DETAIL = 2
"""Rays per pixel and axis."""
EXPOSURE = 1.0
LIGHT = "DirectionalLight { direction -0.4 0.5 -1 intensity 2.5 ambientIntensity 0.3 castShadows TRUE }\n"
SKY = "Background { skyColor [ 0.7 0.77 0.84 ] }\n"
BALL = """Solid { children [ Shape { geometry Sphere { subdivision 3 }
  appearance PBRAppearance { baseColor 0.7 0.7 0.7 metalness 0 } } ] }"""
ARM = """Robot { controller "<none>" children [
  Shape { appearance PBRAppearance { baseColor 0.3 0.3 0.3 } geometry Sphere { radius 0.05 } }
  %s { endPoint Solid { rotation 1 0 0 0.4 children [ Pose { translation 0 0 0.1 children [
    Shape { appearance PBRAppearance { metalness 0 } geometry Box { size 0.04 0.04 0.2 } } ] } ] } } ] }"""
SHOWN_IN = {
    "RoadLine": 'Road { lines [ RoadLine { type "double" } ] wayPoints [ 0 0 0, 8 0 0 ] }',
    "Hinge2JointWithBacklash": ARM % "Hinge2JointWithBacklash",
    "HingeJointWithBacklash": ARM % "HingeJointWithBacklash",
    "OwnChain": """Robot { controller "<none>" children [ OwnChain { tip 0.2 0 0
      joints [ "a 0 0 0.1 0 0 0 0 -1 1 1 1 1 0.04" "b 0 0 0.1 1.5708 0 0 -0.6 -1 1 1 1 1 0.03" ] } ] }""",
    "CarSteeringWheel": "Solid { children [ Slot { endPoint CarSteeringWheel { } } ] }",
    "DistanceSensorVisualization": "DistanceSensorVisualization { }"
    """Solid { children [ Pose { translation 0.5 0 -0.05 children [
      Shape { appearance PBRAppearance { baseColor 0.2 0.2 0.2 } geometry Box { size 1 1 0.01 } } ] } ] }""",
    "E-puckFlag": "Solid { children [ E-puckFlag { } ] }",
    "OwnLimbs": """Robot { controller "<none>" children [ OwnLimbs { links [
      "hip - 0 0 0 0 1 0 0 0 1 1 1 0 0 -0.1 0.06 0.06 0.2"
      "knee hip 0 0 -0.2 0 1 0 0 0 1 1 1 0.02 0 -0.1 0.05 0.05 0.2"
      "arm - 0 0.06 0 1 0 0 0 0 1 1 1 0 0.08 0 0.04 0.16 0.04" ] } ] }""",
    "OwnTinkerbotsFace": """Robot { controller "<none>" children [ OwnTinkerbotsFace {
      ASlot TinkerbotsCubieTriangle { } BSlot TinkerbotsCubieFemaleCube { }
      CSlot TinkerbotsBrickAdapter { } DSlot TinkerbotsAxle { } } ] }""",
    "PipeBoundingObject": "SolidPipe { radius 0.5 thickness 0.05 height 0.2 }",
    "Robotino3Wheel": 'Robot { controller "<none>" children [ Robotino3Wheel { } ] }',
    "TorusBoundingObject": "SolidTorus { }",
    "Servo": "Robot { children [ Servo { children [ " + BALL + " ] } ] }",
    "SumoDisplay": "SumoInterface { display SumoDisplay { } }",
    "TexturedBackground": "TexturedBackground { }" + BALL,
    "TexturedBackgroundLight": "TexturedBackgroundLight { }" + BALL.replace("0.7", "0.35"),
}
"""What has no form of its own, in something that shows what it does."""
FROM_BELOW = {"Ceiling"}


def main() -> None:
    """Take all pictures and write the list."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    lines = ["<!-- GENERATED FILE, DO NOT EDIT: python docs/make_standin_images.py -->", ""]
    lines += [
        "# All stand-ins",
        "",
        "Each has its picture, from left to right and top to bottom, taken by solidbody's own camera.",
        "[What they are](standins.md)",
    ]
    rows = sorted((_group(name), name) for name in own_names())
    for group, members in groupby(rows, key=lambda row: row[0]):
        names = [name for _, name in members]
        if group in sys.argv[1:] or len(sys.argv) == 1:
            sheet = _sheet([_tile(name, LARGER.get(group, 1.0)) for name in names])
            if group != "appearances":  # patterns in many colours would show bands
                sheet = sheet.quantize(256, dither=Image.Dither.NONE)
            sheet.save(IMAGES / f"{group}.png", optimize=True)
        lines += ["", f"## {group}", "", f"![{group}](images/standins/{group}.png)", ""]
        plain = [name for name in names if name in LOOKS]
        lines += [", ".join(f"`{name}`" for name in plain)] if plain else []
        lines += [f"- `{name}`{_summary(name)}" for name in names if name not in LOOKS]
    (HERE / "standins-list.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _group(name: str) -> str:
    own = find_own(name)
    assert own is not None
    return Path(own.file).parent.name


def _summary(name: str) -> str:
    """Return what the head of a PROTO file says about it, after a colon; of looks the name says enough."""
    own = find_own(name)
    assert own is not None
    if name in LOOKS:
        return ""
    words: list[str] = []
    for line in own.text.splitlines()[1:]:
        if not line.startswith("#"):
            break
        if words or not re.match(r"# *(license|template language|tags|license url)\b", line):
            words.append(line.lstrip("# ").rstrip())
    text = re.sub(rf"^solidbody's own {re.escape(name)}[:,]? ?", "", " ".join(words))
    first = re.split(r"(?<=[a-z0-9)])[.;](?:\s|$)", text)[0].rstrip(".")
    return f": {first[:1].lower()}{first[1:]}" if first else ""


def _nodes(name: str) -> str:
    """Return an instance, inside what it needs to be seen."""
    if name in SHOWN_IN:
        return SHOWN_IN[name]
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
    if name in IN_SLOTS or _group(name) == "tinkerbots":
        return f"Solid {{ children [ Slot {{ endPoint {name} {{ }} }} ] }}"
    if _group(name) == "devices":
        return f"Robot {{ children [ {name} {{ }} ] }}"
    still = 'controller "<none>"' if "controller" in proto.parameters else ""
    return f"{name} {{ {still} }}"


def _tile(name: str, zoom: float) -> Image.Image:
    width, height = round(zoom * WIDTH), round(zoom * HEIGHT)
    nodes = _nodes(name)
    used = {x for x in own_names() if re.search(rf"(?<![\w-]){re.escape(x)} *\{{", nodes)}
    externs = "".join(f'EXTERNPROTO "https://example.org/{x}.proto"\n' for x in sorted(used))
    light = "" if name == "TexturedBackgroundLight" else LIGHT
    sky = "" if name.startswith("TexturedBackground") else SKY
    camera = 'Robot { name "eye" children [ Camera { name "camera" } ] }\n'
    scene, _ = read_scene_text(
        f"#VRML_SIM R2025a utf8\n{externs}WorldInfo {{ }}\nViewpoint {{ }}\n{light}{sky}{camera}{nodes}"
    )
    assert scene is not None, name
    sim = sb.Sim(scene)
    rays = sim.devices.world.rays
    look = np.array([-0.72, 0.5, 0.48 if name in FROM_BELOW else -0.48])
    look /= np.linalg.norm(look)
    left = np.cross([0.0, 0.0, 1.0], look)
    left /= np.linalg.norm(left)
    axes = np.stack([look, left, np.cross(look, left)], axis=1)
    half = 0.45  # tangent of half the width of the view
    u = np.linspace(half, -half, DETAIL * width)
    v = np.linspace(half, -half, DETAIL * height) * HEIGHT / WIDTH
    directions = np.stack([np.ones((v.size, u.size)), *np.meshgrid(u, v)], axis=-1)
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    corners = _corners(sim)
    place, near = _viewpoint(corners, axes, half)
    color, _, _ = rays.picture(
        rays.bundle(directions), place, axes, near=near, far=1e4, clipping=Clipping.SPHERE
    )
    shown = np.clip(rays.tone_mapped(color, EXPOSURE), 0.0, 1.0)
    fine = shown.reshape(height, DETAIL, width, DETAIL, 3).mean(axis=(1, 3))
    tile = Image.fromarray((fine * 255.0 + 0.5).astype(np.uint8))
    pen = ImageDraw.Draw(tile)
    ink = (20, 20, 20) if fine[-12:].mean() > 0.2 else (230, 230, 230)
    pen.text((4, height - 13), name, fill=ink)
    if corners is None:
        pen.text((width // 2 - 34, height // 2 - 6), "no form to see", fill=(90, 100, 110))
    return tile


def _viewpoint(
    corners: np.ndarray | None, axes: np.ndarray, half: float
) -> tuple[np.ndarray, float]:
    """Return the nearest place that sees all corners above the caption, and what is too near for it."""
    if corners is None:
        return np.array([2.0, -1.4, 1.3]), 1e-3
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2.0
    ahead, aside, up = ((corners - middle) @ axes).T
    tall = half * HEIGHT / WIDTH
    # seen from a distance d: |aside| <= w·(d + ahead), up likewise, with room for the name below
    wide, high, low = 0.94 * half, 0.94 * tall, 0.74 * tall
    distance = max(
        float((np.abs(aside) / wide - ahead).max()),
        float((up / high - ahead).max()),
        float((-up / low - ahead).max()),
        1e-3,
    )
    return middle - axes[:, 0] * distance, 1e-3 * distance


def _corners(sim: sb.Sim) -> np.ndarray | None:
    """Return the corners (n, 3) of the boxes around all shapes that are drawn [m]; None = there are none."""
    found: list[np.ndarray] = []
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    poses = sim.poses()
    for index, link in enumerate(sim.scene.links()):
        turn = _matrix(poses[index, 3:7])
        for shape in link.shapes:
            reach = _half_size(shape.geometry) if shape.appearance is not None else None
            if reach is None:
                continue
            middle, half = reach
            own = _matrix(np.asarray(shape.pose.rotation))
            points = (middle + signs * half) * np.asarray(shape.scale)
            at = np.asarray(shape.pose.position) + points @ own.T
            found.append(poses[index, :3] + at @ turn.T)
    return np.concatenate(found) if found else None


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
    rows = -(-len(tiles) // columns)
    width, height = tiles[0].size
    sheet = Image.new("RGB", (columns * width, rows * height), (178, 196, 214))
    for index, tile in enumerate(tiles):
        sheet.paste(tile, ((index % columns) * width, (index // columns) * height))
    return sheet


if __name__ == "__main__":
    main()
