"""Scenes that ODE and we must agree on, as data: what is compared, how long and how closely.

All use ODE's orientation step and explicit gyroscopic torque. They stay with pairs of forms whose
contact points coincide, because MuJoCo's are ODE's or because we have a collider of our own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from benchmarks.scenes import ARM_SPEEDS, six_joint_arm, two_wheeled_robot
from solidbody.base.transforms import Pose, Quat, Vec3, quat_multiply
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import (
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometrySphere,
)
from solidbody.model.joints import Stops
from solidbody.model.links import Damping
from solidbody.model.mass import combined
from solidbody.model.scene import RollingRule, RotationRule, Scene
from tests.physics import building as b

SAME_LAW = 1e-9
"""Same contacts, same unique answer: what remains is solver tolerance and rounding. Measured: 1e-12
on most scenes, 3e-10 where friction is about to hold (four values). The issue asks for 1e-6."""
SOFT_JOINTS = 2e-3
"""ODE holds joints by soft rows (CFM 1e-5, ERP 0.2): anchors give by CFM*f*h/ERP (0.4 um per N at
8 ms, a few mm under the load of a pendulum's stop) and axes tilt while turning; reduced coordinates
do not give. Measured: robots 7e-6 m straight and 6e-4 m turning, arm 1e-4 m, pendulum 8e-4 m."""

ON_CAP = 1e-6
"""ODE takes the reach of a cylinder from r*sqrt(1 - c^2): near c = 1 that is 1e-8 m of rounding in the
depth, 25 times as much in the velocity at 8 ms. Measured: 4e-9 m, 3e-7 m/s, 5e-7 rad/s."""
ON_EDGE = 1e-2
"""The overlap of a cap and an edge of a box ends at two points of depth zero, which ODE keeps or drops
as they round to +-1e-17; we always keep them. Measured: 4e-3 m, 0.2 rad/s."""


@dataclass(frozen=True, slots=True)
class Twin:
    """One comparison.

    Attributes:
        name: Test id.
        scene: What both simulate.
        seconds: For how long.
        tolerance: Greatest difference of any position [m], velocity [m/s], quaternion component;
            spins [rad/s] may differ by `spin_tolerance`.
        speeds: Motor targets.
    """

    name: str
    scene: Scene
    seconds: float = 1.0
    tolerance: float = SAME_LAW
    spin_tolerance: float = 0.0
    speeds: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def steps(self) -> int:
        """Return the number of steps."""
        return round(self.seconds / self.scene.physics.time_step)


BOX = GeometryBox((0.4, 0.3, 0.2))
BALL = GeometrySphere(0.2)
TILTED: Quat = quat_multiply(b.turned((1, 0, 0), 0.5), b.turned((0, 1, 0), 0.3))
LYING: Quat = b.turned((1, 0, 0), 0.5 * math.pi)
SLIDES = ContactProperties(friction=(0.5,))
STATIC_SLAB = GeometryBox((4.0, 4.0, 0.4))


def sliding_box(
    surface: ContactProperties,
    *,
    velocity: Vec3 = (2.0, 0.5, 0.0),
    spin: Vec3 = (0.0, 0.0, 1.0),
    rotation: Quat = (1.0, 0.0, 0.0, 0.0),
    step: float = 0.008,
    material: str = "default",
) -> Scene:
    """Return a box that slides and turns on the floor."""
    box = b.free_body(
        "box",
        BOX,
        at=(0.0, 0.0, 0.0999),
        rotation=rotation,
        velocity=velocity,
        spin=spin,
        material=material,
    )
    return b.scene(b.floor(), box, surface=surface, surfaces=(surface,), step=step)


def dropped(
    geometry: GeometryBox | GeometryCapsule | GeometryCylinder,
    rotation: Quat,
    *,
    velocity: Vec3 = (1.0, 0.0, 0.0),
    spin: Vec3 = (0.0, 0.0, 0.0),
    surface: ContactProperties = SLIDES,
    step: float = 0.008,
) -> Scene:
    """Return a body dropped tilted onto the floor."""
    body = b.free_body(
        "body", geometry, at=(0, 0, 0.5), rotation=rotation, velocity=velocity, spin=spin
    )
    return b.scene(b.floor(), body, surface=surface, step=step)


def ball(
    surface: ContactProperties,
    *,
    at: Vec3 = (0.0, 0.0, 0.1995),
    velocity: Vec3 = (0.0, 0.0, 0.0),
    spin: Vec3 = (0.0, 0.0, 0.0),
    step: float = 0.008,
    rolling: RollingRule = RollingRule.SECOND_SAME,
) -> Scene:
    """Return a ball on or above the floor."""
    body = b.free_body("ball", BALL, at=at, velocity=velocity, spin=spin)
    return b.scene(b.floor(), body, surface=surface, step=step, rolling=rolling)


def on_static_box(angle: float, *, velocity: Vec3, surface: ContactProperties = SLIDES) -> Scene:
    """Return a box on a static box turned by `angle` about y."""
    tilt = b.turned((0, 1, 0), angle)
    place = Pose((0, 0, 0), tilt) * Pose((0.0, 0.0, 0.2999))
    box = b.free_body("box", BOX, at=place.position, rotation=tilt, velocity=velocity)
    slab = b.static_body("slab", STATIC_SLAB, rotation=tilt)
    return b.scene(slab, box, surface=surface, surfaces=(surface,))


def on_moving_box(surface: ContactProperties) -> Scene:
    """Return a box that slides on a heavy box, which slides on the floor."""
    base = b.free_body("base", GeometryBox((1.0, 1.0, 0.2)), mass=20.0, at=(0, 0, 0.0999))
    box = b.free_body(
        "box",
        BOX,
        at=(0, 0, 0.2998),
        velocity=(1.0, 0.3, 0.0),
        rotation=b.turned((0, 0, 1), 0.4),
    )
    return b.scene(b.floor(), base, box, surface=surface)


def off_centre() -> Scene:
    """Return a dumbbell of a heavy and a light ball whose frame is at the light one."""
    heavy = b.solid_mass(GeometrySphere(0.15), 2.0).placed(Pose((0.5, 0.0, 0.0)))
    light = b.solid_mass(GeometrySphere(0.1), 0.5)
    link = replace(
        b.free_link("dumbbell", GeometrySphere(0.1), at=(0, 0, 0.4), rotation=TILTED),
        mass=combined([light, heavy]),
        shapes=(
            b.collider(GeometrySphere(0.1)),
            b.collider(GeometrySphere(0.15), pose=Pose((0.5, 0.0, 0.0))),
        ),
        linear_velocity=(0.5, 0.0, 0.0),
        angular_velocity=(0.0, 0.0, 3.0),
        damping=Damping(0.1, 0.3),
    )
    return b.scene(b.floor(), b.Body("dumbbell", (link,)), surface=SLIDES)


def colliding_balls() -> Scene:
    """Return a light ball that hits a heavy one off centre, without gravity."""
    one = b.free_body("one", BALL, velocity=(2.0, 0.0, 0.0), spin=(0.0, 0.0, 5.0))
    two = b.free_body("two", GeometrySphere(0.3), mass=5.0, at=(1.0, 0.2, 0.1))
    return b.scene(one, two, surface=SLIDES, gravity=(0, 0, 0))


def pendulum_on_stop() -> Scene:
    """Return a bar that swings against a stop."""
    joint = b.hinge("j", (0, 1, 0), (-0.2, 0, 0), stops=Stops(-2.0, 0.5, bounce=0.4))
    # anchor is in the world frame here: the bar has no parent
    link = b.jointed_link("bar", GeometryBox((0.4, 0.1, 0.1)), joint, parent=None, at=(0, 0, 0))
    return b.scene(b.robot("bar", link))


def bar_on_spring() -> Scene:
    """Return a bar that sags on a torsion spring while a weak motor turns it."""
    joint = b.hinge(
        "j", (0, 1, 0), (-0.2, 0, 0), spring=3.0, damping=0.2, motor=b.velocity_motor("m", 0.5)
    )
    link = b.jointed_link("bar", GeometryBox((0.4, 0.1, 0.1)), joint, parent=None, at=(0, 0, 0))
    return b.scene(b.robot("bar", link))


def cart_on_slider() -> Scene:
    """Return a cart on a slider with a hanging bar on a hinge: motion of two joints coupled."""
    rail = b.slider("rail", (1, 0, 0), motor=b.velocity_motor("m", 3.0))
    cart = b.jointed_link("cart", GeometryBox((0.2, 0.1, 0.1)), rail, parent=None, at=(0, 0, 1))
    swing = b.hinge("swing", (0, 1, 0), (0, 0, 0))
    bar = b.jointed_link(
        "bar",
        GeometryBox((0.05, 0.05, 0.4)),
        swing,
        parent=0,
        parent_at=(0, 0, 1),
        at=(0, 0, 0.8),
        mass=0.5,
    )
    return b.scene(b.robot("cart", cart, bar))


def _asymmetric() -> tuple[Twin, ...]:
    """Return sliding boxes and a cylinder under 2, 3 and 4 friction values, turned directions."""
    pair = ("box", "default")
    yawed = b.turned((0, 0, 1), 0.4)
    cases = {
        "two values": ContactProperties(pair, friction=(0.1, 0.3)),
        "two values turned": ContactProperties(
            pair, friction=(0.1, 0.3), friction_rotation=(0.5, -0.2)
        ),
        "three values": ContactProperties(
            pair, friction=(0.05, 0.4, 0.1), friction_rotation=(0.3, 0.0)
        ),
        "four values": ContactProperties(
            pair, friction=(0.05, 0.4, 0.1, 0.2), friction_rotation=(0.7, 0.3)
        ),
        "four values swapped": ContactProperties(
            (pair[1], pair[0]), friction=(0.05, 0.4, 0.1, 0.2), friction_rotation=(0.7, 0.3)
        ),
        "slip of two values": ContactProperties(pair, friction=(2.0,), slip=(0.2, 0.05)),
        "slip of four values turned": ContactProperties(
            pair, friction=(2.0,), slip=(0.2, 0.05, 0.1, 0.02), friction_rotation=(0.4, 0.1)
        ),
    }
    twins = [
        Twin(
            f"asymmetric {name}",
            sliding_box(surface, rotation=yawed, material="box"),
        )
        for name, surface in cases.items()
    ]
    same = ContactProperties(friction=(0.1, 0.3), friction_rotation=(0.5, 0.1))
    twins.append(Twin("asymmetric same material", sliding_box(same, rotation=yawed)))
    lying = b.free_body(
        "cylinder",
        GeometryCylinder(0.2, 0.4),
        at=(0, 0, 0.1995),
        rotation=quat_multiply(yawed, LYING),
        velocity=(1.0, 1.0, 0.0),
        material="box",
    )
    scene = b.scene(b.floor(), lying, surfaces=(cases["two values turned"],))
    twins.append(Twin("asymmetric cylinder side", scene))
    twins.append(
        Twin(
            "asymmetric on static box",
            on_static_box(0.1, velocity=(1, 0.5, 0), surface=same),
        )
    )
    twins.append(
        Twin(
            "asymmetric on moving box",
            on_moving_box(same),
        )
    )
    tumbling = dropped(BOX, TILTED, surface=replace(same, friction=(0.2, 0.6)))
    twins.append(Twin("asymmetric tumbling box", tumbling))
    return tuple(twins)


def _rolling() -> tuple[Twin, ...]:
    """Return balls under rolling and spinning friction, both rules for mu2."""
    cases = {
        "all axes": ContactProperties(rolling_friction=(0.02, 0.0, 0.0)),
        "per axis": ContactProperties(rolling_friction=(0.01, 0.03, 0.005)),
        "spin only": ContactProperties(rolling_friction=(0.0, 0.0, 0.01)),
    }
    return tuple(
        Twin(
            f"rolling {name}, {rule.value}",
            ball(surface, rolling=rule, velocity=(1.0, 0.4, 0.0), spin=(2.0, 3.0, 10.0)),
        )
        for name, surface in cases.items()
        for rule in RollingRule
    )


def on_slab(
    geometry: GeometryCylinder | GeometryBox,
    at: Vec3,
    rotation: Quat = (1.0, 0.0, 0.0, 0.0),
    *,
    slab: GeometryBox | GeometryCylinder = STATIC_SLAB,
    velocity: Vec3 = (0.0, 0.0, 0.0),
    spin: Vec3 = (0.0, 0.0, 0.0),
    tilt: float = 0.0,
) -> Scene:
    """Return a body on (at z = 0), in or above a static form turned by `tilt` about y."""
    half = slab.size[2] / 2 if isinstance(slab, GeometryBox) else slab.height / 2
    turn = b.turned((0, 1, 0), tilt)
    down = Pose((0, 0, 0), turn) * Pose((0, 0, -half))
    body = b.free_body(
        "body",
        geometry,
        at=at,
        rotation=quat_multiply(turn, rotation),
        velocity=velocity,
        spin=spin,
    )
    return b.scene(
        b.static_body("slab", slab, at=down.position, rotation=turn), body, surface=SLIDES
    )


def _cylinders() -> tuple[Twin, ...]:
    """Return cylinders that stand, lie, tip and fall, on planes and boxes."""
    post = GeometryCylinder(0.2, 0.4)
    plate = GeometryCylinder(0.5, 0.1)
    standing = b.free_body("cylinder", post, at=(0, 0, 0.1999), velocity=(1, 0, 0), spin=(0, 0, 1))
    post_of_box = GeometryBox((0.3, 0.3, 0.6))
    same = {
        "lying, rolling": on_slab(post, (0, 0, 0.1999), LYING, velocity=(1, 0, 0)),
        "lying, rolling down": on_slab(post, (0, 0, 0.1999), LYING, tilt=0.15),
        "rolling over the border": on_slab(
            post,
            (1.8, 0, 0.1999),
            quat_multiply(b.turned((0, 0, 1), 0.2), LYING),
            velocity=(1, 0, 0),
        ),
        "box on a static cylinder": on_slab(
            BOX, (0.05, 0.02, 0.0999), slab=GeometryCylinder(0.5, 0.2)
        ),
    }
    on_cap = {
        "standing, sliding": on_slab(post, (0, 0, 0.1999), velocity=(1, 0, 0), spin=(0, 0, 1)),
        "standing on a slope": on_slab(post, (0, 0, 0.1999), tilt=0.15),
        "dropped tilted": on_slab(post, (0, 0, 0.5), TILTED, velocity=(0.5, 0, 0)),
        "dropped on its rim": on_slab(post, (0, 0, 0.4), b.turned((1, 0, 0), 0.2)),
        "plate on a post": on_slab(plate, (0.05, 0.02, 0.0499), slab=post_of_box),
    }
    on_edge = {
        "tipping over the border": on_slab(post, (2.03, 0.3, 0.1999)),
        "plate tipping off a post": on_slab(plate, (0.17, 0.02, 0.0499), slab=post_of_box),
    }
    name = "cylinder on a box: {}".format
    return (
        Twin("upright cylinder sliding on the floor", b.scene(b.floor(), standing, surface=SLIDES)),
        Twin("cylinder dropped on the floor", dropped(post, TILTED)),
        Twin("thin disc dropped on the floor", dropped(GeometryCylinder(0.2, 0.02), TILTED)),
        *(Twin(name(key), scene) for key, scene in same.items()),
        *(Twin(name(key), scene, tolerance=ON_CAP) for key, scene in on_cap.items()),
        *(
            Twin(name(key), scene, tolerance=ON_EDGE, spin_tolerance=30 * ON_EDGE)
            for key, scene in on_edge.items()
        ),
    )


BOUNCING = tuple(
    Twin(
        f"bouncing ball at {round(h * 1000)} ms",
        ball(
            ContactProperties(), at=(0, 0, 1.3), velocity=(0.7, -0.3, 0.0), spin=(1, 2, 3), step=h
        ),
        seconds=3.2,
        tolerance=SAME_LAW,
    )
    for h in (0.008, 0.032)
)

SURFACES = (
    Twin("sliding box", sliding_box(SLIDES)),
    Twin("sliding box at 32 ms", sliding_box(SLIDES, step=0.032)),
    Twin(
        "sliding box, infinite friction",
        sliding_box(ContactProperties(friction=(math.inf,))),
    ),
    Twin("sliding box, no friction", sliding_box(ContactProperties(friction=(0.0,)))),
    Twin(
        "sliding box, slip",
        sliding_box(ContactProperties(friction=(2.0,), slip=(0.1,))),
    ),
    *_asymmetric(),
    *_rolling(),
)

FORMS = (
    Twin("tumbling box", dropped(BOX, TILTED)),
    Twin("tumbling box at 32 ms", dropped(BOX, TILTED, step=0.032)),
    Twin(
        "cylinder rolling on the floor",
        b.scene(
            b.floor(),
            b.free_body(
                "cylinder",
                GeometryCylinder(0.2, 0.4),
                at=(0, 0, 0.1999),
                rotation=LYING,
                velocity=(1, 0, 0),
            ),
            surface=SLIDES,
        ),
    ),
    Twin(
        "capsule dropped on the floor",
        dropped(GeometryCapsule(0.1, 0.4), b.turned((1, 0, 0), 0.9), velocity=(0.5, 0, 0)),
    ),
    Twin("ball rolling on the floor", ball(SLIDES, velocity=(1, 0, 0))),
    Twin(
        "ball rolling down a static box",
        b.scene(
            b.static_body("slab", STATIC_SLAB, at=(0, 0, -0.2), rotation=b.turned((0, 1, 0), 0.1)),
            b.free_body("ball", BALL, at=(0, 0, 0.2)),
            surface=SLIDES,
        ),
    ),
    Twin(
        "ball on a static ball",
        b.scene(
            b.static_body("dome", GeometrySphere(0.5)),
            b.free_body("ball", BALL, at=(0.05, 0.02, 0.69)),
            surface=SLIDES,
        ),
    ),
    Twin("two balls collide", colliding_balls()),
    Twin(
        "ball on a static cylinder",
        b.scene(
            b.static_body("log", GeometryCylinder(0.5, 2.0), rotation=LYING),
            b.free_body("ball", BALL, at=(0.05, 0.02, 0.69)),
            surface=SLIDES,
        ),
    ),
    Twin(
        "box sliding on a static box",
        on_static_box(0.1, velocity=(1, 0, 0)),
    ),
    Twin(
        "spinning box in free flight",
        dropped(BOX, TILTED, velocity=(0, 0, 6), spin=(3, 1, 2)),
        seconds=0.9,
    ),
    Twin("box sliding on a moving box", on_moving_box(SLIDES)),
    Twin("off-centre dumbbell", off_centre()),
    *_cylinders(),
)

JOINTS = (
    Twin("pendulum on a stop", pendulum_on_stop(), tolerance=SOFT_JOINTS, spin_tolerance=0.1),
    Twin("bar on a spring", bar_on_spring(), tolerance=SOFT_JOINTS, spin_tolerance=0.05),
    Twin(
        "cart with hanging bar",
        cart_on_slider(),
        tolerance=SOFT_JOINTS,
        spin_tolerance=0.05,
        speeds={"rail": 1.0},
    ),
    Twin(
        "robot driving straight",
        two_wheeled_robot(step=0.008, rotation=RotationRule.ODE, sink=1e-4),
        tolerance=SOFT_JOINTS,
        spin_tolerance=0.05,
        speeds={"left motor": 8.0, "right motor": 8.0},
    ),
    Twin(
        "robot turning",
        two_wheeled_robot(step=0.008, rotation=RotationRule.ODE, sink=1e-4),
        tolerance=SOFT_JOINTS,
        spin_tolerance=0.05,
        speeds={"left motor": 8.0, "right motor": 10.0},
    ),
    Twin(
        "robot with jointed caster",
        two_wheeled_robot(step=0.008, rotation=RotationRule.ODE, caster_joint=True, sink=1e-4),
        tolerance=SOFT_JOINTS,
        spin_tolerance=0.05,
        speeds={"left motor": 8.0, "right motor": 8.0},
    ),
    Twin(
        "six-joint arm",
        six_joint_arm(step=0.008, rotation=RotationRule.ODE),
        tolerance=SOFT_JOINTS,
        spin_tolerance=0.05,
        speeds=ARM_SPEEDS,
    ),
)
