"""What a written MJCF holds: actuators, friction of pairs, filters, sensors, cameras, lights, keyframe."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from solidbody.base.diagnostics import Severity
from solidbody.compiler import compile_scene
from solidbody.compiler.mjcf import mjcf_text
from tests.formats.exports.models import ARM, GRIPPER, ROVER, read, scene_of, to_mujoco

GROUND = """#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 2 contactProperties [ {properties} ] }}
Solid {{ name "ground" contactMaterial "ground" boundingObject Plane {{ }} }}
Solid {{ name "a" contactMaterial "a" translation 0 0 1 boundingObject Box {{ size 0.1 0.1 0.1 }}
  physics Physics {{ density -1 mass 1 }} }}
Solid {{ name "b" contactMaterial "b" translation 0 1 1 boundingObject Box {{ size 0.1 0.1 0.1 }}
  physics Physics {{ density -1 mass 1 }} }}
"""

PAIR = 'ContactProperties {{ material1 "{}" material2 "{}" coulombFriction [ {} ] bounce 0 }}'


def friction(model: mujoco.MjModel, one: str, two: str) -> float:
    """Return the sliding friction that MuJoCo has for the boxes or planes of two bodies when they meet."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for name, at in ((one, 0.0), (two, 0.05)):
        joint = model.body(name).jntadr[0]
        if joint >= 0:
            start = model.jnt_qposadr[joint]
            data.qpos[start : start + 3] = (at, 0.0, 0.049 if "ground" in (one, two) else 5.0 + at)
    mujoco.mj_forward(model, data)
    bodies = {model.body(one).id, model.body(two).id}
    found = [
        contact.friction[0]
        for contact in data.contact
        if {int(model.geom_bodyid[k]) for k in contact.geom} == bodies
    ]
    assert found
    return float(found[0])


def test_every_pair_of_materials_keeps_its_friction(tmp_path: Path) -> None:
    """Also those that neither the greater one nor priorities give."""
    wanted = {("a", "ground"): 0.3, ("b", "ground"): 0.9, ("a", "b"): 0.1}
    text = " ".join(PAIR.format(*pair, value) for pair, value in wanted.items())
    scene = scene_of(tmp_path, GROUND.format(properties=text), "w.wbt")
    model, _ = to_mujoco(scene)
    for (one, two), value in wanted.items():
        assert friction(model, one, two) == pytest.approx(value), (one, two)


def test_rover_has_what_its_file_says(tmp_path: Path) -> None:
    scene = scene_of(tmp_path, ROVER, "rover.wbt")
    model, said = to_mujoco(scene)
    assert [model.actuator(k).name for k in range(model.nu)] == ["left motor", "right motor"]
    assert model.actuator_ctrlrange.tolist() == [[-20.0, 20.0]] * 2
    assert model.actuator_forcerange.tolist() == [[-5.0, 5.0]] * 2
    assert model.actuator_biasprm[:, 1].tolist() == [0.0, 0.0]  # they are told velocities
    kinds = {model.sensor(k).name: int(model.sensor_type[k]) for k in range(model.nsensor)}
    assert kinds == {
        "front": int(mujoco.mjtSensor.mjSENS_RANGEFINDER),
        "gyro": int(mujoco.mjtSensor.mjSENS_GYRO),
        "right sensor": int(mujoco.mjtSensor.mjSENS_JOINTPOS),
    }
    camera = model.camera("camera")
    assert model.cam_resolution[camera.id].tolist() == [80, 60]
    half = math.tan(math.radians(float(camera.fovy[0])) / 2.0)
    assert 2.0 * math.atan(half * 80 / 60) == pytest.approx(1.2)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert -data.cam_xmat[camera.id].reshape(3, 3)[:, 2] == pytest.approx(
        (1.0, 0.0, 0.0), abs=1e-12
    )
    assert model.light_dir[0] == pytest.approx(np.array([0.5, 0.4, -1.0]) / math.sqrt(1.41))
    assert model.key("start").qpos == pytest.approx(model.qpos0)
    assert model.opt.timestep == pytest.approx(0.002)
    warnings = [item.text for item in said if item.severity is Severity.WARNING]
    assert warnings == [
        'bounce: MJCF cannot say it ("slider / default").',
        'Receiver: it is left out ("receiver").',
        'Emitter: it is left out ("one", "two").',
    ]


def test_rangefinder_sees_along_the_axis_of_the_device(tmp_path: Path) -> None:
    text = ROVER + 'Solid { name "wall" translation 1 0 0.1 boundingObject Box { size 0.1 1 1 } }'
    model, _ = to_mujoco(scene_of(tmp_path, text, "rover.wbt"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.sensor("front").data[0] == pytest.approx(0.75, abs=1e-6)


def test_gains_of_a_position_motor_are_those_of_its_controller(tmp_path: Path) -> None:
    """Force = kv (P (target - q) - velocity): what our motor does while its effort suffices."""
    model, said = to_mujoco(scene_of(tmp_path, ARM, "arm.wbt"))
    for number in range(model.nu):
        stiffness, damping = -model.actuator_biasprm[number, 1], -model.actuator_biasprm[number, 2]
        assert model.actuator_gainprm[number, 0] == pytest.approx(stiffness)
        assert stiffness / damping == pytest.approx(10.0)
    assert model.actuator("lift").ctrlrange.tolist() == [-1.5, 1.5]
    assert model.jnt_range[model.joint(0).id].tolist() == [-3.0, 3.0]
    texts = [item.text for item in said if "maxVelocity" in item.text]
    assert texts == ['maxVelocity: MJCF cannot say it ("turn", "lift", "reach").']


def test_a_urdf_is_not_warned_about_what_it_never_had(tmp_path: Path) -> None:
    _, said = to_mujoco(scene_of(tmp_path, GRIPPER, "gripper.urdf"))
    warnings = [item.text for item in said if item.severity is Severity.WARNING]
    assert warnings == ['velocity of <limit>: MJCF cannot say it ("left finger").']


def test_servos_come_back_as_they_were(tmp_path: Path) -> None:
    """MJCF to MJCF: actuators, gear taken in, limits, friction, and the step."""
    text = """<mujoco><option timestep="0.004"/><worldbody><geom type="plane" size="1 1 1" friction="0.2"/>
      <body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" range="-60 60"/>
        <geom size="0.1" friction="0.4 0.01 0.002" condim="6"/>
        <body name="b" pos="0 0 -0.5"><joint name="k" axis="0 1 0"/>
          <geom size="0.1" friction="0.2"/></body></body>
      </worldbody><actuator><position name="p" joint="j" kp="20" kv="2" ctrlrange="-1 1"/>
      <motor name="m" joint="k" gear="3" ctrlrange="-2 2"/></actuator></mujoco>"""
    model, _ = to_mujoco(scene_of(tmp_path, text, "m.xml"))
    assert model.opt.timestep == 0.004
    assert model.actuator("p").gainprm[0] == pytest.approx(20.0)
    assert model.actuator("p").biasprm[:3] == pytest.approx([0.0, -20.0, -2.0])
    assert model.actuator("p").ctrlrange == pytest.approx([-1.0, 1.0])
    assert model.actuator("m").ctrlrange == pytest.approx([-6.0, 6.0])
    ball = int(model.body("a").geomadr[0])
    assert model.geom_condim[ball] == 6
    assert model.geom_friction[ball] == pytest.approx([0.4, 0.01, 0.002])


def test_heights_are_written_as_heights(tmp_path: Path) -> None:
    text = """#VRML_SIM R2025a utf8
    Solid { name "ground" translation 1 2 0 boundingObject ElevationGrid {
      height [ 0 0.1 0.2 0.1 0.3 0.5 ] xDimension 3 yDimension 2 xSpacing 2 ySpacing 1 } }"""
    scene = scene_of(tmp_path, text, "w.wbt")
    model, _ = to_mujoco(scene)
    assert model.nhfield == 1
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    geom = np.zeros(1, dtype=np.int32)
    for x, y, height in ((0.01, 0.01, 0.0), (3.99, 0.99, 0.5), (2.0, 0.99, 0.3)):
        start = np.array([1.0 + x, 2.0 + y, 5.0])
        way = mujoco.mj_ray(model, data, start, np.array([0.0, 0.0, -1.0]), None, 1, -1, geom)
        assert 5.0 - way == pytest.approx(height, abs=0.02)


def test_links_that_ignore_each_other_do_so_in_mujoco(tmp_path: Path) -> None:
    """Written pair by pair; MuJoCo's own filter of neighbours is off, so the same pairs are tested."""
    scene = scene_of(tmp_path, ROVER, "rover.wbt")
    model, _ = to_mujoco(scene)
    ours = compile_scene(scene).model
    names = [
        {
            frozenset((m.body(int(mark) >> 16).name, m.body(int(mark) & 0xFFFF).name))
            for mark in m.exclude_signature
        }
        for m in (model, ours)
    ]
    assert names[0] == names[1] != set()
    path = tmp_path / "again.xml"
    path.write_text(mjcf_text(compile_scene(scene, for_export=True)), "utf-8")
    again = compile_scene(read(path)).model
    assert again.nexclude >= len(names[0])
