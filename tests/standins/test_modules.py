"""Robots of our own that are neither wheeled nor legged: boats, modules and grippers by vacuum."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.standins.driving import FLOOR, Drive

POOL = """Fluid { description "water" name "fluid" density 1000
  boundingObject Box { size 40 40 4 } translation 0 0 -2 }
"""


@pytest.mark.parametrize(("right", "turns"), [(3, False), (-3, True)])
def test_heron_floats_and_its_propellers_drive_it(
    tmp_path: Path, right: float, turns: bool
) -> None:
    """Both ahead, it goes ahead; one ahead and one back, it turns where it is. Its hulls stay half out."""
    drive = Drive(tmp_path, POOL + 'Heron { controller "driver" }', step_ms=8)
    sim = drive.run(
        f"""
        left, right = wheels("left_motor", "right_motor")
        left.setVelocity(3)
        right.setVelocity({right})
        while robot.step(step) != -1:
            pass
        """,
        4,
    )
    boat = sim["heron"]
    x, _, z = (float(v) for v in boat.position)
    # a density of 400 kg/m^3: 2/5 of 165 mm of hull are in the water, and its middle is 50 mm below the frame
    assert z == pytest.approx(0.05 + (0.5 - 0.4) * 0.165, abs=0.02)
    turn = abs(float(boat.orientation[3]))
    assert (turn > 0.2, x > 0.5) == (turns, not turns)


def test_yamor_moves_its_lever(tmp_path: Path) -> None:
    """To a right angle, at the speed of its motor: 1.5708 rad / 3.9667 rad/s = 0.4 s."""
    drive = Drive(tmp_path, FLOOR + 'Yamor { translation 0 0 0.031 controller "driver" }')
    sim = drive.run(
        """
        robot.getDevice("motor").setPosition(1.5)
        while robot.step(step) != -1:
            pass
        """,
        1.5,
    )
    assert float(sim.joint_states()[0, 0]) == pytest.approx(1.5, abs=0.02)


def test_yamors_that_touch_hold_on_to_each_other(tmp_path: Path) -> None:
    """Two in a row are locked by their connectors: the second one hangs on the first as it swings."""
    rows = "".join(
        f'Yamor {{ translation {0.097 * k} 0 0.031 name "{k}" controller "driver" }}\n'
        for k in range(2)
    )
    drive = Drive(tmp_path, FLOOR + rows)
    sim = drive.run(
        """
        if robot.getName() == "0":
            robot.getDevice("motor").setPosition(1.2)
        while robot.step(step) != -1:
            pass
        """,
        2,
    )
    first, second = sim["0"].position, sim["1"].position
    gap = float(((first - second) ** 2).sum() ** 0.5)
    # 30 mm from the middle of the first to its joint, 67 mm on to that of the second, 1.2 rad bent
    assert gap == pytest.approx((0.03**2 + 0.067**2 + 2 * 0.03 * 0.067 * 0.3624) ** 0.5, abs=0.003)


def test_epick_lifts_a_box_with_its_slider(tmp_path: Path) -> None:
    """From a block, 1 mm deep in its cup, by the 10 mm that the slider has."""
    nodes = """
    Robot { name "arm" controller "driver" translation 0 0 0.5 rotation 0 1 0 3.141593 children [
      HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } device RotationalMotor { }
        endPoint Solid { children [ RobotiqEPickGripper { } ]
          boundingObject Box { size 0.01 0.01 0.001 } physics Physics { density -1 mass 0.1 } } } ] }
    WoodenBox { translation 0 0 0.314 size 0.1 0.1 0.1 mass 0.1 }
    SolidBox { translation 0 0 0.132 size 0.2 0.2 0.264 }
    """
    drive = Drive(tmp_path, FLOOR + nodes)
    sim = drive.run(
        """
        robot.getDevice("vacuum gripper").turnOn()
        robot.step(10 * step)
        robot.getDevice("ROBOTIQ EPick Gripper vacuum joint").setPosition(-0.01)
        while robot.step(step) != -1:
            pass
        """,
        2,
    )
    assert float(sim["wooden box"].position[2]) == pytest.approx(0.324, abs=0.002)
