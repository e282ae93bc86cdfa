"""Keys of motion files: sequences of joint positions and the like."""

from __future__ import annotations

from typing import Final

from solidbody.formats.choreonoid.keys.kinds import (
    ANY,
    FLAG,
    INTEGER,
    LIST,
    NUMBER,
    POSITIVE,
    TEXT,
)
from solidbody.formats.choreonoid.keys.table import Key, Table

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
