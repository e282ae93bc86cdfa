"""Keys of motion files: sequences of joint positions and the like, and key poses."""

from __future__ import annotations

from typing import Final

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
)
from solidbody.formats.choreonoid.keys.table import Key, Table, ignored

_TEXT: Final = "for people"

# fmt: off
# one row, one line


class SequenceKeys(Table):
    """What all sequences of frames say; parts of a motion have it from the whole where they do not say it."""

    title = "Sequence"
    by_hand = "frames are read as arrays, and old versions have other words"

    type = Key(TEXT, "", "MotionSequence.kind", "of the values")
    content = Key(TEXT, "", "MotionSequence.content", "what they are", old="purpose")
    format_version = Key(NUMBER, 1.0, "MotionSequence.kind", "which words it has", old="formatVersion")
    frame_rate = Key(POSITIVE, None, "MotionSequence.frame_rate", "of frames", old="frameRate", unit="1/s")
    num_frames = Key(ANY, None, old="numFrames", ignored="they are counted")
    num_parts = Key(INTEGER, 0, "MotionSequence.values", "values in a frame", old="numParts")
    has_frame_time = Key(FLAG, False, "MotionSequence.values", "frames begin with a time", old="hasFrameTime")
    SE3Format = Key(TEXT, "", "MotionSequence.values", "order of a pose's numbers", old="format")
    frames = Key(LIST, None, "MotionSequence.values", "numbers, frame by frame")
    is_root_relative = Key(FLAG, False, "MotionSequence.is_root_relative", "of a ZMP", old="isRootRelative")
    part_labels = Key(ANY, None, old="partLabels", ignored=_TEXT)


class BodyMotionKeys(SequenceKeys):
    """A file of sequences that belong together (`.seq`, `.yaml`)."""

    title = "Body motion"
    by_hand = "its parts are sequences"

    components = Key(LIST, None, "BodyMotionFile.sequences", "the sequences")


class PoseSeqKeys(Table):
    """A file of key poses (`.pseq`)."""

    title = "Pose sequence"
    by_hand = "poses are read into curves of joints"

    type = Key(TEXT, "", "PoseSequence.poses", "PoseSeq")
    name = Key(ANY, None, ignored=_TEXT)
    targetBody = Key(TEXT, "", "PoseSequence.target", "which body the poses are for")
    refs = Key(LIST, None, "PoseSequence.poses", "the poses by time")


class PoseReferenceKeys(Table):
    """A pose in time."""

    title = "Pose in time"
    by_hand = "it holds a pose"

    time = Key(NOT_NEGATIVE, 0.0, "KeyPose.time", "when it is reached", unit="s")
    maxTransitionTime = Key(NOT_NEGATIVE, 0.0, "KeyPose.transition", "longest way to it", unit="s")
    refer = Key(MAPPING, None, "PoseSequence.poses", "the pose")


class KeyPoseKeys(Table):
    """A pose: joints, and links with a place."""

    title = "Key pose"
    by_hand = "lists of numbers belong together"

    type = Key(TEXT, "", "PoseSequence.poses", "Pose counts; lips do not move to words")
    name = Key(ANY, None, ignored=_TEXT)
    joints = Key(NUMBERS, (), "KeyPose.joints", "their ids")
    q = Key(NUMBERS, (), "KeyPose.joints", "their positions", unit="rad, m")
    spJoints = Key(NUMBERS, (), "KeyPose.resting", "joints that are at rest there, by id")
    ikLinks = Key(LIST, None, "KeyPose.links", "links with a place; that of the root counts")
    zmp = Key(ANY, None, unsupported="nothing is balanced")
    isZmpStationaryPoint = Key(ANY, None, unsupported="nothing is balanced")


class PoseLinkKeys(Table):
    """A link of a key pose."""

    title = "Link of a key pose"
    by_hand = "it makes a pose"

    name = Key(TEXT, "", "KeyPose.links", "of the link")
    translation = Key(VEC3, None, "KeyPose.links", "its place", unit="m")
    rotation = Key(NINE, None, "KeyPose.links", "its rotation matrix")
    isBaseLink = Key(ANY, None, unsupported="no inverse kinematics between poses")
    isStationaryPoint = Key(ANY, None, unsupported="no inverse kinematics between poses")
    isTouching = Key(ANY, None, unsupported="no inverse kinematics between poses")
    isSlave = Key(ANY, None, unsupported="no inverse kinematics between poses")
    passed_over = ignored("matters where poses are edited", "index", "partingDirection", "contactPoints")
