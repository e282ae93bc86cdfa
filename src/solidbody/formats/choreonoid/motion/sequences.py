"""Reads motions of bodies (`.seq`, `.yaml`): sequences of joint positions, link poses, ZMPs and others.

All format versions from 1 to 4 are read; they call the same things by other words. What a part does not say
itself (frame rate, version) the whole says for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.limits import MAX_FILE_BYTES, MAX_MOTION_NUMBERS
from solidbody.base.span import SourceSpan
from solidbody.formats.choreonoid.keys.access import BodyFileReading, Keys
from solidbody.formats.choreonoid.keys.kinds import number_of
from solidbody.formats.choreonoid.keys.motions import BodyMotionKeys, SequenceKeys
from solidbody.formats.choreonoid.keys.table import plain_values
from solidbody.formats.choreonoid.keys.yaml_tree import (
    YamlList,
    YamlMap,
    YamlNode,
    parse_yaml,
)
from solidbody.formats.choreonoid.motion.frames import FrameBlock, FrameError, cut_frames
from solidbody.formats.choreonoid.motion.values import Floats, MotionSequence, SequenceKind
from solidbody.formats.text_files import read_text

JOINTS: Final = "JointDisplacement"
LINKS: Final = "LinkPosition"
ZMP: Final = "ZMP"
"""What the sequences of a motion are called from version 4 on."""

_OLDER_NAMES: Final = {
    "JointPosition": JOINTS,
    "MultiJointDisplacementSeq": JOINTS,
    "MultiLinkPositionSeq": LINKS,
    "ZMPSeq": ZMP,
    "RelativeZMP": ZMP,
    "RelativeZmp": ZMP,
}
"""Names of older versions."""

_NEWEST: Final = 5.0
"""Versions from this one on are not known."""


_OLDER_KINDS: Final = {
    "MultiSe3Seq": SequenceKind.POSES,
    "MultiAffine3Seq": SequenceKind.POSES,
    **{kind.value: kind for kind in SequenceKind},
}

_POSE_ORDERS: Final[dict[str, tuple[int, ...]]] = {
    "XYZQWQXQYQZ": (0, 1, 2, 3, 4, 5, 6),
    "XYZQXQYQZQW": (0, 1, 2, 6, 3, 4, 5),
}
"""Where position and quaternion (w first) stand among the seven numbers of a pose."""

_ROLL_PITCH_YAW: Final = "XYZRPY"


@dataclass(frozen=True, slots=True, eq=False)
class BodyMotionFile:
    """What a motion file holds.

    Attributes:
        frame_rate: [1/s]
        sequences: By what they stand for.
    """

    frame_rate: float
    sequences: Mapping[str, MotionSequence]


def load_motion(path: str, log: DiagnosticLog) -> BodyMotionFile | None:
    """Return the motion in a file, or None after a message."""
    text = read_text(path, log, max_bytes=MAX_FILE_BYTES)
    return None if text is None else read_motion(text, path, log)


def read_motion(text: str, name: str, log: DiagnosticLog) -> BodyMotionFile | None:
    """Return the motion of a text, or None after a message.

    Args:
        text: What the file holds.
        name: Its name, for messages.
        log: Takes all messages.
    """
    try:
        text, blocks = cut_frames(text)
    except FrameError as error:
        span = SourceSpan(name, error.line, 1, error.line, 1)
        log.error("bad-frames", span, error.text)
        return None
    document = parse_yaml(text, name, log)
    if document is None:
        return None
    if not isinstance(document.root, YamlMap):
        log.error("not-a-motion", document.root.span, "expected a mapping with components.")
        return None
    keys = Keys(document.root, BodyFileReading(log))
    return _Reader(keys, blocks).motion()


class _Reader:
    """Reads one file."""

    def __init__(self, keys: Keys, blocks: Mapping[int, FrameBlock]) -> None:
        self._keys, self._blocks = keys, blocks
        self._left = MAX_MOTION_NUMBERS
        self._version = keys.read(BodyMotionKeys.format_version)

    def motion(self) -> BodyMotionFile | None:
        keys = self._keys
        keys.pass_over(BodyMotionKeys)
        if self._version >= _NEWEST:
            text = f"version {self._version:g} of motions is not known; this reads 1 to 4."
            keys.error("unknown-version", keys.written(BodyMotionKeys.format_version), text)
            return None
        wanted = "CompositeSeq" if self._version >= 2.0 else "BodyMotion"
        found = keys.read(BodyMotionKeys.type)
        if found != wanted:
            text = f'expected the type "{wanted}" in version {self._version:g}, got "{found}".'
            keys.error("not-a-motion", BodyMotionKeys.type, text)
            return None
        sequences: dict[str, MotionSequence] = {}
        for component in keys.items(BodyMotionKeys.components):
            if not isinstance(component, YamlMap):
                keys.wrong(BodyMotionKeys.components.name, component, "a mapping")
                return None
            sequence = self._sequence(Keys(_over(component, keys.yaml), keys.reading, "components"))
            if sequence is None:
                return None
            sequences[sequence.content] = sequence
        main = sequences.get(LINKS) or sequences.get(JOINTS)
        if main is None:
            text = f"a motion has a sequence of the content {JOINTS} or {LINKS}; this one has none."
            keys.error("empty-motion", BodyMotionKeys.components, text)
            return None
        return BodyMotionFile(main.frame_rate, sequences)

    def _sequence(self, keys: Keys) -> MotionSequence | None:
        """Return a sequence; None after a message."""
        keys.pass_over(SequenceKeys)
        word = keys.read(SequenceKeys.type)
        kind = _OLDER_KINDS.get(word)
        if kind is None:
            names = ", ".join(item.value for item in SequenceKind)
            keys.error("unknown-sequence", SequenceKeys.type, f'expected {names}, got "{word}".')
            return None
        values = plain_values(keys, SequenceKeys)
        rate = values["frame_rate"]
        if rate is None:
            keys.error("no-frame-rate", SequenceKeys.frame_rate, "frames a second must be given.")
            return None
        parts = 1 if kind is SequenceKind.VECTORS else keys.read(SequenceKeys.num_parts)
        if parts < 1:
            text = f"a frame has one value at least, got {parts}."
            keys.error("wrong-count", keys.written(SequenceKeys.num_parts), text)
            return None
        order = keys.read(SequenceKeys.SE3Format)
        size = {SequenceKind.VALUES: 1, SequenceKind.VECTORS: 3}.get(kind, 7)
        if kind is SequenceKind.POSES:
            if order not in _POSE_ORDERS and order != _ROLL_PITCH_YAW:
                known = ", ".join((*_POSE_ORDERS, _ROLL_PITCH_YAW))
                key = keys.written(SequenceKeys.SE3Format)
                keys.error("unknown-format", key, f'expected one of {known}, got "{order}".')
                return None
            size = 6 if order == _ROLL_PITCH_YAW else 7
        is_timed = keys.read(SequenceKeys.has_frame_time)
        found = self._frames(keys, parts * size + is_timed)
        if found is not None and is_timed:
            found = self._at_times(keys, found, rate)
        if found is None:
            return None
        content = values["content"]
        values["content"] = _OLDER_NAMES.get(content, content)
        values["is_root_relative"] |= content.startswith("Relative")
        return MotionSequence(kind, values=_shaped(kind, found, parts, order), **values)

    def _frames(self, keys: Keys, width: int) -> Floats | None:
        """Return (frames, width) numbers; None after a message."""
        node = keys.node(SequenceKeys.frames)
        if not isinstance(node, YamlList):
            keys.error("no-frames", SequenceKeys.frames, "frames must be given, as a list.")
            return None
        block = self._blocks.get(node.span.line)
        if block is not None and not node.items:
            values, first = block.values, block.line
        else:
            read = self._written_frames(keys, node, width)
            if read is None:
                return None
            values, first = read, node.span.line
        if not len(values):
            keys.error("no-frames", SequenceKeys.frames, "there is no frame.")
            return None
        if values.shape[1] != width:
            span = SourceSpan(node.span.file, first, 1, first, 1)
            text = f"expected {width} numbers in each frame, got {values.shape[1]}."
            keys.error("wrong-count", SequenceKeys.frames, text, span=span)
            return None
        return values

    def _written_frames(self, keys: Keys, node: YamlList, width: int) -> Floats | None:
        """Return frames that stand in the text as YAML."""
        rows: list[list[float]] = []
        for frame in node.items:
            row = [number_of(keys, SequenceKeys.frames.name, item) for item in _scalars(frame)]
            known = [number for number in row if number is not None]
            if len(known) < len(row):
                return None
            if len(row) != width:
                text = f"expected {width} numbers in each frame, got {len(row)}."
                keys.error("wrong-count", SequenceKeys.frames, text, span=frame.span)
                return None
            rows.append(known)
        return np.array(rows).reshape(len(rows), width)

    def _at_times(self, keys: Keys, found: Floats, rate: float) -> Floats | None:
        """Return frames at equal times of frames that begin with theirs; each stays until the next."""
        places = np.trunc(found[:, 0] * rate)
        count = float(places.max()) + 1.0
        if places.min() < 0 or count * found.shape[1] > self._left:
            text = (
                f"times must be 0 or more, and frames have {MAX_MOTION_NUMBERS:,} numbers at most."
            )
            keys.error("wrong-time", SequenceKeys.frames, text)
            return None
        self._left -= int(count) * found.shape[1]
        out = np.zeros((int(count), found.shape[1] - 1))
        end = 0
        for place, row in zip(places.astype(int).tolist(), found[:, 1:], strict=True):
            if place >= end:
                out[end:place] = out[end - 1] if end else 0.0
                end = place + 1
            out[place] = row
        return out


def _over(part: YamlMap, whole: YamlMap) -> YamlMap:
    """Return a part with what only the whole says."""
    own = {key.text for key, _ in part.pairs}
    left_out = own | set(BodyMotionKeys.components.names)
    # an older spelling in the part counts before a newer one in the whole
    for row in SequenceKeys.rows.values():
        if own & set(row.names):
            left_out |= set(row.names)
    more = ((key, value) for key, value in whole.pairs if key.text not in left_out)
    return YamlMap((*part.pairs, *more), part.span)


def _scalars(node: YamlNode) -> list[YamlNode]:
    """Return the values in lists inside each other, one after the other."""
    if isinstance(node, YamlList):
        return [value for item in node.items for value in _scalars(item)]
    return [node]


def _shaped(kind: SequenceKind, found: Floats, parts: int, order: str) -> Floats:
    """Return the values in the form that `MotionSequence` describes."""
    if kind is not SequenceKind.POSES:
        return found
    poses = found.reshape(len(found), parts, -1)
    if order != _ROLL_PITCH_YAW:
        out = poses[:, :, list(_POSE_ORDERS[order])]
        length = np.linalg.norm(out[:, :, 3:], axis=2, keepdims=True)
        out[:, :, 3:] = np.where(length > 0.0, out[:, :, 3:], (1.0, 0.0, 0.0, 0.0))
        out[:, :, 3:] /= np.where(length > 0.0, length, 1.0)
        return out
    half = 0.5 * poses[:, :, 3:]
    (cr, cp, cy), (sr, sp, sy) = (np.moveaxis(f(half), 2, 0) for f in (np.cos, np.sin))
    quaternion = np.stack(
        [
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ],
        axis=2,
    )
    return np.concatenate([poses[:, :, :3], quaternion], axis=2)
