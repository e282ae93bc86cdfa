"""Which PROTO is used: the real one wherever it is, ours where it is nowhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.formats.webots.protos.standin_protos import FOLDER, find_own, is_own, own_names
from solidbody.model.geometry import GeometryMesh
from solidbody.model.scene import Scene

URL = "https://raw.githubusercontent.com/cyberbotics/webots/R2025a/projects"


def read_world(
    folder: Path, body: str, *names: str, release: str = "R2025a"
) -> tuple[Scene, DiagnosticLog]:
    """Return the scene of a world that declares PROTOs at places where they are not."""
    lines = [f"#VRML_SIM {release} utf8", *(f'EXTERNPROTO "{URL}/{name}.proto"' for name in names)]
    path = folder / "worlds" / "test.wbt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, "WorldInfo { }", "Viewpoint { }", body]), "utf-8")
    scene, log = read_scene(str(path), options=LoadOptions(cache=folder / "cache"))
    assert scene is not None
    return scene, log


def base_color(scene: Scene) -> tuple[float, ...]:
    appearance = scene.bodies[0].links[0].shapes[0].appearance
    assert appearance is not None
    return tuple(appearance.base_color)


BOX = "Solid { children [ Shape { appearance %s geometry Box { } } ] }"


def test_own_proto_is_used_and_named_once(tmp_path: Path) -> None:
    body = (BOX % "GlossyPaint { baseColor 1 0 0 }") + BOX % "GlossyPaint { }"
    scene, log = read_world(tmp_path, body, "appearances/protos/GlossyPaint")
    assert base_color(scene)[:3] == (1.0, 0.0, 0.0)
    found = [item for item in log if item.code == "own-proto"]
    assert [item.severity for item in found] == [Severity.INFO]
    assert "using solidbody's own GlossyPaint" in found[0].text
    assert f"{URL}/appearances/protos/GlossyPaint.proto" in found[0].text
    assert not log.has_errors


def test_real_proto_of_the_project_wins(tmp_path: Path) -> None:
    real = "#VRML_SIM R2025a utf8\nPROTO GlossyPaint [ ] { PBRAppearance { baseColor 0 0 1 } }"
    (tmp_path / "protos").mkdir()
    (tmp_path / "protos" / "GlossyPaint.proto").write_text(real, "utf-8")
    scene, log = read_world(tmp_path, BOX % "GlossyPaint { }", "appearances/protos/GlossyPaint")
    assert base_color(scene)[:3] == (0.0, 0.0, 1.0)
    assert [item for item in log if item.code == "own-proto"] == []


def test_real_proto_of_an_installation_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = "#VRML_SIM R2025a utf8\nPROTO GlossyPaint [ ] { PBRAppearance { baseColor 0 1 0 } }"
    home = tmp_path / "webots"
    place = home / "projects" / "appearances" / "protos" / "GlossyPaint.proto"
    place.parent.mkdir(parents=True)
    place.write_text(real, "utf-8")
    monkeypatch.setenv("WEBOTS_HOME", str(home))
    scene, _ = read_world(
        tmp_path / "project", BOX % "GlossyPaint { }", "appearances/protos/GlossyPaint"
    )
    assert base_color(scene)[:3] == (0.0, 1.0, 0.0)


def test_name_without_own_proto_stays_missing(tmp_path: Path) -> None:
    _, log = read_world(tmp_path, "NoSuchThing { }", "objects/NoSuchThing")
    found = [item for item in log if item.code == "missing-proto"]
    assert len(found) == 1 and found[0].severity is Severity.ERROR


def test_undeclared_proto_of_a_new_world_is_an_error_that_loads(tmp_path: Path) -> None:
    """Webots reports such nodes since R2022b; worlds of courses have them all the same."""
    scene, log = read_world(tmp_path, BOX % "GlossyPaint { baseColor 1 0 0 }")
    assert base_color(scene)[:3] == (1.0, 0.0, 0.0)
    found = [item for item in log if item.code == "undeclared-proto"]
    assert [item.severity for item in found] == [Severity.ERROR]
    assert "using solidbody's own GlossyPaint" in found[0].text
    assert "EXTERNPROTO" in found[0].text


def test_old_world_needs_no_declaration(tmp_path: Path) -> None:
    scene, log = read_world(tmp_path, BOX % "GlossyPaint { baseColor 1 0 0 }", release="R2021b")
    assert base_color(scene)[:3] == (1.0, 0.0, 0.0)
    assert not log.has_errors


def test_kinds_of_an_appearance_have_colours_of_their_own(tmp_path: Path) -> None:
    name = "appearances/protos/Parquetry"
    colors = [
        base_color(read_world(tmp_path, BOX % f'Parquetry {{ type "{kind}" }}', name)[0])
        for kind in ("mosaic", "dark strip", "light strip", "no such kind")
    ]
    assert len(set(colors)) == 3
    assert colors[0] == colors[3]


def test_tint_multiplies_the_colour(tmp_path: Path) -> None:
    name = "appearances/protos/BrushedAluminium"
    plain = base_color(read_world(tmp_path, BOX % "BrushedAluminium { }", name)[0])
    half = BOX % "BrushedAluminium { colorOverride 0.5 1 0 }"
    tinted = base_color(read_world(tmp_path, half, name)[0])
    assert tinted[:3] == pytest.approx((plain[0] * 0.5, plain[1], 0.0))


def test_names_are_found_and_belong_to_the_package() -> None:
    assert "Parquetry" in own_names()
    found = find_own("Parquetry")
    assert found is not None and is_own(found.file)
    assert FOLDER.is_dir()
    assert find_own("NoSuchThing") is None


OLD_BOT = """#VRML_SIM R2019a utf8
PROTO OldBot [ field SFVec3f size 1 2 3 ]
{
  Robot { children [
    SickLms291 { }
    SharpGP2D120 { name "sharp" }
    SolidBox { size IS size }
    CitroenCZeroMesh { }
    Pioneer3dx { bodySlot [ GPS { translation 0 1 0 } ] }
  ] }
}
"""


def test_ours_stand_in_old_protos_as_in_old_worlds(tmp_path: Path) -> None:
    """In a PROTO written for y-up they lay as today's: lidars looked aside, boxes had other sizes."""
    (tmp_path / "protos").mkdir()
    (tmp_path / "protos" / "OldBot.proto").write_text(OLD_BOT, "utf-8")
    inside, _ = read_world(tmp_path, "OldBot { size 4 5 6 }", release="R2019a")
    body = OLD_BOT.split("{\n", 1)[1].rsplit("}", 1)[0].replace("IS size", "4 5 6")
    outside, _ = read_world(tmp_path, body, release="R2019a")
    for ours, theirs in zip(inside.bodies[0].links, outside.bodies[0].links, strict=True):
        assert ours.pose == theirs.pose, ours.path
        assert [shape.geometry for shape in ours.shapes] == [s.geometry for s in theirs.shapes]
        assert [shape.pose for shape in ours.shapes] == [shape.pose for shape in theirs.shapes]


@pytest.mark.parametrize(
    ("node", "ahead"),
    [("SickLms291 { }", (0.0, 0.0, -1.0)), ("Khepera3_DistanceSensor { }", (1.0, 0.0, 0.0))],
)
def test_sensors_look_in_old_worlds_as_their_nodes_did(
    tmp_path: Path, node: str, ahead: tuple[float, ...]
) -> None:
    """Up to R2021b lidars looked along -z and distance sensors along x."""
    scene, _ = read_world(tmp_path, f"Robot {{ children [ {node} ] }}", release="R2019a")
    link = scene.bodies[0].links[-1]
    pose = link.pose * link.devices[0].pose
    assert pose.direction((1.0, 0.0, 0.0)) == pytest.approx(ahead, abs=1e-6)


def test_shapes_of_vehicles_lie_along_z_in_old_worlds(tmp_path: Path) -> None:
    """They have no rotation of their own, and lay across the car."""
    scene, _ = read_world(tmp_path, "Solid { children [ BusShape { } ] }", release="R2019a")
    points = [
        shape.pose.point(vertex)
        for shape in scene.bodies[0].links[0].shapes
        if isinstance(shape.geometry, GeometryMesh)
        for vertex in shape.geometry.vertices
    ]
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    assert high[2] == pytest.approx(6.475, abs=0.02)  # ahead of the rear axle
    assert low[2] == pytest.approx(-3.489, abs=0.02)
    assert high[1] == pytest.approx(2.907, abs=0.02)  # up
