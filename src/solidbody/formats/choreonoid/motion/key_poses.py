"""Reads key poses (`.pseq`) and makes joint positions, frame by frame, of what lies between them (C18.2).

Between two poses a joint follows a cubic curve. It is at rest where a pose says so, where it turns back, and
where it hardly moves on one side; elsewhere its speed is the mean of those of both sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.limits import MAX_FILE_BYTES, MAX_MOTION_NUMBERS
from solidbody.base.transforms import Pose, Vec3, quat_from_matrix
from solidbody.formats.choreonoid.keys.access import BodyFileReading, Keys
from solidbody.formats.choreonoid.keys.motions import (
    KeyPoseKeys,
    PoseLinkKeys,
    PoseReferenceKeys,
    PoseSeqKeys,
)
from solidbody.formats.choreonoid.keys.table import plain_values
from solidbody.formats.choreonoid.keys.yaml_tree import YamlMap, parse_yaml
from solidbody.formats.choreonoid.motion.values import Floats, KeyPose
from solidbody.formats.text_files import read_text

_STILL: Final = 1e-3
"""[rad, m] Way to a neighbouring pose below which a joint counts as at rest."""

_SHORTEST: Final = 1e-6
"""[s] Between two poses; shorter ways are jumps."""

_ROUNDED: Final = 1e-3
"""How far from a rotation the digits of a file may leave a matrix."""


@dataclass(frozen=True, slots=True)
class PoseSequence:
    """Key poses in the order of time.

    Attributes:
        target: Body that they were made for.
        poses: The poses.
    """

    target: str
    poses: tuple[KeyPose, ...]

    @property
    def has_links(self) -> bool:
        """Whether links have places, too."""
        return any(pose.links for pose in self.poses)

    def frames(self, rate: float, count: int) -> Floats | None:
        """Return (frames, joints) positions; None if there are too many. Joints without a pose are at 0.

        Args:
            rate: Frames a second.
            count: Joints of the body.
        """
        number = self.poses[-1].time * rate
        if (number + 1.0) * max(count, 1) > MAX_MOTION_NUMBERS:
            return None
        times = np.arange(int(number) + 1) / rate
        out = np.zeros((len(times), count))
        for joint in range(count):
            out[:, joint] = _along(self._samples(joint), times)
        return out

    def _samples(self, joint: int) -> list[_Sample]:
        """Return where a joint has to be when."""
        samples: list[_Sample] = []
        direction, last = 0.0, 0.0
        for pose in self.poses:
            position = pose.joints.get(joint)
            if position is None:
                continue
            before, direction = direction, position - last
            if before * direction <= 0.0 and samples:
                samples[-1].rests = True
            last = position
            begin = pose.time - pose.transition
            if samples and pose.transition > 0.0 and begin > samples[-1].time:
                samples[-1].rests = True
                samples.append(_Sample(begin, samples[-1].value, True))
            samples.append(_Sample(pose.time, position, joint in pose.resting))
        return samples


@dataclass(slots=True)
class _Sample:
    time: float
    value: float
    rests: bool
    speed: float = 0.0


def _along(samples: list[_Sample], times: Floats) -> Floats:
    """Return the values of the curve through samples at some times; before and behind it stays."""
    if not samples:
        return np.zeros(len(times))
    for before, sample, after in zip(samples, samples[1:], samples[2:], strict=False):
        way, on = sample.value - before.value, after.value - sample.value
        to, away = sample.time - before.time, after.time - sample.time
        moves = min(abs(way), abs(on)) >= _STILL and way * on > 0.0
        if moves and not sample.rests and min(to, away) >= _SHORTEST:
            sample.speed = 0.5 * (way / to + on / away)
    table: Floats = np.array([(one.time, one.value, one.speed) for one in samples])
    x, y, v = table[:, 0], table[:, 1], table[:, 2]
    at = np.clip(np.searchsorted(x, times, side="right") - 1, 0, max(len(x) - 2, 0))
    if len(x) == 1:
        return np.full(len(times), y[0])
    h = x[at + 1] - x[at]
    is_jump = h < _SHORTEST
    h = np.where(is_jump, 1.0, h)
    t = times - x[at]
    a = y[at + 1] - y[at]
    square = 3.0 * a / h**2 - (2.0 * v[at] + v[at + 1]) / h
    cube = (v[at] + v[at + 1]) / h**2 - 2.0 * a / h**3
    curve: Floats = y[at] + v[at] * t + square * t**2 + cube * t**3
    curve[is_jump] = y[at + 1][is_jump]
    curve[times < x[0]], curve[times >= x[-1]] = y[0], y[-1]
    return curve


def load_key_poses(path: str, log: DiagnosticLog) -> PoseSequence | None:
    """Return the key poses of a file, or None after a message."""
    text = read_text(path, log, max_bytes=MAX_FILE_BYTES)
    document = None if text is None else parse_yaml(text, path, log)
    if document is None:
        return None
    if not isinstance(document.root, YamlMap):
        log.error("not-a-motion", document.root.span, "expected a mapping with poses.")
        return None
    keys = Keys(document.root, BodyFileReading(log))
    keys.pass_over(PoseSeqKeys)
    if keys.read(PoseSeqKeys.type) != "PoseSeq":
        text = f'expected the type "PoseSeq", got "{keys.read(PoseSeqKeys.type)}".'
        keys.error("not-a-motion", PoseSeqKeys.type, text)
        return None
    poses: list[KeyPose] = []
    for item in keys.items(PoseSeqKeys.refs):
        if not isinstance(item, YamlMap):
            keys.wrong(PoseSeqKeys.refs.name, item, "a mapping")
            return None
        pose = _pose(keys.child(item, "refs"))
        if pose is not None:
            poses.append(pose)
    if not poses:
        keys.error("empty-motion", PoseSeqKeys.refs, "there are no poses of joints.")
        return None
    return PoseSequence(
        keys.read(PoseSeqKeys.targetBody), tuple(sorted(poses, key=lambda pose: pose.time))
    )


def _pose(reference: Keys) -> KeyPose | None:
    """Return a pose in time; None if it is none of joints, or after a message."""
    keys = reference.keys(PoseReferenceKeys.refer)
    if keys is None or keys.read(KeyPoseKeys.type) != "Pose":
        return None
    keys.pass_over(KeyPoseKeys)
    numbers, positions = keys.read(KeyPoseKeys.joints), keys.read(KeyPoseKeys.q)
    if len(numbers) != len(positions):
        text = f"{len(positions)} positions for {len(numbers)} joints."
        keys.error("wrong-count", KeyPoseKeys.q, text)
        return None
    links: dict[str, Pose] = {}
    for item in keys.items(KeyPoseKeys.ikLinks):
        if isinstance(item, YamlMap):
            link = keys.child(item, "ikLinks")
            link.pass_over(PoseLinkKeys)
            pose = _place(link)
            if pose is not None:
                links[link.read(PoseLinkKeys.name)] = pose
    return KeyPose(
        joints={int(number): q for number, q in zip(numbers, positions, strict=True)},
        links=links,
        **plain_values(reference, PoseReferenceKeys),
        **plain_values(keys, KeyPoseKeys),
    )


def _place(keys: Keys) -> Pose | None:
    position, rotation = keys.read(PoseLinkKeys.translation), keys.read(PoseLinkKeys.rotation)
    if position is None or rotation is None:
        return None
    rows: list[Vec3] = [(rotation[k], rotation[k + 1], rotation[k + 2]) for k in (0, 3, 6)]
    matrix: Floats = np.array(rows)
    if not np.allclose(matrix @ matrix.T, np.eye(3), atol=_ROUNDED) or np.linalg.det(matrix) < 0.0:
        keys.error("wrong-value", PoseLinkKeys.rotation, "these numbers are no rotation matrix.")
        return None
    return Pose(position, quat_from_matrix((rows[0], rows[1], rows[2])))
