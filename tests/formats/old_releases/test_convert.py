"""`solidbody convert old.wbt new.wbt`: the same world in the form of today."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from solidbody.base.transforms import Pose
from solidbody.cli.app import app
from solidbody.formats.loading import load
from solidbody.formats.webots.edit.document import load_world
from solidbody.model.geometry import GeometryBox
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape

OLD = """#VRML_SIM R2019a utf8
WorldInfo { gravity 0 -9.81 0 }
Viewpoint { orientation 0 1 0 1 position 1 2 3 }
Transform {
  translation 1 0 0
  children [
    DEF POST Solid {
      children [ DEF LOOK Shape { geometry Cylinder { height 3 } } ]
      boundingObject USE LOOK
    }
  ]
}
Robot { children [ Camera { rotation 0 1 0 0.5 } ] }
"""


def converted(path: Path, *, status: int = 0) -> tuple[Path, str]:
    """Convert a file; return the new one and what was said."""
    target = path.with_name("new.wbt")
    result = CliRunner().invoke(app, ["convert", str(path), str(target)])
    assert result.exit_code == status, result.output
    return target, result.stderr


def poses(scene: Scene) -> list[Pose]:
    """Return where all links, shapes and devices are."""
    return [
        pose
        for link in scene.links()
        for pose in (
            link.pose,
            *(_pose_of(shape) for shape in link.shapes),
            *(device.pose for device in link.devices),
        )
    ]


def _pose_of(shape: Shape) -> Pose:
    """Return where a shape is; in old worlds boxes with pictures are told from a frame along their y."""
    look = shape.appearance
    is_pictured = look is not None and (look.texture is not None or look.normal_map is not None)
    if is_pictured and isinstance(shape.geometry, GeometryBox):
        return Pose(shape.pose.position)
    return shape.pose


def test_a_viewpoint_that_is_a_proto_stays_the_only_one(tmp_path: Path) -> None:
    """What a world has without writing it is added; here only the WorldInfo."""
    (tmp_path / "protos").mkdir()
    (tmp_path / "protos" / "View.proto").write_text(
        "#VRML_SIM R2019a utf8\nPROTO View [ field SFFloat angle 0.7 field SFVec3f position 0 0 9 ]\n"
        "{ Viewpoint { fieldOfView %{= fields.angle.value }% position IS position } }\n",
        encoding="utf-8",
    )
    path = tmp_path / "old.wbt"
    path.write_text("#VRML_SIM R2019a utf8\nView { position 1 2 3 }\n", encoding="utf-8")
    target, _ = converted(path)
    tops = [node.type_name for node in load_world(target).tree.nodes]
    assert tops == ["WorldInfo", "View"]
    assert load(target).viewpoint.pose.position == (1.0, 2.0, 3.0)


def test_converted_world_is_of_today_and_the_same(tmp_path: Path) -> None:
    path = tmp_path / "old.wbt"
    path.write_text(OLD, encoding="utf-8")
    target, _ = converted(path)
    text = target.read_text(encoding="utf-8")
    assert text.startswith("#VRML_SIM R2025a utf8\n")
    assert 'coordinateSystem "NUE"' in text and "Transform" not in text and "USE LOOK" in text
    old, new = load(path), load(target)
    assert new.physics == old.physics and new.diagnostics == ()
    assert new.viewpoint.pose == old.viewpoint.pose
    assert poses(new) == poses(old)


def test_undeclared_protos_are_declared_where_they_are_found(tmp_path: Path) -> None:
    """In the project, or among the standard ones of Webots; the others are named."""
    world = tmp_path / "worlds" / "old.wbt"
    proto = tmp_path / "protos" / "wood" / "Chair.proto"
    for path in (world, proto):
        path.parent.mkdir(parents=True)
    proto.write_text("#VRML_SIM R2019a utf8\nPROTO Chair [ ] { Solid { } }", encoding="utf-8")
    world.write_text(OLD + "Chair { }\nSofa { }\nThrone { }\n", encoding="utf-8")
    target, said = converted(world)
    text = target.read_text(encoding="utf-8")
    assert 'EXTERNPROTO "../protos/wood/Chair.proto"\n' in text
    sofa = "webots://projects/objects/living_room_furniture/protos/Sofa.proto"
    assert f'EXTERNPROTO "{sofa}"\n' in text
    assert '"Throne" must be declared' in said


def test_direction_dependent_friction_is_left_to_the_user(tmp_path: Path) -> None:
    path = tmp_path / "old.wbt"
    contact = "WorldInfo { contactProperties [ ContactProperties { coulombFriction [ 1 2 ] } ]"
    path.write_text(OLD.replace("WorldInfo {", contact), encoding="utf-8")
    _, said = converted(path)
    assert "check the order of the values" in said


def test_scaled_solids_keep_a_release_that_has_scale(tmp_path: Path) -> None:
    path = tmp_path / "old.wbt"
    path.write_text(OLD + 'Solid { name "big" scale 2 2 2 }\n', encoding="utf-8")
    target, said = converted(path)
    assert target.read_text(encoding="utf-8").startswith("#VRML_SIM R2023a utf8\n")
    assert "have no scale since R2023b" in said


def test_scaled_bounding_objects_keep_a_release_that_has_scale(tmp_path: Path) -> None:
    path = tmp_path / "old.wbt"
    bounding = "boundingObject Transform { scale 2 1 1 children Box { } }"
    path.write_text(OLD + f'Solid {{ name "big" {bounding} }}\n', encoding="utf-8")
    target, _ = converted(path)
    assert target.read_text(encoding="utf-8").startswith("#VRML_SIM R2023a utf8\n")
    old, new = (next(x for x in load(file).links() if x.name == "big") for file in (path, target))
    assert old.shapes[0].geometry == new.shapes[0].geometry


def test_instances_of_shipped_protos_are_turned_and_declared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "webots"
    for name, body in (
        ("Car", "field SFRotation rotation 0 0 1 0 ] { Solid { rotation IS rotation } }"),
        ("Paint", "] { PBRAppearance { } }"),
    ):
        file = home / "projects" / "protos" / f"{name}.proto"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#VRML_SIM R2025a utf8\nPROTO {name} [ {body}", encoding="utf-8")
    monkeypatch.setenv("WEBOTS_HOME", str(home))
    path = tmp_path / "project" / "worlds" / "old.wbt"
    path.parent.mkdir(parents=True)
    externs = "".join(
        f'EXTERNPROTO "webots://projects/protos/{name}.proto"\n' for name in ("Car", "Paint")
    )
    text = OLD.replace("\nW", f"\n{externs}W", 1)
    path.write_text(text + "Car { }\nShape { appearance Paint { } }\n", encoding="utf-8")
    target, _ = converted(path)
    old, new = load(path), load(target)
    assert not [item for item in new.diagnostics if item.severity.value == "error"]
    assert new.bodies[2].links[0].pose == old.bodies[2].links[0].pose != Pose()
    assert poses(new) == poses(old)


def test_files_that_cannot_be_read_are_not_written(tmp_path: Path) -> None:
    path = tmp_path / "old.wbt"
    path.write_text("no header", encoding="utf-8")
    target, said = converted(path, status=2)
    assert "invalid header" in said and not target.exists()
