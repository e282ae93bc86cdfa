"""Addresses in worlds: what is outside the project, of another scheme or on the web is not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from solidbody.base.diagnostics import Severity
from solidbody.formats.assets import AssetError, AssetFinder
from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from tests.formats.protos.test_resolution import assert_ball, plain_environment, put, world_with
from tests.formats.reading import link_named, the

__all__ = ["plain_environment"]


@pytest.mark.parametrize("url", ["../../outside/Blob.proto", "{outside}/Blob.proto"])
def test_url_out_of_the_project_is_refused(tmp_path: Path, url: str) -> None:
    outside = put(tmp_path / "outside" / "Blob.proto").parent.as_posix()
    path = world_with(tmp_path / "project", f'EXTERNPROTO "{url.format(outside=outside)}"')
    _, log = read_scene(path)
    found = the(log, "missing-proto")
    assert found.severity is Severity.ERROR
    assert "leads out of the folders that may be read" in found.text
    assert "--proto-path" in found.text
    assert_ball(path, proto_path=(outside,))


def test_stand_in_is_used_for_a_path_that_may_not_be_read(tmp_path: Path) -> None:
    path = world_with(tmp_path, 'EXTERNPROTO "../../shared/Can.proto"', "Can { }")
    scene, log = read_scene(path)
    assert scene is not None and link_named(scene, "can")
    assert (
        'the PROTO\'s file ("../../shared/Can.proto") may not be read' in the(log, "own-proto").text
    )


def test_projects_of_one_repository_share_files(tmp_path: Path) -> None:
    """A clone is one thing: its worlds may name the PROTOs beside their project, and none above it."""
    put(tmp_path / "clone" / "shared" / "Blob.proto")
    put(tmp_path / "Blob.proto")
    project = tmp_path / "clone" / "lab"
    inside = world_with(project, 'EXTERNPROTO "../../shared/Blob.proto"')
    assert "may be read" in the(read_scene(inside)[1], "missing-proto").text
    (tmp_path / "clone" / ".git").mkdir()
    assert_ball(inside)
    _, log = read_scene(world_with(project, 'EXTERNPROTO "../../../Blob.proto"'))
    assert "leads out of the folders" in the(log, "missing-proto").text


def test_home_of_the_user_is_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "shared" / "Blob.proto")
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    path = world_with(tmp_path / "lab", 'EXTERNPROTO "../../shared/Blob.proto"')
    assert "leads out of the folders" in the(read_scene(path)[1], "missing-proto").text


def test_symbolic_link_out_of_the_project_is_refused(tmp_path: Path) -> None:
    outside = put(tmp_path / "outside" / "Blob.proto")
    path = world_with(tmp_path / "project", 'EXTERNPROTO "../protos/Blob.proto"')
    (tmp_path / "project" / "protos" / "Blob.proto").symlink_to(outside)
    _, log = read_scene(path)
    assert "leads out of the folders" in the(log, "missing-proto").text


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("file:///etc/passwd", "only https://, webots:// and file paths are read"),
        ("ftp://example.org/a.png", "only https://, webots:// and file paths are read"),
        ("../../../../../../etc/passwd", "leads out of the folders"),
        ("nothing.png", "there is no such file"),
        ("a\0b.png", "cannot be followed"),
        (".", "there is no such file"),
        ("https://example.org/a.png", "downloads are not allowed"),
        ("http://example.org/a.png", "only https:// is fetched"),
    ],
)
def test_finder_says_why_a_url_gives_no_file(tmp_path: Path, url: str, expected: str) -> None:
    world = str(tmp_path / "worlds" / "world.wbt")
    finder = AssetFinder(world, LoadOptions(), environment={"SOLIDBODY_CACHE": str(tmp_path / "c")})
    with pytest.raises(AssetError) as caught:
        finder.find(url, world)
    assert expected in caught.value.text
