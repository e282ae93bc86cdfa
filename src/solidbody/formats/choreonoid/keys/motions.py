"""Keys of motion files: sequences of joint positions and the like, and key poses."""

from __future__ import annotations

from typing import Final

from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.kinds import (
    ANY,
    FLAG,
    INTEGER,
    LIST,
    MAPPING,
    NINE,
    NOT_NEGATIVE,
    NUMBER,
    NUMBERS,
    POSITIVE,
    TEXT,
    VEC3,
    numbers_of,
)
from solidbody.formats.choreonoid.keys.table import Key, Table, ValueKind, ignored
from solidbody.formats.choreonoid.keys.yaml_tree import YamlNode
from solidbody.formats.choreonoid.motion.values import KeyPose, MotionSequence

_TEXT: Final = "for people"


def _numbered_of(keys: Keys, name: str, value: YamlNode) -> frozenset[int] | None:
    numbers = numbers_of(keys, name, value)
    return None if numbers is None else frozenset(map(int, numbers))


_NUMBERED: Final = ValueKind[frozenset[int]]("numbers", _numbered_of, sorted)

# fmt: off
# one row, one line


class SequenceKeys(Table):
    """What all sequences of frames say; parts of a motion have it from the whole where they do not say it."""

    title = "Sequence"
    makes = MotionSequence

    type = Key(TEXT, "", "MotionSequence.kind", "of the values", by="type")
    content = Key(TEXT, "", "content", "what they are", old="purpose")
    format_version = Key(
        NUMBER, 1.0, "MotionSequence.kind", "which words it has", old="formatVersion", by="type"
    )
    frame_rate = Key(POSITIVE, None, "frame_rate", "of frames", old="frameRate", unit="1/s")
    num_frames = Key(ANY, None, old="numFrames", ignored="they are counted")
    num_parts = Key(INTEGER, 0, "MotionSequence.values", "values in a frame", old="numParts", by="sum")
    has_frame_time = Key(
        FLAG, False, "MotionSequence.values", "frames begin with a time", old="hasFrameTime", by="sum"
    )
    SE3Format = Key(TEXT, "", "MotionSequence.values", "order of a pose's numbers", old="format", by="sum")
    frames = Key(LIST, None, "MotionSequence.values", "numbers, frame by frame", by="tree")
    is_root_relative = Key(FLAG, False, "is_root_relative", "of a ZMP", old="isRootRelative")
    part_labels = Key(ANY, None, old="partLabels", ignored=_TEXT)


class BodyMotionKeys(SequenceKeys):
    """A file of sequences that belong together (`.seq`, `.yaml`)."""

    title = "Body motion"

    components = Key(LIST, None, "BodyMotionFile.sequences", "the sequences", by="tree")


class PoseSeqKeys(Table):
    """A file of key poses (`.pseq`)."""

    title = "Pose sequence"

    type = Key(TEXT, "", "PoseSequence.poses", "PoseSeq", by="type")
    name = Key(ANY, None, ignored=_TEXT)
    targetBody = Key(TEXT, "", "PoseSequence.target", "which body the poses are for", by="name")
    refs = Key(LIST, None, "PoseSequence.poses", "the poses by time", by="tree")


class PoseReferenceKeys(Table):
    """A pose in time."""

    title = "Pose in time"
    makes = KeyPose

    time = Key(NOT_NEGATIVE, 0.0, "time", "when it is reached", unit="s")
    maxTransitionTime = Key(NOT_NEGATIVE, 0.0, "transition", "longest way to it", unit="s")
    refer = Key(MAPPING, None, "PoseSequence.poses", "the pose", by="tree")


class KeyPoseKeys(Table):
    """A pose: joints, and links with a place."""

    title = "Key pose"
    makes = KeyPose

    type = Key(TEXT, "", "PoseSequence.poses", "Pose counts; lips do not move to words", by="type")
    name = Key(ANY, None, ignored=_TEXT)
    joints = Key(NUMBERS, (), "KeyPose.joints", "their ids", by="sum")
    q = Key(NUMBERS, (), "KeyPose.joints", "their positions", unit="rad, m", by="sum")
    spJoints = Key(_NUMBERED, frozenset[int](), "resting", "joints that are at rest there, by id")
    ikLinks = Key(LIST, None, "KeyPose.links", "links with a place; that of the root counts", by="tree")
    zmp = Key(ANY, None, unsupported="nothing is balanced")
    isZmpStationaryPoint = Key(ANY, None, unsupported="nothing is balanced")


class PoseLinkKeys(Table):
    """A link of a key pose."""

    title = "Link of a key pose"

    name = Key(TEXT, "", "KeyPose.links", "of the link", by="name")
    translation = Key(VEC3, None, "KeyPose.links", "its place", unit="m", by="place")
    rotation = Key(NINE, None, "KeyPose.links", "its rotation matrix", by="place")
    isBaseLink = Key(ANY, None, unsupported="no inverse kinematics between poses")
    isStationaryPoint = Key(ANY, None, unsupported="no inverse kinematics between poses")
    isTouching = Key(ANY, None, unsupported="no inverse kinematics between poses")
    isSlave = Key(ANY, None, unsupported="no inverse kinematics between poses")
    passed_over = ignored("matters where poses are edited", "index", "partingDirection", "contactPoints")
