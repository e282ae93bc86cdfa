"""What a program moves between two steps keeps its contacts of the first one in the second, as in Webots."""

from __future__ import annotations

import pytest

from solidbody.sim import Sim
from solidbody.sim.moving import hold_contacts
from tests.devices.worlds import sim_of
from tests.physics.test_rules_of_contacts import AWAKE, FLOOR, REST, G, H, body, on_floor

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
BALL = "Sphere { radius 0.1 }"
INERTIA = 0.4 * 0.1**2
"""[kg*m^2] Of a ball of 1 kg and 0.1 m."""
CFM = 0.001
"""The default softCFM."""


def _moved(engine: str, to: tuple[float, float, float], *, holds: bool) -> Sim:
    """A ball at rest on a floor without friction that was put somewhere, before the next step."""
    sim = on_floor("coulombFriction 0 bounce 0", BALL, REST)
    sim = Sim(sim.scene, engine="native" if engine == "native" else "reference")
    sim.run(0.2)
    if holds:
        hold_contacts(sim, sim.link_names.index("body"))
    sim["body"].set_pose(to, UPRIGHT)
    return sim


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_what_was_lifted_is_carried_for_one_more_step(engine: str) -> None:
    """The contact below its middle bears it once more; without it the fall begins at once."""
    sim = _moved(engine, (0.0, 0.0, 1.0), holds=True)
    sim.step()
    assert sim["body"].linear_velocity[2] == pytest.approx(0.0, abs=1e-9)
    sim.step()
    assert sim["body"].linear_velocity[2] == pytest.approx(-G * H, rel=1e-9)
    sim = _moved(engine, (0.0, 0.0, 1.0), holds=False)
    sim.step()
    assert sim["body"].linear_velocity[2] == pytest.approx(-G * H, rel=1e-9)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_what_was_put_aside_is_turned_by_the_contact_where_it_was(engine: str) -> None:
    """Row of a point at a distance L: v + w L + cfm f = erp depth/h, which was cfm g at rest.

    With v = h (f - g) and w = h f L/I, f = g (h + cfm)/(h (1 + L^2/I) + cfm).
    """
    aside = 0.2
    sim = _moved(engine, (aside, 0.0, 0.5), holds=True)
    sim.step()
    force = G * (H + CFM) / (H * (1.0 + aside**2 / INERTIA) + CFM)
    assert sim["body"].linear_velocity[2] == pytest.approx(H * (force - G), rel=1e-6)
    assert sim["body"].angular_velocity[1] == pytest.approx(H * force * aside / INERTIA, rel=1e-6)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_snapshots_keep_what_is_held(engine: str) -> None:
    """A copy goes on as the original does; a state without anything held lets go."""
    sim = _moved(engine, (0.2, 0.0, 0.5), holds=True)
    kept = sim.snapshot()
    other = _moved(engine, (0.0, 0.0, 1.0), holds=False)
    nothing = other.snapshot()
    other.restore(kept)
    sim.step(2)
    other.step(2)
    assert other.snapshot().to_bytes() == sim.snapshot().to_bytes()
    sim.restore(kept)
    sim.restore(nothing)
    sim.step()
    assert sim["body"].linear_velocity[2] == pytest.approx(-G * H, rel=1e-9)


def test_what_sleeps_has_no_contacts_to_keep() -> None:
    """Bodies sleep after a second of rest."""
    sim = sim_of(FLOOR + body(BALL, REST))
    sim.run(2.0)
    ball = sim.link_names.index("body")
    assert sim.is_asleep(ball)
    hold_contacts(sim, ball)
    sim["body"].set_pose((0.0, 0.0, 1.0), UPRIGHT)
    sim.step()
    assert sim["body"].linear_velocity[2] == pytest.approx(-G * H, rel=1e-9)


def test_other_bodies_collide_where_they_are() -> None:
    """One ball is moved away from below another: that one still lies on it for a step, then falls."""
    upper = body(BALL, "0 0 0.2999").replace('"body"', '"upper"')
    sim = sim_of(FLOOR + body(BALL, REST) + upper, world=AWAKE)
    sim.step(5)
    before = float(sim["upper"].linear_velocity[2])
    hold_contacts(sim, sim.link_names.index("body"))
    sim["body"].set_pose((5.0, 0.0, 0.1), UPRIGHT)
    sim.step()
    # the contact bears nearly all of it; the free fall of a step would be 0.078 m/s
    assert abs(float(sim["upper"].linear_velocity[2]) - before) < 0.01
    falling = float(sim["upper"].linear_velocity[2])
    sim.step()
    assert float(sim["upper"].linear_velocity[2]) - falling == pytest.approx(-G * H, rel=1e-9)


def test_a_reset_forgets_what_was_held() -> None:
    """The first step after it is that of the start."""
    sim = _moved("native", (0.0, 0.0, 1.0), holds=True)
    sim.reset()
    sim["body"].set_pose((0.0, 0.0, 1.0), UPRIGHT)
    sim.step()
    assert sim["body"].linear_velocity[2] == pytest.approx(-G * H, rel=1e-9)
