"""Nodes and fields under names, and in forms, that releases 5 to R2022a gave them."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import pytest
from PIL import Image

from solidbody.formats.loading import read_scene, read_scene_text
from solidbody.formats.options import LoadOptions
from solidbody.model.devices import DeviceCamera, DeviceGps, DeviceRangeFinder, DeviceSkin
from solidbody.model.joints import JointHinge, JointHinge2
from solidbody.model.motors import Pid
from solidbody.model.scene import Scene
from tests.formats.reading import PHYSICS, SPHERE, codes, link_named, read, the

T = TypeVar("T")


def device(scene: Scene, kind: type[T]) -> T:
    """Return the only device of a kind."""
    (found,) = [item for link in scene.links() for item in link.devices if isinstance(item, kind)]
    return found


def robot(content: str, fields: str = "") -> str:
    """Return the text of a robot with these children."""
    return f"Robot {{ {SPHERE} {PHYSICS} {fields} children [ {content} ] }}"


def test_soft_contact_fields_had_small_letters_up_to_7_2() -> None:
    world = "WorldInfo { contactProperties [ ContactProperties { softCfm 0.5 softErp 0.7 } ] }"
    scene, log = read(world, release="V6.0")
    (row,) = scene.contacts.entries
    assert (row.soft_cfm, row.soft_erp) == (0.5, 0.7)
    assert [item.text for item in log] == [
        "deprecated; use softCFM instead.",
        "deprecated; use softERP instead.",
    ]


def test_todays_name_wins_over_the_old_one() -> None:
    world = "WorldInfo { contactProperties [ ContactProperties { softCfm 0.5 softCFM 0.25 } ] }"
    scene, _ = read(world, release="V7.4")
    assert scene.contacts.entries[0].soft_cfm == 0.25


def test_solids_of_release_5_had_authors_constructors_and_joints() -> None:
    fields = 'name "b" author "A" constructor "C" joint NULL description "D"'
    scene, log = read(f"Solid {{ {SPHERE} {fields} }}", release="V5.0")
    assert link_named(scene, "b").description == "D"
    assert [item.text for item in log] == [
        "deprecated; use description.",
        "deprecated; use description.",
        "deprecated; use nothing: solids of robots are joined by themselves.",
    ]


@pytest.mark.parametrize(
    ("node", "release"), [("Gripper { }", "6.2"), ("Solid { joint Joint { } }", "5.5")]
)
def test_nodes_that_nothing_takes_the_place_of_are_named(node: str, release: str) -> None:
    _, log = read(robot(node), release="V5.0")
    assert f"Webots removed the node in release {release}" in the(log, "missing-proto").text


def test_old_names_are_unknown_in_files_of_today() -> None:
    _, log = read("WorldInfo { contactProperties [ ContactProperties { softCfm 0.5 } ] }")
    assert 'Did you mean "softCFM"?' in the(log, "unknown-field").text


def test_range_finder_cameras_become_range_finders_that_look_as_the_camera_did() -> None:
    fields = 'name "eye" width 32 rotation 0 1 0 0.5'
    depth = 'type "range-finder" maxRange 3 rangeNoise 0.2 rangeResolution 0.01 colorNoise 0.9'
    scene, log = read(robot(f"Camera {{ {fields} {depth} antiAliasing TRUE }}"), release="V8.0")
    found = device(scene, DeviceRangeFinder)
    assert (found.name, found.width, found.max_range) == ("eye", 32, 3.0)
    assert (found.noise, found.resolution) == (0.2, 0.01)
    assert "read as a RangeFinder" in the(log, "deprecated-node").text
    colour, _ = read(robot(f"Camera {{ {fields} }}"), release="V8.0")
    assert found.pose == device(colour, DeviceCamera).pose


def test_colour_cameras_lose_the_fields_of_depth() -> None:
    camera = 'Camera { type "both" maxRange 3 gaussianNoise 0.25 display TRUE }'
    scene, log = read(robot(camera), release="V6.0")
    assert device(scene, DeviceCamera).noise == 0.25
    assert set(codes(log)) == {"deprecated-field"}
    texts = [item.text for item in log]
    assert any("a RangeFinder node, which gives depth" in text for text in texts)


@pytest.mark.parametrize(
    ("release", "accuracy", "resolution"),
    [("V6.0", 0.5, None), ("V7.3", 0.5, None), ("V7.4", 0.0, 0.5), ("R2019a", 0.0, 0.5)],
)
def test_resolution_of_a_gps_was_its_accuracy_up_to_7_3(
    release: str, accuracy: float, resolution: float | None
) -> None:
    scene, _ = read(robot("GPS { resolution 0.5 }"), release=release)
    found = device(scene, DeviceGps)
    assert (found.accuracy, found.resolution) == (accuracy, resolution)


def test_first_motors_had_one_gain_and_a_force() -> None:
    motor = "RotationalMotor { controlP 4 maxForce 3 }"
    joint = f'HingeJoint {{ device {motor} endPoint Solid {{ name "arm" {SPHERE} {PHYSICS} }} }}'
    scene, _ = read(robot(joint), release="V7.2")
    found = link_named(scene, "arm").joint
    assert isinstance(found, JointHinge) and found.axis.motor is not None
    assert (found.axis.motor.pid, found.axis.motor.max_effort) == (Pid(4.0, 0.0, 0.0), 3.0)


def test_double_hinges_had_parameters_of_their_own() -> None:
    joint = (
        "Hinge2Joint { jointParameters Hinge2JointParameters { anchor 1 0 0 } "
        f'endPoint Solid {{ name "arm" {SPHERE} {PHYSICS} }} }}'
    )
    scene, log = read(robot(joint), release="V7.2")
    found = link_named(scene, "arm").joint
    assert isinstance(found, JointHinge2) and found.anchor == (1.0, 0.0, 0.0)
    assert "read as a HingeJointParameters" in the(log, "deprecated-node").text


def test_custom_robots_are_robots() -> None:
    scene, log = read('CustomRobot { name "me" controller "drive" }', release="V5.0")
    (found,) = scene.bodies[0].robots
    assert (found.name, found.controller) == ("me", "drive")
    assert "it is read as a Robot" in the(log, "deprecated-node").text


def test_windows_of_robots_had_longer_names_up_to_8_4() -> None:
    scene, log = read(robot("", 'robotWindow "panel" showRobotWindow TRUE'), release="V8.4")
    assert scene.bodies[0].robots[0].window == "panel"
    assert codes(log) == ["deprecated-field", "deprecated-field"]


def test_sides_of_a_cubemap_are_the_images_of_the_background() -> None:
    sky = 'Background { cubemap Cubemap { textureBaseName "noon" directory "sky" } }'
    scene, _ = read_scene_text(f"#VRML_SIM R2019a utf8\n{sky}")
    assert scene is not None and scene.background is not None and scene.background.images
    names = [image.rpartition("/")[2] for image in scene.background.images]
    assert sorted(names) == sorted(
        f"noon_{side}.jpg" for side in ("right", "left", "top", "bottom", "front", "back")
    )


SIDES = ("right", "left", "top", "bottom", "front", "back")
SKY_PROTO = """#VRML_SIM R2019a utf8
PROTO Sky [ field SFString texture "noon" ]
{ Background { cubemap Cubemap { textureBaseName IS texture directory "textures/cubic" } } }
"""


@pytest.mark.parametrize("ending", ["jpg", "png"])
@pytest.mark.parametrize("place", ["beside the PROTO", "beside the world", "in Webots"])
def test_sky_of_an_old_proto_is_found_where_webots_looked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, place: str
) -> None:
    """By the name of a parameter, as JPEG or PNG, also beside Webots' default worlds."""
    home = tmp_path / "webots"
    folders = {
        "beside the PROTO": tmp_path / "project" / "protos",
        "beside the world": tmp_path / "project" / "worlds",
        "in Webots": home / "projects" / "default" / "worlds",
    }
    for folder in folders.values():
        folder.mkdir(parents=True)
    images = folders[place] / "textures" / "cubic"
    images.mkdir(parents=True)
    for side in SIDES:
        Image.new("RGB", (2, 2)).save(images / f"dawn_{side}.{ending}")
    monkeypatch.setenv("WEBOTS_HOME", str(home))
    (tmp_path / "project" / "protos" / "Sky.proto").write_text(SKY_PROTO, encoding="utf-8")
    world = tmp_path / "project" / "worlds" / "old.wbt"
    world.write_text('#VRML_SIM R2019a utf8\nSky { texture "dawn" }\n', encoding="utf-8")
    scene, log = read_scene(world, options=LoadOptions(check_images=True))
    assert "missing-image" not in codes(log)
    assert scene is not None and scene.background is not None
    found = [world.parent / image for image in scene.background.images]
    assert sorted(path.resolve() for path in found) == sorted(
        (images / f"dawn_{side}.{ending}").resolve() for side in SIDES
    )


def test_sky_in_one_panorama_is_that_of_all_sides(tmp_path: Path) -> None:
    (tmp_path / "sky").mkdir()
    (tmp_path / "sky" / "dawn.hdr").write_bytes(b"#?RADIANCE\n\n-Y 1 +X 1\n" + bytes(4))
    world = tmp_path / "old.wbt"
    sky = 'skyColor 0.1 0.2 0.3 cubemap Cubemap { textureBaseName "dawn" directory "sky" }'
    world.write_text(f"#VRML_SIM R2019a utf8\nBackground {{ {sky} }}\n", encoding="utf-8")
    scene, log = read_scene(world, options=LoadOptions(check_images=True))
    assert not {"missing-image", "panorama-sky"} & set(codes(log))
    assert scene is not None and scene.background is not None
    assert scene.background.images == ("sky/dawn.hdr",) * 6


def test_skins_had_the_name_of_a_folder_up_to_r2023a() -> None:
    scene, log = read(robot('Skin { model "salamander" }'), release="R2019a")
    assert device(scene, DeviceSkin).uri.endswith("skins/salamander/salamander.mesh")
    assert not log.has_errors
    assert "use modelUrl" in the(log, "deprecated-field").text


@pytest.mark.parametrize(("flag", "level"), [("TRUE", 4), ("FALSE", 0)])
def test_filtering_of_textures_was_a_flag_up_to_8_5(flag: str, level: int) -> None:
    texture = f'ImageTexture {{ url "a.png" filtering {flag} }}'
    shape = f"Shape {{ appearance Appearance {{ texture {texture} }} geometry Sphere {{ }} }}"
    scene, _ = read(f"Solid {{ children [ {shape} ] {SPHERE} }}", release="V8.5")
    textures = [
        item.appearance.texture
        for body in scene.bodies
        for link in body.links
        for item in link.shapes
        if item.appearance is not None and item.appearance.texture is not None
    ]
    assert [item.filtering for item in textures] == [level]


def test_inertia_matrices_had_all_nine_numbers_up_to_6_2() -> None:
    nine = "2 0.1 0.2 0.1 3 0.3 0.2 0.3 4"
    physics = "physics Physics {{ density -1 mass 1 centerOfMass 0 0 0 inertiaMatrix [ {} ] }}"
    old, _ = read(f"Solid {{ {SPHERE} {physics.format(nine)} }}", release="V6.0")
    new, _ = read(f"Solid {{ {SPHERE} {physics.format('2 3 4 0.1 0.2 0.3')} }}", release="V6.0")
    (link,), (same,) = tuple(old.links()), tuple(new.links())
    assert link.mass is not None and link.mass == same.mass
