"""Which pairs of links are tested for contact."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solidbody.base.transforms import Pose, Vec3
from solidbody.compiler.collision_filters import (
    ANCHORED_BITS,
    DYNAMIC_BITS,
    GROUND_HULL_BITS,
    NO_BITS,
    STATIC_BITS,
    collision_bits,
    hull_bits,
    ignored_pairs,
    is_hull,
    surface_bits,
)
from solidbody.formats.loading import read_scene_text
from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.joints import LoopAttachment, LoopBall
from solidbody.model.links import Body, CollisionRules, Link, Robot
from solidbody.sim import Sim
from tests.physics import building as b


def chain(*anchors: Vec3) -> tuple[Link, ...]:
    """Return links joined by hinges at these anchors, all overlapping."""
    links = [b.free_link("l0", GeometrySphere(0.1), at=(0.0, 0.0, 1.0))]
    for k, anchor in enumerate(anchors, start=1):
        links.append(
            b.jointed_link(
                f"l{k}",
                GeometrySphere(0.1),
                b.hinge(f"j{k}", (0.0, 1.0, 0.0), anchor),
                parent=k - 1,
                parent_at=(0.0, 0.0, 1.0),
                at=(0.0, 0.0, 1.0),
            )
        )
    return tuple(links)


APART = ((0.1, 0.0, 0.0), (0.2, 0.0, 0.0))


def test_plain_tree_ignores_joined_links_only() -> None:
    """Links of a tree without a robot collide unless a joint connects them."""
    assert list(ignored_pairs(Body("t", chain(*APART)))) == [(0, 1), (1, 2)]


def test_robot_without_self_collision_ignores_all_its_pairs() -> None:
    """The default of robots."""
    robot = Body("r", chain(*APART), robots=(Robot("r", 0),))
    assert list(ignored_pairs(robot)) == [(0, 1), (0, 2), (1, 2)]


def test_robot_with_self_collision_ignores_joined_links_only() -> None:
    """Joined links never collide."""
    robot = Body("r", chain(*APART), robots=(Robot("r", 0, self_collision=True),))
    assert list(ignored_pairs(robot)) == [(0, 1), (1, 2)]


def test_links_whose_hinges_share_one_anchor_ignore_each_other() -> None:
    """A universal joint made of two hinges does not jam."""
    same = ((0.1, 0.0, 0.0), (0.1, 0.0, 0.0))
    assert list(ignored_pairs(Body("t", chain(*same)))) == [(0, 1), (0, 2), (1, 2)]


def test_sliders_between_hinges_with_one_anchor_do_not_matter() -> None:
    """Only anchors of hinges are compared, and a slider has none."""
    links = list(chain((0.1, 0.0, 0.0), (0.0, 0.0, 0.0)))
    links[2] = replace(links[2], joint=b.slider("j2", (0.0, 1.0, 0.0)))
    assert list(ignored_pairs(Body("t", tuple(links)))) == [(0, 1), (0, 2), (1, 2)]


def loop_of(first: str, second: str | None) -> LoopBall:
    """Return a loop that joins two links at their origins."""
    return LoopBall((LoopAttachment(first, Pose()), LoopAttachment(second, Pose())))


def test_links_that_a_loop_joins_ignore_each_other() -> None:
    """A joint to a SolidReference is a joint; Choreonoid's extra joints leave collisions alone."""
    body = Body("t", chain(*APART), loops=(loop_of("l0", "l2"),))
    assert list(ignored_pairs(body)) == [(0, 1), (0, 2), (1, 2)]
    rules = CollisionRules(loop_ends_ignored=False)
    assert list(ignored_pairs(replace(body, collision=rules))) == [(0, 1), (1, 2)]


def test_link_that_a_loop_joins_to_the_world_ignores_everything_static() -> None:
    """Only the link at the end of the loop, and only if the loop ends at something that stands still."""
    links = chain(*APART)
    fixed = Body("t", links, loops=(loop_of("l1", None),))
    assert [collision_bits(fixed, link) == ANCHORED_BITS for link in links] == [False, True, False]
    closed = Body("t", links, loops=(loop_of("l0", "l2"),))
    assert all(collision_bits(closed, link) == DYNAMIC_BITS for link in links)


def test_chain_level_widens_what_is_ignored() -> None:
    """Pairs up to that distance in the tree ignore each other."""
    body = Body("t", chain(*APART), collision=CollisionRules(chain_level=2))
    assert list(ignored_pairs(body)) == [(0, 1), (0, 2), (1, 2)]


def test_named_pairs_are_ignored() -> None:
    """A file may name pairs."""
    rules = CollisionRules(
        chain_level=0, shared_anchor_ignored=False, disabled_pairs=(("l2", "l0"),)
    )
    assert list(ignored_pairs(Body("t", chain(*APART), collision=rules))) == [(0, 2)]


@pytest.mark.parametrize("joint_to_world", [True, False])
def test_link_jointed_to_the_world_ignores_everything_static(joint_to_world: bool) -> None:
    """An arm bolted to the world passes through the floor; a free one does not."""
    if joint_to_world:
        link = b.jointed_link(
            "arm",
            GeometryBox((1.0, 0.1, 0.1)),
            b.hinge("j", (0.0, 1.0, 0.0), (0.0, 0.0, 0.3)),
            parent=None,
            at=(0.5, 0.0, 0.3),
        )
    else:
        link = b.free_link("arm", GeometryBox((1.0, 0.1, 0.1)), at=(0.5, 0.0, 0.3))
    sim = Sim(b.scene(b.floor(), Body("t", (link,)), step=0.008))
    deepest = 0.0
    for _ in range(100):
        sim.step()
        deepest = min(deepest, float(sim["arm"].position[2]))
    assert (deepest < -0.1) is joint_to_world


def test_disabled_links_collide_with_nothing() -> None:
    """They fall through the floor."""
    body = b.free_body("ball", GeometrySphere(0.1), at=(0.0, 0.0, 0.2))
    body = replace(body, collision=CollisionRules(disabled_links=("ball",)))
    sim = Sim(b.scene(b.floor(), body, step=0.008))
    sim.run(1.0)
    assert sim["ball"].position[2] < -1.0


PUSHER = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 gravity 0 }
Robot {
  controller "<none>" selfCollision TRUE
  children [
    SliderJoint {
      jointParameters JointParameters { axis 1 0 0 }
      device [ LinearMotor { name "push" maxForce 20 maxVelocity 1 } ]
      endPoint Solid {
        translation 0 0 0.2 name "pusher"
        boundingObject Box { size 0.2 0.1 0.1 } physics Physics { density -1 mass 1 }
      }
    }
    TouchSensor {
      translation 0.2 0 0.2 name "bumper"
      boundingObject Box { size 0.1 0.1 0.1 } physics Physics { density -1 mass 1 }
    }
  ]
  boundingObject Box { size 0.4 0.2 0.1 } physics Physics { density -1 mass 10 }
}
"""


def test_a_part_that_hangs_on_a_body_meets_one_that_is_fixed_to_it() -> None:
    """No joint is between them: the pusher ends at x = 0.1 and stops where the bumper begins, at 0.15."""
    scene, _ = read_scene_text(PUSHER)
    assert scene is not None
    sim = Sim(scene)
    sim.joint("push").target_position = 0.2
    sim.run(1.0)
    met = {frozenset(sim.link_names[k] for k in pair) for pair in sim.contacts().link.tolist()}
    assert met == {frozenset(("pusher", "bumper"))}
    # it sinks in by F·cfm·dt/erp < 1 mm under 20 N
    assert sim.joint("push").position == pytest.approx(0.05, abs=1e-3)


def meet(one: tuple[int, int], two: tuple[int, int]) -> bool:
    """Whether the type of one meets the affinity of the other."""
    return bool(one[0] & two[1] or two[0] & one[1])


@pytest.mark.parametrize("mine", [DYNAMIC_BITS, ANCHORED_BITS, STATIC_BITS])
@pytest.mark.parametrize("other", [DYNAMIC_BITS, ANCHORED_BITS, STATIC_BITS])
def test_hollow_meshes_meet_everything_once(mine: tuple[int, int], other: tuple[int, int]) -> None:
    """Primitives meet the triangles of a mesh that moves; other meshes, planes and ground its hulls."""
    wanted = meet(mine, other)
    skin, hull = mine, hull_bits(mine)
    # a primitive, or a convex mesh
    assert (meet(skin, other), meet(hull, other)) == (wanted, False)
    # another hollow mesh: triangles do not meet hulls
    assert (meet(hull, hull_bits(other)), meet(skin, hull_bits(other))) == (wanted, False)
    # planes, heights and triangles that stand still
    assert meet(hull, surface_bits(other)) == wanted
    assert is_hull(hull) and not is_hull(skin)


def test_hull_of_moving_ground_meets_surfaces_only() -> None:
    """Bodies meet the triangles of the ground itself."""
    assert meet(GROUND_HULL_BITS, surface_bits(STATIC_BITS)) and is_hull(GROUND_HULL_BITS)
    others = DYNAMIC_BITS, ANCHORED_BITS, STATIC_BITS
    assert not any(meet(GROUND_HULL_BITS, bits) for bits in others)
    assert not any(meet(GROUND_HULL_BITS, hull_bits(bits)) for bits in others)
    assert hull_bits(NO_BITS) == surface_bits(NO_BITS) == NO_BITS
