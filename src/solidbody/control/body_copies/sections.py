"""Arrays in which inputs and outputs of controllers lie, a section for each quantity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.control.protocol import bodies as p

Floats = NDArray[np.float64]

AXES: Final = 8
BUTTONS: Final = 11
"""Of a joystick."""

_PER_JOINT: Final = ("q", "dq", "ddq", "u", "q_target", "dq_target", "ddq_out", "u_out")
_PER_LINK: Final = {
    "pose": 7,
    "twist": 6,
    "acceleration": 6,
    "wrench": 6,
    "pose_out": 7,
    "twist_out": 6,
    "wrench_out": 6,
}


class Sections:
    """The sections of one body (SECTIONS of the protocol).

    Args:
        links: How many links the body has.
        joints: How many of them have a joint that moves.
        devices: How many devices it has.
        controllers: How many controllers share it.
        memory: Given the size in bytes, returns the memory in which the sections lie.

    Attributes:
        offsets: Where each section begins [bytes].
        size: Of all [bytes].
    """

    def __init__(
        self,
        links: int,
        joints: int,
        devices: int,
        controllers: int = 1,
        memory: Callable[[int], bytearray] = bytearray,
    ) -> None:
        lengths = {
            "time": 1,
            "joystick": 1 + AXES + BUTTONS,
            "contacts": 1 + p.MOST_CONTACTS * p.CONTACT_WIDTH,
            "device_changes": devices,
            "device_state": devices * p.DEVICE_WIDTH,
            "device_changes_out": devices,
            "device_state_out": devices * p.DEVICE_WIDTH,
            "results": controllers,
            **dict.fromkeys(_PER_JOINT, joints),
            **{name: width * links for name, width in _PER_LINK.items()},
        }
        self.offsets: list[int] = []
        at = p.HEADER_BYTES
        for name in p.SECTIONS:
            self.offsets.append(at)
            at += 8 * lengths[name]
        self.size = at
        self._memory = memory(at)
        self.header = np.frombuffer(self._memory, np.int64, len(p.HEADER))
        self._sections: dict[str, Floats] = {
            name: np.frombuffer(self._memory, np.float64, lengths[name], offset)
            for name, offset in zip(p.SECTIONS, self.offsets, strict=True)
        }

    def __getitem__(self, name: str) -> Floats:
        """Return a section."""
        return self._sections[name]

    def rows(self, name: str, width: int) -> Floats:
        """Return a section as rows of a width."""
        return self._sections[name].reshape(-1, width)
