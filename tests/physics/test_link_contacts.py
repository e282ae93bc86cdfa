"""What Choreonoid makes of the contacts of two links: normals, depths, points and tracks (C13.5)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solidbody.base.transforms import Pose, Vec3
from solidbody.contact.engine import EngineName
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import GeometryBox, GeometryCylinder, GeometryMesh
from solidbody.model.joints import JointAxis, JointTrack
from solidbody.model.links import Body
from solidbody.model.motors import ControlMode, Motor
from solidbody.model.scene import Scene
from solidbody.sim import Sim
from tests.physics import building as b
from tests.physics.referee import deviation, record, run

STEP = 0.001
REST = 2.5e-4
SURFACE = ContactProperties(
    friction=(0.5,),
    bounce=0.0,
    soft_erp=5.0 * STEP,
    soft_cfm=1e-8,
    slip=(1e-7,),
    rest_depth=REST,
    depth_scale=4 * REST,
    max_contacts=4,
    follows_sliding=True,
    keeps_spread=True,
    remembers_loads=True,
    shares_depth=True,
    min_depth=1e-7,
)
ENGINES = ("native", "reference")
GROUND = b.static_body("ground", GeometryBox((4.0, 4.0, 1.0)), at=(0, 0, -0.5))

X, Y, LOW, HIGH = 0.18, 0.05, -0.1, 0.06
HEXAHEDRON = GeometryMesh(
    (
        (-X, -Y, LOW),
        (X, -Y, LOW),
        (0.3, -Y, HIGH),
        (-0.3, -Y, HIGH),
        (-X, Y, LOW),
        (X, Y, LOW),
        (0.3, Y, HIGH),
        (-0.3, Y, HIGH),
    ),
    (
        *((0, 1, 2), (0, 2, 3), (4, 6, 5), (4, 7, 6), (0, 5, 1), (0, 4, 5)),
        *((1, 6, 2), (1, 5, 6), (2, 7, 3), (2, 6, 7), (3, 4, 0), (3, 7, 4)),
    ),
)
"""The track of Choreonoid's crawler."""


def crawler(*, at: Vec3 = (0.0, 0.0, -LOW - REST), tilt: float = 0.0) -> Body:
    """A block on one track."""
    motor = Motor("track", max_velocity=10.0, max_effort=1e6, mode=ControlMode.VELOCITY)
    rotation = b.turned((0, 1, 0), tilt)
    block = b.free_link("block", GeometryBox((0.2, 0.2, 0.02)), mass=5.0, at=at, rotation=rotation)
    track = replace(
        b.free_link("track", GeometryBox((0.36, 0.1, 0.16)), mass=1.0),
        parent=0,
        pose=Pose((0.0, 0.0, 0.0)),
        joint=JointTrack("track", JointAxis((1, 0, 0), motor=motor), around=True),
        shapes=(b.collider(HEXAHEDRON),),
    )
    return b.robot("crawler", block, track)


def scene(*bodies: Body) -> Scene:
    return b.scene(GROUND, *bodies, surface=SURFACE, step=STEP)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("tilt", [0.003, 0.0228, 0.046])
def test_a_track_that_lies_askew_meets_the_floors_normal(engine: EngineName, tilt: float) -> None:
    """MuJoCo gives the normal of the track's bottom; with 1.5 m/s along that it drove into the ground."""
    sim = Sim(scene(crawler(at=(0, 0, -LOW - REST + X * tilt), tilt=tilt)), engine=engine)
    sim.joint("track").target_velocity = 1.5
    deepest = 0.0
    for _ in range(300 if engine == "native" else 15):
        sim.step()
        found = sim.contacts()
        assert np.abs(found.normal[:, 2]) == pytest.approx(1.0, abs=1e-12)
        deepest = max(deepest, float(found.depth.max(initial=0.0)))
    assert sim.velocities()[1, 0] > 0.005
    assert deepest <= 2 * REST


@pytest.mark.parametrize("engine", ENGINES)
def test_a_form_of_few_faces_is_pushed_out_evenly(engine: EngineName) -> None:
    """A hexahedron askew rises as its deepest corner does and does not turn, as boxes do."""
    tilt, depth = 1e-3, 4e-4
    block = b.free_link("block", GeometryBox((0.36, 0.1, 0.16)), at=(0, 0, -LOW - depth))
    block = replace(
        block,
        pose=Pose(block.pose.position, b.turned((0, 1, 0), tilt)),
        shapes=(b.collider(HEXAHEDRON),),
    )
    sim = Sim(scene(Body("block", (block,))), engine=engine)
    sim.step()
    found = sim.contacts()
    assert len(found) == 4
    assert found.depth == pytest.approx(depth + X * tilt, rel=1e-3)
    assert np.abs(sim.velocities()[1, 3:]).max() < 1e-6


@pytest.mark.parametrize("engine", ENGINES)
def test_two_links_have_four_points_whatever_their_shapes(engine: EngineName) -> None:
    """A belt between two wheels: eight points become the four outermost, those of the deeper wheels."""
    wheel = GeometryCylinder(0.08, 0.1)
    across = b.turned((1, 0, 0), 0.5 * np.pi)
    belt = replace(
        b.free_link("belt", GeometryBox((0.52, 0.1, 0.16)), mass=10.0, at=(0, 0, 0.08 - 2e-4)),
        shapes=(
            b.collider(GeometryBox((0.52, 0.1, 0.15998))),
            b.collider(wheel, pose=Pose((0.26, 0, 0), across)),
            b.collider(wheel, pose=Pose((-0.26, 0, 0), across)),
        ),
    )
    sim = Sim(scene(Body("belt", (belt,))), engine=engine)
    sim.step(20)
    found = sim.contacts()
    corners = sorted({(round(x, 3), round(y, 3)) for x, y in np.abs(found.position[:, :2])})
    assert (len(found), corners) == (4, [(0.26, 0.05)])
    assert set(found.shape[found.link == 1].tolist()) == {1, 2}
    assert found.force[:, 2] == pytest.approx(np.sign(found.normal[:, 2]) * 9.81 * 2.5, rel=1e-3)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_track_is_pushed_out_slowly(engine: EngineName) -> None:
    """2 mm deep counts as twice the depth of rest: 1 mm/s, where other links rise with 3.2 mm/s."""
    sim = Sim(scene(crawler(at=(0, 0, -LOW - 2e-3))), engine=engine)
    sim.step()
    assert sim.velocities()[1, 2] == pytest.approx(5.0 * REST / 1.25, rel=1e-3)


def test_both_engines_agree_where_points_are_chosen() -> None:
    """The crawler on an edge, driven: forces of the last step are found again by bodies, not shapes."""
    step = b.static_body("step", GeometryBox((0.2, 4.0, 0.01)), at=(0.3, 0.0, 0.005))
    made = scene(step, crawler(at=(0.0, 0.0, -LOW - REST)))
    native, reference = (run(made, engine, 150, {"track": 1.5}) for engine in ENGINES)
    assert native.poses[-1, 2, 0] > 0.04
    apart = deviation(native, reference)
    # sweeps that share loads end at 1e-6 of them
    assert max(apart.position, apart.rotation, apart.velocity) < 1e-7, apart


def test_a_snapshot_goes_on_with_the_same_bits() -> None:
    """What each point carried is part of the state."""
    sim = Sim(scene(crawler(tilt=0.002)))
    sim.joint("track").target_velocity = 1.0
    sim.step(40)
    snapshot = sim.snapshot()
    onwards = record(sim, 40)
    sim.restore(snapshot)
    assert np.array_equal(record(sim, 40).poses, onwards.poses)
