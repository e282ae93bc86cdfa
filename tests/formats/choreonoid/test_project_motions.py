"""Motions in projects: which one is played, from where, and what keeps one from being played."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.model.motions import PlayedMotion
from solidbody.model.scene import Scene
from tests.formats.choreonoid.projects import body, item, project, read, world

AIST = item("AISTSimulatorItem", "AIST", "gravity: [ 0, 0, 0 ]")
KINEMATIC = item("KinematicSimulatorItem", "Kinematics", "time_step: 0.001")
FRAMES = [(1e-4 * k, 0.5 + 2e-4 * k) for k in range(20)]
"""Of joint 0, which slides, and joint 1, which turns."""


def _write(folder: Path, name: str, rate: float = 1000.0, parts: int = 2, more: str = "") -> None:
    rows = "\n".join(f"      - {list((*frame, 0.0)[:parts])}" for frame in FRAMES)
    (folder / name).write_text(
        f"type: CompositeSeq\nformat_version: 4\nframe_rate: {rate}\ncomponents:\n  -\n"
        f"    type: MultiValueSeq\n    content: JointDisplacement\n    num_parts: {parts}\n"
        f"    frames:\n{rows}\n{more}"
    )


def _player(*motions: str) -> str:
    return item("BodyMotionControllerItem", "Player", children=", ".join(motions))


def _motion(name: str = "Wave", file: str = "wave.seq") -> str:
    return item("BodyMotionItem", name, f"file: {file}, format: BODY-MOTION-YAML")


def _scene(folder: Path, *motions: str, engine: str = AIST) -> tuple[Scene, list[str]]:
    return read(
        folder, project(world(body("Robot", "arm.body", children=_player(*motions)), engine))
    )


def _positions(sim: sb.Sim) -> tuple[float, float]:
    return sim.joint("SLIDE").position, sim.joint("TURN").position


@pytest.mark.parametrize("engine", [AIST, KINEMATIC])
def test_a_motion_is_played_one_frame_a_step(tmp_path: Path, engine: str) -> None:
    """It starts at its first frame; after step k joints are at frame k, and stay at the last."""
    _write(tmp_path, "wave.seq")
    scene, messages = _scene(tmp_path, _motion(), engine=engine)
    assert '"Robot" plays the motion "Wave": 20 frames, 0.02 s.' in messages[-1]
    sim = sb.Sim(scene)
    assert _positions(sim) == pytest.approx(FRAMES[0])
    for frame in FRAMES:
        sim.step()
        assert _positions(sim) == pytest.approx(frame, abs=1.1e-6)
    sim.step(50)
    assert _positions(sim) == pytest.approx(FRAMES[-1], abs=1e-6)
    sim.reset()
    sim.step(3)
    assert _positions(sim) == pytest.approx(FRAMES[2], abs=1e-6)


def test_what_hangs_on_joints_that_are_played_pushes_the_rest(tmp_path: Path) -> None:
    """Without gravity the floating base goes the other way: momentum stays 0."""
    _write(tmp_path, "wave.seq")
    scene, _ = _scene(tmp_path, _motion())
    sim = sb.Sim(scene)
    sim.step(10)
    momentum = sum(
        link.mass.mass * np.asarray(sim.link(link.name).linear_velocity)
        for link in scene.bodies[0].links
        if link.mass is not None
    )
    assert np.linalg.norm(sim.link("BASE").linear_velocity) > 0.01  # of 0.2 m/s
    assert momentum == pytest.approx(np.zeros(3), abs=1e-4)


def test_a_snapshot_in_the_middle_goes_on_as_before(tmp_path: Path) -> None:
    """The number of the step is all that a motion knows; copies and batches play it, too."""
    _write(tmp_path, "wave.seq")
    sim = sb.Sim(_scene(tmp_path, _motion())[0])
    sim.step(5)
    kept = sim.snapshot()
    sim.step(7)
    after = sim.poses()
    sim.restore(kept)
    sim.step(7)
    assert (sim.poses() == after).all()
    batch = sim.batch(2)
    batch.step(12)
    assert (batch[1].poses() == after).all()


def test_link_positions_place_the_root(tmp_path: Path) -> None:
    """The first frame of the first link, instead of the item's place."""
    _write(
        tmp_path,
        "wave.seq",
        more="  -\n    type: MultiSE3Seq\n    content: LinkPosition\n    num_parts: 1\n"
        "    SE3Format: XYZRPY\n    frames:\n      - [ [ 1, 2, 3, 0, 0, 1.5707963267948966 ] ]\n",
    )
    sim = sb.Sim(_scene(tmp_path, _motion())[0])
    assert sim.link("BASE").position == pytest.approx([1, 2, 3])
    assert sim.link("BASE").orientation == pytest.approx([math.sqrt(0.5), 0, 0, math.sqrt(0.5)])


def test_the_motion_that_is_checked_counts_else_the_first(tmp_path: Path) -> None:
    """Also below another item."""
    _write(tmp_path, "wave.seq")
    scene, _ = _scene(tmp_path, item("FolderItem", "F", children=_motion("A")), _motion("B"))
    assert scene.bodies[0].motion is not None and scene.bodies[0].motion.name == "A"
    checked = _motion("B")[:-1] + ", is_checked: true}"
    scene, _ = _scene(tmp_path, _motion("A"), checked)
    assert scene.bodies[0].motion is not None and scene.bodies[0].motion.name == "B"


def test_joints_beyond_the_frames_and_frames_beyond_the_joints(tmp_path: Path) -> None:
    """As many as there are of both; it is said."""
    _write(tmp_path, "wave.seq", parts=1)
    scene, messages = _scene(tmp_path, _motion())
    assert any("1 positions for the 2 joints" in message for message in messages)
    assert scene.bodies[0].motion is not None and len(scene.bodies[0].motion.links) == 1
    _write(tmp_path, "wave.seq", parts=3)
    scene, messages = _scene(tmp_path, _motion())
    assert any("3 positions for the 2 joints" in message for message in messages)
    assert scene.bodies[0].motion is not None and len(scene.bodies[0].motion.links) == 2


@pytest.mark.parametrize(
    ("rate", "motions", "message"),
    [
        (
            500.0,
            (_motion(),),
            "has 500 frames a second, the simulation 1000 steps: it is not played",
        ),
        (1000.0, (), '"Player" has no motion below it and plays nothing.'),
        (
            1000.0,
            (item("BodyMotionItem", "Wave"),),
            'the motion "Wave" is empty and is not played.',
        ),
        (1000.0, (_motion(file="gone.seq"),), 'cannot read "gone.seq"'),
        (1000.0, (_motion(file="arm.body"),), 'expected the type "CompositeSeq" in version 2'),
        (1000.0, (_motion(file="/etc/passwd"),), "out of the folders that may be read"),
    ],
)
def test_a_motion_that_cannot_be_played_is_told(
    tmp_path: Path, rate: float, motions: tuple[str, ...], message: str
) -> None:
    """The body takes part without it."""
    _write(tmp_path, "wave.seq", rate)
    scene, messages = _scene(tmp_path, *motions)
    assert any(message in one for one in messages), messages
    assert scene.bodies[0].motion is None


def test_a_motion_has_frames_of_one_size() -> None:
    """A made one, too."""
    with pytest.raises(ValueError, match="frames of different sizes"):
        PlayedMotion("M", (0, 1), bytes(24))
    assert PlayedMotion("M", (0, 1), bytes(48)).frame_count == 3


POSES = """
type: PoseSeq
targetBody: Robot
refs:
  -
    time: 0
    refer:
      type: Pose
      joints: [ 0, 1 ]
      q: [ 0.1, 0.2 ]
      ikLinks: [ { name: BASE, translation: [ 1, 2, 3 ], rotation: [ 0, -1, 0, 1, 0, 0, 0, 0, 1 ] } ]
  - { time: 0.05, refer: { type: Pose, joints: [ 0 ], q: [ 0.11 ] } }
"""


def test_key_poses_are_played_with_curves_between_them(tmp_path: Path) -> None:
    """At the frame rate of the simulation; the root starts where the first pose has it."""
    (tmp_path / "bow.pseq").write_text(POSES)
    scene, messages = _scene(tmp_path, item("PoseSeqItem", "Bow", "file: bow.pseq, bar_length: 1"))
    assert any("links are not held in their places" in message for message in messages)
    assert any('plays the motion "Bow": 51 frames, 0.051 s.' in message for message in messages)
    sim = sb.Sim(scene)
    assert sim.link("BASE").position == pytest.approx([1, 2, 3])
    assert sim.link("BASE").orientation == pytest.approx([math.sqrt(0.5), 0, 0, math.sqrt(0.5)])
    assert _positions(sim) == pytest.approx((0.1, 0.2))
    sim.step(26)
    assert _positions(sim) == pytest.approx((0.105, 0.2), abs=1e-6)  # half way
    sim.step(60)
    assert _positions(sim) == pytest.approx((0.11, 0.2), abs=1e-6)


def test_key_poses_without_end_are_not_played(tmp_path: Path) -> None:
    """The message names the item; the body stays."""
    (tmp_path / "bow.pseq").write_text(POSES.replace("0.05", "1e15"))
    scene, messages = _scene(tmp_path, item("PoseSeqItem", "Bow", "file: bow.pseq"))
    assert any('the poses "Bow" take too long' in message for message in messages)
    assert scene.bodies[0].motion is None
