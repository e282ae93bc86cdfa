"""Motions of bodies from files, as Choreonoid's programs read them."""

from __future__ import annotations

import os
from typing import TextIO

import numpy as np

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.control.io_body.rotations import Floats, rotFromQuaternion
from solidbody.formats.choreonoid.motion.sequences import JOINTS, LINKS, ZMP, load_motion
from solidbody.formats.choreonoid.motion.values import MotionSequence, SequenceKind


class Seq:
    """Values frame by frame."""

    def __init__(self, values: Floats, frame_rate: float = 100.0) -> None:
        self.values = values
        """(frames, ...), to be read and written."""
        self._rate = float(frame_rate)

    def numFrames(self) -> int:
        """Return how many frames there are."""
        return len(self.values)

    def frameRate(self) -> float:
        """Return the frames a second."""
        return self._rate

    def timeStep(self) -> float:
        """Return the time from one frame to the next [s]."""
        return 1.0 / self._rate

    def timeLength(self) -> float:
        """Return how long it takes [s]."""
        return len(self.values) / self._rate

    def frameOfTime(self, time: float) -> int:
        """Return the frame that a time [s] is in."""
        return int(time * self._rate)

    def timeOfFrame(self, frame: int) -> float:
        """Return when a frame begins [s]."""
        return frame / self._rate

    def clampFrameIndex(self, frame: int) -> int:
        """Return the nearest frame that there is."""
        return min(max(frame, 0), len(self.values) - 1)

    def frame(self, index: int) -> Floats:
        """Return the values of a frame (a view)."""
        return self.values[index]

    def clampedFrame(self, index: int) -> Floats:
        """Return the values of the nearest frame that there is."""
        return self.values[self.clampFrameIndex(index)]

    def __getitem__(self, index: int) -> Floats:
        return self.values[index]

    def __len__(self) -> int:
        return len(self.values)


class MultiSeq(Seq):
    """Several values in each frame."""

    def numParts(self) -> int:
        """Return how many values a frame has."""
        return self.values.shape[1]

    def part(self, index: int) -> Floats:
        """Return one value through all frames (a view)."""
        return self.values[:, index]


class MultiValueSeq(MultiSeq):
    """Numbers, such as the positions of joints."""

    def at(self, frame: int, part: int) -> float:
        """Return one number."""
        return float(self.values[frame, part])


class MultiSE3Seq(MultiSeq):
    """Poses: position and quaternion (w first)."""

    def at(self, frame: int, part: int) -> Floats:
        """Return one pose as a 4 x 4 matrix."""
        out = np.eye(4)
        out[:3, 3] = self.values[frame, part, :3]
        w, x, y, z = self.values[frame, part, 3:].tolist()
        out[:3, :3] = rotFromQuaternion(w, x, y, z)
        return out


class Vector3Seq(Seq):
    """Vectors."""


class ZMPSeq(Vector3Seq):
    """Zero-moment points [m], in the world or in the frame of the root link."""

    is_root_relative = False

    def isRootRelative(self) -> bool:
        """Whether they are given in the frame of the root link."""
        return self.is_root_relative


class BodyMotion:
    """What C++ programs know as cnoid::BodyMotion.

    The sequences of joints and links are there as soon as a file has been read; the calls that bring them up
    to date there do nothing here.
    """

    def __init__(self) -> None:
        self._message = ""
        self._clear()

    def _clear(self) -> None:
        self._rate = 100.0
        self._joints = MultiValueSeq(np.zeros((0, 1)))
        self._links = MultiSE3Seq(np.zeros((0, 1, 7)))
        self._more: dict[str, Seq] = {}

    def load(self, filename: str | os.PathLike[str], os_: TextIO | None = None) -> bool:
        """Read a file; False if it cannot be, and `seqMessage` (or the stream) has the reason."""
        log = DiagnosticLog()
        found = load_motion(os.fspath(filename), log)
        self._clear()
        self._message = "\n".join(str(item) for item in log)
        if found is None:
            if os_ is not None:
                os_.write(self._message + "\n")
            return False
        self._rate = found.frame_rate
        for content, sequence in found.sequences.items():
            self._take(content, sequence)
        return True

    def _take(self, content: str, found: MotionSequence) -> None:
        values, rate = found.values.copy(), found.frame_rate
        if content == JOINTS and found.kind is SequenceKind.VALUES:
            self._joints = MultiValueSeq(values, rate)
        elif content == LINKS and found.kind is SequenceKind.POSES:
            self._links = MultiSE3Seq(values, rate)
        elif content == ZMP and found.kind is SequenceKind.VECTORS:
            zmp = self._more[ZMP] = ZMPSeq(values, rate)
            zmp.is_root_relative = found.is_root_relative
        else:
            make = {SequenceKind.VALUES: MultiValueSeq, SequenceKind.POSES: MultiSE3Seq}
            self._more[content] = make.get(found.kind, Vector3Seq)(values, rate)

    def seqMessage(self) -> str:
        """Return what the last `load` had to say."""
        return self._message

    def numFrames(self) -> int:
        """Return how many frames there are."""
        return max(self._joints.numFrames(), self._links.numFrames())

    def numJoints(self) -> int:
        """Return how many joints a frame has."""
        return self._joints.numParts() if self._joints.numFrames() else 0

    def numLinks(self) -> int:
        """Return how many link poses a frame has."""
        return self._links.numParts() if self._links.numFrames() else 0

    def frameRate(self) -> float:
        """Return the frames a second."""
        return self._rate

    def timeStep(self) -> float:
        """Return the time from one frame to the next [s]."""
        return 1.0 / self._rate

    def jointPosSeq(self) -> MultiValueSeq:
        """Return the positions of the joints by their numbers [rad, m]."""
        return self._joints

    def linkPosSeq(self) -> MultiSE3Seq:
        """Return the poses of the root, and perhaps of more links."""
        return self._links

    def extraSeq(self, content: str) -> Seq | None:
        """Return another sequence by what it stands for, such as "ZMP"."""
        return self._more.get(content)

    def updateJointPosSeqWithBodyStateSeq(self) -> None:
        """Nothing to do here."""

    updateLinkPosSeqWithBodyStateSeq = updateJointPosSeqWithBodyStateSeq
    updateLinkPosSeqAndJointPosSeqWithBodyStateSeq = updateJointPosSeqWithBodyStateSeq


def getZMPSeq(motion: BodyMotion) -> ZMPSeq | None:
    """Return the zero-moment points of a motion, if it has any."""
    found = motion.extraSeq(ZMP)
    return found if isinstance(found, ZMPSeq) else None
