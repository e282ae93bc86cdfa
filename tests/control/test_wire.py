"""Messages between simulator and controller: whole, in order, and waited for in the cheapest way."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from solidbody.control.client import solidbody_wire as wire


@pytest.fixture
def ends() -> Iterator[tuple[wire.Connection, wire.Connection]]:
    """Both ends of a connection."""
    a, b = socket.socketpair()
    first, second = wire.Connection(a), wire.Connection(b)
    yield first, second
    first.close()
    second.close()


Ends = tuple[wire.Connection, wire.Connection]


def test_frames_arrive_as_they_were_sent(ends: Ends) -> None:
    """Several at once, in their order; empty ones as well."""
    frames = [b"step", b"", bytes(range(256)), b"\0" * 5000]
    for frame in frames:
        ends[0].send(frame)
    assert [ends[1].receive(0.0) for _ in frames] == frames


def test_nothing_to_hear_is_none_at_once_or_after_the_time(ends: Ends) -> None:
    """Zero does not wait, not even a moment."""
    assert ends[0].receive(0.0) is None
    start = time.monotonic()
    assert ends[0].receive(0.02) is None
    assert time.monotonic() - start >= 0.02


def test_a_message_longer_than_all_buffers_is_sent_while_the_other_end_reads(ends: Ends) -> None:
    """Sockets take some hundred kilobytes at once."""
    data = bytes(range(256)) * 20_000
    sender = threading.Thread(target=ends[0].send, args=(data,))
    sender.start()
    assert ends[1].receive(10.0) == data
    sender.join()


def test_who_does_not_read_is_given_up(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that was stopped must not stop the simulation for ever."""
    monkeypatch.setattr(wire, "PATIENCE", 0.05)
    with pytest.raises(wire.Closed, match="has not read its answer"):
        ends[0].send(b"x" * 20_000_000)


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        (b"", "the other end has closed the connection"),
        (wire.HEADER.pack(wire.LIMIT + 1), "a frame of 67108865 bytes is too long"),
        (wire.HEADER.pack(2**32 - 1) + b"x", "a frame of 4294967295 bytes is too long"),
        (wire.HEADER.pack(8) + b"half", "the other end has closed the connection"),
    ],
)
def test_what_is_no_message_ends_the_connection(sent: bytes, problem: str) -> None:
    """With a word."""
    a, b = socket.socketpair()
    connection = wire.Connection(a)
    b.sendall(sent)
    b.close()
    with pytest.raises(wire.Closed, match=problem):
        connection.receive(1.0)
    connection.close()


def test_looking_for_answers_is_given_up_where_they_are_late(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of ten waits in vain the first, third and sixth are spun: pauses of 1, 2 and 4 follow."""
    looks = 0

    def look() -> None:
        nonlocal looks
        looks += 1

    monkeypatch.setattr(wire, "let_others_run", look)
    monkeypatch.setattr(wire, "SPIN", 1e-9)
    moment = iter(range(10_000))
    # the clock runs so that each spin looks exactly once
    monkeypatch.setattr(wire, "clock", lambda: next(moment) * 0.6e-9)
    for _ in range(10):
        assert ends[0].receive(1e-6) is None
    assert looks == 3


def test_an_answer_that_comes_quickly_makes_looking_worth_while_again(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a success the next wait in vain costs one pause only."""
    ends[0]._in_vain, ends[0]._pauses = 64, 0
    # the other end runs only when this one looks for an answer; seconds: busy machines pause us
    monkeypatch.setattr(wire, "let_others_run", lambda: ends[1].send(b"late"))
    monkeypatch.setattr(wire, "SPIN", 5.0)
    assert ends[0].receive(10.0) == b"late"
    assert ends[0]._in_vain == 1
    assert ends[0]._pauses == 0


def test_a_simulator_that_lets_nobody_in_is_there_and_holds_nobody_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One that was stopped: its door is full, and who looks for a free port must not wait there for ever."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    listener, address = wire.listen(str(tmp_path))
    listener.listen(1)
    wire.publish(43, address, "secret")
    waiting = []
    try:
        with contextlib.suppress(OSError):
            for _ in range(80):
                waiting.append(wire.connect(address, timeout=0.05))
        assert len(waiting) < 80, "the door is full"
        assert wire.is_alive(43)
    finally:
        for connection in waiting:
            connection.close()
        listener.close()
    assert not wire.is_alive(43)


def test_only_the_user_may_enter_where_simulators_meet(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The folder is closed to others, also if it was open before."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    folder = wire.meeting_folder()
    os.chmod(folder, 0o755)
    assert stat.S_IMODE(os.stat(wire.meeting_folder()).st_mode) == 0o700
    path = wire.publish(41, "unix:/nowhere", "secret")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert wire.find(41) == ("unix:/nowhere", "secret")
    assert wire.ports() == [], "nobody listens there"
