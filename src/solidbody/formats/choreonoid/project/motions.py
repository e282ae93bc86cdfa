"""Motions of bodies in projects: what a BodyMotionControllerItem plays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.items import Item
from solidbody.formats.choreonoid.keys.projects import BodyMotionItemKeys
from solidbody.formats.choreonoid.motion.key_poses import PoseSequence, load_key_poses
from solidbody.formats.choreonoid.motion.sequences import (
    JOINTS,
    LINKS,
    BodyMotionFile,
    load_motion,
)
from solidbody.formats.choreonoid.motion.values import SequenceKind
from solidbody.formats.choreonoid.project.bodies import (
    joint_slots,
    moved_root,
    with_joint_positions,
)
from solidbody.model.joints import JointHinge, JointSlider
from solidbody.model.links import Body
from solidbody.model.motions import PlayedMotion

PLAYER: Final = "BodyMotionControllerItem"

_KEY_POSES: Final = "PoseSeqItem"

_MOTIONS: Final = ("BodyMotionItem", _KEY_POSES)
"""What such an item plays."""

_RATE_SLACK: Final = 1e-6
"""[1/s] Within which frames and steps go together, as there."""


@dataclass(frozen=True, slots=True, eq=False)
class _Played:
    """What a body is to go through: frames of joints by number, and where its root starts."""

    frame_rate: float
    frames: NDArray[np.float64] | None
    root: Pose | None


class MotionReader:
    """Reads the motions of one project; a file that several bodies play is read once.

    Args:
        find: Finds a file, or says why not.
        step: Time step of the simulation [s].
        log: Takes all messages.
    """

    def __init__(
        self,
        find: Callable[[Keys, str, str], Path | None],
        step: float,
        log: DiagnosticLog,
    ) -> None:
        self._find, self._step, self._log = find, step, log
        self._motions: dict[Path, BodyMotionFile | None] = {}
        self._poses: dict[Path, PoseSequence | None] = {}

    def body(self, body: Body, item: Item) -> Body:
        """Return a body with the motion that a controller below its item plays, at its first frame."""
        for player in item.own(PLAYER, behind="BodyItem"):
            below = list(player.of_class(*_MOTIONS))
            chosen = next((one for one in below if _is_checked(one)), below[0] if below else None)
            if chosen is None:
                text = f'"{player.name}" has no motion below it and plays nothing.'
                player.keys.warning("no-motion", "", text)
                continue
            played = self._played(body, chosen)
            if played is not None and self._goes_along(chosen, played.frame_rate):
                body = _with_motion(body, chosen, played)
        return body

    def _played(self, body: Body, item: Item) -> _Played | None:
        """Return what an item says; None after a message."""
        keys = item.keys
        keys.pass_over(BodyMotionItemKeys)
        url = keys.read(BodyMotionItemKeys.file)
        if not url:
            keys.warning("no-motion", "", f'the motion "{item.name}" is empty and is not played.')
            return None
        path = self._find(keys, keys.written(BodyMotionItemKeys.file), url)
        if path is None:
            return None
        if item.class_name == _KEY_POSES:
            return self._of_poses(body, item, path)
        if path not in self._motions:
            self._motions[path] = load_motion(str(path), self._log)
        return _of_motion(self._motions[path])

    def _of_poses(self, body: Body, item: Item, path: Path) -> _Played | None:
        if path not in self._poses:
            self._poses[path] = load_key_poses(str(path), self._log)
        poses = self._poses[path]
        if poses is None:
            return None
        rate = 1.0 / self._step
        frames = poses.frames(rate, joint_count(body))
        if frames is None:
            text = f'the poses "{item.name}" take too long: their frames have too many numbers.'
            item.keys.error("too-much", BodyMotionItemKeys.file, text)
            return None
        if poses.has_links:
            item.keys.info(
                "key-poses",
                BodyMotionItemKeys.file,
                f'between the poses of "{item.name}" joints go their own ways: links are not held in '
                "their places, steps are not shaped and nothing is balanced.",
            )
        root = poses.poses[0].links.get(body.links[0].name) if body.links else None
        return _Played(rate, frames, root)

    def _goes_along(self, item: Item, frame_rate: float) -> bool:
        """Whether there is a frame for each step; Choreonoid refuses others."""
        rate = 1.0 / self._step
        if abs(frame_rate - rate) <= _RATE_SLACK:
            return True
        item.keys.error(
            "motion-rate",
            BodyMotionItemKeys.file,
            f'the motion "{item.name}" has {frame_rate:g} frames a second, the simulation '
            f"{rate:g} steps: it is not played, as in Choreonoid. Give the simulator the time step "
            f"{1.0 / frame_rate:g}.",
        )
        return False


def _is_checked(item: Item) -> bool:
    """Whether the user has ticked a motion; key poses say it of what they make."""
    if item.class_name == _KEY_POSES:
        return item.keys.read(BodyMotionItemKeys.is_body_motion_checked)
    return item.is_checked


def _of_motion(motion: BodyMotionFile | None) -> _Played | None:
    if motion is None:
        return None
    poses, joints = motion.sequences.get(LINKS), motion.sequences.get(JOINTS)
    root = None
    if poses is not None and poses.kind is SequenceKind.POSES:
        x, y, z, *turn = poses.values[0, 0].tolist()
        root = Pose((x, y, z), (turn[0], turn[1], turn[2], turn[3]))
    is_known = joints is not None and joints.kind is SequenceKind.VALUES
    return _Played(motion.frame_rate, joints.values if joints and is_known else None, root)


def joint_count(body: Body) -> int:
    """Return how many joints have a number: the greatest number and one."""
    numbers = (link.joint_number for link in body.links if link.joint_number is not None)
    return max(numbers, default=-1) + 1


def _with_motion(body: Body, item: Item, motion: _Played) -> Body:
    keys, frames = item.keys, motion.frames
    if motion.root is not None:
        body = moved_root(body, motion.root)
    if frames is None:
        keys.warning("no-motion", "", f'the motion "{item.name}" has no joint positions.')
        return body
    slots = joint_slots(body)[: joint_count(body)]
    count = frames.shape[1]
    if count != len(slots):
        keys.info(
            "joint-count",
            BodyMotionItemKeys.file,
            f'frames of "{item.name}" have {count} positions for the {len(slots)} joints of '
            f'"{body.name}"; the rest stays as it is.',
        )
    driven = [
        (column, slot)
        for column, slot in enumerate(slots[:count])
        if slot is not None and isinstance(body.links[slot].joint, JointHinge | JointSlider)
    ]
    if not driven:
        return body
    columns, links = [list(part) for part in zip(*driven, strict=True)]
    positions = np.ascontiguousarray(frames[:, columns], dtype=np.float64)
    body = with_joint_positions(body, links, positions[0].tolist())
    seconds = len(positions) / motion.frame_rate
    text = f'"{body.name}" plays the motion "{item.name}": {len(positions)} frames, {seconds:g} s.'
    keys.info("motion", BodyMotionItemKeys.file, text)
    played = PlayedMotion(item.name, tuple(links), positions.tobytes(), keys.span)
    return replace(body, motion=played)
