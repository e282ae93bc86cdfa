"""The scenes that are timed; physics tests use the same ones. `cases.py` says how each is timed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from solidbody.base.transforms import Pose, Quat, Vec3
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import GeometryBox, GeometryCapsule, GeometryCylinder, GeometrySphere
from solidbody.model.joints import JointHinge, LoopAttachment, LoopHinge
from solidbody.model.links import Body, Link
from solidbody.model.scene import RotationRule, Scene
from tests.physics import building as b

CUBE = 0.2
"""Edge of stacked boxes [m]."""
NO_BOUNCE = ContactProperties(friction=(0.8,), bounce=0.0)


def one_box(step: float = 0.032, *, height: float = 0.0) -> Scene:
    """Return a box at rest on the floor, or turned and above it."""
    rotation = b.turned((1.0, 2.0, 3.0), 0.7) if height else (1.0, 0.0, 0.0, 0.0)
    at = (0.0, 0.0, 0.5 * CUBE + height)
    box = b.free_body("box", GeometryBox((CUBE, CUBE, CUBE)), at=at, rotation=rotation)
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


def mixed_pile(count: int, *, step: float = 0.008, seed: int = 0, layers: int = 0) -> Scene:
    """Return boxes, spheres and capsules in equal parts that fall onto each other, mass 1.

    Args:
        count: How many.
        step: [s].
        seed: Of sizes and poses.
        layers: Walls hold the pile, on a floor that grows with `count` so that this many lie on each
            other; 0: they fall as a cube onto an open floor, and spread.
    """
    random = np.random.default_rng(seed)
    if layers:
        side = math.ceil(math.sqrt(count / layers))
    else:
        side = math.ceil((count / 2) ** (1 / 3)) + 1
    bodies: list[Body] = []
    for i in range(count):
        x, y, z = i % side, (i // side) % side, i // (side * side)
        shift = random.uniform(-0.03, 0.03, 2)
        at = (x * 0.26 + float(shift[0]), y * 0.26 + float(shift[1]), 0.2 + z * 0.28)
        w, i1, j1, k1 = (float(value) for value in random.normal(size=4))
        length = math.hypot(w, i1, j1, k1)
        rotation: Quat = (w / length, i1 / length, j1 / length, k1 / length)
        edges = [float(value) for value in random.uniform(0.1, 0.2, 3).round(4)]
        form = (
            GeometryBox((edges[0], edges[1], edges[2])),
            GeometrySphere(0.5 * edges[0]),
            GeometryCapsule(0.4 * edges[0], 0.5 * edges[1]),
        )[i % 3]
        bodies.append(b.free_body(f"body{i}", form, at=at, rotation=rotation))
    surface = ContactProperties(friction=(0.5,))
    walls = _walls(side * 0.26) if layers else ()
    return b.scene(
        b.floor(), *walls, *bodies, surface=surface, step=step, rotation=RotationRule.EXACT
    )


def _walls(width: float) -> tuple[Body, ...]:
    """Return four walls, 4 m high, around the columns of a pile that is `width` wide."""
    middle, away, long = 0.5 * width - 0.13, 0.5 * width + 0.12, width + 0.6
    sides = ((-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0))
    return tuple(
        b.static_body(
            f"wall{i}",
            GeometryBox((0.2, long, 4.0) if x else (long, 0.2, 4.0)),
            at=(middle + x * away, middle + y * away, 2.0),
        )
        for i, (x, y) in enumerate(sides)
    )


def chain(count: int = 50, *, step: float = 0.008) -> Scene:
    """Return a hanging chain of capsules on loose hinges, thrown sideways at the start."""
    length = 0.1
    links: list[Link] = []
    parent_at: Vec3 = (0.0, 0.0, 0.0)
    upright = b.turned((0.0, 1.0, 0.0), 0.5 * math.pi)
    for i in range(count):
        at = ((i + 0.5) * length, 0.0, 6.0)
        anchor = (i * length - parent_at[0], 0.0, 6.0 - parent_at[2])
        axis = (0.0, 1.0, 0.0) if i % 2 == 0 else (0.0, 0.0, 1.0)
        links.append(
            b.jointed_link(
                f"link{i}",
                GeometryCapsule(0.02, 0.06),
                b.hinge(f"h{i}", axis, anchor),
                parent=i - 1 if i else None,
                parent_at=parent_at,
                at=at,
                mass=0.2,
                shape_rotation=upright,
            )
        )
        parent_at = at
    return b.scene(b.robot("chain", *links), step=step, rotation=RotationRule.EXACT)


def _limb(
    name: str, parent: int, parent_at: Vec3, start: Vec3, sizes: tuple[Vec3, ...], first: int
) -> tuple[list[Link], dict[str, float]]:
    """Return boxes below each other on motors that hold, with axes y, x, z in turn."""
    axes: tuple[Vec3, ...] = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    links: list[Link] = []
    top = start
    for k, size in enumerate(sizes):
        at = (top[0], top[1], top[2] - 0.5 * size[2])
        anchor = (top[0] - parent_at[0], top[1] - parent_at[1], top[2] - parent_at[2])
        motor = b.velocity_motor(f"{name}{k}", 200.0)
        links.append(
            b.jointed_link(
                f"{name} {k}",
                GeometryBox(size),
                b.hinge(f"{name}{k}", axes[k % 3], anchor, motor=motor),
                parent=parent,
                parent_at=parent_at,
                at=at,
                mass=1.0 + 20.0 * size[0] * size[1] * size[2] * 100.0,
            )
        )
        parent, parent_at, top = first + k, at, (at[0], at[1], at[2] - 0.5 * size[2])
    return links, {f"{name}{k}": 0.0 for k in range(len(sizes))}


def humanoid(step: float = 0.008) -> tuple[Scene, dict[str, float]]:
    """Return a figure of 31 boxes with 30 motors that stands on its feet, and the motors' speeds."""
    at: Vec3 = (0.0, 0.0, 1.19)
    links = [b.free_link("trunk", GeometryBox((0.2, 0.3, 0.5)), mass=20.0, at=at)]
    speeds: dict[str, float] = {}
    thigh, joint, foot = (0.1, 0.1, 0.2), (0.08, 0.08, 0.1), (0.25, 0.12, 0.04)
    leg = (joint, thigh, joint, thigh, joint, joint, (0.08, 0.08, 0.1), foot)
    arm = (joint, joint, (0.07, 0.07, 0.15), joint, (0.07, 0.07, 0.15), joint)
    parts = (
        ("left leg", (0.0, 0.1, 0.94), leg),
        ("right leg", (0.0, -0.1, 0.94), leg),
        ("left arm", (0.0, 0.25, 1.4), arm),
        ("right arm", (0.0, -0.25, 1.4), arm),
        ("tail", (-0.15, 0.0, 1.3), ((0.05, 0.05, 0.1), (0.05, 0.05, 0.1))),
    )
    for name, start, sizes in parts:
        height = sum(size[2] for size in sizes)
        top = (start[0], start[1], height if name.endswith("leg") else start[2])
        made, wanted = _limb(name, 0, at, top, sizes, len(links))
        links += made
        speeds |= wanted
    return b.scene(b.floor(), b.robot("humanoid", *links), step=step), speeds


def many_robots(count: int = 50) -> tuple[Scene, dict[str, float]]:
    """Return two-wheeled robots on one floor, and the speeds of their wheels."""
    one = two_wheeled_robot()
    bodies = [one.bodies[0]]
    speeds: dict[str, float] = {}
    for k in range(count):
        shift = (1.0 * (k % 10), 1.0 * (k // 10), 0.0)
        links: list[Link] = []
        for link in one.bodies[1].links:
            pose = link.pose
            if link.parent is None:
                x, y, z = pose.position
                pose = Pose((x + shift[0], y + shift[1], z), pose.rotation)
            joint = link.joint
            if isinstance(joint, JointHinge):
                motor = joint.axis.motor
                name = f"{joint.name} {k}"
                motor = None if motor is None else replace(motor, name=name)
                joint = replace(joint, name=name, axis=replace(joint.axis, motor=motor))
                speeds[name] = 8.0 + 0.05 * k
            name = f"{link.name} {k}"
            links.append(replace(link, name=name, path=name, pose=pose, joint=joint))
        bodies.append(replace(one.bodies[1], name=f"robot {k}", links=tuple(links)))
    return replace(one, bodies=tuple(bodies)), speeds


def four_bar(step: float = 0.008) -> tuple[Scene, dict[str, float]]:
    """Return a crank, a coupler and a rocker on a fixed base, closed by a hinge loop; crank driven."""
    y: Vec3 = (0.0, 1.0, 0.0)
    crank_at, coupler_at, rocker_at = (0.0, 0.0, 1.1), (0.2, 0.0, 1.2), (0.4, 0.0, 1.1)
    bar = GeometryBox((0.02, 0.02, 0.2))
    links = (
        b.jointed_link(
            "crank",
            bar,
            b.hinge("crank", y, (0.0, 0.0, 1.0), motor=b.velocity_motor("crank", 50.0)),
            parent=None,
            at=crank_at,
            mass=0.5,
        ),
        b.jointed_link(
            "coupler",
            GeometryBox((0.4, 0.02, 0.02)),
            b.hinge("coupler", y, (0.0, 0.0, 0.1)),
            parent=0,
            parent_at=crank_at,
            at=coupler_at,
            mass=0.5,
        ),
        b.jointed_link(
            "rocker",
            bar,
            b.hinge("rocker", y, (0.4, 0.0, 1.0)),
            parent=None,
            at=rocker_at,
            mass=0.5,
        ),
    )
    along_y = b.turned((1.0, 0.0, 0.0), -0.5 * math.pi)
    ends = (
        LoopAttachment("coupler", Pose((0.2, 0.0, 0.0), along_y)),
        LoopAttachment("rocker", Pose((0.0, 0.0, 0.1), along_y)),
    )
    body = replace(b.robot("four-bar", *links), loops=(LoopHinge(ends, "closing hinge"),))
    return b.scene(body, step=step), {"crank": 3.0}
