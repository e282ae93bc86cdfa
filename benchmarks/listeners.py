"""What it costs to be watched: recordings, the page, Foxglove, ROS 2.

    python -m benchmarks.listeners            # microseconds of a step; --rates: what ROS 2 gets, and how soon

A robot on two wheels among a wall of blocks (`examples/robot.wbt`, a step of 16 ms: 60 Hz). Each case steps a
simulation of its own, in turn with the others; the best round counts. "Caller" is processor time of the
thread that steps, "all" that of the whole process. Who looks is another process.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

import solidbody as sb

WORLD: Final = Path(__file__).resolve().parent.parent / "examples" / "robot.wbt"
STEPS: Final = 300
ROUNDS: Final = 5
DOMAIN: Final = 77
WARM_UP, ANSWERS, SECONDS = 20, 200, 2.0
FOXGLOVE: Final = ("/tf", "/joint_states", "/scene")
ROS: Final = {"/tf": "tf2_msgs/msg/TFMessage", "/joint_states": "sensor_msgs/msg/JointState"}

Watched = Callable[[sb.Sim, ExitStack], Callable[[], None] | None]
"""Lets somebody look at a simulation; may return what is called after each step."""


def alone(sim: sb.Sim, stack: ExitStack) -> None:
    """Nobody looks."""


def logged(sim: sb.Sim, stack: ExitStack) -> None:
    """Keep numbers in memory."""
    stack.enter_context(sim.log())


def recorded(name: str) -> Watched:
    """Record to a file."""

    def attach(sim: sb.Sim, stack: ExitStack) -> None:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        stack.enter_context(sim.record(Path(folder) / name))

    return attach


def viewed(tabs: int) -> Watched:
    """Open the page, with so many tabs."""

    def attach(sim: sb.Sim, stack: ExitStack) -> Callable[[], None]:
        view = stack.enter_context(sb.view(sim, open_browser=False))
        for _ in range(tabs):
            stack.enter_context(process(read_page, view.frame_url))
        wait_for(lambda: view.has_viewers or not tabs)
        return lambda: view.sync(wait=False)

    return attach


def in_foxglove(viewers: int) -> Watched:
    """Serve Foxglove."""

    def attach(sim: sb.Sim, stack: ExitStack) -> None:
        bridge = stack.enter_context(sb.live.foxglove(sim, port=0))
        for _ in range(viewers):
            stack.enter_context(process(read_foxglove, bridge.url))
        if viewers:
            wait_for(lambda: all(bridge._wants(topic) for topic in FOXGLOVE))

    return attach


def in_ros(readers: int) -> Watched:
    """Bridge to ROS 2."""

    def attach(sim: sb.Sim, stack: ExitStack) -> None:
        from solidbody.live.ros.settings import Ros2Settings

        domain = DOMAIN + readers  # who reads one would read the other, too
        settings = Ros2Settings(domain=domain, rate=1000.0, clock_rate=1000.0)
        bridge = stack.enter_context(sb.live.ros2(sim, settings))
        for _ in range(readers):
            peer = stack.enter_context(fast_dds(domain))
            for topic, kind in ROS.items():
                peer.subscribe(topic, kind)
                peer.say("quiet", f"rt{topic}")
        if readers:
            wait_for(lambda: all(bridge._wants(topic) for topic in ROS))

    return attach


CASES: Final[dict[str, Watched]] = {
    "nobody": alone,
    "`sim.log()`": logged,
    "`.csv`": recorded("run.csv"),
    "`.mcap`": recorded("run.mcap"),
    "bag": recorded("bag"),
    "`.html`": recorded("run.html"),
    "`sb.view`, no tab": viewed(0),
    "`sb.view`, a tab": viewed(1),
    "Foxglove, nobody": in_foxglove(0),
    "Foxglove, a viewer": in_foxglove(1),
    "Foxglove, ten viewers": in_foxglove(10),
    "ROS 2, nobody": in_ros(0),
    "ROS 2, a reader": in_ros(1),
}


# ---------------------------------------------------------------------- who looks


def read_page(url: str) -> None:
    """Read frames as a tab does."""
    from websockets.sync.client import connect

    with connect(f"{url.replace('http', 'ws', 1)}api/stream", max_size=None) as socket:
        for _ in socket:
            pass


def read_foxglove(url: str) -> None:
    """Subscribe to frames, joints and shapes."""
    from websockets.sync.client import connect
    from websockets.typing import Subprotocol

    with connect(url, subprotocols=[Subprotocol("foxglove.sdk.v1")], max_size=None) as socket:
        for message in socket:
            if isinstance(message, str) and '"advertise"' in message:
                wanted = [
                    {"id": item["id"], "channelId": item["id"]}
                    for item in json.loads(message).get("channels", [])
                    if item["topic"] in FOXGLOVE
                ]
                socket.send(json.dumps({"op": "subscribe", "subscriptions": wanted}))


@contextmanager
def process(work: Callable[[str], None], url: str) -> Iterator[None]:
    """Let another process look."""
    running = multiprocessing.get_context("spawn").Process(target=quietly, args=(work, url))
    running.start()
    try:
        yield
    finally:
        running.kill()
        running.join()


def quietly(work: Callable[[str], None], url: str) -> None:
    """Run until the server ends."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        sys.stderr = nowhere
        work(url)


@contextmanager
def fast_dds(domain: int) -> Iterator[Any]:
    """Start ROS 2's default DDS in C++."""
    from tests.live.ros.fast_dds import Peer

    peer = Peer(domain)
    try:
        yield peer
    finally:
        peer.kill()


def wait_for(condition: Callable[[], object], patience: float = 60.0) -> None:
    """Wait until something is true."""
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("nobody came to look")
        time.sleep(0.005)


# ---------------------------------------------------------------------- steps


@dataclass
class Watching:
    """A simulation that is looked at in one way."""

    name: str
    sim: sb.Sim
    after: Callable[[], None] | None
    caller: list[float] = field(default_factory=list)
    everything: list[float] = field(default_factory=list)

    def step(self) -> None:
        """Take steps and note what they cost [us]."""
        mine, whole = time.thread_time(), time.process_time()
        for _ in range(STEPS):
            self.sim.step()
            if self.after is not None:
                self.after()
        self.caller.append(1e6 * (time.thread_time() - mine) / STEPS)
        self.everything.append(1e6 * (time.process_time() - whole) / STEPS)


def show_costs(names: list[str]) -> None:
    """Print the table."""
    with ExitStack() as stack:
        running: list[Watching] = []
        for name, attach in CASES.items():
            if names and name not in names and name != "nobody":
                continue
            sim = sb.Sim(sb.load(WORLD))
            for motor in sim.joint_names:
                sim.joint(motor).target_velocity = 1.0
            running.append(Watching(name, sim, attach(sim, stack)))
        for _ in range(ROUNDS):
            for one in running:
                one.step()
    base = min(running[0].caller)
    print(
        "| who looks | caller [us per step] | more than nobody | all threads |\n|---|---|---|---|"
    )
    for one in running:
        mine, whole = min(one.caller), min(one.everything)
        print(f"| {one.name} | {mine:.0f} | {mine - base:.0f} | {whole:.0f} |")


# ---------------------------------------------------------------------- rates of ROS 2


def show_rates() -> None:
    """Print how soon Fast DDS answers, and how many messages it gets."""
    from solidbody.live.ros.cdr import encode
    from solidbody.live.ros.dds_node import DdsNode

    kinds = {
        "JointState of 7 joints": ("sensor_msgs/msg/JointState", joints(), 0.0),
        "LaserScan of 720 rays": (
            "sensor_msgs/msg/LaserScan",
            {"ranges": np.zeros(720, "<f4")},
            0.0,
        ),
        "Image of 640x480 pixels": (
            "sensor_msgs/msg/Image",
            {"data": bytes(640 * 480 * 3)},
            1 / 60,
        ),
    }
    print("| message | answered, median [us] | 99 % | sent | came |\n|---|---|---|---|---|")
    for name, (kind, message, pause) in kinds.items():
        data = encode(kind, message)
        with ExitStack() as stack:
            node = DdsNode(DOMAIN, "127.0.0.1")
            stack.callback(node.close)
            with fast_dds(DOMAIN) as peer:
                times = answers_of(node, peer, kind, data)
            with fast_dds(DOMAIN) as peer:
                sent, came = flow_of(node, peer, kind, data, pause)
        median, slow = statistics.median(times), sorted(times)[-1 - len(times) // 100]
        print(
            f"| {name}, {len(data):,} bytes | {median:.0f} | {slow:.0f} | {sent:,.0f}/s |"
            f" {came:,.0f}/s |"
        )


def answers_of(node: Any, peer: Any, kind: str, data: bytes) -> list[float]:
    """Return how long it takes until the peer has answered a message [us]."""
    from solidbody.live.ros.run_messages import Topic
    from solidbody.live.ros.settings import QUALITIES

    answered = threading.Event()
    out = node.writer(Topic("/out", kind, QUALITIES["default"]))
    back = node.reader(
        Topic("/back", "std_msgs/msg/UInt64", QUALITIES["default"]), lambda _: answered.set()
    )
    peer.publish("/back", "std_msgs/msg/UInt64")
    peer.subscribe("/out", kind)
    peer.say("echo", "rt/out", "rt/back")
    wait_for(lambda: out.matched and back.matched)
    times: list[float] = []
    for _ in range(WARM_UP + ANSWERS):
        answered.clear()
        start = time.perf_counter()
        out.write(data)
        if not answered.wait(10.0):
            raise SystemExit("no answer came")
        times.append(1e6 * (time.perf_counter() - start))
    out.close()
    back.close()
    return times[WARM_UP:]


def joints() -> dict[str, Any]:
    """Return states of an arm."""
    numbers = np.zeros(7)
    names = [f"joint_{k}" for k in range(7)]
    return {"name": names, "position": numbers, "velocity": numbers, "effort": numbers}


def flow_of(node: Any, peer: Any, kind: str, data: bytes, pause: float) -> tuple[float, float]:
    """Return how many messages are sent and come [1/s]; without pauses as many are sent as go."""
    from solidbody.live.ros.run_messages import Topic
    from solidbody.live.ros.settings import QUALITIES

    writer = node.writer(Topic("/many", kind, QUALITIES["default"]))
    peer.subscribe("/many", kind)
    peer.say("quiet", "rt/many")
    wait_for(lambda: writer.matched and "rt/many" in peer.counts)
    start, sent = time.perf_counter(), 0
    while time.perf_counter() - start < SECONDS:
        writer.write(data)
        sent += 1
        if pause:
            time.sleep(pause)
    took = time.perf_counter() - start
    time.sleep(0.5)  # what is on its way comes
    peer.counts.pop("rt/many")
    peer.say("count", "rt/many")
    wait_for(lambda: "rt/many" in peer.counts)
    return sent / took, peer.counts["rt/many"] / took


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rates", action="store_true")
    parser.add_argument("names", nargs="*", help="cases; all without any")
    chosen = parser.parse_args()
    if chosen.rates:
        show_rates()
    else:
        show_costs(chosen.names)


if __name__ == "__main__":
    main()
