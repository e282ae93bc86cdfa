"""What stand-ins are drawn with does not stand before their own cameras."""

from __future__ import annotations

from pathlib import Path

import pytest

import solidbody as sb
from solidbody.model.geometry import GeometryMesh
from tests.standins.driving import complaints, load_world, write_world


@pytest.mark.parametrize(
    ("robot", "camera"),
    [
        ("E-puck", "camera"),
        ("Khepera4", "camera"),
        ("Nao", "CameraTop"),
        ("Spot", "left head camera"),
        ("Spot", "right flank camera"),
    ],
)
def test_cameras_see_past_their_own_robots(tmp_path: Path, robot: str, camera: str) -> None:
    """Nothing but a sky of one colour is in front of them."""
    pytest.importorskip("warp")
    nodes = f'Background {{ skyColor [ 1 0 1 ] }} {robot} {{ controller "<none>" }}'
    scene, log = load_world(write_world(tmp_path, nodes))
    assert complaints(log) == []
    sim = sb.Sim(scene)
    sim.device(camera).enable()
    sim.step(4)
    picture = sim.device(camera).value.astype(int)
    assert (picture[..., 0] - picture[..., 1] > 100).mean() > 0.99


@pytest.mark.parametrize("robot", ["BmwX5", "E-puck", "Nao", "Panda", "Pioneer3at", "Spot"])
def test_robots_are_not_heavy_to_draw(tmp_path: Path, robot: str) -> None:
    scene, _ = load_world(write_world(tmp_path, f'{robot} {{ controller "<none>" }}'))
    shapes = (shape for link in scene.links() for shape in link.shapes)
    meshes = [shape.geometry for shape in shapes if isinstance(shape.geometry, GeometryMesh)]
    assert 2_000 < sum(len(mesh.triangles) for mesh in meshes) < 22_000
