"""Small models are collided pair by pair: the same contacts as mj_collision gives, in the same order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.scenes import humanoid, pile, two_wheeled_robot
from solidbody.contact.native import library_path
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryPlane,
    GeometrySphere,
)
from solidbody.model.links import Body
from solidbody.model.scene import Scene
from solidbody.sim import Sim
from tests.physics import building as b

pytestmark = pytest.mark.skipif(not library_path().exists(), reason="the native step is not built")

STEPS = 60
"""Long enough for all bodies to fall, roll and meet."""
FAR = 70
"""More bodies than are looked at pair by pair."""

BALL, BOX, TUBE = GeometrySphere(0.1), GeometryBox((0.2, 0.3, 0.2)), GeometryCapsule(0.08, 0.2)
DRUM = GeometryCylinder(0.1, 0.2)


def fallen(*forms: Geometry) -> list[Body]:
    """Return bodies above and beside each other that fall together."""
    return [
        b.free_body(
            f"body {k}",
            form,
            at=(0.13 * (k % 2), 0.07 * k, 0.2 + 0.17 * k),
            rotation=b.turned((1.0, 2.0, 3.0), 0.5 * k),
            spin=(0.3 * k, 1.0, 0.0),
        )
        for k, form in enumerate(forms)
    ]


STEP = b.static_body("step", GeometryBox((0.4, 0.4, 0.1)), at=(0.0, 0.0, 0.05))
WALL = b.static_body("wall", GeometryPlane((20.0, 20.0)), rotation=b.turned((0.0, 1.0, 0.0), 0.3))

SCENES = {
    "robot": two_wheeled_robot(),
    "humanoid": humanoid()[0],
    "pile": pile(12),
    "balls, boxes and capsules": b.scene(
        b.floor(), STEP, *fallen(BALL, BOX, TUBE, BALL, TUBE, BOX)
    ),
    "two planes": b.scene(b.floor(), WALL, *fallen(BALL, BOX, TUBE)),
    # for drums on boxes and on each other MuJoCo's general collider is left to mj_collision
    "drums": b.scene(b.floor(), STEP, *fallen(DRUM, BALL, DRUM, BOX)),
}


def among_others(scene: Scene) -> Scene:
    """Return the scene with many still bodies far away, which are left to MuJoCo's sweep and prune."""
    far = [b.static_body(f"far {k}", BALL, at=(1000.0 + k, 1000.0, 1000.0)) for k in range(FAR)]
    return replace(scene, bodies=(*scene.bodies, *far))


@pytest.mark.parametrize("name", sorted(SCENES))
def test_contacts_are_those_among_many_bodies(name: str) -> None:
    """To the byte, and so is the motion."""
    alone, among = (
        Sim(scene, engine="native") for scene in (SCENES[name], among_others(SCENES[name]))
    )
    own_pairs = seen = 0
    for sim in (alone, among):
        for joint in sim.joint_names:
            sim.joint(joint).target_velocity = 2.0
    for step in range(STEPS):
        alone.step()
        among.step()
        one, other = alone.data, among.data
        assert one.ncon == other.ncon, step
        used = one.contact.exclude == 0
        assert used.tolist() == (other.contact.exclude == 0).tolist()
        for field in ("geom", "dim", "dist", "pos", "frame"):
            values = (np.array(getattr(d.contact, field))[used] for d in (one, other))
            assert len({value.tobytes() for value in values}) == 1, (step, field)
        assert one.qpos.tobytes() == other.qpos[: len(one.qpos)].tobytes()
        seen += int(used.sum())
        # mj_collision mixes MuJoCo's own friction, which the law does not read
        own_pairs += int((one.contact.friction[:, 2] == 1.0).sum())
        assert not (other.contact.friction[:, 2] == 1.0).any()
    assert seen > STEPS
    assert own_pairs > 0 or name == "drums"


def test_a_pair_that_is_excluded_does_not_meet() -> None:
    """Links of a robot that Webots does not collide among themselves: wheels inside of the chassis."""
    sim = Sim(two_wheeled_robot(), engine="native")
    sim.step(5)
    floor = int(np.flatnonzero(sim.model.geom_type == 0)[0])
    assert sim.data.ncon > 0
    assert (sim.data.contact.geom == floor).any(axis=1).all()
