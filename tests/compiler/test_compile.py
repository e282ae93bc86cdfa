"""From the common model to MuJoCo: frames, masses, velocities, names, tables."""

from __future__ import annotations

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from benchmarks.scenes import six_joint_arm
from solidbody.base.diagnostics import Severity
from solidbody.base.transforms import Pose, cross, quat_from_axis_angle, quat_rotate
from solidbody.compiler import compile_scene
from solidbody.compiler.mjcf import mjcf_text
from solidbody.contact.layout import MotorMode, PairFirst
from solidbody.formats.loading import read_scene_text
from solidbody.model.contacts import ContactProperties
from solidbody.model.devices import DevicePropeller
from solidbody.model.geometry import GeometryBox, GeometryPlane, GeometrySphere
from solidbody.model.joints import JointFixed, Stops
from solidbody.model.links import Body, Damping, Link, Motion
from solidbody.model.mass import MassProperties
from solidbody.model.motors import Motor
from solidbody.model.shapes import Shape, ShapeRole
from solidbody.sim import Sim
from tests.physics import building as b

OFFSET = (0.1, -0.2, 0.3)
TURN = quat_from_axis_angle((1.0, 2.0, 3.0), 0.7)
ODD = MassProperties(1.0, (0.0, 0.0, 0.0), (0.1, 0.1, 1.0, 0.0, 0.0, 0.0))
"""Breaks the triangle inequality: no body has these moments, but files do."""


def offset_body(**changes: object) -> Body:
    """A free box whose centre of mass is away from its origin."""
    body = b.free_body("box", GeometryBox((0.2, 0.2, 0.2)), at=(1.0, 2.0, 3.0))
    link = body.links[0]
    assert link.mass is not None
    link = replace(
        link,
        pose=Pose((1.0, 2.0, 3.0), TURN),
        mass=replace(link.mass, center=OFFSET),
        **changes,
    )
    return replace(body, links=(link,))


def test_pose_of_a_link_is_that_of_its_own_origin() -> None:
    """The body frame in MuJoCo sits at the centre of mass; the link's pose does not."""
    sim = Sim(b.scene(offset_body()))
    assert sim["box"].position == pytest.approx((1.0, 2.0, 3.0), abs=1e-15)
    assert sim["box"].orientation == pytest.approx(TURN, abs=1e-15)


def test_centre_of_mass_falls_straight_while_the_body_spins() -> None:
    """In free flight the centre of mass of a spinning body moves as a point would."""
    body = offset_body(angular_velocity=(3.0, -2.0, 5.0))
    sim = Sim(b.scene(body, step=0.004))
    start = np.add((1.0, 2.0, 3.0), quat_rotate(TURN, OFFSET))
    velocity = np.array(cross((3.0, -2.0, 5.0), quat_rotate(TURN, OFFSET)))
    n, h = 250, 0.004
    sim.step(n)
    fall = np.array([0.0, 0.0, -0.5 * b.GRAVITY * h * h * n * (n + 1)])
    pose = sim.poses()[0]
    centre = pose[:3] + quat_rotate(tuple(pose[3:]), OFFSET)
    assert centre == pytest.approx(start + velocity * n * h + fall, abs=1e-11)


def test_velocity_of_a_link_is_that_of_its_own_origin() -> None:
    """What goes in as the velocity of the origin comes out as such."""
    body = offset_body(linear_velocity=(0.3, 0.2, 0.1), angular_velocity=(3.0, -2.0, 5.0))
    velocity = Sim(b.scene(body)).velocities()[0]
    assert velocity == pytest.approx((0.3, 0.2, 0.1, 3.0, -2.0, 5.0), abs=1e-14)


def test_velocities_of_jointed_links_become_joint_velocities() -> None:
    """A wheel that spins against its chassis has that speed about its axis."""
    chassis = replace(
        b.free_link("chassis", GeometryBox((1.0, 1.0, 0.1)), at=(0.0, 0.0, 1.0)),
        angular_velocity=(0.0, 0.5, 0.0),
    )
    wheel = b.jointed_link(
        "wheel",
        GeometrySphere(0.1),
        b.hinge("axle", (0.0, 1.0, 0.0), (0.5, 0.0, 0.0)),
        parent=0,
        parent_at=(0.0, 0.0, 1.0),
        at=(0.5, 0.0, 1.0),
    )
    wheel = replace(wheel, angular_velocity=(0.0, 3.5, 0.0))
    sim = Sim(b.scene(b.robot("cart", chassis, wheel)))
    assert sim.joint("axle").velocity == pytest.approx(3.0, abs=1e-14)
    assert sim.velocities()[1, 3:] == pytest.approx((0.0, 3.5, 0.0), abs=1e-14)


def test_odd_inertia_is_simulated_as_written_and_said() -> None:
    """MuJoCo's compiler refuses it; the simulation has the numbers of the file all the same."""
    body = offset_body()
    link = replace(body.links[0], mass=ODD)
    compiled = compile_scene(b.scene(replace(body, links=(link,))))
    moments = sorted(compiled.model.body_inertia[1])
    assert moments == pytest.approx([0.1, 0.1, 1.0], abs=1e-15)
    assert [d.code for d in compiled.diagnostics] == ["inertia-triangle"]


def test_the_inertia_of_a_flat_body_compiles() -> None:
    """Two moments add up to the third but for rounding (2e-6 + 150e-6 < 152e-6): no reason to complain."""
    body = offset_body()
    flat = MassProperties(0.02, (0.0, 0.0, 0.0), (2e-6, 150e-6, 152e-6, 0.0, 0.0, 0.0))
    link = replace(body.links[0], mass=flat)
    compiled = compile_scene(b.scene(replace(body, links=(link,))))
    assert not compiled.diagnostics
    # shrunk by 1e-12 for MuJoCo's own check, which allows no rounding
    assert sorted(compiled.model.body_inertia[1]) == pytest.approx(
        [2e-6, 150e-6, 152e-6], rel=1e-11
    )


def test_a_moving_link_without_mass_compiles_and_is_said() -> None:
    body = offset_body()
    link = replace(body.links[0], mass=MassProperties(0.0))
    sim = Sim(b.scene(replace(body, links=(link,))))
    assert [d.code for d in sim.compiled.diagnostics] == ["massless-link"]
    sim.step(10)
    assert np.isfinite(sim.poses()).all()


def test_a_link_without_mass_that_carries_one_is_not_worth_a_word() -> None:
    """Robots of ROS hang on a frame without mass; together they fall as one body of that mass."""
    body = offset_body()
    link = replace(body.links[0], mass=MassProperties(0.0))
    load = MassProperties(2.0, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1, 0.0, 0.0, 0.0))
    carried = Link("load", "load", parent=0, joint=JointFixed(), mass=load)
    frame = Link("eye", "eye", parent=1, joint=JointFixed(), mass=MassProperties(0.0))
    sim = Sim(b.scene(replace(body, links=(link, carried, frame))))
    assert not sim.compiled.diagnostics
    assert sim.compiled.model.body_subtreemass[1] == pytest.approx(2.0, abs=1e-9)


def test_a_negative_moment_compiles_and_is_said() -> None:
    body = offset_body()
    mass = MassProperties(1.0, (0.0, 0.0, 0.0), (-1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    compiled = compile_scene(b.scene(replace(body, links=(replace(body.links[0], mass=mass),))))
    assert [d.code for d in compiled.diagnostics] == ["inertia-triangle"]


@pytest.mark.parametrize("tiny", [0.0, 1e-16])
def test_tiny_inertia_compiles(tiny: float) -> None:
    """A point mass is not an error."""
    body = offset_body()
    mass = MassProperties(1e-3, (0.0, 0.0, 0.0), (tiny, tiny, tiny, 0.0, 0.0, 0.0))
    sim = Sim(b.scene(replace(body, links=(replace(body.links[0], mass=mass),))))
    sim.step(10)
    assert np.isfinite(sim.poses()).all()


def test_plane_of_a_moving_link_stays_in_the_world() -> None:
    """A half-space is never attached to a body."""
    body = offset_body()
    plane = Shape(GeometryPlane((1.0, 1.0)), role=ShapeRole.BOTH)
    link = replace(body.links[0], shapes=(plane,))
    model = compile_scene(b.scene(replace(body, links=(link,)))).model
    assert model.geom_bodyid.tolist() == [0]
    assert model.geom_pos[0] == pytest.approx((1.0, 2.0, 3.0))


def test_a_link_called_world_is_not_mujocos_world() -> None:
    """MuJoCo reserves the name; ours keeps it."""
    body = offset_body()
    sim = Sim(b.scene(replace(body, links=(replace(body.links[0], name="world"),))))
    assert sim["world"].position == pytest.approx((1.0, 2.0, 3.0))


def test_pairs_of_materials_find_their_surface_and_order() -> None:
    """First match wins, in either order; equal materials have no order of their own."""
    entries = (
        ContactProperties(("rubber", "ice"), friction=(0.1,)),
        ContactProperties(("ice", "rubber"), friction=(0.9,)),
    )
    shapes = [
        replace(b.free_body(name, GeometrySphere(0.1), at=(0.0, 0.0, z)), name=name)
        for name, z in (("one", 1.0), ("two", 2.0))
    ]
    bodies = [
        replace(
            body,
            links=(
                replace(
                    body.links[0], shapes=(replace(body.links[0].shapes[0], contact_material=m),)
                ),
            ),
        )
        for body, m in zip(shapes, ("rubber", "ice"), strict=True)
    ]
    tables = compile_scene(b.scene(*bodies, surfaces=entries)).tables
    # materials in alphabetical order: default, ice, rubber
    pairs = tables.pairs.reshape(3, 3)
    assert tables.geoms["material"].tolist() == [2, 1]
    assert pairs[2, 1]["surface"] == 1
    assert pairs[1, 2]["surface"] == 1
    assert pairs[2, 1]["first"] == PairFirst.ROW
    assert pairs[1, 2]["first"] == PairFirst.COLUMN
    assert pairs[1, 1]["surface"] == 0
    assert pairs[1, 1]["first"] == PairFirst.EITHER


def test_axis_table_carries_the_motor_and_the_stops() -> None:
    """A motor starts by holding its position; sentinels of files are gone by now."""
    motor = Motor("m", max_velocity=7.0, max_effort=3.0, acceleration=2.0)
    joint = b.hinge("j", (0.0, 0.0, 1.0), (0.0, 0.0, 0.0), motor=motor)
    axis = replace(joint.axis, position=0.25, stops=Stops(-1.0, 1.0, erp=0.7), spring=4.0)
    link = b.jointed_link(
        "arm", GeometrySphere(0.1), replace(joint, axis=axis), parent=None, at=(0.0, 0.0, 1.0)
    )
    scene = b.scene(b.robot("r", link))
    compiled = compile_scene(scene)
    row, told = compiled.tables.axes[0], compiled.start.commands[0]
    assert told["mode"] == MotorMode.POSITION
    assert told["target_position"] == 0.25
    assert (told["target_velocity"], told["available_effort"]) == (7.0, 3.0)
    assert (row["stop_low"], row["stop_high"], row["stop_erp"]) == (-1.0, 1.0, 0.7)
    assert row["stop_cfm"] == scene.physics.cfm
    assert (row["spring"], told["acceleration"]) == (4.0, 2.0)


def test_joint_position_is_the_files_and_the_pose_is_the_stored_one() -> None:
    """A stored pose includes the joint position: loading moves nothing."""
    joint = b.hinge("j", (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    joint = replace(joint, axis=replace(joint.axis, position=0.5))
    link = b.jointed_link("arm", GeometrySphere(0.1), joint, parent=None, at=(1.0, 0.0, 1.0))
    sim = Sim(b.scene(b.robot("r", link)))
    assert sim.joint("j").position == 0.5
    assert sim["arm"].position == pytest.approx((1.0, 0.0, 1.0), abs=1e-15)


def test_damping_per_second_becomes_damping_per_step() -> None:
    """(1 - d)^h of the velocity is left after a step."""
    scene = b.scene(offset_body(damping=Damping(0.2, 0.4)), step=0.016)
    row = compile_scene(scene).tables.dampers[0]
    assert 1 - row["linear"] == pytest.approx(0.8**0.016, rel=1e-14)
    assert 1 - row["angular"] == pytest.approx(0.6**0.016, rel=1e-14)
    assert row["free_dof"] == 0


def test_mjcf_keeps_the_frames_of_the_file() -> None:
    """Plain MuJoCo loads the text and has the same bodies at the same places."""
    scene = b.scene(b.floor(), offset_body())
    model = mujoco.MjModel.from_xml_string(mjcf_text(compile_scene(scene, for_export=True)))
    body = model.body("box")
    assert body.pos == pytest.approx((1.0, 2.0, 3.0), abs=1e-14)
    assert body.quat == pytest.approx(TURN, abs=1e-14)
    assert body.ipos == pytest.approx(OFFSET, abs=1e-14)
    assert model.body_mocapid.tolist() == [-1, -1, -1]


def test_mjcf_of_an_odd_inertia_loads_and_says_so() -> None:
    """The nearest tensor that MuJoCo takes stands in the text."""
    body = offset_body()
    scene = b.scene(replace(body, links=(replace(body.links[0], mass=ODD),)))
    compiled = compile_scene(scene, for_export=True)
    model = mujoco.MjModel.from_xml_string(mjcf_text(compiled))
    assert sorted(model.body_inertia[1]) == pytest.approx([0.1, 0.1, 0.2], rel=1e-9)
    assert "reduced" in compiled.diagnostics[0].text
    assert compiled.diagnostics[0].severity is Severity.WARNING


def test_moving_kinematic_link_goes_on_at_its_velocity() -> None:
    """A part without physics moves by its velocity and pushes what is in its way."""
    pusher = Link(
        "pusher",
        "pusher",
        pose=Pose((-0.5, 0.0, 0.1)),
        joint=JointFixed(),
        motion=Motion.KINEMATIC,
        shapes=(b.collider(GeometryBox((0.2, 0.2, 0.2))),),
        linear_velocity=(0.5, 0.0, 0.0),
        angular_velocity=(0.0, 0.0, 0.0),
    )
    box = b.free_body("box", GeometryBox((0.2, 0.2, 0.2)), at=(0.0, 0.0, 0.1))
    sim = Sim(b.scene(b.floor(), Body("pusher", (pusher,)), box, step=0.008))
    sim.run(2.0)
    assert sim["pusher"].position == pytest.approx((0.5, 0.0, 0.1), abs=1e-12)
    assert sim["pusher"].linear_velocity == pytest.approx((0.5, 0.0, 0.0))
    assert sim["box"].position[0] > 0.65
    assert 1 in sim.moving.tolist()
    assert 0 not in sim.moving.tolist()
    sim.reset()
    assert sim["pusher"].position == pytest.approx((-0.5, 0.0, 0.1), abs=1e-15)


def test_turning_kinematic_link_turns_by_w_times_t() -> None:
    """Rotation is about the link's own origin."""
    plate = Link(
        "plate",
        "plate",
        joint=JointFixed(),
        motion=Motion.KINEMATIC,
        angular_velocity=(0.0, 0.0, 1.5),
    )
    sim = Sim(b.scene(Body("plate", (plate,)), step=0.01))
    sim.run(1.0)
    assert sim["plate"].orientation == pytest.approx(
        (math.cos(0.75), 0.0, 0.0, math.sin(0.75)), abs=1e-12
    )


def test_parts_of_a_moving_kinematic_link_go_along() -> None:
    """A kinematic part rides on a kinematic one, and is seen to move."""
    plate = Link(
        "plate",
        "plate",
        joint=JointFixed(),
        motion=Motion.KINEMATIC,
        linear_velocity=(0.5, 0.0, 0.0),
        angular_velocity=(0.0, 0.0, 1.0),
    )
    post = Link(
        "post",
        "plate:post",
        parent=0,
        pose=Pose((1.0, 0.0, 0.0)),
        joint=JointFixed(),
        motion=Motion.KINEMATIC,
    )
    sim = Sim(b.scene(Body("plate", (plate, post)), step=0.01))
    sim.run(1.0)
    expected = (0.5 + math.cos(1.0), math.sin(1.0), 0.0)
    assert sim["post"].position == pytest.approx(expected, abs=1e-12)
    assert sim["post"].linear_velocity == pytest.approx(
        (0.5 - math.sin(1.0), math.cos(1.0), 0.0), abs=1e-12
    )
    assert sim.moving.tolist() == [0, 1]


def test_part_with_a_velocity_of_its_own_moves_on_what_carries_it() -> None:
    """Both velocities together."""
    plate = Link(
        "plate",
        "plate",
        joint=JointFixed(),
        motion=Motion.KINEMATIC,
        linear_velocity=(0.5, 0.0, 0.0),
    )
    part = replace(plate, name="part", path="plate:part", parent=0, linear_velocity=(0.0, 1.0, 0.0))
    sim = Sim(b.scene(Body("plate", (plate, part)), step=0.01))
    sim.run(1.0)
    assert sim["part"].position == pytest.approx((0.5, 1.0, 0.0), abs=1e-12)
    assert sim["part"].linear_velocity == pytest.approx((0.5, 1.0, 0.0), abs=1e-12)
    assert sim.compiled.diagnostics == ()


def test_two_links_called_world_do_not_clash() -> None:
    """The reader calls the second `world(1)`; MuJoCo's own root is a third."""
    one = offset_body()
    two = replace(one, links=(replace(one.links[0], name="world(1)", path="w1"),))
    one = replace(one, links=(replace(one.links[0], name="world"),))
    assert Sim(b.scene(one, two)).link_names == ("world", "world(1)")


def test_propellers_with_motors_of_one_name_get_joint_names_of_their_own() -> None:
    """A drone whose motors all have the default name; each is logged and found."""
    motor = Motor("rotational motor")
    devices = tuple(DevicePropeller(name=f"p{k}", motor=motor) for k in range(3))
    link = replace(b.free_link("drone", GeometrySphere(0.1)), devices=devices)
    sim = Sim(b.scene(Body("drone", (link,))))
    assert sim.joint_names == ("rotational motor", "rotational motor(1)", "rotational motor(2)")
    assert len(sim.joint_states()) == 3


def test_contacts_are_not_looked_for_where_nothing_can_touch() -> None:
    """An arm whose links ignore each other; with a ball in the world they are."""
    contact = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    arm = six_joint_arm()
    assert compile_scene(arm).model.opt.disableflags & contact
    ball = b.free_body("ball", GeometrySphere(0.1), at=(5, 0, 0))
    busy = replace(arm, bodies=(*arm.bodies, ball))
    assert not compile_scene(busy).model.opt.disableflags & contact
    alone = b.scene(ball)
    assert compile_scene(alone).model.opt.disableflags & contact


EVERYTHING = """#VRML_SIM R2025a utf8
WorldInfo { }
Viewpoint { }
Fluid { name "water" boundingObject Box { size 9 9 9 } }
Robot {
  children [
    Propeller { device RotationalMotor { } }
    BallJoint {
      jointParameters BallJointParameters { springConstant 5 }
      endPoint Solid { boundingObject Sphere { radius 0.1 } physics Physics { } }
    }
    Track { boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } device LinearMotor { } }
    HingeJoint {
      jointParameters HingeJointParameters { suspensionSpringConstant 100 suspensionAxis 0 0 1 }
      device RotationalMotor { name "m" }
      endPoint Solid { name "wheel" boundingObject Sphere { radius 0.1 } physics Physics { } }
    }
    HingeJoint { endPoint Solid { name "head" } device RotationalMotor { name "neck" } }
  ]
  immersionProperties ImmersionProperties { fluidName "water" }
  boundingObject Box { size 0.1 0.1 0.1 }
  physics Physics { }
}
"""


def test_everything_that_moves_in_webots_moves_here() -> None:
    """Propellers, ball joints, tracks, suspensions, kinematic joints and fluids leave no message."""
    scene, _ = read_scene_text(EVERYTHING, "world.wbt")
    assert scene is not None
    assert [str(item) for item in compile_scene(scene).diagnostics] == []
