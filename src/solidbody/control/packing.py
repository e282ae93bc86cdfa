"""Packs messages of the controller protocol into bytes."""

from __future__ import annotations

import struct
from typing import Any

from solidbody.control import protocol as p
from solidbody.control.client import solidbody_protocol as codec


def packed(message: p.Message) -> bytes:
    """Return a message as bytes. Raises ProtocolError for values that do not fit."""
    kind = codec.KINDS[message.NUMBER]
    fields = tuple([packed(one) if isinstance(one, p.Message) else one for one in message])
    try:
        return kind.pack(*fields)
    except (struct.error, TypeError):
        raise codec.ProtocolError(kind.explain(fields)) from None


def packed_answer(request: int, value: Any, notes: list[str], problem: str = "") -> bytes:
    """Return the answer to a request, by its number: the message that it is answered with, or its only field.

    A value that does not fit is told as a problem.
    """
    kind: Any = p.MESSAGES[request].ANSWER
    result = None
    if value is not None and kind is not None:
        try:
            result = packed(value if isinstance(value, p.Message) else kind(value))
        except codec.ProtocolError as error:
            problem = str(error)
    return codec.Answer.pack(problem, result, notes)
