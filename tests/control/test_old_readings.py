"""Programs of older worlds read what devices and fields told them in their release."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.control.test_supervisor_old_worlds import run

pytestmark = pytest.mark.slow

WALL = """Solid { translation 0.5 0 -2 recognitionColors [ 1 0 0 ] name "wall"
  children [ DEF BOX Shape { geometry Box { size 0.5 0.6 0.2 } } ] boundingObject USE BOX }"""


def test_ranges_end_at_the_largest_one_until_r2020b(tmp_path: Path) -> None:
    program = """
finder, lidar = sup.getDevice("range-finder"), sup.getDevice("lidar")
finder.enable(8); lidar.enable(8)
sup.step(8); sup.step(8)
out["finder"] = sorted({str(x) for row in finder.getRangeImageArray() for x in row})
out["lidar"] = sorted({str(x) for x in lidar.getRangeImage()})
"""
    devices = """
      RangeFinder { translation 0 1 0 width 2 height 2 maxRange 3 }
      Lidar { translation 0 1 0 numberOfLayers 1 horizontalResolution 4 maxRange 5 }"""
    for release, finder, lidar in (("R2020b", "3.0", "5.0"), ("R2021a", "inf", "inf")):
        out = run(tmp_path / release, program, "", devices=devices, release=release)
        assert out == {"finder": [finder], "lidar": [lidar]}


def test_the_picture_of_a_turning_lidar_began_ahead(tmp_path: Path) -> None:
    """A wall ahead is at both ends of the row until R2019b, and in its middle since."""
    program = """
lidar = sup.getDevice("lidar"); lidar.enable(8)
for _ in range(15):
    sup.step(8)
out["near"] = [k for k, x in enumerate(lidar.getRangeImage()) if x < 4]
"""
    devices = """Lidar { type "rotating" defaultFrequency 10 maxRange 5 numberOfLayers 1
      horizontalResolution 64 verticalFieldOfView 0.01 }"""
    wall = WALL.replace("0.5 0 -2", "0 0 -2")
    old = run(tmp_path / "a", program, wall, devices=devices, release="R2019b")["near"]
    new = run(tmp_path / "b", program, wall, devices=devices, release="R2020a")["near"]
    assert {0, 63} <= set(old) and 32 not in old
    assert sorted((k + 32) % 64 for k in old) == new


def test_vectors_are_told_in_the_axes_of_that_time(tmp_path: Path) -> None:
    """Cameras, lidars and range finders looked along -z with y up; receivers along z."""
    devices = """
      Camera { recognition Recognition { } }
      Lidar { maxRange 5 fieldOfView 1 numberOfLayers 1 }
      RangeFinder { width 1 height 1 rotation 0 1 0 -0.245 maxRange 5 }"""
    program = """
camera, lidar, finder = (sup.getDevice(x) for x in ("camera", "lidar", "range-finder"))
camera.enable(8); camera.recognitionEnable(8)
lidar.enable(8); lidar.enablePointCloud(); finder.enable(8)
sup.step(8)
sup.getSelf().getField("children").importMFNodeFromString(-1, 'Solid { name "later" }')
sup.step(8); sup.step(8); sup.step(8)
found = camera.getRecognitionObjects()[0]
out["place"], out["size"] = list(found.getPosition()), list(found.getSize())
out["points"] = [[p.x, p.y, p.z] for p in lidar.getPointCloud() if abs(p.z) < 3]
out["depth"] = finder.getRangeImage()[0]
"""
    out = run(tmp_path, program, WALL, devices=devices, release="R2021b")
    assert out["place"] == pytest.approx([0.5, 0.0, -2.0], abs=1e-6)
    assert out["size"] == pytest.approx([0.5, 0.6], abs=1e-6)
    assert out["points"] and all(-2.101 < z < -1.899 for _, _, z in out["points"])
    assert all(0.2 < x < 0.8 and abs(y) < 1e-6 for x, y, _ in out["points"])
    assert out["depth"] == pytest.approx(1.9 / math.cos(0.245), abs=0.1)


def test_receivers_told_directions_with_z_ahead(tmp_path: Path) -> None:
    """And an infra-red one hears what is in its cone along z, nothing beside it."""
    other = """Robot { name "say" controller "say" translation 0.5 0 3 rotation 0 1 0 3.14159265
      children [ Emitter { channel 1 } Emitter { name "light" type "infra-red" channel 2 } ] }"""
    devices = """Receiver { channel 1 }
      Receiver { name "ahead" type "infra-red" aperture 1 channel 2 }
      Receiver { name "up" type "infra-red" aperture 1 channel 2 rotation 1 0 0 -1.5708 }"""
    program = """
receivers = [sup.getDevice(x) for x in ("receiver", "ahead", "up")]
for one in receivers:
    one.enable(8)
while sup.step(8) != -1 and not receivers[0].getQueueLength():
    pass
out["direction"] = list(receivers[0].getEmitterDirection())
out["heard"] = [one.getQueueLength() for one in receivers]
"""
    home = tmp_path / "controllers" / "say"
    home.mkdir(parents=True)
    (home / "say.py").write_text(
        "from controller import Robot\nrobot = Robot()\nwhile robot.step(8) != -1:\n"
        "    for name in ('emitter', 'light'):\n        robot.getDevice(name).send(b'x')\n"
    )
    out = run(tmp_path, program, other, devices=devices, release="R2021b")
    length = math.hypot(0.5, 3.0)
    assert out["direction"] == pytest.approx([0.5 / length, 0.0, 3.0 / length], abs=1e-6)
    assert out["heard"] == [1, 1, 0]


def test_fields_have_the_types_of_that_time(tmp_path: Path) -> None:
    """Gravity was a vector, arguments were one text, occlusion was a truth; all can be set so."""
    program = """
world, me = sup.getFromDef("WORLD"), sup.getSelf()
gravity, north = world.getField("gravity"), world.getField("northDirection")
seen = sup.getFromDef("SEEN").getField("occlusion")
fields = (gravity, north, seen, me.getField("controllerArgs"))
out["types"] = [field.getTypeName() for field in fields]
out["gravity"] = gravity.getSFVec3f()
out["seen"] = seen.getSFBool()
ball = sup.getFromDef("BALL")
gravity.setSFVec3f([0, 2, 0])
seen.setSFBool(False)
me.getField("controllerArgs").setSFString("a b")
for _ in range(10):
    sup.step(8)
out["speed"] = ball.getVelocity()[1]
out["after"] = [gravity.getSFVec3f(), seen.getSFBool(), me.getField("controllerArgs").getSFString()]
"""
    devices = "Camera { recognition DEF SEEN Recognition { } }"
    ball = """DEF BALL Solid { translation 0 1 0 boundingObject Sphere { radius 0.1 }
      physics Physics { density -1 mass 1 } }"""
    out = run(tmp_path, program, ball, devices=devices, release="R2019a")
    assert out["types"] == ["SFVec3f", "SFVec3f", "SFBool", "SFString"]
    assert out["gravity"] == pytest.approx([0.0, -9.81, 0.0]) and out["seen"] is True
    assert out["speed"] == pytest.approx(2.0 * 0.08, rel=1e-3)
    assert out["after"] == [[0.0, 2.0, 0.0], False, "a b"]


def test_a_change_of_north_is_followed_by_devices(tmp_path: Path) -> None:
    program = """
compass, gps = sup.getDevice("compass"), sup.getDevice("gps")
compass.enable(8); gps.enable(8)
sup.step(8)
out["before"] = compass.getValues()
sup.getFromDef("WORLD").getField("northDirection").setSFVec3f([0, 0, 1])
sup.step(8); sup.step(8)
out["after"] = compass.getValues()
"""
    out = run(tmp_path, program, "", devices="Compass { } GPS { }", release="R2019a")
    assert out["before"] == pytest.approx([1, 0, 0]) and out["after"] == pytest.approx([0, 0, 1])


def test_rotations_are_about_the_axis_that_was_told_then(tmp_path: Path) -> None:
    """No turn was about y; until R2021a the axis stayed on the side of the one in the file."""
    program = """
still, turning = sup.getFromDef("STILL"), sup.getFromDef("TURNING")
turning.setVelocity([0, 0, 0, 0, -1, 0])
still.setVelocity([1, 0, 0, 0, 0, 0])
for _ in range(10):
    sup.step(8)
out["still"] = still.getField("rotation").getSFRotation()
out["turning"] = turning.getField("rotation").getSFRotation()
"""
    nodes = """DEF STILL Solid { name "a" } DEF TURNING Solid { translation 0 2 0 name "b"
      boundingObject Sphere { radius 0.1 } physics Physics { } }"""
    old = run(tmp_path / "a", program, nodes, release="R2021a")
    assert old["still"] == [0.0, 1.0, 0.0, 0.0]
    assert old["turning"] == pytest.approx([0, 1, 0, -0.08], abs=1e-6)
    later = run(tmp_path / "b", program, nodes, release="R2021b")
    assert later["turning"] == pytest.approx([0, -1, 0, 0.08], abs=1e-6)


def test_named_frames_keep_their_axes(tmp_path: Path) -> None:
    """A cone stood along y: what turns it is not the frame that programs find."""
    program = 'out["matrix"] = sup.getFromDef("FRAME").getOrientation()'
    frame = "DEF FRAME Transform { children [ Shape { geometry Cone { } } ] }"
    out = run(tmp_path, program, frame, release="R2019a")
    assert out["matrix"] == pytest.approx([1, 0, 0, 0, 1, 0, 0, 0, 1], abs=1e-9)


def test_a_named_wheel_that_bounds_itself_still_rolls(tmp_path: Path) -> None:
    """Its frame stands in the bounding object as well, by USE, where no other frame may stand in it."""
    program = """
for _ in range(50):
    sup.step(8)
out["place"] = sup.getFromDef("ROLLS").getPosition()
"""
    wheel = """DEF ROLLS Solid { translation 0 0.1 0 name "wheel" linearVelocity 0 0 1 angularVelocity 10 0 0
      children [ DEF WHEEL Transform { rotation 0 0 1 1.570796 children [
        Shape { geometry Cylinder { height 0.05 radius 0.1 } } ] } ]
      boundingObject USE WHEEL physics Physics { density -1 mass 1 } }"""
    out = run(tmp_path, program, wheel, release="R2019a")
    assert out["place"] == pytest.approx([0.0, 0.1, 0.4], abs=0.01)


def test_resting_accelerometers_feel_gravity_until_r2020a(tmp_path: Path) -> None:
    program = """
sensor = sup.getDevice("accelerometer"); sensor.enable(8); sup.step(8); sup.step(8)
out["values"] = [str(round(x, 6)) for x in sensor.getValues()]
"""
    for release, values in (("R2020a", ["0.0", "9.81", "0.0"]), ("R2020b", ["nan"] * 3)):
        out = run(tmp_path / release, program, "", devices="Accelerometer { }", release=release)
        assert out["values"] == values


def test_thin_ink_was_mixed_with_white(tmp_path: Path) -> None:
    """On red paper, half dense black ink is grey until R2021a, and dark red since."""
    program = """
pen, camera = sup.getDevice("pen"), sup.getDevice("camera")
pen.setInkColor(0, 0.5); pen.write(True); camera.enable(8)
sup.step(8); pen.write(False); sup.step(8)
image = camera.getImage()
out["color"] = list(image[:3][::-1])
"""
    devices = """
      Pen { translation 0 2 0 leadSize 1 maxDistance 10 }
      Camera { translation 0 1.1 0 rotation 1 0 0 -1.5708 width 1 height 1 fieldOfView 0.1 }"""
    paper = """Shape { appearance PBRAppearance { baseColor 1 0 0 metalness 0 roughness 1 }
      geometry Box { size 1 2 1 } } DirectionalLight { direction 0 -1 0 }"""
    for release, is_grey in (("R2021a", True), ("R2021b", False)):
        out = run(tmp_path / release, program, paper, devices=devices, release=release)
        red, green, blue = out["color"]
        assert red > 30 and green == blue and (green > 30) is is_grey


def test_paint_was_a_filter_for_infrared_light(tmp_path: Path) -> None:
    """Green ink on white takes red away; a byte tells how dense it is.

    Formulas of Webots' test distance_sensor_infra-red: the distance over 0.2 + 0.8·0.8·paint.
    """
    program = """
pen, sensor = sup.getDevice("pen"), sup.getDevice("distance sensor")
sensor.enable(8); sup.step(8); sup.step(8)
out["seen"] = [sensor.getValue()]
for color, density in ((0x00FF00, 0.3), (0xCC33FF, 0.3)):
    pen.setInkColor(color, density); pen.write(True); sup.step(8); pen.write(False); sup.step(8)
    out["seen"].append(sensor.getValue())
"""
    devices = """
      Pen { translation 0 2 0 leadSize 1 maxDistance 10 write FALSE }
      DistanceSensor { translation 0 2 0 rotation 0 0 1 -1.5708 type "infra-red"
        lookupTable [ 0 0 0, 10 10 0 ] }"""
    board = """Shape { appearance Appearance { material Material { } }
      geometry Box { size 1 2 1 } }"""
    out = run(tmp_path, program, board, devices=devices, release="R2019a")
    density = 76 / 255
    green = 1.0 - density
    violet = green + density * (0.8 - green)
    assert out["seen"] == pytest.approx(
        [1.0 / (0.2 + 0.64 * paint) for paint in (1.0, green, violet)], rel=1e-5
    )


def test_packets_came_as_bytes(tmp_path: Path) -> None:
    home = tmp_path / "controllers" / "say"
    home.mkdir(parents=True)
    (home / "say.py").write_text(
        "from controller import Robot\nrobot = Robot()\nwhile robot.step(8) != -1:\n"
        "    robot.getDevice('emitter').send(b'ts 1')\n"
    )
    program = """
receiver = sup.getDevice("receiver"); receiver.enable(8)
while sup.step(8) != -1 and not receiver.getQueueLength():
    pass
words = receiver.getData().split(b" ")
out["words"] = [words[0] == b"ts", words[1] == b"1", receiver.getData()[0]]
"""
    other = 'Robot { name "say" controller "say" children [ Emitter { } ] }'
    out = run(tmp_path, program, other, devices="Receiver { }", release="R2021b")
    assert out["words"] == [True, True, ord("t")]


def test_bumpers_beside_a_force_sensor_of_that_time(tmp_path: Path) -> None:
    """They feel for themselves after a sensor whose forces are told in other axes."""
    devices = """
      TouchSensor { name "force" type "force-3d" translation 0 3 0 }
      TouchSensor { name "free" translation 0 2 0 boundingObject Box { size 0.1 0.1 0.1 } }
      TouchSensor { name "touching" translation 0 0.02 0 boundingObject Box { size 0.1 0.1 0.1 } }"""
    program = """
sensors = [sup.getDevice(x) for x in ("free", "touching")]
for sensor in sensors:
    sensor.enable(8)
sup.step(8); sup.step(8)
out["felt"] = [sensor.getValue() for sensor in sensors]
"""
    form = "boundingObject Box { size 0.2 0.2 0.2 } physics Physics { }"
    box = f'Solid {{ name "box" translation 0 0.1 0 {form} }}'
    for release in ("R2019a", "R2021a"):
        assert run(tmp_path / release, program, box, devices=devices, release=release) == {
            "felt": [0.0, 1.0]
        }
