"""Messages that claim more than they hold, or hold what no controller sends."""

from __future__ import annotations

import marshal
import socket
import time
from typing import Any

import pytest

from solidbody.control.client import solidbody_wire as wire
from solidbody.control.frames import MOST_LEVELS, MOST_VALUES, inspect_frame


def nested(levels: int) -> Any:
    """Return lists within lists."""
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value


SOUND = (
    ([], ("step", 8.0)),
    ([(1, "velocity", -2.5), (2, "text", "ü" * 300, 7, None)], ("device", 3, "image", True)),
    ([(1, "image", b"([{" * 2000)], None),
    [[k, float(k)] for k in range(2000)],
    10**300,
    -(2**31),
    "(((([[[[" * 100,
    nested(MOST_LEVELS - 1),
    [nested(3)] * 200,
)


@pytest.mark.parametrize("value", SOUND, ids=range(len(SOUND)))
def test_what_controllers_send_passes(value: Any) -> None:
    """In every length."""
    inspect_frame(marshal.dumps(value, wire.FORMAT))


def claim(kind: bytes, count: int) -> bytes:
    """Return the beginning of a value of that many items."""
    return kind + count.to_bytes(4, "little", signed=count < 0)


HUGE = 0x7FFFFFFF
BAD = {
    "a list of 2,147,483,647 items": claim(b"[", HUGE),
    "a tuple of them": claim(b"(", HUGE),
    "a list in a list": claim(b"[", 1) + claim(b"[", HUGE),
    "lists that all claim what one of them has": claim(b"[", 9000) * 1800,
    "bytes": claim(b"s", HUGE),
    "a text": claim(b"u", HUGE),
    "a number of two thousand million digits": claim(b"l", HUGE),
    "a negative one": claim(b"l", -HUGE),
    "a number of 8 kilobytes": marshal.dumps(1 << 65536, 2),
    "lists 1,900 deep": marshal.dumps(nested(1900), 2),
    "65 deep": marshal.dumps(nested(MOST_LEVELS + 1), 2),
    "65 deep with a long text": marshal.dumps([nested(MOST_LEVELS), "x" * 500], 2),
    "a list that holds itself": b"\xdb" + (1).to_bytes(4, "little") + b"r" + bytes(4),
    "a reference": b"r" + bytes(4),
    "code": marshal.dumps(compile("1", "x", "eval"), 2),
    "a set": marshal.dumps({1, 2}, 2),
    "keys that all hash to the same number": marshal.dumps(
        {k * (2**61 - 1): 0 for k in range(9)}, 2
    ),
    "nothing": b"",
    "half a number": b"i\0",
    "half a list": claim(b"[", 3) + b"NN",
    "text form of a number": marshal.dumps(1.5, 0),
    "more values than any message has": marshal.dumps([None] * (MOST_VALUES + 1), 2),
}


@pytest.mark.parametrize("name", BAD)
def test_what_claims_too_much_or_is_no_value_is_refused_before_it_is_read(name: str) -> None:
    """Five bytes cost Python's reader 16 GB and 24 s."""
    a, b = socket.socketpair()
    connection = wire.Connection(a, inspect_frame)
    body = BAD[name]
    b.setblocking(True)
    b.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
    message = wire.HEADER.pack(len(body)) + body
    start = time.process_time()
    try:
        b.setblocking(False)
        while message:
            sent = b.send(message)
            message = message[sent:]
            if message:
                assert connection.receive(0.001) is None
        with pytest.raises(wire.Refused, match="a message is broken"):
            connection.receive(1.0)
    finally:
        connection.close()
        b.close()
    assert time.process_time() - start < 3.0


def test_many_messages_at_once_are_read_in_the_time_of_each() -> None:
    """A hundred thousand small ones: what is left is not copied after each."""
    a, b = socket.socketpair()
    connection = wire.Connection(a, inspect_frame)
    body = marshal.dumps(("step", 8), wire.FORMAT)
    connection._buffer = (wire.HEADER.pack(len(body)) + body) * 100_000
    start = time.process_time()
    for _ in range(100_000):
        assert connection.receive(0.0) == ("step", 8)
    assert time.process_time() - start < 10.0, "it took minutes when the rest was copied each time"
    connection.close()
    b.close()


def test_a_message_that_comes_byte_by_byte_is_not_waited_for() -> None:
    """The time limit is for the whole message."""
    a, b = socket.socketpair()
    connection = wire.Connection(a, inspect_frame)
    b.send(wire.HEADER.pack(1000))
    reads = 0
    arrived = connection._arrived

    def dribble(timeout: float | None) -> bytes | None:
        nonlocal reads
        reads += 1
        assert reads < 500, "it is still waiting"
        time.sleep(0.01)
        return b"x" if reads > 1 else arrived(timeout)

    connection._arrived = dribble
    assert connection.receive(0.05) is None
    connection.close()
    b.close()
