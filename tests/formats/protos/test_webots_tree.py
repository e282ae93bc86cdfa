"""Worlds in a source tree or an installation of Webots: its own PROTOs come before our stand-ins."""

from __future__ import annotations

from pathlib import Path

import pytest

from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.formats.loading import read_scene
from solidbody.formats.options import DEFAULT_OPTIONS
from solidbody.formats.webots.protos.survey import ProtoOrigin, proto_uses
from tests.formats.protos.projects import BALL, HEADER
from tests.formats.reading import codes, link_named, the

PLACE = "projects/objects/toys/protos/Blob.proto"


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("WEBOTS_HOME", "SOLIDBODY_PROTO_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SOLIDBODY_CACHE", str(tmp_path / "cache"))


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def tree(folder: Path, declaration: str, *, release: str = "R2025a", node: str = "Blob") -> Path:
    """Write a tree with a PROTO and a world in its tests; return the world."""
    put(folder / PLACE, HEADER + BALL)
    (folder / "resources").mkdir(parents=True)
    text = (
        f"#VRML_SIM {release} utf8\n{declaration}\nWorldInfo {{ }}\nViewpoint {{ }}\n{node} {{ }}\n"
    )
    return put(folder / "tests" / "api" / "worlds" / "a.wbt", text)


@pytest.mark.parametrize(
    "url",
    [
        f"webots://{PLACE}",
        f"https://raw.githubusercontent.com/cyberbotics/webots/R2022b/{PLACE}",
        f"https://raw.githubusercontent.com/cyberbotics/webots/released/{PLACE}",
        f"../../../{PLACE}",
    ],
)
def test_declared_proto_is_that_of_the_tree(tmp_path: Path, url: str) -> None:
    scene, log = read_scene(tree(tmp_path / "webots", f'EXTERNPROTO "{url}"'))
    assert scene is not None and link_named(scene, "ball")
    said = the(log, "webots-tree")
    assert said.severity is Severity.INFO
    assert f'lies in a Webots ("{tmp_path / "webots"}"), whose own files are used' in said.text
    assert "the first is the PROTO Blob" in said.text
    assert codes(log) == ["webots-tree"]


def test_name_is_enough_in_old_worlds(tmp_path: Path) -> None:
    scene, log = read_scene(tree(tmp_path / "webots", "", release="R2021b"))
    assert scene is not None and link_named(scene, "ball")
    assert "webots-tree" in codes(log)
    assert "missing-proto" not in codes(log)


def test_real_proto_comes_before_our_stand_in(tmp_path: Path) -> None:
    url = "webots://projects/objects/drinks/protos/Can.proto"
    path = tree(tmp_path / "webots", f'EXTERNPROTO "{url}"', node="Can")
    _, log = read_scene(path)
    assert "own-proto" in codes(log)
    put(tmp_path / "webots" / url.removeprefix("webots://"), HEADER + BALL.replace("Blob", "Can"))
    scene, log = read_scene(path)
    assert "own-proto" not in codes(log)
    assert scene is not None and link_named(scene, "ball")


def test_webots_that_the_user_names_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tree(tmp_path / "webots", f'EXTERNPROTO "webots://{PLACE}"')
    put(tmp_path / "named" / PLACE, HEADER + BALL.replace('"ball"', '"other"'))
    monkeypatch.setenv("WEBOTS_HOME", str(tmp_path / "named"))
    scene, log = read_scene(path)
    assert scene is not None and link_named(scene, "other")
    assert "webots-tree" not in codes(log)


def test_proto_of_the_tests_is_found(tmp_path: Path) -> None:
    """Webots' own test worlds use two of them."""
    url = "webots://tests/default/protos/Probe.proto"
    path = tree(tmp_path / "webots", f'EXTERNPROTO "{url}"', node="Probe")
    put(tmp_path / "webots" / url.removeprefix("webots://"), HEADER + BALL.replace("Blob", "Probe"))
    scene, log = read_scene(path)
    assert scene is not None and link_named(scene, "ball")
    assert codes(log) == ["webots-tree"]


def test_only_projects_resources_and_tests_of_a_found_tree_are_read(tmp_path: Path) -> None:
    path = tree(tmp_path / "webots", 'EXTERNPROTO "../../../private/Blob.proto"')
    put(tmp_path / "webots" / "private" / "Blob.proto", HEADER + BALL)
    (tmp_path / "webots" / PLACE).unlink()
    _, log = read_scene(path)
    assert "leads out of the folders that may be read" in the(log, "missing-proto").text


def test_survey_tells_the_project_from_the_tree_around_it(tmp_path: Path) -> None:
    declared = f'EXTERNPROTO "webots://{PLACE}"\nEXTERNPROTO "../protos/Near.proto"'
    path = tree(tmp_path / "webots", declared, node="Near { } Blob")
    put(path.parents[1] / "protos" / "Near.proto", HEADER + BALL.replace("Blob", "Near"))
    uses = proto_uses(str(path), DEFAULT_OPTIONS, DiagnosticLog())
    assert uses is not None
    assert {use.name: use.origin for use in uses} == {
        "Near": ProtoOrigin.PROJECT,
        "Blob": ProtoOrigin.INSTALLATION,
    }
