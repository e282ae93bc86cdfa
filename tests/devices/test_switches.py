"""Devices of Choreonoid that hold a state: switches, digital lines, a point, rotors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.devices.actuators.rotors import Rotors
from solidbody.devices.actuators.switches import DigitalIos, ZmpDevices
from solidbody.devices.core.errors import DeviceError

ROBOT = """
format: ChoreonoidBody
format_version: 2.0
name: robot
links:
  - name: BASE
    joint_type: free
    translation: [ 0, 0, 5 ]
    mass: 2.0
    inertia: [ 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1 ]
    elements:
%s
"""


def _sim(folder: Path, *devices: str) -> sb.Sim:
    lines = "\n".join(f"      - {{ {device} }}" for device in devices)
    (folder / "robot.body").write_text(ROBOT % lines)
    return sb.Sim(sb.load(folder / "robot.body"))


@pytest.mark.parametrize(
    "device",
    [
        "type: SmokeDevice",
        "type: FireDevice",
        "type: FountainDevice",
        "type: RainDevice",
        "type: SnowDevice",
        "type: MarkerDevice",
        "type: Conveyor, speed: 0.5",
        "type: SpotLight",
        "type: PointLight",
        "type: Camera, format: COLOR, width: 4, height: 4",
        "type: RangeSensor, yaw_range: 10, yaw_step: 1",
    ],
)
@pytest.mark.parametrize("start", [True, False])
def test_switches_are_read_and_written(tmp_path: Path, device: str, start: bool) -> None:
    """As in the file at first, then as the program says, and as in the file again after a reset."""
    sim = _sim(tmp_path, f"{device}, name: D, on: {str(start).lower()}")
    handle = sim.device("D")
    assert handle.is_on is start
    handle.is_on = not start
    sim.step(3)
    assert handle.is_on is not start
    sim.reset()
    assert handle.is_on is start


def test_a_camera_that_is_turned_on_delivers_one_cycle_later(tmp_path: Path) -> None:
    """Off it has no picture; turning off forgets the picture."""
    camera = "type: Camera, name: C, format: COLOR, width: 4, height: 4, frame_rate: 100, on: false"
    sim = _sim(tmp_path, camera)
    handle = sim.device("C")
    sim.step(30)
    before = handle.value
    handle.is_on = True
    sim.step(20)
    picture = handle.value
    handle.is_on = False
    after = handle.value
    assert (before, picture.shape, after) == (None, (4, 4, 3), None)


def test_a_sensor_without_a_switch_says_so(tmp_path: Path) -> None:
    """And how it is stopped instead."""
    sim = _sim(tmp_path, "type: RateGyroSensor, name: G")
    with pytest.raises(DeviceError, match="has no switch; enable\\(\\) and disable\\(\\)"):
        _ = sim.device("G").is_on


def test_digital_lines_are_read_and_written_and_switch_devices(tmp_path: Path) -> None:
    """Input 3 is connected to the smoke; outputs do nothing by themselves."""
    sim = _sim(
        tmp_path,
        "type: SmokeDevice, name: SMOKE, on: false",
        "type: DigitalIO, name: IO, num_signal_lines: 8, "
        "input_to_device_switch_connections: [ [ 3, SMOKE ] ]",
    )
    box, smoke = sim.device("IO"), sim.device("SMOKE")
    group, row = box.group, box.row
    assert isinstance(group, DigitalIos)
    group.set_output(row, 5, True)
    assert box.value.tolist() == [k == 5 for k in range(8)]
    group.set_input(row, 2, True)
    assert not smoke.is_on
    group.set_input(row, 3, True)
    assert smoke.is_on
    assert group.input(row, 3)
    group.set_input(row, 3, False)
    assert not smoke.is_on
    with pytest.raises(DeviceError, match='"IO" has lines 0 to 7, got 8'):
        group.set_output(row, 8, True)
    sim.reset()
    assert not box.value.any()


def test_a_line_that_switches_nothing_is_told(tmp_path: Path) -> None:
    """With the name that was meant; the lines work on."""
    sim = _sim(
        tmp_path,
        "type: SmokeDevice, name: SMOKE",
        "type: RateGyroSensor, name: GYRO",
        "type: DigitalIO, name: IO, num_signal_lines: 4, "
        "input_to_device_switch_connections: [ [ 1, SMOK ], [ 2, GYRO ] ]",
    )
    box = sim.device("IO")
    assert isinstance(box.group, DigitalIos)
    assert [item.text for item in sim.device_messages] == [
        'input 1 is to switch "SMOK", which is no device of robot; nothing happens. '
        'Did you mean "SMOKE"?',
        'input 2 is to switch "GYRO", which has no switch; nothing happens.',
    ]
    box.group.set_input(box.row, 1, True)
    sim.step()
    assert box.group.input(box.row, 1)


def test_a_zero_moment_point_is_what_was_written(tmp_path: Path) -> None:
    """The origin at first."""
    sim = _sim(tmp_path, "type: ZmpDevice, name: ZMP")
    zmp = sim.device("ZMP")
    assert zmp.value.tolist() == [0.0, 0.0, 0.0]
    assert isinstance(zmp.group, ZmpDevices)
    zmp.group.set(zmp.row, (0.1, -0.2, 0.0))
    sim.step()
    assert zmp.value.tolist() == [0.1, -0.2, 0.0]


def test_a_rotor_pushes_as_told_within_its_range(tmp_path: Path) -> None:
    """2 kg: 19.6133 N carries it (g = 9.80665); 100 N asked, 30 N allowed: (30 - 19.6133)/2 m/s^2."""
    sim = _sim(
        tmp_path,
        "type: RotorDevice, name: L, value_range: [ 0, 30 ], torque_range: [ -1, 1 ]",
        "type: RotorDevice, name: R, value: 3, torque: 0.5",
    )
    left, right = sim.device("L"), sim.device("R")
    rotors = left.group
    assert isinstance(rotors, Rotors)
    assert right.value.tolist() == [3.0, 0.5]
    rotors.set(left.row, 100.0, 5.0)
    rotors.set(right.row, 0.0, 0.0)
    assert left.value.tolist() == [30.0, 1.0]
    sim.step(10)
    weight = -2.0 * float(np.array(sim.scene.physics.gravity)[2])
    # semi-implicit: ten equal steps of a constant force
    assert sim["BASE"].linear_velocity[2] == pytest.approx((30.0 - weight) / 2.0 * 0.01, rel=1e-9)
    assert sim["BASE"].angular_velocity[2] == pytest.approx(-1.0 / 0.1 * 0.01, rel=1e-6)
    sim.reset()
    assert left.value.tolist() == [0.0, 0.0]
    sim.step()
    assert sim["BASE"].linear_velocity[2] == pytest.approx((3.0 - weight) / 2.0 * 0.001, rel=1e-9)
