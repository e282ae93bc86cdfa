"""What `<gazebo>`, `<transmission>` and `<safety_controller>` say of robots in URDF."""

from __future__ import annotations

from pathlib import Path

import pytest

import solidbody as sb
from solidbody.base.diagnostics import Severity
from solidbody.formats.loading import read_scene
from solidbody.model.devices import DeviceCamera, DeviceImu, DeviceLidar, DeviceTouchSensor
from solidbody.model.scene import Scene
from tests.formats.exports.models import ROVER, scene_of
from tests.formats.reading import the

ROBOT = """<robot name="r">
<link name="base"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
  </inertial><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<link name="wheel"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
  </inertial><visual><geometry><sphere radius="0.1"/></geometry></visual>
  <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="wheel"/><axis xyz="0 1 0"/>
  <limit lower="-2" upper="2" effort="5" velocity="3"/>
  <safety_controller soft_lower_limit="-1" soft_upper_limit="1.5" k_velocity="1"/></joint>
{}
</robot>"""


def read(folder: Path, *parts: str) -> tuple[Scene, list[str]]:
    path = folder / "r.urdf"
    path.write_text(ROBOT.format("\n".join(parts)), "utf-8")
    scene, log = read_scene(path)
    assert scene is not None
    return scene, [str(item) for item in log if item.severity is not Severity.INFO]


def test_friction_of_links(tmp_path: Path) -> None:
    """Against what says nothing each has its own, among each other the smaller one counts."""
    scene, said = read(
        tmp_path,
        '<gazebo reference="wheel"><mu1>1.5</mu1><mu2 value="1.25"/></gazebo>',
        '<gazebo reference="base"><mu1>0.25</mu1></gazebo>',
    )
    assert said == []
    base, wheel = (link.shapes[-1].contact_material for link in scene.links())
    assert scene.contacts.find(wheel, "default").friction == (1.25,)
    assert scene.contacts.find(base, "default").friction == (0.25,)
    assert scene.contacts.find(base, wheel).friction == (0.25,)
    assert scene.contacts.default.friction == (0.5,)


def test_a_box_slides_by_its_friction(tmp_path: Path) -> None:
    """On a slope of 0.3 one with 0.2 slides, one with 0.5 does not."""
    ramp = """#VRML_SIM R2025a utf8
    WorldInfo { basicTimeStep 4 }
    Solid { rotation 0 1 0 0.2914568 name "ramp" boundingObject Plane { } }"""
    world = scene_of(tmp_path, ramp, "ramp.wbt")
    ways: list[float] = []
    for mu in (0.2, 0.5):
        robot = f"""<robot name="box"><link name="box"><inertial><mass value="1"/>
          <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
          <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
          <gazebo reference="box"><mu1>{mu}</mu1><mu2>{mu}</mu2></gazebo></robot>"""
        path = tmp_path / f"box{mu}.urdf"
        path.write_text(robot, "utf-8")
        lifted = (0.1 * 0.2873479, 0.0, 0.1 * 0.9578263, 0.0, 0.2914568, 0.0)
        sim = sb.Sim(world.add(path, at=lifted))
        begun = sim["box"].position
        sim.run(1.0)
        ways.append(sim["box"].position[0] - begun[0])
    # g (sin - mu cos) t^2/2, along x: times cos
    assert ways[0] == pytest.approx(0.5 * 9.81 * (0.28735 - 0.2 * 0.95783) * 0.95783, rel=0.05)
    assert abs(ways[1]) < 0.01


def test_sensors_of_links_and_joints(tmp_path: Path) -> None:
    """They stand where they say on the link that they refer to, a joint means the link that it moves."""
    scene, said = read(
        tmp_path,
        """<gazebo reference="base"><sensor name="eye" type="camera"><pose>0.1 0 0.2 0 0 0</pose>
             <camera><horizontal_fov>1.2</horizontal_fov><image><width>64</width><height>48</height></image>
             </camera></sensor><sensor name="feel" type="imu"/></gazebo>""",
        """<gazebo reference="wheel"><sensor name="bump" type="contact"/></gazebo>""",
        """<gazebo reference="turn"><sensor name="scan" type="ray"><ray><scan><horizontal>
             <samples>90</samples><min_angle>-1</min_angle><max_angle>1</max_angle></horizontal></scan>
             <range><min>0.1</min><max>8</max></range></ray></sensor></gazebo>""",
    )
    assert said == []
    base, wheel = scene.links()
    eye, feel = base.devices
    bump, scan = wheel.devices
    assert isinstance(eye, DeviceCamera) and (eye.name, eye.width, eye.field_of_view) == (
        "eye",
        64,
        1.2,
    )
    assert eye.pose.position == (0.1, 0.0, 0.2)
    assert isinstance(feel, DeviceImu)
    assert isinstance(bump, DeviceTouchSensor) and bump.shapes == (1,)
    assert isinstance(scan, DeviceLidar) and scan.samples == 90
    sim = sb.Sim(scene)
    sim.device("feel").enable(0.01)
    sim.run(0.1)
    assert sim.device("feel").value is not None


def test_soft_limits_bound_the_motor(tmp_path: Path) -> None:
    scene, _ = read(tmp_path)
    joint = list(scene.links())[1].joint
    axis = joint.axis  # type: ignore[union-attr]
    assert (axis.stops.low, axis.stops.high) == (-2.0, 2.0)
    assert axis.motor.range == (-1.0, 1.5)


def test_mistakes_are_told_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    parts = (
        '<gazebo reference="wheeel"><mu1>1</mu1></gazebo>',
        '<gazebo reference="wheel"><mu1>much</mu1></gazebo>',
        '<gazebo reference="base"><mu1>-1</mu1><sensor name="x" type="imuu"/></gazebo>',
        '<transmission name="t"><joint name="trun"/></transmission>',
    )
    path.write_text(ROBOT.format("\n".join(parts)), "utf-8")
    _, log = read_scene(path)
    assert "wheel" in the(log, "unknown-link").text
    assert the(log, "unknown-link").span.line == 10
    assert 'Did you mean "turn"?' in the(log, "unknown-joint").text
    assert 'Did you mean "imu"?' in the(log, "no-sensor").text
    wrong = [item.span.line for item in log if item.code == "wrong-value"]
    assert wrong == [11, 12]


def test_friction_comes_back_from_urdf(tmp_path: Path) -> None:
    """A rover with tyres and a slider is written and read: friction of its links is the same."""
    scene = scene_of(tmp_path, ROVER, "rover.wbt")
    scene.save(tmp_path / "rover.urdf", robot="rover")
    again, log = read_scene(tmp_path / "rover.urdf")
    assert again is not None and not log.has_errors
    by_name = {link.name: link for link in again.links()}
    material = by_name["left wheel"].shapes[-1].contact_material
    assert again.contacts.find(material, "default").friction == (1.2,)
    kinds = {type(device).__name__ for device in by_name["rover"].devices}
    assert {"DeviceCamera", "DeviceDistanceSensor"} <= kinds


def test_inertias_that_are_rounding_are_taken(tmp_path: Path) -> None:
    """As exporters write them for parts of which they know the mass alone: the robot still moves."""
    noise = (
        '<inertia ixx="-5.4e-20" iyy="4.1e-18" izz="0" ixy="-2.7e-20" ixz="5.4e-20" iyz="1e-21"/>'
    )
    text = "".join(
        f'<link name="{name}"><inertial><mass value="1"/>{noise}</inertial></link>' for name in "ab"
    )
    path = tmp_path / "r.urdf"
    path.write_text(
        f'<robot name="r">{text}<joint name="j" type="continuous"><origin xyz="0 0 1"/>'
        '<parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint></robot>'
    )
    sim = sb.Sim(sb.load(path))
    sim.run(0.1)
    assert sim["a"].position[2] == pytest.approx(-0.5 * 9.80665 * 0.1**2, abs=1e-2)
