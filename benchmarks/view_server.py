"""What the browser view costs: CPU of the server, time to the first picture, size of the page.

    python -m benchmarks.view_server

The motion of the first part is made up and nearly free, so that the numbers are those of the view alone:
pacing, taking poses, encoding, sending. Server and clients are separate processes; only the server's CPU
time counts.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

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

PAGE_GOAL = 400_000
"""Size of the page after compression [bytes]."""

PICTURE_GOAL = 3.0
"""Time from the start of the program to the first picture [s]; warm: files in memory, browser running."""

DEMO = Path(__file__).resolve().parents[1] / "examples" / "playground.wbt"
TRIES = 3
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


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
    from solidbody.viewer.address import open_listener
    from solidbody.viewer.application import Application
    from solidbody.viewer.player import Player
    from solidbody.viewer.scene_encoding import encode_scene
    from solidbody.viewer.server import make_server

    waves = Waves(count)
    none = np.zeros(0, np.intp)
    scene = encode_scene(waves.scene, np.zeros((0, 7)), none, time_step=waves.time_step)
    player = Player(waves)
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
    theirs.close()
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
    theirs.close()  # so that a server that fails is noticed
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


@dataclass(frozen=True, slots=True)
class FirstPicture:
    """Time from the start of the program to the first drawn picture [s], and its CPU time until then [s]."""

    seconds: float
    cpu: float


def measure_first_picture(world: Path) -> FirstPicture | None:
    """Start the program as a user would, open its address in a browser that runs; None without a browser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser_path is None:
        return None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=list(FLAGS))
        tab = browser.new_page(viewport={"width": 1280, "height": 720}, bypass_csp=True)
        began = time.monotonic()
        command = [sys.executable, "-m", "solidbody.cli", "run", str(world), "--port", "0"]
        program = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            assert program.stderr is not None
            words = (word for line in program.stderr for word in line.split())
            tab.goto(next(word for word in words if word.startswith("http://")))
            tab.wait_for_function("window.solidbody && window.solidbody.time >= 0")
            tab.evaluate(TWO_FRAMES)
            seconds = time.monotonic() - began
            cpu = _cpu_of(program.pid)
        finally:
            program.terminate()
            program.wait()
            browser.close()
    return FirstPicture(seconds, cpu)


def _cpu_of(process: int) -> float:
    """Return the CPU time of a process so far [s]; NaN where the system does not tell."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="ascii")
    except OSError:
        return math.nan
    user, system = text.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def page_bytes() -> int:
    """Return what a first visit loads, compressed [bytes]."""
    from solidbody.viewer.page_files import load_page

    files = {id(file): file for file in load_page().values()}
    return sum(len(file.compressed) for file in files.values())


def main() -> None:
    """Print one line per case."""
    print("view server: CPU seconds per second (share of one core)")
    for case in CASES:
        share, rate = measure(case)
        goal = f"goal {GOALS[case.bodies]:.0%}" if case.tabs == 1 else ""
        name = f"{case.bodies} bodies, {case.tabs} tab(s)"
        print(f"  {name:24} {share:6.1%} of a core at {rate:4.1f} frames/s  {goal}")
    print(f"page: {page_bytes() / 1000:.0f} kB compressed  goal {PAGE_GOAL / 1000:.0f} kB")
    tries = [measure_first_picture(DEMO) for _ in range(TRIES)]
    if found := [item for item in tries if item is not None]:
        best = min(found, key=lambda item: item.seconds)
        print(
            f"first picture of the demo: {best.seconds:.2f} s after the start of the program, "
            f"{best.cpu:.2f} s of its CPU time (best of {TRIES})  goal {PICTURE_GOAL:.0f} s"
        )
    else:
        print("first picture of the demo: not measured (needs playwright and a Chromium)")


if __name__ == "__main__":
    main()
