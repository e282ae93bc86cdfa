"""glTF that is written: it keeps the rules of the format, and shows forms, looks and motion as ours."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from PIL import Image
from typer.testing import CliRunner

from solidbody.base.transforms import Pose
from solidbody.cli.app import app
from solidbody.model.scene import Scene
from solidbody.render.materials import uv_rows
from solidbody.sim import Sim
from tests.formats.exports.models import ARM, GRIPPER, ROVER, scene_of
from tests.formats.gltf.reading import GltfFile, read_gltf

HEAD = "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\n"

FORMS: dict[str, tuple[str, float, tuple[float, float, float]]] = {
    "box": ("Box { size 1 2 3 }", 6.0, (1.0, 2.0, 3.0)),
    "ball": ("Sphere { radius 0.5 subdivision 3 }", math.pi / 6.0, (1.0, 1.0, 1.0)),
    "cylinder": ("Cylinder { radius 0.5 height 2 }", math.pi / 2.0, (1.0, 1.0, 2.0)),
    "cone": ("Cone { bottomRadius 0.5 height 3 }", math.pi / 4.0, (1.0, 1.0, 3.0)),
    "capsule": (
        "Capsule { radius 0.5 height 1 }",
        math.pi / 4.0 + math.pi / 6.0,
        (1.0, 1.0, 2.0),
    ),
    "tetrahedron": (
        """IndexedFaceSet { coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0, 0 0 1 ] }
        coordIndex [ 0 2 1 -1 0 1 3 -1 0 3 2 -1 1 2 3 -1 ] }""",
        1.0 / 6.0,
        (1.0, 1.0, 1.0),
    ),
}
"""Text of a form, its volume [m^3] and the lengths of its sides [m]."""


def exported(scene: Scene, folder: Path, name: str = "out.glb") -> tuple[GltfFile, list[str]]:
    """Return what a scene becomes, and what was said."""
    said = scene.save(folder / name)
    return read_gltf(folder / name), [str(item) for item in said]


def shape_of(file: GltfFile, node: int) -> dict[str, Any]:
    """Return the primitive of a node."""
    (primitive,) = file.rows("meshes")[file.rows("nodes")[node]["mesh"]]["primitives"]
    return primitive


@pytest.mark.parametrize("form", FORMS)
def test_forms_are_closed_and_face_outwards(form: str, tmp_path: Path) -> None:
    """An independent reader finds their volume, with the sign of faces that look outwards, and y up."""
    text, volume, sides = FORMS[form]
    scene = scene_of(
        tmp_path, f"{HEAD}Solid {{ children [ Shape {{ geometry {text} }} ] }}", "w.wbt"
    )
    exported(scene, tmp_path)
    found: Any = trimesh.load(tmp_path / "out.glb", force="mesh", process=True)
    found.merge_vertices(merge_tex=True, merge_norm=True)
    assert found.is_watertight
    assert found.volume == pytest.approx(volume, rel=0.01)
    assert found.extents == pytest.approx((sides[0], sides[2], sides[1]), rel=5e-3)


@pytest.mark.parametrize("form", ["box", "ball", "cylinder", "cone"])
def test_pictures_lie_as_rays_see_them(form: str, tmp_path: Path) -> None:
    """Texture coordinates are those of the rule of each form, with v from above."""
    (tmp_path / "p.png").write_bytes(picture_bytes((1, 2, 3)))
    look = 'appearance PBRAppearance { baseColorMap ImageTexture { url "p.png" } }'
    text = f"{HEAD}Solid {{ children [ Shape {{ {look} geometry {FORMS[form][0]} }} ] }}"
    file, _ = exported(scene_of(tmp_path, text, "w.wbt"), tmp_path)
    primitive = shape_of(file, file.named("solid shape 0"))["attributes"]
    at = file.array(primitive["POSITION"]).astype(float)
    normal = file.array(primitive["NORMAL"])
    uv = file.array(primitive["TEXCOORD_0"]) * (1.0, -1.0) + (0.0, 1.0)
    for p, n, (u, v) in zip(at, normal, uv, strict=True):
        wanted = _rule(form, p, n)
        around = abs(u - wanted[0]) if form == "box" else abs((u - wanted[0] + 0.5) % 1.0 - 0.5)
        is_pole = form != "box" and math.hypot(p[0], p[1]) < 1e-9
        assert is_pole or around < 1e-5
        assert v == pytest.approx(wanted[1], abs=1e-5)


def _rule(form: str, p: Any, n: Any) -> tuple[float, float]:
    if form == "box":
        q = p / (0.5, 1.0, 1.5)
        k = int(np.abs(n).argmax())
        s = np.sign(n[k])
        return (
            (0.5 + 0.5 * q[1] * s, 0.5 + 0.5 * q[2]),
            (0.5 - 0.5 * q[0] * s, 0.5 + 0.5 * q[2]),
            (0.5 + 0.5 * q[0], 0.5 + 0.5 * q[1] * s),
        )[k]
    around = math.atan2(-p[0], p[1]) / (2.0 * math.pi)
    if form == "ball":
        return around, 0.5 + math.asin(max(-1.0, min(1.0, p[2] / 0.5))) / math.pi
    if abs(n[2]) > 0.999:
        return 0.5 + p[0], 0.5 + n[2] * p[1]
    return around, 0.5 + p[2] / {"cylinder": 2.0, "cone": 3.0}[form]


def picture_bytes(color: tuple[int, ...], size: tuple[int, int] = (2, 2)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB" if len(color) == 3 else "RGBA", size, color).save(out, "PNG")
    return out.getvalue()


def test_looks_and_pictures_are_kept(tmp_path: Path) -> None:
    """Colours, maps, repeat, light of its own and transparency; pictures go into the file as they are."""
    for name, value in (("base", 10), ("rough", 40), ("metal", 90), ("relief", 128), ("glow", 200)):
        (tmp_path / f"{name}.png").write_bytes(picture_bytes((value, 0, 0)))
    text = (
        HEAD
        + """Solid { children [ Shape { geometry Box { } appearance PBRAppearance {
        baseColor 0.5 0.25 1 transparency 0.25 roughness 0.75 metalness 0.5 emissiveIntensity 4
        emissiveColor 1 0.5 0 occlusionMapStrength 0.5
        baseColorMap ImageTexture { url "base.png" repeatS FALSE }
        roughnessMap ImageTexture { url "rough.png" }
        metalnessMap ImageTexture { url "metal.png" }
        normalMap ImageTexture { url "relief.png" } normalMapFactor 2
        emissiveColorMap ImageTexture { url "glow.png" }
        textureTransform TextureTransform { scale 2 3 rotation 0.5 translation 0.1 0.2 }
      } } ] }"""
    )
    scene = scene_of(tmp_path, text, "w.wbt")
    file, said = exported(scene, tmp_path)
    assert not said
    node = file.named("solid shape 0")
    primitive = shape_of(file, node)
    material = file.rows("materials")[primitive["material"]]
    surface = material["pbrMetallicRoughness"]
    assert surface["baseColorFactor"] == [0.5, 0.25, 1.0, 0.75]
    assert material["alphaMode"] == "BLEND"
    assert material["normalTexture"]["scale"] == 2.0
    assert material["emissiveFactor"] == [1.0, 1.0, 1.0]  # of the picture, as Webots does
    glow = material["extensions"]["KHR_materials_emissive_strength"]["emissiveStrength"]
    assert glow == 4.0

    def image_of(reference: dict[str, Any]) -> bytes:
        return file.image(file.rows("textures")[reference["index"]]["source"])

    assert image_of(surface["baseColorTexture"]) == (tmp_path / "base.png").read_bytes()
    assert image_of(material["emissiveTexture"]) == (tmp_path / "glow.png").read_bytes()
    joined = Image.open(io.BytesIO(image_of(surface["metallicRoughnessTexture"])))
    assert joined.getpixel((0, 0)) == (255, 40, 90)
    wrap = file.rows("textures")[surface["baseColorTexture"]["index"]]["sampler"]
    assert [file.rows("samplers")[wrap][k] for k in ("wrapS", "wrapT")] == [33071, 10497]

    # texture coordinates are moved as the ray engine moves them
    look = next(scene.links()).shapes[0].appearance
    assert look is not None
    rows = np.array(uv_rows(look.texture_transform))
    bare = scene_of(tmp_path, text.replace("textureTransform TextureTransform", "#"), "bare.wbt")
    other, _ = exported(bare, tmp_path, "bare.glb")
    plain = shape_of(other, other.named("solid shape 0"))["attributes"]["TEXCOORD_0"]
    uv = other.array(plain) * (1.0, -1.0) + (0.0, 1.0)
    wanted = uv @ rows[:, :2].T + rows[:, 2]
    moved = file.array(primitive["attributes"]["TEXCOORD_0"]) * (1.0, -1.0) + (0.0, 1.0)
    assert moved == pytest.approx(wanted, abs=1e-5)


def test_missing_and_unreadable_pictures_are_told_once(tmp_path: Path) -> None:
    """Each is one warning with its place; the form is written plain. A picture outside is not read."""
    (tmp_path / "broken.png").write_bytes(b"\x89PNG nothing")
    shape = "Shape { geometry Box { } appearance PBRAppearance { baseColorMap ImageTexture { url"
    boxes = "".join(
        f'{shape} "{name}" }} }} }} ' for name in ("none.png", "broken.png", "none.png")
    )
    scene = scene_of(tmp_path, f"{HEAD}Solid {{ children [ {boxes} ] }}", "w.wbt")
    file, said = exported(scene, tmp_path)
    assert "images" not in file.document
    assert sum("none.png" in text for text in said) == 1
    assert sum("broken.png" in text for text in said) == 1
    assert all("w.wbt:" in text for text in said)


@pytest.mark.parametrize(
    ("source", "name"), [(ROVER, "rover.wbt"), (ARM, "arm.wbt"), (GRIPPER, "gripper.urdf")]
)
def test_links_stand_where_they_are(source: str, name: str, tmp_path: Path) -> None:
    """Nodes have the poses of links in the world, turned so that y is up; `.gltf` says the same."""
    scene = scene_of(tmp_path, source, name)
    sim = Sim(scene)
    for target in ("out.glb", "out.gltf"):
        file, _ = exported(scene, tmp_path, target)
        root = file.place(0)
        assert root.direction((0.0, 0.0, 1.0)) == pytest.approx((0.0, 1.0, 0.0), abs=1e-12)
        for link, row in zip(scene.links(), sim.poses(), strict=True):
            place = root.inverse() * file.place(file.named(link.name))
            assert place.position == pytest.approx(tuple(row[:3]), abs=1e-9)


def test_motion_is_that_of_the_run(tmp_path: Path) -> None:
    """In every frame each link is where it was; what stands still has no channels."""
    scene = scene_of(tmp_path, ROVER, "rover.wbt")
    sim = Sim(scene)
    path = tmp_path / "run.glb"
    poses: list[Any] = []
    with sim.record(path, period=0.04):
        sim.joint("left motor").target_velocity = 8.0
        sim.joint("right motor").target_velocity = -3.0
        for _ in range(26):
            poses.append(sim.poses())
            sim.run(0.04)
    poses.append(sim.poses())
    file = read_gltf(path)
    (animation,) = file.rows("animations")
    times = file.array(animation["samplers"][0]["input"])[:, 0]
    assert times == pytest.approx(0.04 * np.arange(27), abs=1e-6)
    moving = {channel["target"]["node"] for channel in animation["channels"]}
    assert file.named("ground") not in moving
    turn = file.place(0).inverse()
    for frame in (0, 13, 26):
        for link, row in zip(scene.links(), poses[frame], strict=True):
            place = turn * file.place(file.named(link.name), frame)
            wanted = Pose(tuple(row[:3]), tuple(row[3:]))
            assert place.position == pytest.approx(wanted.position, abs=1e-5)
            for way in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)):
                assert place.direction(way) == pytest.approx(wanted.direction(way), abs=1e-5)
    for channel in animation["channels"]:
        values = file.array(animation["samplers"][channel["sampler"]]["output"])
        if channel["target"]["path"] == "rotation":
            assert (np.sum(values[1:] * values[:-1], axis=1) > 0.0).all()  # no jumps of the sign


def test_lamps_and_cameras_are_there(tmp_path: Path) -> None:
    """A lamp shines the way it did, and a camera of glTF looks where ours does, as wide."""
    file, _ = exported(scene_of(tmp_path, ROVER, "rover.wbt"), tmp_path)
    (light,) = file.document["extensions"]["KHR_lights_punctual"]["lights"]
    assert light["type"] == "directional"
    turn = file.place(0).inverse()
    lamp = turn * file.place(file.named("directional light"))
    way = np.array((0.5, 0.4, -1.0))
    assert lamp.direction((0.0, 0.0, -1.0)) == pytest.approx(way / np.linalg.norm(way))
    eye = turn * file.place(file.named("camera"))
    assert eye.position == pytest.approx((0.2, 0.0, 0.15))
    assert eye.direction((0.0, 0.0, -1.0)) == pytest.approx((1.0, 0.0, 0.0), abs=1e-12)
    assert eye.direction((0.0, 1.0, 0.0)) == pytest.approx((0.0, 0.0, 1.0), abs=1e-12)
    lens = file.rows("cameras")[file.rows("nodes")[file.named("camera")]["camera"]]["perspective"]
    across = 2.0 * math.atan(math.tan(lens["yfov"] / 2.0) * lens["aspectRatio"])
    assert across == pytest.approx(1.2)


def test_the_command_writes_the_motion_that_programs_make(tmp_path: Path) -> None:
    """`convert --duration` runs controllers; formats without motion say so, and robots can be chosen."""
    world = tmp_path / "worlds" / "rover.wbt"
    program = tmp_path / "controllers" / "go" / "go.py"
    for path in (world, program):
        path.parent.mkdir(parents=True)
    program.write_text(
        "from controller import Robot\nrobot = Robot()\n"
        "for name in ('left motor', 'right motor'):\n"
        "    motor = robot.getDevice(name)\n"
        "    motor.setPosition(float('inf'))\n    motor.setVelocity(5)\n"
        "while robot.step(8) != -1:\n    pass\n"
    )
    text = ROVER.replace('controller "<none>"', 'controller "go"')
    world.write_text(text)
    out = tmp_path / "out.glb"
    asked = ["convert", str(world), str(out), "--duration", "1", "--robot", "rover"]
    done = CliRunner().invoke(app, [*asked, "--period", "0.1"])
    assert done.exit_code == 0, done.output
    file = read_gltf(out)
    names = [row.get("name") for row in file.rows("nodes")]
    assert "ground" not in names
    turn = file.place(0).inverse()
    way = (turn * file.place(file.named("rover"), 9)).position
    assert way[0] == pytest.approx(
        5.0 * 0.08 * 0.936, rel=0.15
    )  # turns times radius, after 9 frames
    still = ["convert", str(world), str(tmp_path / "o.xml"), "--duration", "1"]
    refused = CliRunner().invoke(app, still)
    assert refused.exit_code != 0 and "hold no motion" in refused.output


def test_scenes_without_anything_to_draw(tmp_path: Path) -> None:
    """An empty world is a file that readers load."""
    file, said = exported(scene_of(tmp_path, HEAD, "w.wbt"), tmp_path)
    assert not said
    assert "buffers" not in file.document
