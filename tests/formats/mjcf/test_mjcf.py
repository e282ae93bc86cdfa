"""MJCF: what becomes of bodies, joints, geoms, actuators, sensors, equalities and contacts.

Referee: MuJoCo, which reads the same files.
"""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

import solidbody as sb
from solidbody.base.diagnostics import Severity
from solidbody.compiler.bodies import principal_moments
from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.model.appearance import Texture
from solidbody.model.devices import DeviceCamera, DeviceForceSensor, DeviceGyro
from solidbody.model.environment import LightDirectional, LightSpot
from solidbody.model.geometry import GeometryBox, GeometryHeightField, GeometryMesh, GeometryPlane
from solidbody.model.joints import JointHinge, JointSlider, LoopBall, LoopFixed
from solidbody.model.motors import ControlMode, Motor, Servo
from solidbody.model.scene import Scene
from solidbody.model.shapes import ShapeRole
from tests.formats.mjcf.models import (
    body_name,
    drift,
    links_by_name,
    loaded,
    start,
    written,
)
from tests.formats.reading import codes, link_named, the

EXACT = 1e-9
"""Kinematics and masses are those of MuJoCo but for rounding."""

LEG = """
<compiler angle="degree" autolimits="true"/>
<default>
  <geom density="500" friction=".7 .01 .002"/>
  <default class="leg"><joint damping=".3" armature=".01" stiffness="4" springref="20"/></default>
</default>
<worldbody>
  <geom name="floor" type="plane" size="0 0 1" condim="3"/>
  <body name="torso" pos="0 0 1" euler="10 20 30">
    <freejoint name="root"/>
    <geom type="ellipsoid" size=".3 .2 .1" pos=".02 0 0"/>
    <body name="hip" pos=".1 .2 -.1" childclass="leg" quat=".9 .1 .2 .3">
      <joint name="hip x" axis="1 0 0" range="-45 45" pos="0 0 .05"/>
      <joint name="hip y" axis="0 1 1" ref="10"/>
      <joint name="slide" type="slide" axis="0 0 1" pos="9 9 9"/>
      <geom type="capsule" fromto="0 0 0 .1 0 -.4" size=".05"/>
      <geom type="box" size=".05 .06 .07" pos="0 .1 0" mass=".4"/>
      <body name="foot" pos=".1 0 -.4">
        <geom type="cylinder" size=".06 .02" euler="90 0 0"/>
        <body><joint axis="0 1 0" pos=".02 0 0"/><geom size=".04"/></body>
      </body>
    </body>
  </body>
</worldbody>
<keyframe>
  <key name="bent" qpos="1 2 3  .5 .5 .5 .5  .3 -.4 .05  .7" qvel="1 0 0 0 2 0 .1 .2 .3 .4"/>
  <key name="straight" qpos="0 0 1  1 0 0 0  0 0 0  0"/>
</keyframe>
"""


def test_links_stand_and_weigh_as_in_mujoco(tmp_path: Path) -> None:
    path = written(tmp_path, LEG)
    scene, log = loaded(path)
    assert codes(log) == []
    model = mujoco.MjModel.from_xml_path(str(path))
    data, links = start(model), links_by_name(scene)
    for k in range(1, model.nbody):
        link, pose = links[body_name(model, k)]
        assert np.allclose(pose.position, data.xpos[k], atol=EXACT, rtol=0)
        turn = np.array(pose.rotation)
        assert min(abs(turn - data.xquat[k]).max(), abs(turn + data.xquat[k]).max()) < EXACT
        assert link.mass is not None
        assert link.mass.mass == pytest.approx(model.body_mass[k], rel=EXACT)
        assert np.allclose(link.mass.center, model.body_ipos[k], atol=EXACT)
        moments = principal_moments(link.mass)[0]
        assert np.allclose(moments, sorted(model.body_inertia[k]), rtol=EXACT, atol=0)


def test_several_joints_of_a_body_are_links_without_mass(tmp_path: Path) -> None:
    scene, _ = loaded(written(tmp_path, LEG))
    body = next(body for body in scene.bodies if body.name == "m")
    named = [(link.name, link.mass.mass if link.mass else None) for link in body.links]
    assert [name for name, _ in named] == [
        "torso",
        "hip hip x",
        "hip hip y",
        "hip",
        "foot",
        "body 4",
    ]
    assert named[1][1] == named[2][1] == 0.0
    hip = link_named(scene, "hip hip x").joint
    assert isinstance(hip, JointHinge)
    assert hip.axis.stops is not None
    assert (hip.axis.stops.low, hip.axis.stops.high) == pytest.approx((-math.pi / 4, math.pi / 4))
    assert (hip.axis.damping, hip.axis.armature, hip.axis.spring) == (0.3, 0.01, 4.0)
    assert hip.axis.spring_rest == pytest.approx(math.radians(20))
    assert isinstance(link_named(scene, "hip").joint, JointSlider)


def test_a_keyframe_is_the_start(tmp_path: Path) -> None:
    path = written(tmp_path, LEG)
    first, _ = loaded(path)
    other, _ = read_scene(path, options=LoadOptions(keyframe="straight"))
    written_, _ = read_scene(path, options=LoadOptions(keyframe="none"))
    assert other is not None and written_ is not None
    starts = [link_named(scene, "torso").pose.position for scene in (first, other, written_)]
    assert starts == [(1.0, 2.0, 3.0), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0)]
    torso = link_named(first, "torso")
    assert torso.linear_velocity == (1.0, 0.0, 0.0)
    scene, log = read_scene(path, options=LoadOptions(keyframe="strait"))
    assert scene is not None
    assert 'Did you mean "straight"?' in the(log, "unknown-keyframe").text


def test_free_motion_is_that_of_mj_step(tmp_path: Path) -> None:
    """Three joints in one body, springs that rest elsewhere, dampers, rotors, a spinning free root."""
    assert drift(written(tmp_path, LEG), 1.0) < 1e-6


def geoms(text: str) -> str:
    return f"<worldbody>{text}</worldbody>"


def shape_of(scene: Scene) -> object:
    return next(shape for link in scene.links() for shape in link.shapes)


def test_geoms_become_shapes(tmp_path: Path) -> None:
    box, _ = loaded(written(tmp_path, geoms('<geom type="box" size="1 2 3" pos="4 5 6"/>')))
    shape = next(iter(box.links())).shapes[0]
    assert shape.geometry == GeometryBox((2.0, 4.0, 6.0))
    assert shape.pose.position == (4.0, 5.0, 6.0)
    assert shape.role is ShapeRole.BOTH
    plane, _ = loaded(
        written(tmp_path, geoms('<geom type="plane" size="1 0 1" contype="0" conaffinity="0"/>'))
    )
    shape = next(iter(plane.links())).shapes[0]
    assert shape.geometry == GeometryPlane((2.0, 100.0))
    assert shape.role is ShapeRole.VISUAL
    hidden, _ = loaded(written(tmp_path, geoms('<geom size="1" group="3"/>')))
    assert next(iter(hidden.links())).shapes[0].role is ShapeRole.COLLISION


def test_a_mesh_collides_as_its_hull(tmp_path: Path) -> None:
    """An L of 8 corners: the hull has lost the inner one of each side."""
    ell = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    vertices = " ".join(f"{x} {y} {z}" for z in (0, 1) for x, y in ell)
    faces = "0 3 1  1 3 2  0 5 3  3 5 4  6 7 9  7 8 9  6 9 11  9 10 11  "
    faces += "  ".join(
        f"{k} {(k + 1) % 6} {k + 6}  {(k + 1) % 6} {(k + 1) % 6 + 6} {k + 6}" for k in range(6)
    )
    text = f'<asset><mesh name="l" vertex="{vertices}" face="{faces}"/></asset>'
    scene, _ = loaded(written(tmp_path, text + geoms('<geom type="mesh" mesh="l"/>')))
    drawn, hull = next(iter(scene.links())).shapes
    assert (drawn.role, hull.role) == (ShapeRole.VISUAL, ShapeRole.COLLISION)
    assert isinstance(drawn.geometry, GeometryMesh) and isinstance(hull.geometry, GeometryMesh)
    assert (len(drawn.geometry.vertices), len(hull.geometry.vertices)) == (12, 10)


def test_a_height_field(tmp_path: Path) -> None:
    text = '<asset><hfield name="h" nrow="2" ncol="3" size="1 2 .5 .1" elevation="0 1 2  3 4 5"/></asset>'
    scene, _ = loaded(written(tmp_path, text + geoms('<geom type="hfield" hfield="h"/>')))
    shape = next(iter(scene.links())).shapes[0]
    assert isinstance(shape.geometry, GeometryHeightField)
    assert (shape.geometry.x_count, shape.geometry.y_count) == (3, 2)
    assert shape.geometry.heights == pytest.approx((0.3, 0.4, 0.5, 0.0, 0.1, 0.2))
    assert shape.pose.position == (-1.0, -2.0, 0.0)


def test_looks_lights_and_cameras(tmp_path: Path) -> None:
    (tmp_path / "grey.png").write_bytes(b"not looked at while reading")
    text = """
    <asset><texture name="t" type="2d" file="grey.png"/>
      <texture name="c" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 1 0" width="99" height="99"/>
      <material name="m" texture="t" texrepeat="2 3" rgba=".1 .2 .3 .4"/>
      <material name="n" texture="c"/></asset>
    <worldbody><light pos="0 0 3" dir="0 1 -1" cutoff="30"/><light directional="true" dir="1 0 0"/>
      <geom size="1" material="m"/><geom size="1" material="n"/>
      <camera name="eye" pos="0 -1 0" xyaxes="1 0 0 0 0 1" fovy="90" resolution="400 200"/></worldbody>
    <visual><headlight active="0"/></visual>"""
    scene, log = loaded(written(tmp_path, text))
    assert codes(log) == []
    first, second = next(iter(scene.links())).shapes
    assert first.appearance is not None and second.appearance is not None
    assert first.appearance.texture == Texture(str(tmp_path / "grey.png"))
    assert first.appearance.base_color == pytest.approx((0.1, 0.2, 0.3))
    assert first.appearance.transparency == pytest.approx(0.6)
    assert second.appearance.base_color == pytest.approx((0.5, 0.5, 0.0))
    spot, sun = scene.lights
    assert isinstance(spot, LightSpot) and isinstance(sun, LightDirectional)
    assert spot.cut_off_angle == pytest.approx(math.radians(30))
    assert sun.direction == pytest.approx((1.0, 0.0, 0.0))
    camera = next(iter(scene.links())).devices[0]
    assert isinstance(camera, DeviceCamera)
    assert (camera.width, camera.height) == (400, 200)
    assert camera.field_of_view == pytest.approx(
        2 * math.atan(2.0)
    )  # 90 degrees along the shorter side
    assert camera.pose.direction((1.0, 0.0, 0.0)) == pytest.approx((0.0, 1.0, 0.0))
    assert camera.pose.direction((0.0, 0.0, 1.0)) == pytest.approx((0.0, 0.0, 1.0))


ARM = """
<worldbody><body name="a"><joint name="j" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/>
  <site name="s" pos="0 0 .1"/></body></worldbody>
"""


def motor_of(tmp_path: Path, actuator: str, *, keyframe: str = "") -> Motor | None:
    text = f"{ARM}<actuator>{actuator}</actuator>{keyframe}"
    scene, _ = loaded(written(tmp_path, text))
    joint = link_named(scene, "a").joint
    assert isinstance(joint, JointHinge)
    return joint.axis.motor


@pytest.mark.parametrize(
    ("actuator", "mode", "servo", "range_", "effort"),
    [
        ('<motor joint="j" gear="3" ctrlrange="-2 1"/>', ControlMode.EFFORT, None, None, 6.0),
        ('<motor joint="j" gear="3" forcerange="-1 1"/>', ControlMode.EFFORT, None, None, 3.0),
        (
            '<position joint="j" kp="50" kv="5" gear="2" ctrlrange="-2 2" forcerange="-9 9"/>',
            ControlMode.POSITION,
            Servo(200.0, 20.0),
            (-1.0, 1.0),
            18.0,
        ),
        ('<velocity joint="j" kv="7"/>', ControlMode.VELOCITY, Servo(0.0, 7.0), None, math.inf),
        (
            '<general joint="j" gainprm="40" biastype="affine" biasprm="0 -40 -4"/>',
            ControlMode.POSITION,
            Servo(40.0, 4.0),
            None,
            math.inf,
        ),
    ],
)
def test_actuators_become_motors(
    tmp_path: Path,
    actuator: str,
    mode: ControlMode,
    servo: Servo | None,
    range_: tuple[float, float] | None,
    effort: float,
) -> None:
    motor = motor_of(tmp_path, actuator)
    assert motor is not None
    assert (motor.mode, motor.servo, motor.range) == (mode, servo, range_)
    assert motor.max_effort == pytest.approx(effort)


def test_the_command_of_a_keyframe_is_the_first_target(tmp_path: Path) -> None:
    key = '<keyframe><key qpos="0" ctrl="1.5"/></keyframe>'
    motor = motor_of(tmp_path, '<position joint="j" kp="9" gear="2"/>', keyframe=key)
    assert motor is not None
    assert motor.target == pytest.approx(0.75)


@pytest.mark.parametrize(
    "actuator",
    [
        '<muscle name="x" joint="j"/>',
        '<intvelocity name="x" joint="j" kp="1" actrange="-1 1"/>',
        '<motor name="x" site="s" gear="0 0 1 0 0 0"/>',
        '<adhesion name="x" body="a" ctrlrange="0 1"/>',
        '<damper name="x" joint="j" kv="1" ctrlrange="0 1"/>',
    ],
)
def test_other_actuators_are_refused_by_name(tmp_path: Path, actuator: str) -> None:
    scene, log = loaded(written(tmp_path, f"{ARM}<actuator>\n  {actuator}</actuator>"))
    said = the(log, "no-actuator")
    assert '"x"' in said.node
    assert (said.span.line, said.span.column) == (5, 3)
    assert [link.name for link in scene.links()] == ["a"]


@pytest.mark.parametrize("gear", [1.0, 2.5])
def test_a_servo_pulls_as_in_mujoco(tmp_path: Path, gear: float) -> None:
    """Both laws come to the same position of rest; on the way they differ by the step alone."""
    text = (
        '<option timestep="0.001" integrator="implicitfast"/>'
        + ARM
        + f'<actuator><position joint="j" kp="30" kv="6" gear="{gear}"/></actuator>'
    )
    path = written(tmp_path, text)
    scene, _ = loaded(path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data, sim = mujoco.MjData(model), sb.Sim(scene)
    data.ctrl[0] = 0.8 * gear
    sim.joint("j").target_position = 0.8
    for number in range(4000):
        mujoco.mj_step(model, data)
        sim.step()
        if number == 200:
            assert sim.joint("j").position == pytest.approx(data.qpos[0], abs=5e-3)
    assert sim.joint("j").position == pytest.approx(data.qpos[0], abs=1e-6)


def test_sensors_become_devices(tmp_path: Path) -> None:
    sensors = (
        '<gyro name="g" site="s"/><force name="f" site="s"/><torque name="t" site="s"/>'
        '<jointpos name="q" joint="j"/><clock name="c"/>'
    )
    scene, log = loaded(written(tmp_path, f"{ARM}<sensor>{sensors}</sensor>"))
    link = link_named(scene, "a")
    assert [type(device) for device in link.devices] == [DeviceGyro, DeviceForceSensor]
    assert link.devices[0].pose.position == (0.0, 0.0, 0.1)
    assert isinstance(link.joint, JointHinge)
    assert link.joint.axis.sensor is not None and link.joint.axis.sensor.name == "q"
    assert "clock" in the(log, "no-sensor").text
    assert [frame.name for frame in link.frames] == ["s"]


TWO = """
<worldbody>
  <body name="a"><joint name="p" type="slide" axis="1 0 0"/><geom size=".1"/></body>
  <body name="b" pos="0 1 0"><joint name="q" type="slide" axis="1 0 0"/><geom size=".1"/></body>
</worldbody>
"""


def test_equalities_become_loops_and_couplings(tmp_path: Path) -> None:
    held = (
        '<equality><connect body1="a" body2="b" anchor=".1 .2 .3"/><weld body1="b" body2="a"/>'
        '<joint joint1="q" joint2="p" polycoef=".5 -2 0 0 0"/></equality>'
    )
    scene, log = loaded(written(tmp_path, TWO + held))
    assert codes(log) == []
    (body,) = scene.bodies
    ball, weld = body.loops
    assert isinstance(ball, LoopBall) and isinstance(weld, LoopFixed)
    assert ball.ends[0].pose.position == pytest.approx((0.1, 0.2, 0.3))
    assert ball.ends[1].pose.position == pytest.approx((0.1, -0.8, 0.3))
    (coupling,) = body.couplings
    assert (coupling.follower, coupling.leader) == ("m:b", "m:a")
    assert (coupling.multiplier, coupling.offset) == (-2.0, 0.5)


def test_a_driven_fixed_tendon_couples_its_joints(tmp_path: Path) -> None:
    """The motor is that of the first joint, for the length 0.5 p + q = 0.5 p + 2 p."""
    text = (
        TWO
        + '<tendon><fixed name="t"><joint joint="p" coef=".5"/><joint joint="q" coef="1"/></fixed></tendon>'
        + '<actuator><position name="grip" tendon="t" kp="8"/></actuator>'
    )
    scene, log = loaded(written(tmp_path, text))
    assert codes(log) == []
    (body,) = scene.bodies
    assert [(one.follower, one.multiplier) for one in body.couplings] == [("m:b", 2.0)]
    joint = link_named(scene, "a").joint
    assert isinstance(joint, JointSlider) and joint.axis.motor is not None
    assert joint.axis.motor.servo == Servo(8 * 2.5**2, 0.0)


def test_spatial_tendons_and_sdf_are_refused_by_name(tmp_path: Path) -> None:
    text = """
<worldbody>
  <body name="a"><joint name="p"/><geom size=".1"/><site name="s"/>
    <geom name="odd" type="sdf" mesh="m"/></body>
  <site name="r" pos="0 0 1"/>
</worldbody>
<tendon>
  <spatial name="rope"><site site="s"/><site site="r"/></spatial>
</tendon>"""
    scene, log = loaded(written(tmp_path, text))
    said = the(log, "no-spatial-tendon")
    assert said.node == '<spatial name="rope">'
    assert (said.span.line, said.span.column) == (8, 3)
    assert the(log, "no-sdf").span.line == 4
    assert len(link_named(scene, "a").shapes) == 1


# ------------------------------------------------------------------------------------------ contacts


def test_friction_and_softness_follow_the_documented_mapping(tmp_path: Path) -> None:
    text = """
    <option timestep="0.002" cone="elliptic"/>
    <worldbody><geom name="floor" type="plane" size="1 1 1" friction="1 .005 .0001"/>
      <body><freejoint/><geom size=".1" mass="2" friction="1.5 .02 .003" condim="6"
        solref=".01 1" solimp=".9 .95 .001"/></body></worldbody>"""
    scene, _ = loaded(written(tmp_path, text))
    ball = next(link for link in scene.links() if link.mass is not None)
    floor = next(link for link in scene.links() if link.mass is None)
    found = scene.contacts.find(ball.shapes[0].contact_material, floor.shapes[0].contact_material)
    assert found.friction == (1.5,)
    assert found.rolling_friction == pytest.approx((0.003, 0.003, 0.02))
    assert found.follows_sliding
    # solref mixes half and half to 0.015; k/b = 1/(2 t)
    d, t, h, m = 0.95, 0.015, 0.002, 2.0
    k, b = 1 / (d * t**2), 2 / (d * t)
    erp = h * k / (h * k + b)
    assert found.soft_erp == pytest.approx(erp)
    assert found.soft_cfm == pytest.approx(erp * (1 - d) / (d * k * h * m))


def test_a_ball_rests_as_deep_as_in_mujoco(tmp_path: Path) -> None:
    text = """<option timestep="0.002" cone="elliptic"/>
    <default><geom solimp=".9 .9 .001"/></default>
    <worldbody><geom type="plane" size="1 1 1"/>
      <body pos="0 0 .1"><freejoint/><geom size=".1" mass="3"/></body></worldbody>"""
    path = written(tmp_path, text)
    scene, _ = loaded(path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data, sim = mujoco.MjData(model), sb.Sim(scene)
    for _ in range(2000):
        mujoco.mj_step(model, data)
        sim.step()
    depth = 0.1 - float(data.qpos[2])
    assert depth > 1e-5
    assert 0.1 - sim.link("body 1").position[2] == pytest.approx(depth, rel=0.01)


def test_masks_pairs_and_excludes_say_who_meets_whom(tmp_path: Path) -> None:
    text = """
    <worldbody>
      <geom type="plane" size="5 5 1" contype="2" conaffinity="0"/>
      <body name="low" pos="0 0 .1"><freejoint/><geom name="l" size=".1" conaffinity="2"/></body>
      <body name="high" pos="0 0 .32"><freejoint/><geom name="h" size=".1" conaffinity="3"/></body>
      <body name="ghost" pos="0 0 .6"><freejoint/><geom name="g" size=".1" conaffinity="3"/></body>
      <body name="alone" pos="3 0 .1"><freejoint/>
        <geom name="n" size=".1" contype="0" conaffinity="0"/></body>
    </worldbody>
    <contact><exclude body1="high" body2="ghost"/><exclude body1="low" body2="ghost"/>
      <pair geom1="n" geom2="l"/></contact>"""
    scene, _ = loaded(written(tmp_path, text))
    sim = sb.Sim(scene)
    for _ in range(400):
        sim.step()
    # a column of two, through which the ghost falls to the floor; nothing holds the one without masks
    assert sim.link("low").position[2] == pytest.approx(0.1, abs=2e-3)
    assert sim.link("high").position[2] == pytest.approx(0.3, abs=4e-3)
    assert sim.link("ghost").position[2] == pytest.approx(0.1, abs=2e-3)
    assert sim.link("alone").position[2] < -1.0


# ------------------------------------------------------------------------------------- bad input


def test_what_mujoco_refuses_is_left_out_at_its_place(tmp_path: Path) -> None:
    text = """
<worldbody>
  <geom size="1"
     colour="red"/>
  <geom class="nobody" size="1"/>
  <body name="a"><joint/><geom size=".1"/></body>
  <body name="a"><joint/><geom size=".1"/></body>
</worldbody>
<actuator><motor joint="nowhere"/></actuator>"""
    scene, log = loaded(written(tmp_path, text))
    assert [(item.span.line, item.severity) for item in log] == [
        (3, Severity.ERROR),
        (5, Severity.ERROR),
        (7, Severity.ERROR),
        (9, Severity.ERROR),
    ]
    assert [link.name for link in scene.links()] == ["world", "a"]


def test_numbers_that_are_none(tmp_path: Path) -> None:
    scene, log = loaded(written(tmp_path, geoms('<geom size=".1" pos="0 nan 1e999"/>')))
    assert the(log, "wrong-value").field == "pos"
    assert next(iter(scene.links())).shapes[0].pose.position == (0.0, 0.0, 0.0)


def test_a_missing_mesh_leaves_the_rest(tmp_path: Path) -> None:
    text = """<compiler meshdir="parts"/>
    <asset><mesh file="shell.stl" scale="2 2 2"/></asset>
    <worldbody><body name="a"><freejoint/><geom type="mesh" mesh="shell"/></body></worldbody>"""
    scene, log = loaded(written(tmp_path, text))
    said = the(log, "missing-file")
    assert "parts/shell.stl" in said.text
    assert said.span.line == 2
    assert link_named(scene, "a").shapes == ()


def test_files_take_in_others_but_not_themselves(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    written(tmp_path, '<geom size="1"/><include file="sub/deep.xml"/>', "part.xml")
    written(
        tmp_path / "sub", '<geom type="box" size="1 1 1"/><include file="part.xml"/>', "deep.xml"
    )
    scene, log = loaded(written(tmp_path, geoms('<include file="part.xml"/>')))
    assert len(next(iter(scene.links())).shapes) == 2
    said = the(log, "include-circle")
    assert said.span.file.endswith("deep.xml")


def test_attached_models_keep_their_places(tmp_path: Path) -> None:
    child = """<worldbody>
    <body name="tip"><joint name="j"/><geom size=".1"/></body></worldbody>
    <actuator>
      <muscle name="m" joint="j"/></actuator>"""
    written(tmp_path, child, "tool.xml")
    text = """<asset><model name="tool" file="tool.xml"/></asset><worldbody><body name="hand"><freejoint/>
    <geom size=".2"/><attach model="tool" body="tip" prefix="left_"/></body></worldbody>"""
    scene, log = loaded(written(tmp_path, text))
    assert [link.name for link in scene.links()] == ["hand", "left_tip"]
    said = the(log, "no-actuator")
    assert (Path(said.span.file).name, said.span.line) == ("tool.xml", 4)


def test_a_file_outside_is_not_read(tmp_path: Path) -> None:
    inner = tmp_path / "one" / "two"
    inner.mkdir(parents=True)
    (tmp_path / "secret.stl").write_bytes(b"solid x\nendsolid x\n")
    text = '<asset><mesh name="m" file="../../secret.stl"/></asset>' + geoms(
        '<geom type="mesh" mesh="m"/>'
    )
    _, log = loaded(written(inner, text))
    assert "refused-file" in codes(log)


def test_mjcf_stands_in_a_world(tmp_path: Path) -> None:
    """A model of MuJoCo in a world of Webots: one scene, one law."""
    path = written(
        tmp_path,
        '<worldbody><body name="ball" pos="0 0 1"><freejoint/><geom size=".1"/></body></worldbody>',
    )
    world = tmp_path / "w.wbt"
    world.write_text(
        "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 8 }\nViewpoint { }\n"
        "Solid { boundingObject Plane { size 9 9 } }\n"
    )
    sim = sb.Sim(sb.load(world).add(path, at=(0.5, 0.0, 0.0)))
    for _ in range(250):
        sim.step()
    assert sim.link("ball").position == pytest.approx((0.5, 0.0, 0.1), abs=2e-3)


def test_what_mujoco_warns_of_is_told(tmp_path: Path) -> None:
    """Options of an attached model that differ: MuJoCo keeps those of the parent, and says so."""
    part = '<option iterations="10"/><worldbody><body name="b"><geom size=".1"/></body></worldbody>'
    written(tmp_path, part, "part.xml")
    text = (
        '<asset><model name="part" file="part.xml"/></asset><worldbody><frame><attach model="part" '
    )
    text += 'body="b" prefix="p "/></frame></worldbody>'
    _, log = loaded(written(tmp_path, text))
    told = the(log, "mujoco")
    assert told.severity is Severity.WARNING and "iterations" in told.text
