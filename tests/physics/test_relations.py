"""Relations that hold without reference data: momentum, energy, mirrors, bounds."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from benchmarks.scenes import pile
from solidbody.base.transforms import Pose, Quat, Vec3
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.links import Body, Link
from solidbody.model.scene import Scene
from tests.physics import building as b
from tests.physics.referee import Trace, make_sim, run
from tests.physics.twins import TILTED

ROUNDING = 1e-12
NO_GRAVITY = (0.0, 0.0, 0.0)
SMALL = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


def momenta(scene: Scene, trace: Trace, at: int) -> NDArray[np.float64]:
    """Return total momentum and angular momentum about the origin (6) at time index `at`."""
    total = np.zeros(6)
    for index, link in enumerate(scene.links()):
        if link.mass is None:
            continue
        position, rotation = trace.poses[at, index, :3], trace.poses[at, index, 3:]
        velocity, spin = trace.velocities[at, index, :3], trace.velocities[at, index, 3:]
        matrix = matrix_of(rotation)
        xx, yy, zz, xy, xz, yz = link.mass.inertia
        inertia = matrix @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ matrix.T
        total[:3] += link.mass.mass * velocity
        total[3:] += inertia @ spin + link.mass.mass * np.cross(position, velocity)
    return total


def energy(scene: Scene, trace: Trace, at: int) -> float:
    """Return kinetic plus potential energy [J] at time index `at`."""
    total = 0.0
    gravity = np.array(scene.physics.gravity)
    for index, link in enumerate(scene.links()):
        if link.mass is None:
            continue
        position, rotation = trace.poses[at, index, :3], trace.poses[at, index, 3:]
        velocity, spin = trace.velocities[at, index, :3], trace.velocities[at, index, 3:]
        local = matrix_of(rotation).T @ spin
        total += 0.5 * link.mass.mass * float(velocity @ velocity)
        total += 0.5 * float(np.array(link.mass.inertia[:3]) @ local**2)
        total -= link.mass.mass * float(gravity @ position)
    return total


def matrix_of(q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotation matrix of a quaternion."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_contacts_conserve_momentum() -> None:
    """Bodies that hit each other without gravity: linear momentum to rounding.

    Angular momentum about the origin drifts by h*(gyro and orientation steps), not by contacts:
    balls have neither, so theirs is conserved too.
    """
    bodies = [
        b.free_body(
            f"ball{i}",
            GeometrySphere(0.2),
            mass=1.0 + i,
            at=(0.35 * math.cos(i * 1.1), 0.35 * math.sin(i * 1.1), 0.3 * i),
            velocity=(-math.cos(i * 1.1), -math.sin(i * 1.1), 0.4 * (2 - i)),
            spin=(0.0, float(i), 1.0),
        )
        for i in range(5)
    ]
    scene = b.scene(*bodies, gravity=NO_GRAVITY)
    trace = run(scene, "native", 100)
    before = momenta(scene, trace, 0)
    assert not np.allclose(trace.velocities[0], trace.velocities[-1])
    for at in (25, 50, 100):
        assert momenta(scene, trace, at) == pytest.approx(before, abs=1e-10)


def test_elastic_collision_conserves_energy() -> None:
    """bounce 1, no friction, hard contact: kinetic energy to the contact's softness."""
    surface = ContactProperties(friction=(0.0,), bounce=1.0, soft_cfm=1e-8, soft_erp=0.0)
    one = b.free_body("one", GeometrySphere(0.2), velocity=(1.0, 0.1, 0.0))
    two = b.free_body("two", GeometrySphere(0.2), mass=2.0, at=(0.7, 0.0, 0.0))
    scene = b.scene(one, two, surface=surface, gravity=NO_GRAVITY)
    trace = run(scene, "native", 100)
    assert trace.velocities[-1, 1, 0] > 0.3
    # cfm*f = 1e-8*(mass*dv/h = 170 N) = 1.7e-6 m/s of give
    assert energy(scene, trace, -1) == pytest.approx(energy(scene, trace, 0), abs=1e-5)


def test_pile_loses_energy() -> None:
    """Friction and impacts with bounce < 1 only take energy, once nothing overlaps at the start."""
    scene = pile(20, step=0.008)
    trace = run(scene, "native", 250)
    levels = [energy(scene, trace, at) for at in range(0, 251, 50)]
    assert all(later < earlier + 1e-6 for earlier, later in itertools.pairwise(levels))


def mirrored(scene: Scene) -> Scene:
    """Return the scene mirrored at the xz plane (y -> -y); forms are symmetric to it."""

    def vector(v: Vec3) -> Vec3:
        return (v[0], -v[1], v[2])

    def axial(v: Vec3) -> Vec3:
        return (-v[0], v[1], -v[2])

    def quat(q: Quat) -> Quat:
        return (q[0], -q[1], q[2], -q[3])

    def link(item: Link) -> Link:
        return replace(
            item,
            pose=Pose(vector(item.pose.position), quat(item.pose.rotation)),
            linear_velocity=vector(item.linear_velocity),
            angular_velocity=axial(item.angular_velocity),
        )

    def body(item: Body) -> Body:
        return replace(item, links=tuple(link(part) for part in item.links))

    return replace(scene, bodies=tuple(body(item) for item in scene.bodies))


def test_mirrored_scene_moves_mirrored() -> None:
    """A tumbling box and its mirror image; impacts amplify rounding, hence 1e-9."""
    box = b.free_body(
        "box",
        GeometryBox((0.4, 0.3, 0.2)),
        at=(0, 0.1, 0.5),
        rotation=TILTED,
        velocity=(1.0, 0.5, 0.0),
        spin=(1.0, 2.0, 3.0),
    )
    scene = b.scene(b.floor(), box)
    one, two = run(scene, "native", 125), run(mirrored(scene), "native", 125)
    flip = np.array([1.0, -1.0, 1.0])
    assert one.poses[:, 1, :3] == pytest.approx(two.poses[:, 1, :3] * flip, abs=1e-9)
    assert one.velocities[:, 1, 3:] == pytest.approx(two.velocities[:, 1, 3:] * -flip, abs=1e-8)


speed = st.floats(-3.0, 3.0)


@SMALL
@given(vx=speed, vy=speed, vz=st.floats(-3.0, 0.0), wx=speed, wy=speed, mu=st.floats(0.0, 2.0))
def test_friction_stays_within_its_bound(
    vx: float, vy: float, vz: float, wx: float, wy: float, mu: float
) -> None:
    """A ball on the floor: |change of momentum| along x and y is at most mu times that along z."""
    ball = b.free_body(
        "ball", GeometrySphere(0.2), at=(0, 0, 0.199), velocity=(vx, vy, vz), spin=(wx, wy, 0.0)
    )
    surface = ContactProperties(friction=(mu,))
    scene = b.scene(b.floor(), ball, surface=surface)
    trace = run(scene, "native", 20)
    h = scene.physics.time_step
    change = np.diff(trace.velocities[:, 1, :3], axis=0)
    normal = change[:, 2] + b.GRAVITY * h
    assert (normal >= -ROUNDING).all()
    assert (np.abs(change[:, :2]) <= mu * normal[:, None] + ROUNDING).all()


@SMALL
@given(
    x=st.floats(0.0, 1.0),
    z=st.floats(0.1, 1.0),
    angle=st.floats(-1.5, 1.5),
    mu=st.floats(0.1, 1.0),
)
def test_any_drop_comes_to_rest_above_the_floor(
    x: float, z: float, angle: float, mu: float
) -> None:
    """A box dropped in any tilt stays finite, above the floor, and never gains energy."""
    box = b.free_body(
        "box",
        GeometryBox((0.4, 0.3, 0.2)),
        at=(x, 0, z + 0.3),
        rotation=b.turned((1.0, 0.7, 0.2), angle),
    )
    scene = b.scene(b.floor(), box, surface=ContactProperties(friction=(mu,)))
    sim = make_sim(scene)
    sim.step(250)
    assert sim.stats.not_converged == 0
    assert 0.09 < sim.poses()[1, 2] < z + 0.3
    assert abs(sim.velocities()[1]).max() < 5.0


def test_heavier_boxes_slide_equally_far() -> None:
    """Stopping distance does not depend on mass when the contact's softness scales with it."""

    def distance(mass: float) -> float:
        surface = ContactProperties(friction=(0.4,), bounce=0.0, soft_cfm=0.001 / mass)
        depth = b.GRAVITY / 4 * 0.001 * 0.008 / 0.2
        box = b.free_body(
            "box",
            GeometryBox((0.4, 0.4, 0.1)),
            mass=mass,
            at=(0, 0, 0.05 - depth),
            velocity=(1, 0, 0),
        )
        scene = b.scene(b.floor(), box, surface=surface, cfm=1e-5 / mass)
        return float(run(scene, "native", 60).poses[-1, 1, 0])

    assert distance(50.0) == pytest.approx(distance(1.0), abs=1e-9)


def test_turned_world_gives_turned_motion() -> None:
    """Gravity along x and a wall as floor: the same fall, up to the choice of tangents."""
    surface = ContactProperties(friction=(0.5,))
    ball = GeometrySphere(0.2)
    level = b.scene(
        b.floor(), b.free_body("ball", ball, at=(0, 0, 0.5), velocity=(0, 1, 0)), surface=surface
    )
    wall = b.scene(
        b.floor(rotation=b.turned((0, 1, 0), 0.5 * math.pi)),
        b.free_body("ball", ball, at=(0.5, 0, 0), velocity=(0, 1, 0)),
        surface=surface,
        gravity=(-b.GRAVITY, 0, 0),
    )
    one, two = run(level, "native", 125), run(wall, "native", 125)
    # z up there is x up here, y stays
    assert one.poses[:, 1, 2] == pytest.approx(two.poses[:, 1, 0], abs=1e-9)
    assert one.poses[:, 1, 1] == pytest.approx(two.poses[:, 1, 1], abs=1e-9)
