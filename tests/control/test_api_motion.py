"""Motions: `.motion` files that move motors."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.control.projects import Project

WAVE = """\
#WEBOTS_MOTION,V1.0,motor, ghost
00:00:000,Pose1,0.0,1.0
00:00:016,Pose2, 0.16, *,
00:00:032,Pose3,0.0,1.0
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_a_motion_moves_motors_while_the_robot_steps(project: Project) -> None:
    """Positions between two poses are interpolated; a motor that there is not is named."""
    out = project.exercise(
        """
        motion, motor = Motion("wave.motion"), robot.getDevice("motor")
        out["first"] = [motion.isValid(), motion.getDuration(), motion.duration, motion.getTime(),
            motion.isOver()]
        motion.play()
        targets = []
        for _ in range(7):
            robot.step(8)
            targets.append([motion.getTime(), motor.getTargetPosition(), motion.isOver()])
        out["targets"] = targets
        """,
        wave__motion=WAVE,
    )
    assert out["first"] == [True, 32, 32, 0, False]
    times = [time for time, _, _ in out["targets"]]
    assert times == [8, 16, 24, 32, 32, 32, 32]
    goals = [goal for _, goal, _ in out["targets"]]
    # sent before each step: at 0, 8, 16, 24 and 32 ms
    assert goals == pytest.approx([0, 0.08, 0.16, 0.08, 0, 0, 0])
    assert [over for _, _, over in out["targets"]] == [False] * 3 + [True] * 4
    assert '"ghost" is no device of this robot; left out' in "\n".join(project.errors())


def test_motions_stop_loop_reverse_and_jump(project: Project) -> None:
    """As Webots plays them: an end is reached, shown, and left at the next step."""
    out = project.exercise(
        """
        motion = Motion("wave.motion")
        def played(count):
            seen = []
            for _ in range(count):
                robot.step(8)
                seen.append(motion.getTime())
            return seen
        motion.setLoop(True)
        motion.play()
        out["loop"] = played(6)
        motion.stop()
        out["stopped"] = played(2)
        motion.setLoop(False)
        motion.setReverse(True)
        motion.setTime(24)
        motion.play()
        out["reverse"] = played(5)
        out["over"] = motion.isOver()
        motion.play()
        out["from the other end"] = played(1)
        motion.time = 1000
        out["clamped"] = [motion.time]
        motion.setTime(-5)
        out["clamped"].append(motion.getTime())
        """,
        wave__motion=WAVE,
    )
    assert out["loop"] == [8, 16, 24, 32, 0, 8]
    assert out["stopped"] == [8, 8]
    assert out["reverse"] == [16, 8, 0, 0, 0] and out["over"] is True
    assert out["from the other end"] == [24]
    assert out["clamped"] == [32, 0]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", 'line 1: expected "#WEBOTS_MOTION,V1.0"'),
        ("#WEBOTS_MOTION,V2.0,motor\\n", "line 1: version V2.0 is not known"),
        ("#WEBOTS_MOTION,V1.0,motor\\n", "needs at least one motor and one pose"),
        ("#WEBOTS_MOTION,V1.0,motor\\n1:2:3:4,P,0\\n", "line 2: expected a time"),
        ("#WEBOTS_MOTION,V1.0,motor\\n0,P,zero\\n", 'line 2: expected a number or "*", got "zero"'),
        (
            "#WEBOTS_MOTION,V1.0,motor\\n0,P,1,2\\n",
            "line 2: expected a time, a name and 1 positions",
        ),
        ("#WEBOTS_MOTION,V1.0,motor\\n8,P,1\\n8,Q,1\\n", "line 3: the time 8 is not after"),
    ],
)
def test_a_broken_file_is_no_motion(project: Project, text: str, problem: str) -> None:
    """What is wrong is said with its line, and the robot goes on."""
    out = project.exercise(
        """
        motion = Motion("broken.motion")
        motion.play()
        out["valid"] = [motion.isValid(), motion.getDuration(), robot.step(8)]
        out["missing"] = Motion("nothing.motion").isValid()
        """,
        broken__motion=text.replace("\\n", "\n"),
    )
    assert out["valid"] == [False, 0, 0] and out["missing"] is False
    assert problem in "\n".join(project.errors())
