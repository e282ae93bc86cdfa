"""Keys fly and drive robots by our versions of the controllers that their PROTOs name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.control.client.controller.keyboard import Keyboard
from tests.standins.driving import AIR, FLOOR, MECANUM, Drive, heading

UP, DOWN, LEFT, RIGHT = Keyboard.UP, Keyboard.DOWN, Keyboard.LEFT, Keyboard.RIGHT
SHIFT = Keyboard.SHIFT
AHEAD, ASIDE, ABOVE, TURN = range(4)


@dataclass(frozen=True)
class Ride:
    """A robot that runs its default controller, on a floor."""

    node: str
    name: str
    start: float = 0.0
    """When keys are pressed [s]: when it has taken off or begins to drive."""
    step_ms: float = 32
    info: str = ""

    def track(
        self, folder: Path, seconds: float, keys: Mapping[float, Sequence[int]] | None = None
    ) -> np.ndarray:
        """Return x, y and z [m] and the turn to the left [rad] after each step."""
        track: list[list[float]] = []

        def watch(sim: sb.Sim) -> None:
            link = sim[self.name]
            track.append([*link.position, heading(link.orientation)])

        drive = Drive(folder, FLOOR + self.node, step_ms=self.step_ms, info=self.info)
        drive.run("", seconds, watch, keys=keys)
        states = np.array(track)
        states[:, TURN] = np.unwrap(states[:, TURN])
        return states


MAVIC = Ride("Mavic2Pro { translation 0 0 0.07 }", "Mavic 2 PRO", 8, 8, AIR)
CRAZYFLIE = Ride("Crazyflie { }", "Crazyflie", 7, 8)
THYMIO = Ride("Thymio2 { }", "Thymio II")
BB8 = Ride("BB-8 { }", "BB-8")
TIAGO = Ride("Tiago { }", "TIAGo", step_ms=16)
TIAGO_BASE = Ride("TiagoBase { }", "TIAGo Base", step_ms=16)
ROBOTINO = Ride("Robotino3 { }", "Robotino 3", 2.1)
YOUBOT = Ride("Youbot { }", "youBot", step_ms=16, info=MECANUM)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ride", "key", "axis", "least"),
    [
        (MAVIC, UP, AHEAD, 1.5),
        (MAVIC, DOWN, AHEAD, -1.0),  # it drifts ahead at 7 cm/s
        (MAVIC, LEFT, TURN, 1.5),
        (MAVIC, SHIFT + RIGHT, ASIDE, -0.5),
        (MAVIC, SHIFT + UP, ABOVE, 1.0),
        (CRAZYFLIE, DOWN, AHEAD, -1.0),  # at 0.5 m/s, less the time that it needs to lean
        (CRAZYFLIE, LEFT, ASIDE, 1.0),
        (CRAZYFLIE, ord("E"), TURN, -2.0),  # at 1 rad/s
        (CRAZYFLIE, ord("W"), ABOVE, 0.2),  # at 0.1 m/s
        (THYMIO, UP, AHEAD, 0.2),  # at 4 rad/s x 21 mm
        (THYMIO, RIGHT, TURN, -2.0),  # at 4 rad/s x 21 mm / 57.5 mm, the outer edges of its wheels
        (BB8, DOWN, AHEAD, -2.0),  # at 4 rad/s x 0.25 m
        (TIAGO, UP, AHEAD, 0.8),  # up to 7 rad/s x 98.5 mm at 5 rad/s2
        (TIAGO_BASE, LEFT, TURN, 3.0),  # up to 7 rad/s x 98.5 mm / 202 mm
        (ROBOTINO, LEFT, ASIDE, 0.6),  # at 0.25 m/s
        (ROBOTINO, Keyboard.PAGEDOWN, TURN, -1.5),  # at 0.6 rad/s
        (YOUBOT, UP, AHEAD, 0.4),  # at 4 rad/s x 50 mm
        (YOUBOT, RIGHT, ASIDE, -0.3),
        (YOUBOT, Keyboard.PAGEUP, TURN, 0.5),
    ],
)
def test_keys_move_robots(tmp_path: Path, ride: Ride, key: int, axis: int, least: float) -> None:
    """In the three seconds that they are held."""
    track = ride.track(tmp_path, ride.start + 3, {ride.start: [key]})
    moved = track[-1] - track[round(1000 * ride.start / ride.step_ms)]
    assert moved[axis] / least > 1, moved


@pytest.mark.slow
def test_mavic_takes_off_and_hovers_by_itself(tmp_path: Path) -> None:
    """At 1 m; that program has no gain for the speed of climbing, its height swings for 12 s."""
    track = MAVIC.track(tmp_path, 20)
    assert np.abs(track[round(12 / 0.008) :, ABOVE] - 1.0).max() < 0.1


def test_crazyflie_takes_off_and_hovers_by_itself(tmp_path: Path) -> None:
    track = CRAZYFLIE.track(tmp_path, 10)
    assert np.abs(track[round(7 / 0.008) :, :3] - [0.0, 0.0, 1.0]).max() < 0.05


def test_thymio_stands_without_keys(tmp_path: Path) -> None:
    assert np.abs(THYMIO.track(tmp_path, 2)[-1]).max() < 0.001


def test_bb8_rolls_in_bends_by_itself_until_keys_stop_it(tmp_path: Path) -> None:
    """At 1 m/s from the second on; it sways a little where it is stopped."""
    track = BB8.track(tmp_path, 10, {6: [ord(" ")]})
    second = round(1 / 0.032)
    assert np.linalg.norm(track[second - 1, :2]) < 0.01
    assert track[6 * second, AHEAD] > 4.0
    assert track[6 * second, ASIDE] > 0.5
    assert np.linalg.norm(track[-1, :2] - track[-second, :2]) < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["Lite", "Iron", "Steel", "Titanium", "pp"])
def test_all_tiagos_have_a_program(tmp_path: Path, kind: str) -> None:
    """It complains about no device that one of them lacks."""
    Drive(tmp_path, FLOOR + f"Tiago{kind} {{ }}").run("", 0.2)


def test_tiago_waves(tmp_path: Path) -> None:
    """About -0.3 rad, by less than 0.3 rad to each side: it turns no faster than 1.76 / 2 rad/s."""
    angles: list[float] = []
    drive = Drive(tmp_path, FLOOR + "Tiago { }")
    drive.run("", 5, lambda sim: angles.append(sim.joint("arm_6_joint").position))
    waving = angles[round(2 / 0.016) :]
    assert np.mean(waving) == pytest.approx(-0.3, abs=0.05)
    assert 0.3 < np.ptp(waving) < 0.6
    assert drive.sim.joint("arm_4_joint").position == pytest.approx(1.27, abs=0.02)


def test_youbot_moves_its_arm_between_places_by_keys(tmp_path: Path) -> None:
    """It folds it; two presses bring it to the plate before it, further ahead."""
    ride = Ride("Youbot { }", "arm5", step_ms=16)
    lower = [SHIFT + DOWN]
    track = ride.track(tmp_path, 6, {2.5: lower, 2.6: [], 2.7: lower, 2.8: []})
    start, folded, end = track[0], track[round(2.4 / 0.016)], track[-1]
    assert folded[ABOVE] < start[ABOVE] - 0.2
    assert folded[AHEAD] == pytest.approx(start[AHEAD], abs=0.05)
    assert end[AHEAD] > folded[AHEAD] + 0.15
