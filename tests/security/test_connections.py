"""Connections to the page that say nothing, dribble, or do not read are closed, and others are served."""

from __future__ import annotations

import contextlib
import select
import socket
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.sync.client import connect

import solidbody as sb
from solidbody.viewer import connections
from solidbody.viewer.page_files import PageFile
from tests.viewer.serving import PAGE, View, running_view
from tests.waiting import wait_until

PATIENCE = 30.0
"""[s] After which a connection counts as one that is never closed."""

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 16 }
Solid { physics Physics { } boundingObject Box { size 1 1 1 } }
"""


@pytest.fixture
def view(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[View]:
    """A served world, with a large file, whose server has little patience."""
    monkeypatch.setattr(connections, "REQUEST_TIME", 1.0)
    monkeypatch.setattr(connections, "STALL_TIME", 2.0)
    path = tmp_path / "world.wbt"
    path.write_text(WORLD)
    large = bytes(20_000_000)
    page = {**PAGE, "/large": PageFile(large, b"", "text/plain", is_hashed=False)}
    with running_view(sb.Sim(sb.load(path)), page=page) as view:
        yield view


def open_at(view: View) -> socket.socket:
    """Return a connection."""
    return socket.create_connection(("127.0.0.1", view.port), timeout=PATIENCE)


def read_to_end(stream: socket.socket) -> bytes:
    """Return what comes until the connection is closed; fails if it stays open."""
    out: list[bytes] = []
    with contextlib.suppress(ConnectionError):
        while more := stream.recv(1 << 20):
            out.append(more)
    return b"".join(out)


def served(view: View) -> bool:
    """Whether a browser gets the page."""
    with urllib.request.urlopen(view.url, timeout=PATIENCE) as answer:
        return answer.read() == PAGE["/"].content


HEAD = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"G",
        HEAD,
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nx",
        HEAD + b"\r\nGET",
        HEAD + b"Connection: Upgrade\r\nUpgrade: websocket\r\n",
    ],
    ids=[
        "nothing",
        "a letter",
        "half a head",
        "half a body",
        "half of a second one",
        "half upgraded",
    ],
)
def test_half_open_connections_are_closed(view: View, said: bytes) -> None:
    """300 of them were never closed."""
    streams = [open_at(view) for _ in range(5)]
    for stream in streams:
        stream.sendall(said)
    assert served(view)
    for stream in streams:
        read_to_end(stream)
        stream.close()


def test_a_head_that_comes_byte_by_byte_is_not_waited_for(view: View) -> None:
    """The time is for the whole head."""
    stream = open_at(view)
    end = time.monotonic() + PATIENCE
    with contextlib.suppress(ConnectionError):
        while True:
            assert time.monotonic() < end, "it is still waited for"
            stream.sendall(b"X")
            select.select([stream], [], [], 0.05)
    stream.close()


def test_the_number_of_connections_is_bounded(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that have waited longest have to go; who comes next is served."""
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 20)
    monkeypatch.setattr(connections, "REQUEST_TIME", 1000.0)
    streams = [open_at(view) for _ in range(300)]
    assert served(view)
    assert len(view.server.server_state.connections) <= 21
    for stream in streams[:250]:
        assert read_to_end(stream) == b""
    for stream in streams:
        stream.close()


@pytest.mark.slow
def test_who_does_not_read_a_file_is_sent_away(view: View) -> None:
    """The file is larger than what the system takes."""
    stream = open_at(view)
    stream.sendall(b"GET /large HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert served(view)
    wait_until(lambda: not view.server.server_state.connections, "the end of the connection")
    assert len(read_to_end(stream)) < 20_000_000
    stream.close()


@pytest.mark.slow
def test_who_reads_slowly_gets_all(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as something is taken whenever the server looks; a busy machine may take a second for it."""
    monkeypatch.setattr(connections, "STALL_TIME", 4.0)
    looks: list[object] = []
    look = connections.BoundedProtocol._look
    monkeypatch.setattr(
        connections.BoundedProtocol, "_look", lambda one: (looks.append(one), look(one))
    )
    stream = open_at(view)
    # small, so that each read makes room that the server hears of
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
    stream.sendall(b"GET /large HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    size = 0
    for _ in range(7):  # it looks four times while a stall may last
        seen = len(looks)
        wait_until(lambda: len(looks) > seen)  # noqa: B023
        size += len(stream.recv(2_000_000))
    size += len(read_to_end(stream))
    stream.close()
    assert size > 20_000_000


def test_a_stream_is_no_request_and_stays(view: View) -> None:
    """Longer than requests may take; frames come all the time."""
    with connect(view.stream_url) as stream:
        end = time.monotonic() + 1.5 * connections.REQUEST_TIME
        while time.monotonic() < end:
            assert stream.recv(timeout=PATIENCE)
    assert served(view)
