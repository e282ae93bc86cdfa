"""Rules of contacts (docs/behaviour, W5.1 to W5.6) that need a world file and a closed form."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from solidbody.model.contacts import ContactTable
from solidbody.sim import Sim
from solidbody.sim.following import follow
from tests.devices.worlds import sim_of

G = 9.81
H = 0.008
AWAKE = "physicsDisableTime 0"
FLOOR = 'Solid { name "floor" contactMaterial "floor" boundingObject Plane { size 50 50 } }'
REST = f"0 0 {0.1 - 0.001 * G * H / 0.2}"
"""Where a ball of 1 kg and 0.1 m rests by the default softERP and softCFM."""
SLAB = "Box { size 0.4 0.4 0.02 }"
SMALL_BOX = "Box { size 0.2 0.2 0.2 }"


def surface(fields: str) -> str:
    """Return the list of contact properties with one entry for the floor."""
    return f'contactProperties [ ContactProperties {{ material1 "floor" {fields} }} ] {AWAKE}'


def body(form: str, at: str, extra: str = "") -> str:
    """A solid of 1 kg."""
    return (
        f'Solid {{ name "body" translation {at} {extra} boundingObject {form} '
        "physics Physics { density -1 mass 1 } }"
    )


def on_floor(fields: str, form: str, at: str, extra: str = "") -> Sim:
    """A body on the floor."""
    return sim_of(FLOOR + body(form, at, extra), world=surface(fields))


@pytest.mark.parametrize(("erp", "cfm"), [(0.2, 0.001), (0.8, 1e-5), (0.1, 0.01)])
def test_box_rests_where_soft_erp_and_cfm_say(erp: float, cfm: float) -> None:
    """At rest erp/h*depth = cfm*f with f = m g/4 at each corner."""
    sim = on_floor(f"softERP {erp} softCFM {cfm} bounce 0", SMALL_BOX, "0 0 0.0999")
    sim.run(3.0)
    depth = 0.1 - sim["body"].position[2]
    # errors shrink by 1 - erp/(1 + 4 cfm/h) = 0.91 or less per step; 1e-9 is rounding of a position of 0.1
    assert depth == pytest.approx(cfm * G / 4 * H / erp, rel=1e-6, abs=1e-12)


def test_without_soft_erp_a_box_sinks_at_cfm_times_force() -> None:
    """softERP 0 pushes nothing out: the row is v = -cfm*f."""
    sim = on_floor("softERP 0 softCFM 0.001 bounce 0", SMALL_BOX, "0 0 0.0999")
    sim.run(1.0)
    assert sim["body"].linear_velocity[2] == pytest.approx(-0.001 * G / 4, rel=1e-9)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("0.01", (0.01, 0.01)),
        ("0.01 0", (0.01, 0.0)),
        ("0 0.02", (0.0, 0.02)),
        ("0.01 0.02", (0.02, 0.04)),
        ("0.01 0.02 0.03", (0.04, 0.05)),
        ("0.01 0.02 0.03 0.04", (0.04, 0.06)),
        ("0.01 0.02 0.03 0.04 9", (0.04, 0.06)),
    ],
)
@pytest.mark.parametrize("along", [0, 1])
def test_slip_combines_as_the_table_says(
    values: str, expected: tuple[float, float], along: int
) -> None:
    """Steady speed = slip*F/4 for four points; aligned surfaces add, a lone value is not doubled."""
    sim = on_floor(f"forceDependentSlip [ {values} ] bounce 0", SLAB, "0 0 0.0099")
    force = [0.0, 0.0, 0.0]
    force[along] = 2.0
    for _ in range(150):
        sim["body"].add_force((force[0], force[1], force[2]))
        sim.step()
    # where there is no slip the friction row has the world's CFM 1e-5; 1e-5 of the result for the slab that
    # leans under the push, while directions are not projected onto the contact plane
    assert sim["body"].linear_velocity[along] == pytest.approx(
        max(expected[along], 1e-5) * 2.0 / 4, rel=1e-5
    )


@pytest.mark.parametrize(("speed", "bounces"), [(0.39, False), (0.41, True)])
def test_bounce_velocity_is_the_least_approach_that_bounces(speed: float, bounces: bool) -> None:
    """Above it the row asks for c = bounce*speed, below it for erp/h*depth; v = (c - k*speed)/(1 + k).

    That is v + cfm*f = c with f = (v + speed)/h and k = cfm/h for 1 kg.
    """
    ball = body("Sphere { radius 0.1 }", "0 0 0.0999", f"linearVelocity 0 0 -{speed}")
    sim = sim_of(FLOOR + ball, world=surface("bounce 0.7 bounceVelocity 0.4") + " gravity 0")
    sim.step()
    k, c = 0.001 / H, 0.7 * speed if bounces else 0.2 / H * 1e-4
    assert sim["body"].linear_velocity[2] == pytest.approx((c - k * speed) / (1 + k), rel=1e-9)


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 10])
def test_pair_keeps_its_deepest_points_only(limit: int) -> None:
    """A box leaning by 1 mrad about x and y: of four corners the deepest `limit` stay."""
    lean = "rotation 0.7071 0.7071 0 0.001"
    sim = on_floor(f"maxContactJoints {limit}", SMALL_BOX, "0 0 0.098", lean)
    sim.step()
    depths = sorted(sim.contacts().depth.tolist(), reverse=True)
    assert len(depths) == min(limit, 4)
    # corners are 0.1*(+-1 +-1)*0.0007 off the middle
    all_depths = [0.002 + 0.1 * 0.7071e-3 * (i + j) for i in (1, -1) for j in (1, -1)]
    assert depths == pytest.approx(sorted(all_depths, reverse=True)[:limit], abs=1e-6)


def test_body_without_directions_uses_the_first_values_only() -> None:
    """A ball slides with the first friction both along x and y: a second value has no direction."""
    for velocity in ("3 0 0", "0 3 0"):
        sim = on_floor(
            "coulombFriction [ 0.2 0.9 0.4 ] bounce 0",
            "Sphere { radius 0.1 }",
            REST,
            f"linearVelocity {velocity}",
        )
        sim.step(10)
        before = float(np.linalg.norm(sim["body"].linear_velocity))
        sim.step(10)
        lost = before - float(np.linalg.norm(sim["body"].linear_velocity))
        # slides until 5/7 of the speed, after 3*(2/7)/(0.2 g) = 0.4 s; it starts at its rest depth
        assert lost == pytest.approx(0.2 * G * 10 * H, rel=1e-6)


@pytest.mark.parametrize(("values", "mu"), [("", 1.0), ("0.3", 0.3), ("-1", math.inf)])
def test_friction_of_one_value_holds_up_to_it(values: str, mu: float) -> None:
    """Pushed with 0.25 m g and 2 m g: no value counts as the default 1, -1 holds everything."""
    for push in (0.25 * G, 2.0 * G):
        sim = on_floor(f"coulombFriction [ {values} ] bounce 0", SLAB, "0 0 0.0099")
        sim.step(100)
        for _ in range(10):
            sim["body"].add_force((push, 0.0, 0.0))
            sim.step()
        # what is held creeps by the world's CFM, and leans by the moment of the push, 1 cm above the floor:
        # +-0.01*push/0.4 N on a pair of corners, 0.001*h/0.2 m/N softer, 0.05 rad/m in all: below 0.1 mm/s
        expected = 0.0 if push < mu * G else (push - mu * G) * 10 * H
        assert sim["body"].linear_velocity[0] == pytest.approx(expected, rel=1e-3, abs=1e-4)


def test_first_entry_that_names_both_materials_counts() -> None:
    """Either order of the materials; later entries and those of other pairs do not matter."""
    entries = " ".join(
        f'ContactProperties {{ material1 "{a}" material2 "{b}" coulombFriction {mu} bounce 0 }}'
        for a, b, mu in (
            ("default", "default", 0.9),
            ("default", "floor", 0.2),
            ("floor", "default", 0.5),
        )
    )
    box = body(SMALL_BOX, "0 0 0.0998", "linearVelocity 2 0 0")
    sim = sim_of(FLOOR + box, world=f"contactProperties [ {entries} ]")
    sim.step(20)
    before = sim["body"].linear_velocity[0]
    sim.step(20)
    assert before - sim["body"].linear_velocity[0] == pytest.approx(0.2 * G * 20 * H, rel=1e-3)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_kinematic_pusher_moves_a_body_at_its_own_speed(
    engine: Literal["native", "reference"],
) -> None:
    """By penetration only: at a steady speed v the row says v = erp/h*depth, so depth = v h/erp."""
    pusher = (
        'Solid { name "pusher" translation 0 0 0.1 linearVelocity 0.5 0 0 '
        f"boundingObject {SMALL_BOX} }}"
    )
    world = f"contactProperties [ ContactProperties {{ coulombFriction 0 bounce 0 }} ] {AWAKE}"
    box = body(SMALL_BOX, "0.2 0 0.0999")
    sim = sim_of("Solid { boundingObject Plane { } }" + pusher + box, world=world)
    sim = Sim(sim.scene, engine=engine)
    sim.run(2.0)
    assert sim["pusher"].position[0] == pytest.approx(1.0, abs=1e-9)
    assert sim["body"].linear_velocity[0] == pytest.approx(0.5, abs=1e-6)
    gap = sim["body"].position[0] - sim["pusher"].position[0] - 0.2
    # the row is made with the places of both at the end of the step before; then both move by v h
    assert gap == pytest.approx(-0.5 * H / 0.2, abs=1e-6)


def test_kinematic_turntable_does_not_carry_what_stands_on_it() -> None:
    """No velocity of a solid without physics reaches the contacts, only its place."""
    disc = (
        'Solid { name "disc" translation 0 0 0.05 angularVelocity 0 0 1 '
        "boundingObject Cylinder { radius 1 height 0.1 } }"
    )
    sim = sim_of(disc + body("Box { size 0.1 0.1 0.1 }", "0.5 0 0.1499"), world=AWAKE)
    sim.run(2.0)
    assert sim["disc"].orientation == pytest.approx((math.cos(1), 0, 0, math.sin(1)), abs=1e-9)
    assert sim["body"].position[:2] == pytest.approx((0.5, 0.0), abs=1e-9)


def test_solids_without_physics_do_not_touch_each_other() -> None:
    """Two boxes half inside each other; the same boxes as bodies have contacts."""
    boxes = [
        f'Solid {{ name "{name}" translation {x} 0 0 boundingObject {SMALL_BOX} %s }}'
        for name, x in (("a", 0.0), ("b", 0.1))
    ]
    counts = []
    for physics in ("", "physics Physics { density -1 mass 1 }"):
        sim = sim_of("".join(boxes) % (physics, physics) + body("Sphere { }", "0 0 9"))
        sim.step()
        counts.append(len(sim.contacts()))
    assert counts[0] == 0 < counts[1]


@pytest.mark.parametrize("hidden", ["", "top FALSE bottom FALSE", "side FALSE"])
def test_parts_that_are_not_drawn_collide_all_the_same(hidden: str) -> None:
    """A ball on a cylinder, and a cylinder on the floor, rest where complete ones do."""
    post = f"Cylinder {{ radius 0.5 height 0.2 {hidden} }}"
    ball = body("Sphere { radius 0.1 }", "0 0 0.2999").replace('"body"', '"ball"')
    sim = sim_of(FLOOR + body(post, "0 0 0.0999") + ball, world=AWAKE)
    sim.run(0.5)
    assert sim["body"].position[2] == pytest.approx(0.1, abs=1e-3)
    assert sim["ball"].position[2] == pytest.approx(0.3, abs=2e-3)


def test_change_of_contact_properties_wakes_all() -> None:
    """A box that sleeps on a slope slides as soon as its friction is gone."""
    tilted = "Solid { rotation 0 1 0 0.2 boundingObject Plane { } }"
    box = body(SMALL_BOX, "0.0198 0 0.0979", "rotation 0 1 0 0.2")
    sim = sim_of(tilted + box, world="physicsDisableTime 0.1")
    number = list(sim.link_names).index("body")
    sim.run(2.0)
    assert sim.is_asleep(number)
    table = sim.scene.contacts
    slick = ContactTable(table.entries, replace(table.default, friction=(0.0,)))
    follow(sim, replace(sim.scene, contacts=slick))
    assert not sim.is_asleep(number)
    sim.run(0.2)
    assert sim["body"].linear_velocity[0] > 0.2


def test_capsule_lies_still_on_a_box_on_two_points() -> None:
    """In ODE it has one, and still rocks after five seconds."""
    table = f"Solid {{ translation 0 0 -0.1 boundingObject {SMALL_BOX.replace('0.2 0.2', '2 2')} }}"
    capsule = body("Capsule { radius 0.1 height 0.4 }", "0 0 0.1", "rotation 0 1 0 1.5707963")
    sim = sim_of(table + capsule, world=AWAKE)
    sim.run(2.0)
    assert len(sim.contacts()) == 2
    assert np.abs(sim["body"].angular_velocity).max() < 1e-6
