"""Key poses: the curves between them by the original's rules, and what is wrong with bad files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.choreonoid.motion.key_poses import PoseSequence, load_key_poses
from solidbody.formats.choreonoid.motion.values import KeyPose

RATE = 100.0


def _pose(time: float, q: float | None, *, transition: float = 0.0, rests: bool = False) -> KeyPose:
    joints = {} if q is None else {0: q}
    return KeyPose(time, transition, joints, frozenset({0} if rests else ()), {})


def _path(*poses: KeyPose) -> np.ndarray:
    frames = PoseSequence("", poses).frames(RATE, 1)
    assert frames is not None
    return frames[:, 0]


def _cubic(t: np.ndarray, y0: float, y1: float, v0: float = 0.0, v1: float = 0.0) -> np.ndarray:
    """Hermite's cubic from 0 to 1 s."""
    return (
        y0 * (2 * t**3 - 3 * t**2 + 1)
        + v0 * (t**3 - 2 * t**2 + t)
        + y1 * (3 * t**2 - 2 * t**3)
        + v1 * (t**3 - t**2)
    )


T = np.arange(101) / RATE


def test_two_poses_are_joined_by_a_cubic_at_rest_at_both_ends() -> None:
    """3 s^2 - 2 s^3."""
    path = _path(_pose(0.0, 1.0), _pose(1.0, 3.0))
    assert path == pytest.approx(1.0 + 2.0 * (3 * T**2 - 2 * T**3))


def test_a_pose_on_the_way_is_passed_at_the_mean_speed() -> None:
    """Of 1 and 3 per second; where the file says so, it is at rest."""
    path = _path(_pose(0.0, 0.5), _pose(1.0, 1.5), _pose(2.0, 4.5))
    assert path[:101] == pytest.approx(_cubic(T, 0.5, 1.5, v1=2.0))
    assert path[100:] == pytest.approx(_cubic(T, 1.5, 4.5, v0=2.0))
    path = _path(_pose(0.0, 0.5), _pose(1.0, 1.5, rests=True), _pose(2.0, 4.5))
    assert path[:101] == pytest.approx(_cubic(T, 0.5, 1.5))


@pytest.mark.parametrize("last", [0.5, 1.5005])
def test_a_joint_rests_where_it_turns_back_or_hardly_moves(last: float) -> None:
    """Within 1 mrad on one side."""
    path = _path(_pose(0.0, 0.5), _pose(1.0, 1.5), _pose(2.0, last))
    assert path[:101] == pytest.approx(_cubic(T, 0.5, 1.5))


def test_a_way_takes_no_longer_than_its_pose_says() -> None:
    """Until then the joint stays where it was."""
    path = _path(_pose(0.0, 0.5), _pose(3.0, 1.5, transition=1.0))
    assert path[:201] == pytest.approx(0.5)
    assert path[200:] == pytest.approx(_cubic(T, 0.5, 1.5))


def test_joints_have_poses_of_their_own() -> None:
    """One that a pose does not name goes on; before its first pose it is there; without any it is at 0."""
    path = _path(_pose(0.0, None), _pose(1.0, 2.0), _pose(2.0, None), _pose(3.0, 4.0))
    assert path[:101] == pytest.approx(2.0)
    assert path[200] == pytest.approx(3.0)
    frames = PoseSequence("", (_pose(0.0, 1.0), _pose(1.0, 1.0))).frames(RATE, 2)
    assert frames is not None and (frames[:, 1] == 0.0).all()


def test_poses_at_one_time_are_a_jump() -> None:
    """Without a division by nothing."""
    path = _path(_pose(0.0, 0.5), _pose(0.5, 1.0), _pose(0.5, 2.0), _pose(1.0, 3.0))
    assert np.isfinite(path).all()
    assert (path[49], path[50]) == (pytest.approx(1.0, abs=0.1), pytest.approx(2.0))


def test_too_many_frames_are_none() -> None:
    """Instead of all the memory."""
    assert PoseSequence("", (_pose(0.0, 1.0), _pose(1e12, 1.0))).frames(RATE, 1) is None


HEAD = "type: PoseSeq\ntargetBody: Robot\nrefs:\n"
POSE = "  - { time: 0, refer: { type: Pose, joints: [ 0 ], q: [ 1 ]%s } }\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + POSE % "" + POSE.replace("[ 1 ]", "[ 1, 2 ]") % "", "2 positions for 1 joints."),
        (HEAD + POSE.replace("[ 1 ]", "[ .nan ]") % "", "expected a finite number"),
        (HEAD + POSE.replace("time: 0", "time: -1") % "", "time"),
        (HEAD.replace("PoseSeq", "Poses") + POSE % "", 'expected the type "PoseSeq", got "Poses".'),
        (
            HEAD + "  - { time: 0, refer: { type: PronunSymbol, symbol: a } }\n",
            "no poses of joints",
        ),
        (HEAD + "  - 3\n", "expected a mapping"),
        ("- 1\n", "expected a mapping with poses."),
        (
            HEAD + POSE % ", ikLinks: [ { name: A, translation: [ 0, 0, 1 ], rotation: "
            "[ 0, 0, 0, 0, 0, 0, 0, 0, 0 ] } ]",
            "these numbers are no rotation matrix.",
        ),
    ],
)
def test_what_is_wrong_with_poses_is_said(tmp_path: Path, text: str, message: str) -> None:
    """With its place."""
    path = tmp_path / "p.pseq"
    path.write_text(text)
    log = DiagnosticLog()
    load_key_poses(str(path), log)
    assert any(message in str(item) for item in log), [str(item) for item in log]
