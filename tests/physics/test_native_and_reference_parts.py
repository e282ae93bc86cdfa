"""Native step and numpy reference on what moves beside plain joints: same inputs, same numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solidbody.base.transforms import Pose
from solidbody.model.geometry import GeometrySphere
from solidbody.model.joints import JointAxis, JointHinge, JointHinge2, Suspension
from solidbody.model.links import Body
from solidbody.model.scene import CoriolisRule, GyroRule, Scene, Sleeping
from tests.physics import building as b
from tests.physics.conserving import brick, double_pendulum, floating_chain
from tests.physics.referee import deviation, run
from tests.physics.test_kinematic_joints import base, motor, part
from tests.physics.test_loops import four_bar
from tests.physics.test_suspensions_and_balls import X, Y, Z, ball_joint, hung
from tests.physics.test_thrust_and_gyro import drone
from tests.physics.test_tracks import GRIP, tank
from tests.physics.twins import Twin

SAME = 1e-10
"""Both solve to rounding; loops (CFM 1e-5, gram-scale links) amplify it a hundred times."""
STEPS = 40


def kinematic_arm() -> Scene:
    """A part without physics that a motor turns into a ball."""
    joint = JointHinge("arm", JointAxis(Z, motor=motor()))
    hand = Body("r", (base(), part("hand", joint, Pose((0.5, 0.0, 0.1)))))
    ball = b.free_body("ball", GeometrySphere(0.1), at=(0.45, 0.25, 0.0999))
    return b.scene(b.floor(), hand, ball)


def sprung_wheel() -> Scene:
    """A wheel on a suspended two-axis hinge that runs on the floor."""
    sprung = Suspension(Z, spring=800.0, damping=20.0)
    joint = JointHinge2("j", JointAxis(Z), JointAxis(Y, motor=motor()), suspension=sprung)
    scene = hung(joint, "native").scene
    return replace(scene, bodies=(b.floor(rotation=b.turned(X, 0.05)), *scene.bodies))


def resting_box() -> Scene:
    """A box that falls asleep and is hit by a ball."""
    box = b.free_body("box", b.GeometryBox((0.2, 0.2, 0.2)), at=(0, 0, 0.0999))
    ball = b.free_body("ball", GeometrySphere(0.1), at=(-0.6, 0, 0.0995), velocity=(2.0, 0, 0))
    scene = b.scene(b.floor(), box, ball)
    return replace(scene, physics=replace(scene.physics, sleeping=Sleeping(0.04, 0.5, 0.5)))


def falling_chain() -> Scene:
    """A mechanism that floats first and then touches."""
    scene = floating_chain(0.016, gravity=(0.0, 0.0, -9.81), at=(0.0, 0.0, 0.4))
    return replace(scene, bodies=(b.floor(), *scene.bodies))


TRACKS = {"left": 0.3, "right": 0.5}
CASES = (
    Twin(
        "tank with fading tracks",
        b.scene(b.floor(), tank(around=False), surface=GRIP),
        speeds=TRACKS,
    ),
    Twin(
        "tank with tracks around",
        b.scene(b.floor(), tank(around=True), surface=GRIP),
        speeds=TRACKS,
    ),
    Twin("drone", drone(constants=(0.02, 0.1), torque=(0.001, 0.01)), speeds={"prop": 20.0}),
    Twin("four-bar linkage", four_bar(0.008).scene, speeds={"j1": 5.0}),
    Twin("ball joint on springs", hung(ball_joint(spring=0.5, damping=0.01), "native").scene),
    Twin("kinematic arm", kinematic_arm(), speeds={"arm": 1.0}),
    Twin("suspended wheel", sprung_wheel(), speeds={"j[1]": 5.0}),
    Twin("double pendulum, middle", double_pendulum(0.008)),
    Twin("double pendulum, turning far", double_pendulum(0.032)),
    Twin("floating chain", floating_chain(0.008)),
    Twin("floating chain, turning far", floating_chain(0.064)),
    Twin("chain that falls on the floor", falling_chain()),
    Twin("brick, implicit", brick(GyroRule.IMPLICIT)),
    Twin("sleeping box", resting_box()),
)


@pytest.mark.slow
@pytest.mark.parametrize("twin", CASES, ids=lambda t: t.name)
def test_native_step_equals_the_reference_on_parts(twin: Twin) -> None:
    """Positions, orientations and velocities after every step."""
    native = run(twin.scene, "native", STEPS, twin.speeds)
    apart = deviation(native, run(twin.scene, "reference", STEPS, twin.speeds))
    assert apart.worst <= SAME, apart


def test_rules_differ_where_they_should() -> None:
    """So that the comparisons above are not of two steps that both ignore the rule."""
    scene = double_pendulum(0.008)
    start = replace(scene, physics=replace(scene.physics, coriolis=CoriolisRule.START))
    assert deviation(run(scene, "native", 40), run(start, "native", 40)).worst > 1e-4
