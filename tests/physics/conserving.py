"""Systems that should keep energy and momentum, and how much of either they lose."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose, Quat, Vec3
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.links import Body
from solidbody.model.scene import CoriolisRule, GyroRule, RotationRule, Scene
from tests.physics import building as b
from tests.physics.referee import Steppable

BAR = GeometryBox((0.05, 0.05, 0.4))
LYING: Quat = b.turned((0, 1, 0), 0.5 * math.pi)
ELASTIC = ContactProperties(friction=(0.0,), bounce=1.0, bounce_velocity=0.0)
LOOKS = 0.02
"""[s] Between looks at the energy, at most: several per swing."""


def energy(simulation: Steppable, scene: Scene) -> float:
    """Return kinetic and potential energy of all dynamic links [J]."""
    total = 0.0
    gravity = np.array(scene.physics.gravity)
    poses, velocities = simulation.poses(), simulation.velocities()
    for link, pose, velocity in zip(scene.links(), poses, velocities, strict=True):
        if link.mass is None:
            continue
        tensor, spin = _tensor(link.mass.inertia), _local(pose, velocity[3:])
        total += 0.5 * link.mass.mass * float(velocity[:3] @ velocity[:3])
        total += 0.5 * float(spin @ tensor @ spin) - link.mass.mass * float(gravity @ pose[:3])
    return total


def momenta(simulation: Steppable, scene: Scene) -> NDArray[np.float64]:
    """Return linear and angular momentum (about the origin) of all dynamic links."""
    out = np.zeros(6)
    poses, velocities = simulation.poses(), simulation.velocities()
    for link, pose, velocity in zip(scene.links(), poses, velocities, strict=True):
        if link.mass is None:
            continue
        linear = link.mass.mass * velocity[:3]
        own = _tensor(link.mass.inertia) @ _local(pose, velocity[3:])
        out[:3] += linear
        out[3:] += np.cross(pose[:3], linear) + _world(pose, own)
    return out


def _tensor(inertia: tuple[float, ...]) -> NDArray[np.float64]:
    xx, yy, zz, xy, xz, yz = inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _local(pose: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
    turn = Pose(rotation=tuple(pose[3:].tolist())).inverse()
    return np.array(turn.direction(tuple(v.tolist())))


def _world(pose: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array(Pose(rotation=tuple(pose[3:].tolist())).direction(tuple(v.tolist())))


def lost(simulation: Steppable, scene: Scene, seconds: float) -> float:
    """Return the greatest change of energy over a run [J]."""
    start, worst = energy(simulation, scene), 0.0
    every = max(1, round(LOOKS / scene.physics.time_step))
    for _ in range(round(seconds / scene.physics.time_step / every)):
        simulation.step(every)
        worst = max(worst, abs(energy(simulation, scene) - start))
    return worst


def centered(scene: Scene) -> Scene:
    """Return a scene with the rule that Webots worlds are read with."""
    return replace(scene, physics=replace(scene.physics, coriolis=CoriolisRule.MIDDLE))


def double_pendulum(step: float) -> Scene:
    """Two bars, let go from the horizontal, as a world from Webots would swing them."""
    joints = (b.hinge("j1", (0, 1, 0), (0, 0, 0)), b.hinge("j2", (0, 1, 0), (0.2, 0, 0)))
    one = b.jointed_link("one", BAR, joints[0], parent=None, at=(0.2, 0, 0), shape_rotation=LYING)
    two = b.jointed_link(
        "two",
        BAR,
        joints[1],
        parent=0,
        parent_at=(0.2, 0, 0),
        at=(0.6, 0, 0),
        shape_rotation=LYING,
    )
    scene = b.scene(b.robot("pendulum", one, two), step=step, rotation=RotationRule.EXACT)
    return centered(scene)


def brick(gyro: GyroRule, step: float = 0.002) -> Scene:
    """A free brick that tumbles about its middle axis."""
    body = b.free_body("brick", GeometryBox((0.4, 0.2, 0.1)), spin=(0.05, 3.0, -0.05))
    scene = b.scene(body, gravity=(0, 0, 0), step=step)
    return replace(scene, physics=replace(scene.physics, gyro=gyro))


def row_of_balls(step: float = 0.008) -> Scene:
    """Five balls in a row between two walls, without gravity; the first one runs into the others."""
    balls = [
        b.free_body(
            f"ball{k}",
            GeometrySphere(0.1),
            at=(0.21 * k, 0, 0),
            velocity=(1.0 if k == 0 else 0.0, 0, 0),
        )
        for k in range(5)
    ]
    walls = [b.static_body(f"wall{x}", GeometryBox((0.2, 1, 1)), at=(x, 0, 0)) for x in (-1.0, 2.0)]
    return b.scene(*balls, *walls, surface=ELASTIC, gravity=(0, 0, 0), step=step)


def cradle(step: float = 0.002) -> Scene:
    """Five balls that hang side by side, 2 mm apart; the first one is let go from 0.5 rad."""
    return centered(
        b.scene(
            *[_hanging_ball(k, -0.5 if k == 0 else 0.0) for k in range(5)],
            surface=ELASTIC,
            step=step,
            rotation=RotationRule.EXACT,
        )
    )


def _hanging_ball(k: int, angle: float, *, length: float = 0.5, radius: float = 0.05) -> Body:
    above = (k * (2.0 * radius + 0.002), 0.0, 0.0)
    at = (above[0] + length * math.sin(angle), 0.0, -length * math.cos(angle))
    joint = b.hinge(f"string{k}", (0, 1, 0), above)
    return b.robot(
        f"ball{k}",
        b.jointed_link(f"ball{k}", GeometrySphere(radius), joint, parent=None, at=at),
    )


def floating_chain(step: float, *, gravity: Vec3 = (0.0, 0.0, 0.0), at: Vec3 = (0, 0, 0)) -> Scene:
    """Four links that nothing holds, tumbling at 6 rad/s and folding about three axes."""
    return centered(
        b.scene(chain_body("chain", at), gravity=gravity, step=step, rotation=RotationRule.EXACT)
    )


def chain_body(name: str, at: Vec3, velocity: Vec3 = (0.3, 0.1, 0.2)) -> Body:
    """Return a chain of four boxes, the first of which spins and takes the others along."""
    box = GeometryBox((0.3, 0.1, 0.06))
    links = [b.free_link(f"{name}0", box, at=at, spin=(2.0, 3.0, 5.0), velocity=velocity, mass=1.0)]
    for k in range(1, 4):
        joint = b.hinge(f"{name}.j{k}", ((1, 1, 0), (0, 1, 0), (0, 0, 1))[k % 3], (0.18, 0, 0))
        links.append(
            b.jointed_link(
                f"{name}{k}",
                box,
                joint,
                parent=k - 1,
                parent_at=(at[0] + 0.36 * (k - 1), at[1], at[2]),
                at=(at[0] + 0.36 * k, at[1], at[2]),
            )
        )
    return b.robot(name, *links)
