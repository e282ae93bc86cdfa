"""What the browser view costs the server: CPU seconds per second, by bodies and tabs.

    python -m benchmarks.view_server

The motion is made up and nearly free, so that the numbers are those of the view alone: pacing, taking
poses, encoding, sending. Server and clients are separate processes; only the server's CPU time counts.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection

import numpy as np
from numpy.typing import NDArray

SECONDS = 5.0
"""Length of one measurement [s]."""


@dataclass(frozen=True, slots=True)
class Case:
    """One measurement: moving bodies and open tabs."""

    bodies: int
    tabs: int


CASES = (Case(100, 1), Case(1000, 1), Case(1000, 3))
GOALS = {100: 0.05, 1000: 0.15}
"""Shares of a core that one tab may cost."""


class Waves:
    """Bodies on a grid that go up and down; a step costs next to nothing."""

    def __init__(self, count: int) -> None:
        from solidbody.model.scene import Scene

        self.scene = Scene("waves", "waves")
        self.time_step = 1.0 / 60.0
        self.step_count = 0
        self.moving = np.arange(count)
        self.stats = self
        self.not_converged = 0
        self._poses = np.zeros((count, 7))
        self._poses[:, 3] = 1.0

    @property
    def time(self) -> float:
        return self.step_count * self.time_step

    def step(self, n: int = 1) -> None:
        self.step_count += n

    def reset(self) -> None:
        self.step_count = 0

    def poses(self) -> NDArray[np.float64]:
        self._poses[:, 2] = np.sin(self.time + 0.1 * self.moving)
        return self._poses


def serve_case(count: int, pipe: Connection) -> None:
    """Run the server until told to stop; tell the CPU time used whenever asked (child process)."""
    from solidbody.view.address import open_listener
    from solidbody.view.application import Application
    from solidbody.view.player import Player
    from solidbody.view.protocol import PROTOCOL_VERSION
    from solidbody.view.protocol_scene import WireScene, WireViewpoint
    from solidbody.view.server import make_server

    viewpoint = WireViewpoint((0, 0, 0), (1, 0, 0, 0), 1.0, 0.1, 1.0, None)
    scene = WireScene(
        PROTOCOL_VERSION, "", "waves", "waves", (0, 0, 1), 1 / 60, [], [], [], [], [], [], None, None,
        viewpoint,
    )  # fmt: skip
    player = Player(Waves(count))
    server = make_server(Application(player, scene, {}))
    listener = open_listener(0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    player.start()
    pipe.send(listener.getsockname()[1])
    while pipe.recv() == "measure":
        pipe.send((time.process_time(), player.frame.sequence))
    server.should_exit = True
    thread.join()
    player.close()


@contextlib.contextmanager
def reading_tab(port: int) -> Iterator[list[int]]:
    """Read frames in a process of its own, as a browser would; gives the number received."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=read_frames, args=(port, theirs), daemon=True)
    process.start()
    ours.recv()  # the first frame has come
    received: list[int] = []
    yield received
    ours.send("stop")
    received.append(ours.recv())
    process.join()


def read_frames(port: int, pipe: Connection) -> None:
    """Count frames until told to stop (child process)."""
    from websockets.sync.client import connect

    count = 0
    with connect(f"ws://127.0.0.1:{port}/api/stream", compression=None, max_size=None) as client:
        while not pipe.poll():
            count += isinstance(client.recv(), bytes)
            if count == 1:
                pipe.send("ready")
    pipe.send(count)


def measure(case: Case) -> tuple[float, float]:
    """Return (CPU seconds per second, frames per second) of the server."""
    context = multiprocessing.get_context("spawn")
    pipe, theirs = context.Pipe()
    server = context.Process(target=serve_case, args=(case.bodies, theirs), daemon=True)
    server.start()
    port = pipe.recv()
    with contextlib.ExitStack() as tabs:
        for _ in range(case.tabs):
            tabs.enter_context(reading_tab(port))
        began = time.monotonic()
        pipe.send("measure")
        cpu, frames = pipe.recv()
        time.sleep(SECONDS)
        pipe.send("measure")
        cpu_after, frames_after = pipe.recv()
        seconds = time.monotonic() - began
    pipe.send("stop")
    server.join()
    return (cpu_after - cpu) / seconds, (frames_after - frames) / seconds


def main() -> None:
    """Print one line per case."""
    print("view server: CPU seconds per second (share of one core)")
    for case in CASES:
        share, rate = measure(case)
        goal = f"goal {GOALS[case.bodies]:.0%}" if case.tabs == 1 else ""
        name = f"{case.bodies} bodies, {case.tabs} tab(s)"
        print(f"  {name:24} {share:6.1%} of a core at {rate:4.1f} frames/s  {goal}")


if __name__ == "__main__":
    main()
