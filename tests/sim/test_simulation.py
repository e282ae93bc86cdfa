"""Sim: time, names, commands, snapshots, statistics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solidbody.base.errors import NameLookupError
from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.motors import Motor
from solidbody.sim import Sim
from tests.physics import building as b


def falling(step: float = 0.008) -> Sim:
    """A labelled ball above a floor."""
    ball = b.free_body("ball", GeometrySphere(0.1), at=(0.0, 0.0, 1.0))
    link = replace(ball.links[0], label="BALL", path="top:ball")
    return Sim(b.scene(b.floor(), replace(ball, links=(link,)), step=step))


def driven(motor: Motor) -> Sim:
    """A wheel on a motor, bolted to the world."""
    joint = b.hinge("axle", (0.0, 0.0, 1.0), (0.0, 0.0, 1.0), motor=motor)
    link = b.jointed_link("wheel", GeometrySphere(0.1), joint, parent=None, at=(0.0, 0.0, 1.0))
    return Sim(b.scene(b.robot("r", link), step=0.008))


def test_run_takes_whole_steps_and_at_least_the_time() -> None:
    """2 s at 32 ms are 63 steps; exact multiples are not exceeded by rounding."""
    sim = falling(0.032)
    sim.run(2.0)
    assert sim.step_count == 63
    other = falling(0.008)
    other.run(2.0)
    assert other.step_count == 250
    assert other.time == pytest.approx(2.0, abs=1e-12)


def test_run_of_nothing_does_nothing() -> None:
    """Zero and negative durations."""
    sim = falling()
    sim.run(0.0)
    sim.run(-1.0)
    assert sim.step_count == 0


def test_links_are_found_by_name_label_and_path() -> None:
    """All three name the same link."""
    sim = falling()
    places = [sim[name].position for name in ("ball", "BALL", "top:ball")]
    assert (np.array(places) == places[0]).all()


def test_one_pose_is_the_row_of_all_poses() -> None:
    """To the last bit, and of the present step."""
    sim = falling()
    sim.run(0.1)
    assert [sim.pose(row).tolist() for row in range(len(sim.link_names))] == sim.poses().tolist()


def test_unknown_name_lists_the_known_ones() -> None:
    """The error is a KeyError, guesses the intent and shows what there is."""
    with pytest.raises(KeyError, match=r'no link is named "bal"\. Did you mean') as caught:
        falling()["bal"]
    assert isinstance(caught.value, NameLookupError)
    assert "ball" in caught.value.known
    with pytest.raises(NameLookupError, match="joint"):
        falling().joint("ball")


def test_reset_brings_the_first_state_back_bit_for_bit() -> None:
    """Also motor commands, time and statistics."""
    sim = driven(Motor("m"))
    first = sim.snapshot()
    sim.joint("axle").target_velocity = 3.0
    sim.step(50)
    sim.reset()
    assert sim.snapshot() == first
    assert (sim.time, sim.stats.steps) == (0.0, 0)


def test_snapshot_of_another_simulation_is_refused() -> None:
    """Sizes do not fit."""
    with pytest.raises(ValueError, match="does not belong"):
        falling().restore(driven(Motor("m")).snapshot())


def test_motor_holds_its_position_until_commanded() -> None:
    """A motor starts in position control at the position of the file."""
    sim = driven(Motor("m", max_effort=100.0))
    sim.step(100)
    assert sim.joint("axle").position == pytest.approx(0.0, abs=1e-9)


def test_target_velocity_is_reached_and_limited() -> None:
    """The joint turns at the commanded speed, not above the motor's limit."""
    sim = driven(Motor("m", max_velocity=5.0, max_effort=100.0))
    sim.joint("m").target_velocity = 3.0
    sim.step(10)
    # world CFM lets a motor row give way by cfm*torque; here no torque is needed
    assert sim.joint("axle").velocity == pytest.approx(3.0, abs=1e-6)
    sim.joint("m").target_velocity = 30.0
    assert sim.joint("m").target_velocity == 5.0


def test_target_position_is_approached_at_the_gain() -> None:
    """First order: the error shrinks by 1 - p*h per step once below the speed limit."""
    sim = driven(Motor("m", max_velocity=10.0, max_effort=1000.0))
    sim.joint("axle").target_position = 0.5
    errors = []
    for _ in range(40):
        sim.step()
        errors.append(0.5 - sim.joint("axle").position)
    assert np.array(errors[6:]) / errors[5:-1] == pytest.approx(1 - 10 * 0.008, rel=1e-3)


def test_target_position_stays_within_the_motors_range() -> None:
    """Soft limits clamp commands."""
    sim = driven(Motor("m", range=(-0.2, 0.2)))
    sim.joint("axle").target_position = 1.0
    assert sim.joint("axle").target_position == 0.2


def test_multiplier_scales_commands() -> None:
    """A mimic motor turns the other way at half the speed."""
    sim = driven(Motor("m", multiplier=-0.5, max_effort=100.0))
    sim.joint("axle").target_velocity = 4.0
    sim.step(10)
    assert sim.joint("axle").velocity == pytest.approx(-2.0, abs=1e-6)


def test_effort_gives_the_acceleration_of_newtons_law() -> None:
    """In effort control the motor only pushes, up to what is available."""
    sim = driven(Motor("m", max_effort=1.0))
    inertia = 0.4 * 1.0 * 0.1**2
    sim.joint("axle").effort = 0.02
    sim.step(10)
    assert sim.joint("axle").velocity == pytest.approx(0.02 / inertia * 0.08, rel=1e-9)


def test_joint_without_motor_refuses_commands() -> None:
    """The error names the joint."""
    joint = b.hinge("axle", (0.0, 0.0, 1.0), (0.0, 0.0, 1.0))
    link = b.jointed_link("wheel", GeometrySphere(0.1), joint, parent=None, at=(0.0, 0.0, 1.0))
    sim = Sim(b.scene(b.robot("r", link)))
    with pytest.raises(ValueError, match='joint "axle" has no motor'):
        sim.joint("axle").target_velocity = 1.0


def test_reading_poses_does_not_change_the_simulation() -> None:
    """A run that is watched gives the same bytes as one that is not."""
    boxes = [
        b.free_body(f"b{k}", GeometryBox((0.2, 0.2, 0.2)), at=(0.03 * k, 0.0, 0.2 + 0.25 * k))
        for k in range(4)
    ]
    scene = b.scene(b.floor(), *boxes, step=0.008)
    watched, alone = Sim(scene), Sim(scene)
    for _ in range(150):
        watched.step()
        watched.poses()
        watched.velocities()
        watched.joint_states()
    alone.step(150)
    assert watched.snapshot() == alone.snapshot()


def test_unknown_engine_is_refused() -> None:
    """The error names the engines."""
    with pytest.raises(ValueError, match="auto"):
        Sim(b.scene(b.floor()), engine="gpu")  # type: ignore[arg-type]


def test_empty_scene_runs() -> None:
    """Nothing moves, time passes."""
    sim = Sim(b.scene())
    sim.run(1.0)
    assert sim.poses().shape == (0, 7)
    assert sim.velocities().shape == (0, 6)
    assert sim.joint_states().shape == (0, 2)
