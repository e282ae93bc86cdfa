"""Motion files: versions, forms of frames and poses, and what is wrong with bad ones."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.limits import MAX_MOTION_NUMBERS
from solidbody.control.io_body import BodyMotion, getZMPSeq
from solidbody.formats.choreonoid.motion.sequences import (
    JOINTS,
    LINKS,
    ZMP,
    BodyMotionFile,
    read_motion,
)

HEAD = "type: CompositeSeq\ncontent: BodyMotion\nformat_version: 4\nframe_rate: 100\ncomponents:\n"
VALUES = "  -\n    type: MultiValueSeq\n    content: JointDisplacement\n    num_parts: 2\n"
FRAMES = "    frames:\n      - [ 0, 1.5 ]\n      - [ 1e-1, -2 ]\n"


def _read(text: str) -> tuple[BodyMotionFile | None, list[str]]:
    log = DiagnosticLog()
    return read_motion(text, "m.seq", log), [str(item) for item in log]


def _motion(text: str) -> BodyMotionFile:
    found, messages = _read(text)
    assert found is not None, messages
    assert messages == []
    return found


def test_frames_are_read_as_written() -> None:
    """Block lists of flow lists, as the program writes them, or flow lists throughout."""
    for frames in (
        FRAMES,
        "    frames: [ [ 0, 1.5 ], [ 1e-1, -2 ] ]\n",
        FRAMES.replace("\n", "\r\n"),
    ):
        found = _motion(HEAD + VALUES + frames)
        assert found.frame_rate == 100.0
        assert found.sequences[JOINTS].values.tolist() == [[0.0, 1.5], [0.1, -2.0]]


@pytest.mark.parametrize(
    ("version", "whole", "joints"),
    [
        (1, "BodyMotion", "JointPosition"),
        (2, "CompositeSeq", "JointDisplacement"),
        (3, "CompositeSeq", "MultiJointDisplacementSeq"),
        (4, "CompositeSeq", "JointDisplacement"),
    ],
)
def test_every_version_has_words_of_its_own(version: int, whole: str, joints: str) -> None:
    """Version 1 says `purpose` and formatVersion in capitals; parts inherit the frame rate."""
    word = "purpose" if version == 1 else "content"
    text = (
        f"type: {whole}\nformatVersion: {version}\nframeRate: 500\ncomponents:\n  -\n"
        f"    type: MultiValueSeq\n    {word}: {joints}\n    numParts: 2\n{FRAMES}"
    )
    found = _motion(text)
    assert found.frame_rate == 500.0
    assert found.sequences[JOINTS].values.shape == (2, 2)


@pytest.mark.parametrize(
    ("order", "numbers"),
    [
        ("XYZQWQXQYQZ", "1, 2, 3, 0.5, 0.5, 0.5, 0.5"),
        ("XYZQXQYQZQW", "1, 2, 3, 1, 1, 1, 1"),
        ("XYZRPY", f"1, 2, 3, {math.pi / 2}, 0, {math.pi / 2}"),
    ],
)
def test_poses_come_in_three_orders(order: str, numbers: str) -> None:
    """A third of a turn about the diagonal; quaternions of any length."""
    text = HEAD + (
        f"  -\n    type: MultiSE3Seq\n    content: LinkPosition\n    num_parts: 1\n    SE3Format: {order}\n"
        f"    frames:\n      - [ [ {numbers} ] ]\n"
    )
    (pose,) = _motion(text).sequences[LINKS].values[0].tolist()
    assert pose == pytest.approx([1, 2, 3, 0.5, 0.5, 0.5, 0.5])


def test_a_zmp_may_be_relative_to_the_root() -> None:
    """By its flag, or by its old name."""
    part = "  -\n    type: Vector3Seq\n    content: %s\n%s    frames:\n      - [ 1, 2, 3 ]\n"
    for name, flag, expected in (
        ("ZMP", "", False),
        ("ZMP", "    is_root_relative: true\n", True),
        ("RelativeZmp", "", True),
    ):
        found = _motion(HEAD + VALUES + FRAMES + part % (name, flag))
        assert found.sequences[ZMP].values.tolist() == [[1.0, 2.0, 3.0]]
        assert found.sequences[ZMP].is_root_relative is expected


def test_frames_with_times_stay_until_the_next() -> None:
    """0.03 s at 100 frames a second is the fourth frame."""
    text = (
        HEAD
        + VALUES
        + "    has_frame_time: true\n    frames:\n      - [ 0, 1, 2 ]\n      - [ 0.031, 3, 4 ]\n"
    )
    assert _motion(text).sequences[JOINTS].values.tolist() == [[1, 2], [1, 2], [1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + VALUES + FRAMES.replace("-2", "nan"), 'expected a finite number, got "nan".'),
        (HEAD + VALUES + FRAMES.replace("-2", "1e999"), "a number is too large."),
        (HEAD + VALUES + FRAMES.replace("-2", "--2"), "expected numbers with commas between them."),
        (HEAD + VALUES + FRAMES.replace(", -2", ""), "this frame has 1 numbers, the first one 2."),
        (
            HEAD + VALUES.replace("2", "3") + FRAMES,
            "expected 3 numbers in each frame, got 2.",
        ),
        (HEAD + VALUES + "    frames: [ [ 1 ] ]\n", "expected 2 numbers in each frame, got 1."),
        (HEAD + VALUES, "frames must be given, as a list."),
        (HEAD + VALUES + "    frames: []\n", "there is no frame."),
        (HEAD + VALUES.replace("2", "0") + FRAMES, "a frame has one value at least, got 0."),
        (HEAD.replace("100", "-5") + VALUES + FRAMES, "expected a number above 0, got -5."),
        (HEAD.replace("frame_rate: 100\n", "") + VALUES + FRAMES, "frames a second must be given."),
        (HEAD.replace("4", "5") + VALUES + FRAMES, "version 5 of motions is not known"),
        (HEAD.replace("Composite", "Other"), 'expected the type "CompositeSeq" in version 4'),
        (HEAD + VALUES.replace("MultiValueSeq", "Words") + FRAMES, "expected MultiValueSeq, "),
        (HEAD + VALUES.replace("JointD", "D") + FRAMES, "this one has none."),
        (
            HEAD + VALUES + "    has_frame_time: true\n    frames:\n      - [ 9e9, 1, 2 ]\n",
            "times must be 0 or more, and frames have 10,000,000 numbers at most.",
        ),
        ("- 1\n", "expected a mapping with components."),
        ("a: [", "this is not YAML"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, message: str) -> None:
    """Nothing comes of it."""
    found, messages = _read(text)
    assert found is None
    assert any(message in item for item in messages), messages
    assert messages[0].startswith("m.seq:")


def test_lines_of_messages_are_those_of_the_file() -> None:
    """Although the frames are cut out before the rest is read."""
    text = HEAD + VALUES + FRAMES + VALUES + FRAMES.replace("-2", "x")
    _, messages = _read(text)
    assert messages[0].startswith("m.seq:19:17: error: components.frames: expected a number"), (
        messages
    )


@pytest.mark.slow
def test_a_motion_has_a_greatest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted over all of its sequences, without keeping what is too much."""
    assert MAX_MOTION_NUMBERS >= 1_000_000
    monkeypatch.setattr("solidbody.formats.choreonoid.motion.frames.MAX_MOTION_NUMBERS", 1000)
    rows = "      - [ 0, 1 ]\n" * 300
    found, messages = _read(HEAD + (VALUES + "    frames:\n" + rows) * 2)
    assert found is None
    assert "motions of more than 1,000 numbers are not read." in messages[0]


def test_programs_load_motions_by_the_names_of_choreonoid(tmp_path: Path) -> None:
    """Frames, clamped frames, parts and times; a file that is not there is told, not raised."""
    path = tmp_path / "m.seq"
    zmp = "  -\n    type: Vector3Seq\n    content: ZMP\n    frames:\n      - [ 1, 2, 3 ]\n"
    path.write_text(HEAD + VALUES + FRAMES + zmp)
    motion = BodyMotion()
    assert motion.load(path) and motion.seqMessage() == ""
    motion.updateJointPosSeqWithBodyStateSeq()
    joints = motion.jointPosSeq()
    assert (motion.numFrames(), motion.numJoints(), motion.frameRate()) == (2, 2, 100.0)
    assert (joints.numFrames(), joints.numParts(), joints.timeStep()) == (2, 2, 0.01)
    assert joints.frame(1).tolist() == [0.1, -2.0] and joints.at(1, 0) == 0.1
    assert (joints.clampedFrame(9) == joints.frame(1)).all()
    assert (joints.clampedFrame(-9) == joints.frame(0)).all()
    assert joints.part(1).tolist() == [1.5, -2.0]
    assert (joints.frameOfTime(0.015), joints.timeOfFrame(1)) == (1, 0.01)
    found = getZMPSeq(motion)
    assert found is not None and found[0].tolist() == [1.0, 2.0, 3.0]
    assert not motion.load(tmp_path / "none.seq")
    assert "no such file" in motion.seqMessage()
    assert motion.numFrames() == 0
    assert isinstance(joints.values, np.ndarray)
