"""A field of a device that is changed binds that device anew; all others stay as they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solidbody.devices.core.group import Group
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
  DEF LAMP LED { name "lamp" color [ 1 0 0 ] children [ Shape {
    appearance PBRAppearance { emissiveColor 1 1 1 } geometry Sphere { radius 0.01 } } ] } ] }
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


def groups_of(sim: Sim) -> dict[str, Group]:
    """Return the groups of devices, by their names."""
    engine = sim.devices
    bound = [item for item in engine.devices if engine.has_group(item)]
    return {item.name: engine.group_of(item)[0] for item in bound}


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


BUSY = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 gravity 0.5 }
Viewpoint { }
DirectionalLight { direction 1 0 -1 }
DEF FLOOR Solid { name "floor" children [ DEF PAPER Shape {
    appearance PBRAppearance { roughness 1 metalness 0 } geometry Plane { size 4 4 } } ]
  boundingObject Plane { size 4 4 } }
DEF LOAD Solid { name "load" translation 0 1.5 0.0501 boundingObject Box { size 0.1 0.1 0.1 }
  physics Physics { density -1 mass 0.2 } }
Robot { name "robot" controller "<none>" battery [ 100, 100, 1 ] translation 0 0 0.5 children [
  DEF EYE DistanceSensor { name "eye" type "laser" aperture 0.02 rotation 0 1 0 1.2
    lookupTable [ 0 0 0.1, 5 5000 0.1 ] }
  DEF LENS Camera { name "lens" width 24 height 16 rotation 0 1 0 0.6 fieldOfView 1.5 }
  DEF LAMP LED { name "lamp" color [ 1 0 0, 0 1 0 ] children [
    Pose { translation 0.5 0.1 -0.2 children [ Shape {
      appearance PBRAppearance { emissiveColor 1 1 1 } geometry Sphere { radius 0.05 } } ] } ] }
  DEF SCREEN Display { name "screen" width 8 height 8 children [
    Pose { translation 0.5 -0.2 -0.2 children [ Shape {
      appearance PBRAppearance { baseColorMap ImageTexture { } } geometry Box { size 0.1 0.1 0.1 } } ] } ] }
  DEF PEN Pen { name "pen" translation 0.7 0 0 leadSize 0.2 write TRUE }
  DEF MAIL Emitter { name "mail" baudRate 1000 }
  HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
    device DEF MOTOR RotationalMotor { name "motor" }
    endPoint Solid { name "arm" translation 0 1.5 -0.3505 children [
        DEF SUCKER VacuumGripper { name "sucker" rotation 0 1 0 1.5708 contactPoints 1
          boundingObject Box { size 0.1 0.1 0.1 } } ]
      boundingObject Box { size 0.02 0.02 0.02 } physics Physics { density -1 mass 1 } } }
  DEF HOOK Connector { name "hook" } ] }
Robot { name "other" translation 0 -1 0.5 children [ Receiver { name "box" } ] }
"""

BUSY_CHANGES = [
    ("LAMP.color", [(0.0, 0.0, 1.0), (1.0, 1.0, 0.0)], "lamp"),
    ("LAMP.gradual", True, "lamp"),
    ("SCREEN.width", 4, "screen"),
    ("PEN.leadSize", 0.05, "pen"),
    ("PEN.inkColor", (1.0, 0.0, 0.0), "pen"),
    ("SUCKER.tensileStrength", 50.0, "sucker"),
    ("HOOK.distanceTolerance", 0.5, "hook"),
    ("MAIL.range", 3.0, "mail"),
    ("EYE.aperture", 0.05, "eye"),
    ("LENS.fieldOfView", 1.2, "lens"),
    ("MOTOR.consumptionFactor", 5.0, None),
]


@pytest.mark.slow
@pytest.mark.parametrize(("path", "value", "name"), BUSY_CHANGES)
def test_devices_that_show_and_hold_go_on(
    tmp_path: Path, path: str, value: object, name: str | None
) -> None:
    """Lamps, displays, pens, grippers: only those of the kind are bound anew, and all does as in the scene.

    What was set, drawn, painted and held stays, in pictures too: they are those of a simulation in which all
    devices are bound anew.
    """
    file = tmp_path / "busy.wbt"
    file.write_text(BUSY)
    seen: list[tuple[bytes, ...]] = []
    for is_patched in (True, False):
        world = load_world(file)
        sim = Sim(world.scene)
        lamp, screen, sucker = (sim.device(key) for key in ("lamp", "screen", "sucker"))
        for key in ("eye", "lens", "box", "sucker"):
            sim.device(key).enable(0.008)
        lamp.group.set(lamp.row, 2)
        screen.group.canvas(screen.row).draw_rectangle(0, 0, 4, 8, fill=True)
        screen.group.refresh(screen.row)
        sucker.group.turn(sucker.row, is_on=True)
        sim.joint("motor").target_velocity = 0.5
        mail = sim.device("mail")
        mail.group.send(mail.row, b"hello")
        sim.step(4)
        engine = sim.devices
        groups = groups_of(sim)
        world.set(path, value)
        change = follow(sim, world.scene)
        assert change is not None
        if not is_patched:
            sim.describe_anew(world.scene)
            assert sim.devices is not engine
        else:
            assert sim.devices is engine
            now = groups_of(sim)
            assert [key for key in groups if now[key] is not groups[key]] == [name] * bool(name)
        own = [bound.device for bound in sim.devices.devices if bound.number >= 0]
        assert own == devices_of(sim)
        sim.step(4)
        held = sim.device("sucker")
        seen.append(
            (
                np.asarray(sim.device("lens").value).tobytes(),
                sim.data.qpos.tobytes(),
                str([sim.device(key).value for key in ("eye", "box", "lamp", "sucker")]).encode(),
                str(held.group.held(held.row)).encode(),
                str(sim.devices.power.charge("robot", "robot")).encode(),
            )
        )
    assert "None" not in seen[0][3].decode(), "it holds the load"
    assert seen[0] == seen[1]


def test_a_display_keeps_its_camera(tmp_path: Path) -> None:
    """Pictures of the camera are shown also after the camera, or the display, was bound anew."""
    file = tmp_path / "busy.wbt"
    file.write_text(BUSY)
    world = load_world(file)
    sim = Sim(world.scene)
    lens, screen = sim.device("lens"), sim.device("screen")
    lens.enable(0.008)
    screen.group.attach_camera(screen.row, lens.group, lens.row)
    for path, value in (("LENS.fieldOfView", 1.2), ("SCREEN.height", 6), ("LAMP.gradual", True)):
        world.set(path, value)
        follow(sim, world.scene)
        sim.step(2)
        assert screen.group.states[screen.row].camera == (lens.group, lens.row)
        assert screen.group.states[screen.row].shown is lens.group.image(lens.row)


def test_what_is_shown_is_shown_in_a_new_ray_engine(world: World) -> None:
    """A lamp that is on glows also after another form has made another engine necessary."""
    sim = Sim(world.scene)
    lamp = sim.device("lamp")
    lamp.group.set(lamp.row, 1)
    before = sim.devices.world.rays
    world.set("SHAPE.geometry", "Sphere { radius 0.3 }")
    follow(sim, world.scene)
    after = sim.devices.world.rays
    assert after is not before
    glowing = [rays.materials.emissive.numpy().tobytes() for rays in (before, after)]
    assert glowing[0] == glowing[1]


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
