"""Round trips between a simulator and a controller process, without the simulation.

    python benchmarks/wire.py

Needs nothing installed: it measures the transport alone, on the messages of a robot with two motors and
eight sensors. Goal: 60 us at most on an idle machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CLIENT = Path(__file__).resolve().parents[1] / "src" / "solidbody" / "control" / "client"
sys.path.insert(0, str(CLIENT))

import solidbody_protocol as protocol  # noqa: E402  # type: ignore[import-not-found]
import solidbody_turns as turns  # noqa: E402  # type: ignore[import-not-found]
import solidbody_wire as wire  # noqa: E402  # type: ignore[import-not-found]

COUNT = 20000
VALUES = [512.25] * 8


def controller(address: str) -> None:
    """Ask for one step after the other, as `Robot.step` does."""
    connection = wire.connect(address)
    velocity, step = protocol.MotorVelocity, protocol.Step
    for _ in range(COUNT + 1000):
        said = [velocity.pack(1, 2.0), velocity.pack(2, 2.5), step.pack(8.0)]
        connection.send(protocol.Turn.pack(said))
        turns.only_numbers(connection.receive())


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        server, address = wire.listen(folder)
        child = subprocess.Popen([sys.executable, __file__, address])
        stream, _ = server.accept()
        connection, reader = wire.Connection(stream), turns.TurnReader()
        start = 0.0
        for number in range(COUNT + 1000):
            if number == 1000:
                start = time.perf_counter()
            frame = None
            while frame is None:
                frame = connection.receive(0.05)
            reader.read(frame)
            report = protocol.ReportNumbers.pack(0, VALUES)
            connection.send(protocol.StepAnswer.pack(0, 0.008 * number, [report]))
        took = time.perf_counter() - start
        child.wait()
        server.close()
    print(f"{1e6 * took / COUNT:.1f} us per round trip, {os.cpu_count()} cores")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        controller(sys.argv[1])
    else:
        main()
