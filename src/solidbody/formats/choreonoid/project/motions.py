"""Motions of bodies in projects: what a BodyMotionControllerItem plays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.projects import BodyMotionItemKeys
from solidbody.formats.choreonoid.motion.sequences import (
    JOINTS,
    LINKS,
    BodyMotionFile,
    SequenceKind,
    load_motion,
)
from solidbody.formats.choreonoid.project.bodies import (
    joint_slots,
    moved_root,
    with_joint_positions,
)
from solidbody.formats.choreonoid.project.items import Item
from solidbody.model.joints import JointHinge, JointSlider
from solidbody.model.links import Body
from solidbody.model.motions import PlayedMotion

PLAYER: Final = "BodyMotionControllerItem"

_MOTIONS: Final = ("BodyMotionItem", "PoseSeqItem")
"""What such an item plays."""

_RATE_SLACK: Final = 1e-6
"""[1/s] Within which frames and steps go together, as there."""


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
        self._files: dict[Path, BodyMotionFile | None] = {}

    def body(self, body: Body, item: Item) -> Body:
        """Return a body with the motion that a controller below its item plays, at its first frame."""
        for player in item.own(PLAYER, behind="BodyItem"):
            below = list(player.of_class(*_MOTIONS))
            chosen = next((one for one in below if one.is_checked), below[0] if below else None)
            if chosen is None:
                text = f'"{player.name}" has no motion below it and plays nothing.'
                player.keys.warning("no-motion", "", text)
                continue
            motion = self._motion(chosen)
            if motion is not None and self._goes_along(chosen, motion):
                body = self._with_motion(body, chosen, motion)
        return body

    def _motion(self, item: Item) -> BodyMotionFile | None:
        keys = item.keys
        keys.pass_over(BodyMotionItemKeys)
        url = keys.read(BodyMotionItemKeys.file)
        if item.class_name != _MOTIONS[0]:
            text = f'the key poses "{item.name}" are not turned into a motion; nothing is played.'
            keys.warning("key-poses", "", text)
            return None
        if not url:
            keys.warning("no-motion", "", f'the motion "{item.name}" is empty and is not played.')
            return None
        path = self._find(keys, keys.written(BodyMotionItemKeys.file), url)
        if path is None:
            return None
        if path not in self._files:
            self._files[path] = load_motion(str(path), self._log)
        return self._files[path]

    def _goes_along(self, item: Item, motion: BodyMotionFile) -> bool:
        """Whether there is a frame for each step; Choreonoid refuses others."""
        rate = 1.0 / self._step
        if abs(motion.frame_rate - rate) <= _RATE_SLACK:
            return True
        item.keys.error(
            "motion-rate",
            BodyMotionItemKeys.file,
            f'the motion "{item.name}" has {motion.frame_rate:g} frames a second, the simulation '
            f"{rate:g} steps: it is not played, as in Choreonoid. Give the simulator the time step "
            f"{1.0 / motion.frame_rate:g}.",
        )
        return False

    def _with_motion(self, body: Body, item: Item, motion: BodyMotionFile) -> Body:
        keys = item.keys
        poses = motion.sequences.get(LINKS)
        if poses is not None and poses.kind is SequenceKind.POSES:
            x, y, z, *turn = poses.values[0, 0].tolist()
            body = moved_root(body, Pose((x, y, z), (turn[0], turn[1], turn[2], turn[3])))
        frames = motion.sequences.get(JOINTS)
        if frames is None or frames.kind is not SequenceKind.VALUES:
            keys.warning("no-motion", "", f'the motion "{item.name}" has no joint positions.')
            return body
        numbers = (link.joint_number for link in body.links if link.joint_number is not None)
        slots = joint_slots(body)[: max(numbers, default=-1) + 1]
        count = frames.values.shape[1]
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
        positions = np.ascontiguousarray(frames.values[:, columns], dtype=np.float64)
        body = with_joint_positions(body, links, positions[0].tolist())
        seconds = len(positions) / motion.frame_rate
        text = (
            f'"{body.name}" plays the motion "{item.name}": {len(positions)} frames, {seconds:g} s.'
        )
        keys.info("motion", BodyMotionItemKeys.file, text)
        played = PlayedMotion(item.name, tuple(links), positions.tobytes(), keys.span)
        return replace(body, motion=played)
