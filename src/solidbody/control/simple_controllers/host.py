"""One host: the process in which a controller runs, with those that share its body."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from solidbody.control.client import solidbody_protocol as codec
from solidbody.control.client import solidbody_wire as wire
from solidbody.control.process import ControllerProcess
from solidbody.control.simple_controllers.block import Block

POLL: Final = 0.05
"""[s] How often a waiting simulator looks whether the host is still there."""

SLOW: Final = 10.0
"""[s] Wall time after which a controller that computes is named, once."""

HANG: Final = 60.0
"""[s] Wall time after which a controller that computes is ended: it would compute for ever."""

PATIENCE: Final = 1.0
"""[s] Wall time that a host has to end after it was told to."""

_CONTROL: Final = codec.BodyOrder.pack("control", 0, [])


class HostLost(Exception):
    """The process has ended, or was ended; the text says how."""


class Host:
    """A host's process and what is said to it.

    Args:
        title: What messages call it.
        process: The process.
        connection: To it, once it has come.
        block: What it shares with the simulator.
        warn: Told of slowness.
    """

    def __init__(
        self,
        title: str,
        process: ControllerProcess,
        connection: wire.Connection,
        block: Block,
        warn: Callable[[str], None],
    ) -> None:
        self.title, self.process, self.block = title, process, block
        self._connection, self._warn = connection, warn
        self._was_slow = False
        self.hang = HANG

    def order(self, phase: str, controller: int, modes: Sequence[int] = ()) -> dict[str, Any]:
        """Let it do something and return its report, a `BodyReport`.

        Raises:
            HostLost: It has ended.
        """
        try:
            self._connection.post(codec.BodyOrder.pack(phase, controller, list(modes)))
            began = time.monotonic()
            while True:
                said = self._heard(POLL)
                if said:
                    return said
                self._watch(began)
        except wire.Closed as reason:
            raise self._lost() from reason

    def ask(self) -> None:
        """Let controllers compute; `wait` for them later."""
        if self.block.ask():
            try:
                self._connection.post(_CONTROL)
            except wire.Closed as reason:
                raise self._lost() from reason

    def wait(self) -> None:
        """Wait until controllers have computed.

        Raises:
            HostLost: It has ended meanwhile, or computes for ever.
        """
        block = self.block
        if block.spin():
            return
        began = time.monotonic()
        try:
            while not block.is_done:
                block.sleep(sleeps=True)
                if block.is_done:
                    break
                self._heard(POLL)
                if not block.is_done:
                    self._watch(began)
                    self._connection.post(_CONTROL)  # in case that it slept too soon
        except wire.Closed as reason:
            raise self._lost() from reason
        finally:
            block.sleep(sleeps=False)

    def _heard(self, timeout: float) -> dict[str, Any]:
        """Return the report that has come, if one has."""
        frame = self._connection.receive(timeout)
        if frame is None:
            return {}
        try:
            _, said = codec.parse(frame, codec.FROM_CLIENT)
        except (codec.ProtocolError, ValueError) as error:
            raise wire.Refused(f"a message is broken: {error}") from error
        reports = [one for one in said if one[0] == codec.BodyReport.number]
        return codec.BodyReport.facts(reports[-1]) if reports else {}

    def _watch(self, began: float) -> None:
        """The host is not ready: see whether it is there, name one that is slow, end one that hangs."""
        if self.process.status is not None:
            raise self._lost()
        waited = time.monotonic() - began
        if waited > SLOW and not self._was_slow:
            self._was_slow = True
            self._warn(f"{self.title} computes for {SLOW:g} s; the simulation waits for it")
        if waited > self.hang:
            self.end(0.0)
            raise HostLost(f"{self.title} was ended: it has computed for {self.hang:g} s")

    def _lost(self) -> HostLost:
        self.end(PATIENCE)
        status = self.process.status
        lines = list(self.process.last_lines)[-8:]
        how = (
            f"was killed by signal {-status}"
            if status is not None and status < 0
            else f"exited with {status}"
        )
        return HostLost(f"{self.title} {how}" + "".join(f"\n    {line}" for line in lines))

    def end(self, patience: float) -> None:
        """End the process."""
        with contextlib.suppress(wire.Closed):
            self._connection.post(codec.BodyOrder.pack("end", 0, []))
        self.process.end(patience, whole=True)
        self._connection.close()
