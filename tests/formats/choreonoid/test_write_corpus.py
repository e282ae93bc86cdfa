"""Public body files, where they are at hand: written and read again they are the same."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.formats.choreonoid.write.body import body_text
from solidbody.formats.loading import read_scene, read_scene_text
from solidbody.formats.webots.export.files import world_text
from solidbody.model.geometry import GeometryMesh
from solidbody.model.links import Body, Motion
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape
from tests.formats.comparing import differences

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "choreonoid"

pytestmark = [
    pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus beside the repository"),
    pytest.mark.slow,
]


EVERY = int(os.environ.get("SOLIDBODY_EVERY_BODY", "8"))
"""One file in so many is tried; 1 = all of them, which takes a minute and a half."""


def scenes() -> list[tuple[Path, Scene]]:
    """Return the scenes of body files that give one."""
    found = [(path, read_scene(path)[0]) for path in sorted(CORPUS.rglob("*.body"))[::EVERY]]
    return [(path, scene) for path, scene in found if scene is not None]


def comparable(body: Body, folder: Path) -> Body:
    """Return a body as it can be compared.

    Images go by their full path, since a file elsewhere names them differently; a mesh without normals
    is written without, and gets flat ones when it is read.
    """
    links = tuple(
        replace(link, shapes=tuple(_plain(shape, folder) for shape in link.shapes))
        for link in body.links
    )
    return replace(body, links=links)


def _plain(shape: Shape, folder: Path) -> Shape:
    look = shape.appearance
    if look is not None and look.texture is not None:
        full = os.path.normpath(folder / look.texture.uri)
        look = replace(look, texture=replace(look.texture, uri=full))
    geometry = shape.geometry
    if isinstance(geometry, GeometryMesh):
        geometry = replace(geometry, normals=())
    return replace(shape, appearance=look, geometry=geometry)


@pytest.mark.slow
def test_public_bodies_come_back() -> None:
    """Nothing is lost, and the written file has no errors."""
    for path, before in scenes():
        lost = DiagnosticLog()
        target = str(path.with_name("saved again.body"))
        after, log = read_scene_text(
            body_text(before, before.bodies[0], lost, target=target), target
        )
        assert after is not None, path
        assert not [str(item) for item in log if item.severity is Severity.ERROR], path
        assert [str(item) for item in lost] == [], path
        bodies = [comparable(scene.bodies[0], path.parent) for scene in (before, after)]
        assert list(differences(*bodies)) == [], path


@pytest.mark.slow
def test_public_bodies_become_worlds() -> None:
    """Without errors, and with the mass of everything that moves."""
    for path, before in scenes():
        target = str(path.with_name("saved again.wbt"))
        after, log = read_scene_text(world_text(before, DiagnosticLog(), target=target), target)
        assert after is not None, path
        assert not [str(item) for item in log if item.severity is Severity.ERROR], path
        assert _moving_mass(after) == pytest.approx(_moving_mass(before), rel=1e-12), path


def _moving_mass(scene: Scene) -> float:
    return sum(
        link.mass.mass
        for link in scene.links()
        if link.mass is not None and link.motion is Motion.DYNAMIC
    )
