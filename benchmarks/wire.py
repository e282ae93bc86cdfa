"""Round trips between a simulator and a controller process, without the simulation.

    python benchmarks/wire.py

Needs nothing installed: it measures the transport alone, on the messages of a robot with two motors and
eight sensors. Goal: 10 us at most.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CLIENT = Path(__file__).resolve().parents[1] / "src" / "solidbody" / "control" / "client"
sys.path.insert(0, str(CLIENT))

import solidbody_mailbox as mailboxes  # noqa: E402  # type: ignore[import-not-found]
import solidbody_protocol as protocol  # noqa: E402  # type: ignore[import-not-found]
import solidbody_turns as turns  # noqa: E402  # type: ignore[import-not-found]
import solidbody_wire as wire  # noqa: E402  # type: ignore[import-not-found]

COUNT = 20000
WINDOW = 200
"""Round trips in one measurement; the best one counts."""
VALUES = [512.25] * 8


def controller(address: str, mailbox: str) -> None:
    """Ask for one step after the other, as `Robot.step` does."""
    connection = wire.connect(address)
    found = mailboxes.open_mailbox(mailbox)
    if found is not None:
        connection.use_mailbox(found, asks=True)
    velocity, step = protocol.MotorVelocity, protocol.Step
    for _ in range(COUNT):
        said = [velocity.pack(1, 2.0), velocity.pack(2, 2.5), step.pack(8.0)]
        connection.send(protocol.Turn.pack(said))
        turns.only_numbers(connection.receive())


def round_trip(*, uses_mailbox: bool) -> float:
    """Return what a round trip takes [us]: the best of many short measurements."""
    with tempfile.TemporaryDirectory() as folder:
        server, address = wire.listen(folder)
        mailbox = mailboxes.make_mailbox() if uses_mailbox else None
        path = "" if mailbox is None else mailbox.path
        child = subprocess.Popen([sys.executable, __file__, address, path])
        stream, _ = server.accept()
        connection, reader = wire.Connection(stream), turns.TurnReader()
        if mailbox is not None:
            connection.use_mailbox(mailbox, asks=False)
        best, start = math.inf, time.perf_counter()
        for number in range(COUNT):
            if number % WINDOW == 0:
                now = time.perf_counter()
                best, start = min(best, now - start) if number > WINDOW else best, now
            frame = None
            while frame is None:
                frame = connection.receive(0.05)
            reader.read(frame)
            report = protocol.ReportNumbers.pack(0, VALUES)
            connection.send(protocol.StepAnswer.pack(0, 0.008 * number, [report]))
        child.wait()
        server.close()
    return 1e6 * best / WINDOW


def main() -> None:
    """Measure and print."""
    for name, uses_mailbox in (("through a mailbox", True), ("through the socket", False)):
        took = round_trip(uses_mailbox=uses_mailbox)
        print(f"{took:.1f} us per round trip {name}, {os.cpu_count()} cores")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        controller(*sys.argv[1:])
    else:
        main()
