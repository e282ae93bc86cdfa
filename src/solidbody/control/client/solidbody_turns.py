"""Packs what a controller sends per step, and quickly unpacks turns and the most common answer."""

from __future__ import annotations

from struct import Struct
from typing import Any, Callable

try:
    from . import solidbody_protocol as protocol
except ImportError:  # in a program of a robot
    import solidbody_protocol as protocol

_ANSWER, _NUMBERS = protocol.StepAnswer, protocol.ReportNumbers

# of each message its number, its fields, and how many items its list has
_head = Struct("<H" + _ANSWER.structure + "IH" + _NUMBERS.structure + "I")
_floats: dict[int, Any] = {}


def frames_of(said: list[bytes]) -> list[bytes]:
    """Return what a program says as frames: one, unless it is too much for one."""
    if len(said) <= protocol.MOST_SAID:
        frame = protocol.Turn.pack(said)
        if len(frame) <= protocol.FRAME_LIMIT or len(said) < 2:
            return [frame]
    half = len(said) // 2
    return frames_of(said[:half]) + frames_of(said[half:])


def only_numbers(frame: bytes) -> tuple[int, float, int, tuple[float, ...]] | None:
    """Return status, time, block and numbers of the answer to most steps, which tells these; else None."""
    start = _head.size
    if len(frame) < start:
        return None
    answer, status, time, count, report, block, length = _head.unpack_from(frame)
    if answer != _ANSWER.number or count != 1 or report != _NUMBERS.number:
        return None
    if len(frame) != start + 8 * length:
        return None
    floats = _floats.get(length)
    if floats is None:
        if len(_floats) > 64:
            return None
        floats = _floats[length] = Struct(f"<{length}d").unpack_from
    return status, time, block, floats(frame, start)


class TurnReader:
    """Reads the turns of one program.

    Most are made of the same messages as one before, with other numbers: what reads them is written for them,
    as a table of messages it has come across.
    """

    def __init__(self) -> None:
        self._known: dict[int, Callable[[bytes], list[Any] | None]] = {}
        """By the length of the frame."""
        self._more = 64
        """How many may still be written: a program that never says the same twice is read without."""

    def read(self, frame: bytes) -> list[Any]:
        """Return the messages of a turn.

        Raises:
            ProtocolError: The frame is no turn.
        """
        quick = self._known.get(len(frame))
        said = None if quick is None else quick(frame)
        if said is not None:
            return said
        number, *found = protocol.parse(frame, protocol.FROM_CLIENT)
        if number != protocol.Turn.number:
            raise protocol.ProtocolError("a greeting is not expected any more")
        said = found[0]
        if self._more and len(said) <= 64 and all(protocol.KINDS[m[0]].is_fixed for m in said):
            self._more -= 1
            self._known[len(frame)] = _reader([protocol.KINDS[m[0]] for m in said])
        return said


def _reader(kinds: list[protocol.Message]) -> Callable[[bytes], list[Any] | None]:
    """Return what reads a turn of these messages of fixed length; it returns None for other frames."""
    names, layout, found = ["turn", "count"], "<HI", ""
    tests = [f"turn == {protocol.Turn.number} and count == {len(kinds)}"]
    for kind in kinds:
        own = [f"v{len(names) + k}" for k in range(1 + len(kind.names))]
        names += own
        layout += "H" + kind.structure
        found += f"({', '.join(own)},), "
        tests.append(f"{own[0]} == {kind.number}")
        for k, code in kind.refused:
            value = own[1 + k]
            tests.append(f"{value} == {value}" if code == "n" else f"{value} - {value} == 0.0")
    scope: dict[str, Any] = {"unpack": Struct(layout).unpack}
    body = f" {', '.join(names)} = unpack(frame)\n if {' and '.join(tests)}: return [{found}]\n"
    exec("def read(frame):\n" + body, scope)  # made of the table of messages alone
    return scope["read"]
