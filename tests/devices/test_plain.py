"""Plain sensors are read in one native call: the same values as their groups give, at the same steps."""

from __future__ import annotations

import numpy as np
import pytest

import solidbody as sb
from tests.devices.worlds import sim_of

KINDS = ("Accelerometer", "Gyro", "InertialUnit", "GPS", "Compass", "Altimeter")

NAMES = [kind.lower() for kind in KINDS]


def _world(*, extra: str = "") -> str:
    """A tumbling robot with one sensor of each kind, off its centre and turned, and an arm."""
    sensors = " ".join(
        f'{kind} {{ name "{kind.lower()}" translation 0.1 0.2 -0.05 rotation 1 2 3 0.7 {extra} }}'
        for kind in KINDS
    )
    arm = (
        "HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 } "
        'device [ PositionSensor { name "p" } ] '
        "endPoint Solid { translation 0.3 0 0 boundingObject Sphere { radius 0.05 } "
        "physics Physics { density -1 mass 0.5 } } }"
    )
    body = "physics Physics { density -1 mass 1 centerOfMass [ 0.05 0 0 ] }"
    return (
        f"Robot {{ translation 0 0 2 children [ {sensors} {arm} ] "
        "linearVelocity 1 2 3 angularVelocity 3 2 1 "
        f"boundingObject Sphere {{ radius 0.1 }} {body} }}"
    )


def _values(sim: sb.Sim, names: list[str], steps: int) -> list[np.ndarray]:
    for name in names:
        sim.device(name).enable()
    out: list[np.ndarray] = []
    for _ in range(steps):
        sim.step()
        out.append(np.concatenate([sim.device(name).values for name in names]))
    return out


@pytest.mark.parametrize("extra", ["", "resolution 0.001"])
def test_one_call_reads_what_the_groups_read(monkeypatch: pytest.MonkeyPatch, extra: str) -> None:
    """Rounding apart, for every kind; a resolution makes a sensor one that only its group can read."""
    names = [*NAMES, "p"]
    fast = _values(sim_of(_world(extra=extra)), names, 20)
    monkeypatch.setattr(sb.Sim, "can_sense", lambda *_: False)
    slow = _values(sim_of(_world(extra=extra)), names, 20)
    # differences of velocities over 8 ms lose three digits of sixteen
    assert np.array(fast) == pytest.approx(np.array(slow), rel=1e-10, abs=1e-10)
    assert np.isfinite(fast).all()


def test_links_that_programs_move_are_read_by_the_groups() -> None:
    """A robot without physics at (1, 2, 3) m/s beside one with it: MuJoCo takes the first for static."""
    moved = 'Robot { name "moved" linearVelocity 1 2 3 children [ GPS { name "g" } ] }'
    sim = sim_of(_world() + moved)
    for name in (*NAMES, "g"):
        sim.device(name).enable()
    sim.step(125)
    assert sim.device("g").values == pytest.approx(
        [1.0, 2.0, 3.0, np.sqrt(14.0), 1.0, 2.0, 3.0], abs=1e-9
    )
    assert sim.device("gyro").value @ sim.device("gyro").value > 1.0


def test_devices_may_come_and_go_between_samples() -> None:
    """Periods of one step, then of two, then of one again: each is sampled when it should be."""
    sim = sim_of(_world())
    gyro, compass = sim.device("gyro"), sim.device("compass")
    rows = [sim.devices.names[name].index for name in ("gyro", "compass")]
    gyro.enable()

    def sampled() -> list[int]:
        sim.step()
        return [int(sim.devices.clock.last[row] == sim.step_count) for row in rows]

    assert [sampled()[0] for _ in range(3)] == [1, 1, 1]
    compass.enable(0.016)
    assert [sampled() for _ in range(4)] == [[1, 0], [1, 1], [1, 0], [1, 1]]
    gyro.disable()
    assert [sampled()[1] for _ in range(4)] == [0, 1, 0, 1]
    compass.disable()
    assert sampled() == [0, 0]
    gyro.enable()
    compass.enable()
    assert [sampled() for _ in range(2)] == [[1, 1], [1, 1]]
    sim.reset()
    assert [sampled() for _ in range(2)] == [[1, 1], [1, 1]]
