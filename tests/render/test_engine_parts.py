"""A changed scene gets a ray engine that keeps the meshes and textures of the one before."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from solidbody.formats.webots.edit.document import World, load_world
from solidbody.render import ray_engine
from solidbody.render.ray_engine import RayEngine
from solidbody.sim import Sim
from solidbody.sim.following import follow

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Viewpoint { }
DirectionalLight { direction 1 0.2 -1 }
DEF TENT Solid { name "tent" translation 2 0.4 0 children [ Shape {
  appearance PBRAppearance { baseColorMap ImageTexture { url "brick.png" } roughness 1 metalness 0 }
  geometry DEF FACES IndexedFaceSet { coord Coordinate { point [ 0 -1 -1, 0 1 -1, 0 0 1 ] }
    coordIndex [ 0 2 1 -1 ] } } ] }
DEF HUT Solid { name "hut" translation 2 -0.4 0 children [ Shape {
  appearance PBRAppearance { baseColorMap ImageTexture { url "straw.png" } roughness 1 metalness 0 }
  geometry IndexedFaceSet { coord Coordinate { point [ 0 -1 -1, 0 1 -1, 0.3 0 1 ] }
    coordIndex [ 0 2 1 -1 ] } } ] }
DEF BOX Solid { name "box" translation 1.5 0 -0.2 children [ DEF SHAPE Shape {
    appearance PBRAppearance { } geometry DEF FORM Box { size 0.2 0.2 0.2 } } ]
  boundingObject USE FORM physics Physics { density -1 mass 1 } }
Robot { name "robot" controller "<none>" children [
  Camera { name "lens" width 24 height 16 }
  Display { name "screen" width 4 height 4 } ] }
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Two meshes with textures, and a box, before a camera."""
    paint(tmp_path / "brick.png", (200, 60, 40))
    paint(tmp_path / "straw.png", (220, 200, 60))
    path = tmp_path / "world.wbt"
    path.write_text(WORLD)
    return load_world(path)


def paint(path: Path, color: tuple[int, int, int]) -> None:
    """Write a texture of bars."""
    pixels = np.zeros((16, 16, 3), dtype=np.uint8)
    pixels[:, ::4] = color
    Image.fromarray(pixels).save(path)


def seen(sim: Sim) -> bytes:
    """Return what the camera sees at the start."""
    sim.device("lens").enable(0.008)
    sim.reset()
    sim.step(1)
    return np.asarray(sim.device("lens").value).tobytes()


def fresh(world: World) -> bytes:
    """Return what a camera sees in a simulation of its own."""
    return seen(Sim(world.scene))


def meshes_of(engine: RayEngine) -> set[int]:
    """Return Warp's numbers of the meshes that an engine meets."""
    numbers = engine.shapes.mesh.numpy()
    return {int(number) for number in numbers if number}


def test_what_stays_is_not_made_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    sim = Sim(world.scene)
    seen(sim)
    engines = [sim.devices.world.rays]  # all kept, so that no number is given twice
    read: list[str] = []
    load = ray_engine.load_image
    monkeypatch.setattr(
        ray_engine, "load_image", lambda path: (read.append(path.name), load(path))[1]
    )
    for path, value, left in (
        ("FORM.size", (0.4, 0.4, 0.4), 2),
        ("FACES.coordIndex", [0, 1, 2, -1], 1),
        ("HUT.name", "other", 2),
    ):
        world.set(path, value)
        follow(sim, world.scene)
        picture = seen(sim)
        engines.append(sim.devices.world.rays)
        # of the same form as before, the hut keeps its meshes, and with them the engine
        assert (engines[-1] is engines[-2]) is (path == "HUT.name")
        assert len(meshes_of(engines[-1]) & meshes_of(engines[-2])) == left
        assert not read
        assert picture == fresh(world)
        read.clear()


def test_other_textures_are_read(world: World, tmp_path: Path) -> None:
    """Another file, and the same one with another picture in it."""
    sim = Sim(world.scene)
    pictures = [seen(sim)]
    paint(tmp_path / "brick.png", (40, 60, 200))
    os.utime(tmp_path / "brick.png", ns=(1, 1))
    world.set("FORM.size", (0.3, 0.3, 0.3))
    follow(sim, world.scene)
    pictures.append(seen(sim))
    assert pictures[1] == fresh(world)
    world.set("3.children.0.appearance.baseColorMap.url", ["straw.png"])
    follow(sim, world.scene)
    pictures.append(seen(sim))
    assert pictures[2] == fresh(world)
    assert len(set(pictures)) == 3


def test_what_goes_leaves_no_room_behind(world: World) -> None:
    """Changing meshes and screens do not fill the memory of the engine."""
    sim = Sim(world.scene)
    room: list[tuple[int, int]] = []
    for k in range(40):
        world.set("FACES.coordIndex", [0, 2, 1, -1] if k % 2 else [0, 1, 2, -1])
        world.set("FORM.size", (0.2 + 0.01 * k, 0.2, 0.2))
        follow(sim, world.scene)
        seen(sim)
        rays = sim.devices.world.rays
        room.append((len(rays.shapes.corner_uv), len(rays.materials.texels)))
    assert max(room[20:]) <= max(room[:20])
    assert seen(sim) == fresh(world)


def test_pictures_of_the_scene_before_can_still_be_developed(world: World) -> None:
    """One that is read after the form has changed shows the old form, whoever followed rays since."""
    sim, other = Sim(world.scene), Sim(world.scene)
    for one in (sim, other):
        one.device("lens").enable(0.016)
        one.step(2)
    expected = np.asarray(other.device("lens").value).tobytes()
    world.set("FORM.size", (0.8, 0.8, 0.8))
    follow(sim, world.scene)
    _ = sim.devices.world.rays  # the new engine is made first
    assert np.asarray(sim.device("lens").value).tobytes() == expected
    sim.step(2)
    assert np.asarray(sim.device("lens").value).tobytes() != expected
