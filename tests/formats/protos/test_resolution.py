"""Where PROTOs come from, what is refused, and what stands in for those that are missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from solidbody.base.diagnostics import Severity
from solidbody.base.transforms import quat_rotate
from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from tests.formats.protos.projects import BALL, HEADER, read_project, write_project
from tests.formats.reading import codes, link_named, the


def put(path: Path, text: str = HEADER + BALL) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def world_with(folder: Path, declaration: str, world: str = "Blob { }") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = write_project(folder, world, {})
    head, _, rest = path.read_text("utf-8").partition("\n")
    path.write_text(f"{head}\n{declaration}\n{rest}", "utf-8")
    return path


def assert_ball(path: Path, **options: object) -> None:
    scene, log = read_scene(path, options=LoadOptions(**options))  # type: ignore[arg-type]
    assert [str(item) for item in log] == []
    assert scene is not None and link_named(scene, "ball")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("WEBOTS_HOME", "SOLIDBODY_PROTO_PATH", "WEBOTS_EXTRA_PROJECT_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SOLIDBODY_CACHE", str(tmp_path / "cache"))


# where they are found


def test_relative_url_starts_at_the_declaring_file(tmp_path: Path) -> None:
    put(tmp_path / "protos" / "deep" / "Blob.proto")
    outer = 'EXTERNPROTO "deep/Blob.proto"\nPROTO Outer [ ] { Blob { } }'
    put(tmp_path / "protos" / "Outer.proto", HEADER + outer)
    assert_ball(world_with(tmp_path, 'EXTERNPROTO "../protos/Outer.proto"', "Outer { }"))


def test_backslashes_are_slashes(tmp_path: Path) -> None:
    put(tmp_path / "protos" / "Blob.proto")
    assert_ball(world_with(tmp_path, 'EXTERNPROTO "..\\\\protos\\\\Blob.proto"'))


def test_absolute_path_inside_the_project(tmp_path: Path) -> None:
    path = put(tmp_path / "protos" / "Blob.proto")
    assert_ball(world_with(tmp_path, f'EXTERNPROTO "{path.as_posix()}"'))


def test_alias_names_the_node(tmp_path: Path) -> None:
    put(tmp_path / "protos" / "Blob.proto")
    assert_ball(world_with(tmp_path, 'EXTERNPROTO Kugel "../protos/Blob.proto"', "Kugel { }"))


def test_importable_declaration_is_a_declaration(tmp_path: Path) -> None:
    put(tmp_path / "protos" / "Blob.proto")
    assert_ball(world_with(tmp_path, 'IMPORTABLE EXTERNPROTO "../protos/Blob.proto"'))


def test_webots_url_is_inside_the_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = world_with(tmp_path / "project", 'EXTERNPROTO "webots://projects/x/protos/Blob.proto"')
    _, log = read_scene(path)
    assert "webots:// needs the environment variable WEBOTS_HOME" in the(log, "missing-proto").text
    put(tmp_path / "webots" / "projects" / "x" / "protos" / "Blob.proto")
    monkeypatch.setenv("WEBOTS_HOME", str(tmp_path / "webots"))
    assert_ball(path)


@pytest.fixture(autouse=True)
def project_folder(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()


def test_official_url_is_inside_the_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "https://raw.githubusercontent.com/cyberbotics/webots/R2023b/projects/x/protos/Blob.proto"
    put(tmp_path / "webots" / "projects" / "x" / "protos" / "Blob.proto")
    monkeypatch.setenv("WEBOTS_HOME", str(tmp_path / "webots"))
    assert_ball(world_with(tmp_path / "project", f'EXTERNPROTO "{url}"'))


def test_remote_proto_is_taken_from_the_project_by_name(tmp_path: Path) -> None:
    put(tmp_path / "protos" / "balls" / "Blob.proto")
    assert_ball(world_with(tmp_path, 'EXTERNPROTO "https://example.org/Blob.proto"'))


def test_extra_folders_are_searched_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "extra" / "below" / "Blob.proto")
    path = world_with(tmp_path / "project", 'EXTERNPROTO "https://example.org/Blob.proto"')
    assert_ball(path, proto_path=(tmp_path / "extra",))
    monkeypatch.setenv("SOLIDBODY_PROTO_PATH", os.pathsep.join(["", str(tmp_path / "extra")]))
    assert_ball(path)


def test_extra_projects_of_webots_are_searched_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "extra" / "protos" / "Blob.proto")
    path = world_with(tmp_path / "project", 'EXTERNPROTO "https://example.org/Blob.proto"')
    monkeypatch.setenv("WEBOTS_EXTRA_PROJECT_PATH", str(tmp_path / "extra"))
    assert_ball(path)


def test_old_worlds_need_no_declaration(tmp_path: Path) -> None:
    scene, log = read_project(
        tmp_path, "Blob { }", {"Blob": BALL.replace("PROTO", "PROTO", 1)}, release="R2021b"
    )
    assert "missing-proto" not in codes(log)
    assert link_named(scene, "ball")


def test_new_worlds_are_asked_for_a_declaration(tmp_path: Path) -> None:
    """Webots logs what is missing as an error and takes the file that it finds in the project."""
    put(tmp_path / "protos" / "Blob.proto")
    scene, log = read_scene(world_with(tmp_path, "# nothing", 'Blob { } Blob { name "two" }'))
    assert scene is not None
    assert {link.name for link in scene.links()} == {"ball", "two"}
    (said,) = log
    assert (said.code, said.severity) == ("undeclared-proto", Severity.ERROR)
    assert 'Blob.proto" is used: the file does not declare the PROTO' in said.text
    assert said.span.line == 5


def test_shipped_proto_is_turned_back_in_an_old_world(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """x forward becomes -z, and z up becomes y, as cameras of old worlds have it."""
    ball = put(tmp_path / "webots" / "projects" / "x" / "protos" / "Blob.proto")
    monkeypatch.setenv("WEBOTS_HOME", str(tmp_path / "webots"))
    placed = BALL.replace(
        "  field SFString", "  field SFRotation rotation 0 0 1 0\n  field SFString", 1
    ).replace("name IS name", "rotation IS rotation name IS name")
    for text, forward in (
        (HEADER + placed, (0.0, 0.0, -1.0)),
        ("#VRML_SIM R2021a utf8\n" + placed, (1.0, 0.0, 0.0)),
    ):
        ball.write_text(text, "utf-8")
        scene, _ = read_project(tmp_path / "project", "Blob { }", {}, release="R2021a")
        pose = link_named(scene, "ball").pose
        assert quat_rotate(pose.rotation, (1.0, 0.0, 0.0)) == pytest.approx(forward, abs=1e-12)


def test_proto_named_like_a_node_is_refused(tmp_path: Path) -> None:
    _, log = read_scene(world_with(tmp_path, 'EXTERNPROTO "../protos/Solid.proto"', "Solid { }"))
    assert '"Solid" is the name of a built-in node' in the(log, "proto-name").text


def test_second_declaration_of_a_name_is_a_warning(tmp_path: Path) -> None:
    put(tmp_path / "protos" / "Blob.proto")
    two = 'EXTERNPROTO "../protos/Blob.proto"\nEXTERNPROTO "https://example.org/Blob.proto"'
    _, log = read_scene(world_with(tmp_path, two))
    assert "declared before, at line 2" in the(log, "repeated-proto").text


# what is refused


def test_copy_in_the_project_is_used_for_a_path_of_another_machine(tmp_path: Path) -> None:
    put(tmp_path / "protos" / "Blob.proto")
    for url in ("/elsewhere/robots/protos/Blob.proto", "C:/elsewhere/protos/Blob.proto"):
        assert_ball(world_with(tmp_path, f'EXTERNPROTO "{url}"'))


def test_link_inside_the_project_is_followed(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere" / "Blob.proto")
    path = world_with(tmp_path, 'EXTERNPROTO "../protos/Blob.proto"')
    (tmp_path / "protos" / "Blob.proto").symlink_to("../elsewhere/Blob.proto")
    assert_ball(path)


def test_proto_that_is_not_utf8_is_reported_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "protos").mkdir()
    (tmp_path / "protos" / "Blob.proto").write_bytes(HEADER.encode() + b"PROTO \xff")
    _, log = read_scene(world_with(tmp_path, 'EXTERNPROTO "../protos/Blob.proto"'))
    assert the(log, "bad-encoding").span.line == 2


def test_proto_without_header_is_reported(tmp_path: Path) -> None:
    put(tmp_path / "protos" / "Blob.proto", BALL)
    _, log = read_scene(world_with(tmp_path, 'EXTERNPROTO "../protos/Blob.proto"'))
    assert the(log, "bad-header").span.file.endswith("Blob.proto")


def test_proto_without_header_counts_as_one_of_an_old_world(tmp_path: Path) -> None:
    # Webots asks for the header since R2022b; before, such a PROTO was one of its own release, in which
    # a cylinder stood along y: as of today it would be read as standing along z, without a rotation.
    body = "Solid { children [ Shape { geometry Cylinder { } } ] }"
    put(tmp_path / "protos" / "Blob.proto", f"PROTO Blob [ ] {{ {body} }}")
    old = "#VRML_SIM R2020a utf8\nBlob { }"
    scene, log = read_scene(put(tmp_path / "worlds" / "world.wbt", old))
    message = the(log, "bad-header")
    assert message.severity is Severity.WARNING
    assert "The file is read as one of R2020a, like the world." in message.text
    assert scene is not None
    (shape,) = link_named(scene, "solid").shapes
    assert shape.pose.direction((0.0, 0.0, 1.0)) == pytest.approx((0.0, 1.0, 0.0))


# what stands in


def test_missing_proto_names_the_url_and_the_ways_to_provide_it(tmp_path: Path) -> None:
    declaration = 'EXTERNPROTO "https://example.org/Altar.proto"'
    path = world_with(tmp_path, declaration, "DEF T Altar { } Altar { }")
    _, log = read_scene(path)
    first, second = [item for item in log if item.code == "missing-proto"]
    assert first.severity is Severity.ERROR and first.node == "DEF T Altar (PROTO)"
    for part in ("https://example.org/Altar.proto", "protos folder", "--proto-path",
                 "SOLIDBODY_PROTO_PATH", "WEBOTS_HOME", "--allow-download"):  # fmt: skip
        assert part in first.text
    assert second.text == 'PROTO "Altar" is missing (see above). The node is left out.'


@pytest.mark.parametrize(
    ("world", "kind"),
    [
        ("Shape { appearance StripedWood { } geometry Box { } }", "PBRAppearance"),
        ("Shape { appearance GrassAppearance { type 3 } geometry Box { } }", "PBRAppearance"),
        ("SkyBackground { }", "Background"),
        ("SkyBackgroundLight { }", "DirectionalLight"),
    ],
)
def test_missing_look_becomes_a_plain_one(tmp_path: Path, world: str, kind: str) -> None:
    names = ("StripedWood", "GrassAppearance", "SkyBackground", "SkyBackgroundLight")
    declarations = "\n".join(f'EXTERNPROTO "https://example.org/{name}.proto"' for name in names)
    scene, log = read_scene(world_with(tmp_path, declarations, world))
    assert scene is not None
    found = the(log, "missing-proto")
    assert found.severity is Severity.WARNING
    assert f"A plain {kind} is used" in found.text
    if kind == "PBRAppearance":
        assert scene.bodies[0].links[0].shapes[0].appearance is not None
    elif kind == "Background":
        assert scene.background is not None
    else:
        assert len(scene.lights) == 1


def test_placeholder_is_an_empty_solid_at_the_same_place(tmp_path: Path) -> None:
    declaration = 'EXTERNPROTO "https://example.org/Altar.proto"'
    world = 'DEF T Altar { translation 1 2 3 name "desk" size 3 } Solid { name "real" }'
    path = world_with(tmp_path, declaration, world)
    scene, log = read_scene(path, options=LoadOptions(missing_protos="placeholder"))
    assert scene is not None
    found = the(log, "missing-proto")
    assert found.severity is Severity.WARNING and "An empty Solid stands in its place" in found.text
    link = link_named(scene, "desk")
    assert link.pose.position == (1.0, 2.0, 3.0) and link.label == "T" and link.shapes == ()


def test_placeholder_in_a_proto_takes_the_values_of_the_instance(tmp_path: Path) -> None:
    declaration = 'EXTERNPROTO "../protos/Desk.proto"'
    desk = 'EXTERNPROTO "https://example.org/Altar.proto"\nPROTO Desk [ field SFVec3f translation 0 0 0 ] '
    path = world_with(tmp_path, declaration, "Desk { translation 1 2 3 }")
    put(
        tmp_path / "protos" / "Desk.proto",
        HEADER + desk + "{ Altar { translation IS translation } }",
    )
    scene, log = read_scene(path, options=LoadOptions(missing_protos="placeholder"))
    assert codes(log) == ["missing-proto"] and scene is not None
    assert link_named(scene, "Altar").pose.position == (1.0, 2.0, 3.0)


def test_placeholder_of_a_geometry_is_nothing(tmp_path: Path) -> None:
    declaration = 'EXTERNPROTO "https://example.org/Knot.proto"'
    path = world_with(tmp_path, declaration, "Shape { geometry Knot { } }")
    _, log = read_scene(path, options=LoadOptions(missing_protos="placeholder"))
    assert "It is left out" in the(log, "missing-proto").text
    assert "wrong-node" not in codes(log)


@pytest.mark.parametrize("name", ["Servo", "CustomRobot", "Supervisor"])
def test_proto_may_have_the_name_of_a_node_that_is_gone(tmp_path: Path, name: str) -> None:
    proto = f'PROTO {name} [ field SFFloat size 1 ] {{ Robot {{ name "own" }} }}'
    scene, log = read_project(tmp_path, f"{name} {{ size 2 }}", {name: proto})
    assert [link.name for link in scene.links()] == ["own"]
    assert [item.code for item in log if item.code != "unconnected-field"] == []
    outer = f'EXTERNPROTO "{name}.proto"\nPROTO Outer [ ] {{ Group {{ children {name} {{ }} }} }}'
    scene, _ = read_project(tmp_path, "Outer { }", {name: proto, "Outer": outer})
    assert [link.name for link in scene.links()] == ["own"]
