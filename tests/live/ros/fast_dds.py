"""A peer that nobody here wrote: Fast DDS, ROS 2's default, in C++ (`peer.cpp`); bytes by `rosbags`."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import wait_until

SOURCE = Path(__file__).parent / "peer.cpp"


@cache
def built_peer() -> Path:
    """Return the program; skip where it cannot be built."""
    if shutil.which("g++") is None:
        pytest.skip("there is no g++")
    if not Path("/usr/include/fastdds").is_dir():
        pytest.skip("there is no Fast DDS (Debian: libfastrtps-dev)")
    folder = Path(tempfile.mkdtemp(prefix="solidbody-peer-"))
    program = folder / "peer"
    command = [
        "g++",
        "-O0",
        "-std=c++17",
        "-o",
        str(program),
        str(SOURCE),
        "-lfastrtps",
        "-lfastcdr",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


class Peer:
    """The running program."""

    def __init__(self, domain: int) -> None:
        self._process = subprocess.Popen(
            [str(built_peer()), str(domain)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.got: dict[str, list[bytes]] = {}
        self.replies: list[bytes] = []
        self.matched: dict[str, int] = {}
        self.counts: dict[str, int] = {}
        self.is_ready = False
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()
        wait_until(lambda: self.is_ready, "the peer")

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            words = line.split()
            match words:
                case ["ready"]:
                    self.is_ready = True
                case ["got", topic, text]:
                    self.got.setdefault(topic, []).append(bytes.fromhex(text))
                case ["matched" | "served", name, count]:
                    self.matched[name] = int(count)
                case ["counted", name, count]:
                    self.counts[name] = int(count)
                case ["reply", _, _, text]:
                    self.replies.append(bytes.fromhex(text))
                case _:
                    pass

    def say(self, *words: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join(words) + "\n")

    def subscribe(
        self, topic: str, message: str, *, reliable: bool = True, late: bool = False
    ) -> None:
        """Read a topic of ROS."""
        reliability = "reliable" if reliable else "best_effort"
        durability = "transient_local" if late else "volatile"
        self.say("sub", f"rt{topic}", dds_name(message), reliability, durability)

    def publish(self, topic: str, message: str) -> None:
        self.say("pub", f"rt{topic}", dds_name(message), "reliable")

    def send(self, topic: str, data: bytes) -> None:
        self.say("send", f"rt{topic}", data.hex())

    def messages(self, topic: str) -> list[bytes]:
        return self.got.get(f"rt{topic}", [])

    def is_matched(self, topic: str) -> bool:
        return self.matched.get(f"rt{topic}", 0) > 0

    def serve(self, name: str, kind: str) -> None:
        """Be a client of a service."""
        package, _, short = kind.split("/")
        self.say("client", name, f"{package}::srv::dds_::{short}")

    def call(self, name: str, data: bytes) -> None:
        self.say("call", name, data.hex())

    def close(self) -> None:
        self.say("quit")
        self._process.communicate(timeout=60)

    def kill(self) -> None:
        """End without telling anybody."""
        self._process.kill()
        self._process.communicate()


def dds_name(message: str) -> str:
    package, kind, short = message.split("/")
    return f"{package}::{kind}::dds_::{short}_"


@cache
def store() -> Any:
    """Return the official definitions."""
    typesys = pytest.importorskip("rosbags.typesys")
    return typesys.get_typestore(typesys.Stores.ROS2_JAZZY)
