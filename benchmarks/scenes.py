"""The scenes that are timed, as data; physics tests use the same ones."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from solidbody.base.transforms import Pose, Quat, Vec3
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import GeometryBox, GeometryCylinder, GeometrySphere
from solidbody.model.links import Body, Link
from solidbody.model.scene import RotationRule, Scene
from tests.physics import building as b

CUBE = 0.2
"""Edge of stacked boxes [m]."""
NO_BOUNCE = ContactProperties(friction=(0.8,), bounce=0.0)


@dataclass(frozen=True, slots=True)
class BenchScene:
    """A scene and how to time it.

    Attributes:
        name: Row label.
        scene: What is simulated.
        speeds: Target velocity of each motor [rad/s].
        settle: Steps before timing starts.
        steps: Timed steps per round.
        ode_steps: Timed steps of ODE per round (its time grows with the cube of the contacts).
        ode_rounds: Rounds in which ODE takes part; None = all.
        is_long: Timed only when asked for.
    """

    name: str
    scene: Scene
    speeds: dict[str, float] = field(default_factory=dict[str, float])
    settle: int = 100
    steps: int = 100
    ode_steps: int = 100
    ode_rounds: int | None = None
    is_long: bool = False


def one_box(step: float = 0.032) -> Scene:
    """Return a box at rest on the floor."""
    box = b.free_body("box", GeometryBox((CUBE, CUBE, CUBE)), at=(0.0, 0.0, 0.5 * CUBE))
    return b.scene(b.floor(), box, step=step, rotation=RotationRule.EXACT)


def two_wheeled_robot(
    step: float = 0.032,
    rotation: RotationRule = RotationRule.EXACT,
    *,
    caster_joint: bool = False,
    sink: float = 0.0,
) -> Scene:
    """Return a cart with two driven wheels and a frictionless caster, moving along +x.

    Args:
        step: [s].
        rotation: How orientation advances.
        caster_joint: The caster is a ball of its own on a loose hinge, else part of the chassis.
        sink: Depth of all contacts at the start [m].
    """
    at: Vec3 = (0.0, 0.0, 0.07 - sink)
    chassis = b.free_link("chassis", GeometryBox((0.3, 0.2, 0.06)), mass=3.0, at=at)
    caster = b.collider(GeometrySphere(0.02), material="caster", pose=Pose((-0.12, 0.0, -0.05)))
    links: list[Link] = []
    if caster_joint:
        links.append(
            b.jointed_link(
                "caster",
                GeometrySphere(0.02),
                b.hinge("caster hinge", (0.0, 1.0, 0.0), (-0.12, 0.0, -0.05)),
                parent=0,
                parent_at=at,
                at=(-0.12, 0.0, 0.02 - sink),
                mass=0.1,
                material="caster",
            )
        )
    else:
        chassis = replace(chassis, shapes=(*chassis.shapes, caster))
    upright = b.turned((1.0, 0.0, 0.0), 0.5 * math.pi)
    links += [
        b.jointed_link(
            f"{side} wheel",
            GeometryCylinder(0.05, 0.03),
            b.hinge(
                f"{side} motor",
                (0.0, 1.0, 0.0),
                (0.05, y, -0.02),
                motor=b.velocity_motor(f"{side} motor", 2.0),
            ),
            parent=0,
            parent_at=at,
            at=(0.05, y, 0.05 - sink),
            mass=0.2,
            shape_rotation=upright,
        )
        for side, y in (("left", 0.13), ("right", -0.13))
    ]
    smooth = ContactProperties(("default", "caster"), friction=(0.0,))
    return b.scene(
        b.floor(),
        b.robot("robot", chassis, *links),
        surfaces=(smooth,),
        step=step,
        rotation=rotation,
    )


ARM_LENGTHS = (0.1, 0.3, 0.3, 0.1, 0.1, 0.05)
ARM_MASSES = (4.0, 3.0, 2.0, 1.0, 0.5, 0.2)
ARM_EFFORTS = (50.0, 100.0, 50.0, 10.0, 10.0, 5.0)
ARM_SPEEDS = {"j0": 0.5, "j1": -0.3, "j2": 0.4, "j3": 0.6, "j4": -0.5, "j5": 1.0}


def six_joint_arm(step: float = 0.032, rotation: RotationRule = RotationRule.EXACT) -> Scene:
    """Return an arm of six boxes on motors, the first one jointed to the world."""
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    links = []
    reach = 0.0
    parent_at: Vec3 = (0.0, 0.0, 0.0)
    for i, axis in enumerate((z, y, y, x, y, x)):
        at = (reach + 0.5 * ARM_LENGTHS[i], 0.0, 1.0)
        anchor = (reach - parent_at[0], 0.0, 1.0 - parent_at[2])
        motor = b.velocity_motor(f"m{i}", ARM_EFFORTS[i])
        links.append(
            b.jointed_link(
                f"arm{i}",
                GeometryBox((ARM_LENGTHS[i], 0.06, 0.06)),
                b.hinge(f"j{i}", axis, anchor, motor=motor),
                parent=i - 1 if i else None,
                parent_at=parent_at,
                at=at,
                mass=ARM_MASSES[i],
            )
        )
        reach += ARM_LENGTHS[i]
        parent_at = at
    return b.scene(b.robot("arm", *links), step=step, rotation=rotation)


def stack(
    count: int = 10, *, step: float = 0.008, jitter: float = 0.0, top_mass: float = 1.0
) -> Scene:
    """Return boxes on top of each other; `jitter` [m] shifts them sideways, `top_mass` in kg."""
    boxes = [
        b.free_body(
            f"box{i}",
            GeometryBox((CUBE, CUBE, CUBE)),
            mass=top_mass if i == count - 1 else 1.0,
            at=(
                jitter * math.sin(3.1 * i),
                jitter * math.cos(2.3 * i),
                0.5 * CUBE + CUBE * i,
            ),
        )
        for i in range(count)
    ]
    return b.scene(b.floor(), *boxes, surface=NO_BOUNCE, step=step, rotation=RotationRule.EXACT)


def pile(count: int, *, step: float = 0.008, seed: int = 0) -> Scene:
    """Return boxes and spheres that fall onto each other, half of each, mass 1."""
    random = np.random.default_rng(seed)
    side = math.ceil((count / 2) ** (1 / 3)) + 1
    bodies: list[Body] = []
    for i in range(count):
        x, y, z = i % side, (i // side) % side, i // (side * side)
        shift = random.uniform(-0.03, 0.03, 2)
        at = (x * 0.22 + float(shift[0]), y * 0.22 + float(shift[1]), 0.2 + z * 0.25)
        w, i1, j1, k1 = (float(value) for value in random.normal(size=4))
        length = math.hypot(w, i1, j1, k1)
        rotation: Quat = (w / length, i1 / length, j1 / length, k1 / length)
        edges = [float(value) for value in random.uniform(0.1, 0.2, 3).round(4)]
        if random.random() < 0.5:
            size: Vec3 = (edges[0], edges[1], edges[2])
            bodies.append(b.free_body(f"box{i}", GeometryBox(size), at=at, rotation=rotation))
        else:
            bodies.append(b.free_body(f"ball{i}", GeometrySphere(0.5 * edges[0]), at=at))
    surface = ContactProperties(friction=(0.5,))
    return b.scene(b.floor(), *bodies, surface=surface, step=step, rotation=RotationRule.EXACT)


def bench_scenes() -> tuple[BenchScene, ...]:
    """Return every timed scene, short ones first."""
    wheel_speeds = {"left motor": 8.0, "right motor": 10.0}
    return (
        BenchScene("one box", one_box(), settle=100, steps=1000, ode_steps=1000),
        BenchScene(
            "two-wheeled robot",
            two_wheeled_robot(),
            speeds=wheel_speeds,
            settle=150,
            steps=200,
            ode_steps=200,
        ),
        BenchScene(
            "robot, jointed caster",
            two_wheeled_robot(caster_joint=True),
            speeds=wheel_speeds,
            settle=150,
            steps=200,
            ode_steps=200,
        ),
        BenchScene(
            "6-joint arm", six_joint_arm(), speeds=ARM_SPEEDS, settle=10, steps=200, ode_steps=200
        ),
        BenchScene("stack of 10", stack(10), settle=100, steps=100, ode_steps=50),
        BenchScene("pile of 100", pile(100), settle=250, steps=10, ode_steps=1, ode_rounds=3),
        BenchScene(
            "pile of 500",
            pile(500),
            settle=120,
            steps=2,
            ode_steps=1,
            ode_rounds=1,
            is_long=True,
        ),
    )
