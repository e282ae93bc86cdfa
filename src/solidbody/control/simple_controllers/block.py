"""The shared block: memory in which inputs and outputs of one host lie, a section for each quantity."""

from __future__ import annotations

import mmap
import os
import threading
import time
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.control.client.solidbody_wire import let_others_run
from solidbody.control.protocol import bodies as p

Floats = NDArray[np.float64]

ASKED, DONE, HOST_SLEEPS, SIMULATOR_SLEEPS = range(len(p.HEADER))

AXES: Final = 8
BUTTONS: Final = 11
"""Of a joystick."""

SPIN: Final = 100e-6
"""[s] How long it is looked for an answer before sleeping."""


class Block:
    """One block in a file that both sides map.

    Args:
        path: The file, which is made.
        links: How many links the body has.
        joints: How many of them have a joint that moves.
        devices: How many devices it has.
        controllers: How many controllers share it.
    """

    def __init__(self, path: str, links: int, joints: int, devices: int, controllers: int) -> None:
        per_joint = dict.fromkeys(
            ("q", "dq", "ddq", "u", "q_target", "dq_target", "ddq_out", "u_out"), joints
        )
        per_link = {"pose": 7, "twist": 6, "acceleration": 6, "wrench": 6}
        per_link |= {"pose_out": 7, "twist_out": 6, "wrench_out": 6}
        lengths = {
            "time": 1,
            "joystick": 1 + AXES + BUTTONS,
            "contacts": 1 + p.MOST_CONTACTS * p.CONTACT_WIDTH,
            "device_changes": devices,
            "device_state": devices * p.DEVICE_WIDTH,
            "device_changes_out": devices,
            "device_state_out": devices * p.DEVICE_WIDTH,
            "results": controllers,
            **per_joint,
            **{name: width * links for name, width in per_link.items()},
        }
        self.path = path
        self.offsets: list[int] = []
        at = p.HEADER_BYTES
        for name in p.SECTIONS:
            self.offsets.append(at)
            at += 8 * lengths[name]
        self.size = at
        with open(path, "wb") as file:
            os.chmod(path, 0o600)
            file.truncate(at)
        with open(path, "r+b") as file:
            self._memory = mmap.mmap(file.fileno(), at)
        self.header = np.frombuffer(self._memory, np.int64, len(p.HEADER))
        self._sections: dict[str, Floats] = {
            name: np.frombuffer(self._memory, np.float64, lengths[name], offset)
            for name, offset in zip(p.SECTIONS, self.offsets, strict=True)
        }
        self._fence = threading.Lock()
        self._pauses, self._in_vain = 0, 1

    def __getitem__(self, name: str) -> Floats:
        """Return a section."""
        return self._sections[name]

    def rows(self, name: str, width: int) -> Floats:
        """Return a section as rows of a width."""
        return self._sections[name].reshape(-1, width)

    def ask(self) -> bool:
        """Let the host compute; return whether it sleeps and must be woken."""
        self.header[ASKED] += 1
        with (
            self._fence
        ):  # what was written is seen before what the other side has written is looked at
            return bool(self.header[HOST_SLEEPS])

    @property
    def is_done(self) -> bool:
        """Whether the host has computed what it was asked for."""
        return bool(self.header[DONE] == self.header[ASKED])

    def spin(self) -> bool:
        """Look for the end of the computation for a moment; return whether it has come.

        Where that is in vain it is tried more and more rarely.
        """
        header = self.header
        if header[DONE] == header[ASKED]:
            return True
        if self._pauses:
            self._pauses -= 1
            return False
        end = time.perf_counter() + SPIN
        while time.perf_counter() < end:
            let_others_run()
            if header[DONE] == header[ASKED]:
                self._in_vain = 1
                return True
        self._pauses = self._in_vain
        self._in_vain = min(2 * self._in_vain, 256)
        return False

    def sleep(self, *, sleeps: bool) -> None:
        """Say whether the simulator sleeps until it is woken."""
        self.header[SIMULATOR_SLEEPS] = sleeps
        with self._fence:
            pass
