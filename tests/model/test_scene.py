"""Links, bodies and scenes refuse what cannot be, and know their world poses."""

from __future__ import annotations

import math

import pytest

from solidbody.base.transforms import Pose, quat_from_axis_angle
from solidbody.model.joints import JointAxis, JointHinge, Stops
from solidbody.model.links import Body, Link, Motion
from solidbody.model.mass import MassProperties
from solidbody.model.scene import Scene, world_poses

HINGE = JointHinge("elbow", JointAxis((0.0, 0.0, 1.0)))
QUARTER_TURN = quat_from_axis_angle((0.0, 0.0, 1.0), math.pi / 2)


def link(name: str, *, parent: int | None = None, pose: Pose | None = None) -> Link:
    """Return a link of one kilogram."""
    return Link(name, name, pose or Pose(), parent, joint=HINGE, mass=MassProperties(1.0))


def test_dynamic_link_needs_mass_and_kinematic_does_not() -> None:
    """Nothing can push a body without mass."""
    with pytest.raises(ValueError, match='"ghost" needs mass'):
        Link("ghost", "ghost")
    assert Link("wall", "wall", motion=Motion.KINEMATIC).mass is None


def test_links_come_after_their_parents() -> None:
    """So that one pass over the list sees parents first."""
    with pytest.raises(ValueError, match='"b" must come after its parent'):
        Body("arm", (link("a"), link("b", parent=1)))


def test_world_poses_follow_the_chain() -> None:
    """Each link's pose is expressed in its parent."""
    body = Body(
        "arm",
        (
            link("a", pose=Pose((1.0, 0.0, 0.0), QUARTER_TURN)),
            link("b", parent=0, pose=Pose((2.0, 0.0, 0.0), QUARTER_TURN)),
        ),
    )
    poses = world_poses(body)
    assert poses[1].position == pytest.approx((1.0, 2.0, 0.0))
    assert poses[1].direction((1.0, 0.0, 0.0)) == pytest.approx((-1.0, 0.0, 0.0))


def test_scene_yields_links_of_all_bodies_in_order() -> None:
    """Parents before children, bodies in file order."""
    scene = Scene("s", "s.wbt", bodies=(Body("x", (link("a"),)), Body("y", (link("b"),))))
    assert [item.name for item in scene.links()] == ["a", "b"]


def test_stops_are_ordered() -> None:
    """Low above high leaves no position."""
    with pytest.raises(ValueError, match="low <= high"):
        Stops(1.0, -1.0)
