"""A field of a device that is changed binds that device anew; all others stay as they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solidbody.formats.webots.edit.document import World, load_world
from solidbody.model.devices import Device
from solidbody.sim import Sim
from solidbody.sim.following import follow

TEXT = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Viewpoint { }
DEF BOX Solid { name "box" translation 1 0 0 children [
    DEF SHAPE Shape { appearance DEF LOOK PBRAppearance { baseColor 1 0 0 } geometry Box { size 0.2 1 1 } } ]
  boundingObject Box { size 0.2 1 1 } }
DirectionalLight { direction 1 0 -1 }
Robot { name "robot" controller "<none>" children [
  DEF EYE DistanceSensor { name "eye" lookupTable [ 0 0 0, 5 1000 0 ] }
  DistanceSensor { name "other" lookupTable [ 0 0 0, 5 1000 0.1 ] }
  Gyro { name "gyro" }
  DEF LENS Camera { name "lens" width 8 height 8 }
  DEF LAMP LED { name "lamp" color [ 1 0 0 ] } ] }
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A robot before a box."""
    path = tmp_path / "world.wbt"
    path.write_text(TEXT)
    return load_world(path)


def devices_of(sim: Sim) -> list[Device]:
    """Return all that the present scene describes."""
    return [device for link in sim.scene.links() for device in link.devices]


def test_only_that_kind_is_bound_anew(world: World) -> None:
    sim = Sim(world.scene)
    engine = sim.devices
    eye, other, gyro = (sim.device(name) for name in ("eye", "other", "gyro"))
    for device in (eye, other, gyro):
        device.enable(0.016)
    sim.step(3)
    groups = {name: sim.device(name).group for name in ("eye", "gyro", "lens", "lamp")}
    seen = eye.value, other.value
    world.set("EYE.lookupTable", [(0.0, 0.0, 0.0), (5.0, 500.0, 0.0)])
    change = follow(sim, world.scene)
    assert change is not None
    assert change.devices
    assert sim.devices is engine
    after = {name: sim.device(name).group for name in groups}
    assert [name for name in groups if after[name] is not groups[name]] == ["eye"]
    assert (eye.value, other.value) == seen  # handles go on, and so do their values
    sim.step(1)  # its period goes on as well
    assert eye.value == pytest.approx(seen[0] / 2.0)
    assert sim.device("eye").model in devices_of(sim)


def test_the_same_numbers_as_bound_anew(world: World) -> None:
    """Noise of sensors goes on where it was, whichever way the change was followed."""
    read: list[list[float]] = []
    for is_patched in (True, False):
        world.set("EYE.aperture", 1.0)
        sim = Sim(world.scene)
        for name in ("eye", "other"):
            sim.device(name).enable(0.008)
        sim.step(5)
        world.set("EYE.aperture", 0.5)
        follow(sim, world.scene) if is_patched else sim.describe_anew(world.scene)
        sim.step(5)
        read.append([sim.device(name).value for name in ("eye", "other")])
    assert read[0] == read[1]


def test_devices_that_others_see_are_all_bound_anew(world: World) -> None:
    """A lamp has painted what it shines with: nothing of that is left."""
    sim = Sim(world.scene)
    engine = sim.devices
    world.set("LAMP.color", [(0.0, 1.0, 0.0)])
    follow(sim, world.scene)
    assert sim.devices is not engine
    assert sim.device("lamp").model in devices_of(sim)


def test_rays_go_on_after_a_repaint(world: World) -> None:
    """Recorded rays read the looks of now: those of before are freed, or the engine is another one."""
    sim = Sim(world.scene)
    eye = sim.device("eye")
    eye.enable(0.008)
    sim.step(1)
    seen = eye.value
    for number, (path, value) in enumerate(
        [("LOOK.baseColor", (0.0, 0.0, 1.0)), ("LOOK.baseColor", (0.0, 1.0, 0.0))] * 3
        + [("SHAPE.castShadows", False)]
    ):
        materials = sim.devices.world.rays.materials
        world.set(path, value)
        follow(sim, world.scene)
        sim.step(1)
        assert eye.value == seen
        assert (sim.devices.world.rays.materials is materials) == (0 < number < 6)


def test_a_picture_shows_what_was_there(world: World) -> None:
    """One that is read after a colour has changed shows the colour that it was taken of."""
    sim = Sim(world.scene)
    lens = sim.device("lens")
    lens.enable(0.016)
    sim.step(2)
    world.set("LOOK.baseColor", (0.0, 0.0, 1.0))
    follow(sim, world.scene)
    sim.step(1)
    red = np.asarray(lens.value)[4, 4]
    sim.step(1)
    blue = np.asarray(lens.value)[4, 4]
    assert red[:3].tolist() != blue[:3].tolist(), "the next one shows the new colour"
    assert {int(np.argmax(pixel[:3])) for pixel in (red, blue)} == {0, 2}
