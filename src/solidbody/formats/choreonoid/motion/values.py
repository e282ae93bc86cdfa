"""What files of motions hold: values frame by frame, and poses in time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose

Floats = NDArray[np.float64]


class SequenceKind(Enum):
    """What the values of a sequence are."""

    VALUES = "MultiValueSeq"
    POSES = "MultiSE3Seq"
    VECTORS = "Vector3Seq"


@dataclass(frozen=True, slots=True, eq=False)
class MotionSequence:
    """Values frame by frame.

    Attributes:
        kind: What the values are.
        content: What they stand for; `JointDisplacement`, `LinkPosition` and `ZMP` are known to all.
        frame_rate: [1/s]
        values: (frames, parts) numbers, (frames, 3) vectors or (frames, parts, 7) poses, w first.
        is_root_relative: Whether a ZMP is given in the frame of the root link.
    """

    kind: SequenceKind
    content: str
    frame_rate: float
    values: Floats
    is_root_relative: bool = False


@dataclass(frozen=True, slots=True)
class KeyPose:
    """Where joints are at a time.

    Attributes:
        time: [s]
        transition: Longest time of the way to it [s]; 0 = as long as there is.
        joints: Positions by joint number [rad, m].
        resting: Joints that are at rest there.
        links: Places of links by name, in the world.
    """

    time: float
    transition: float
    joints: Mapping[int, float]
    resting: frozenset[int]
    links: Mapping[str, Pose]
