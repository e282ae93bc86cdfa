"""Messages of every kind, made up from the description of the protocol."""

from __future__ import annotations

import random
from typing import Any

from solidbody.control import protocol
from solidbody.control.client import solidbody_protocol as codec
from solidbody.control.protocol import fields as f
from tools.make_protocol import Kind, layout

_WHOLE = {"B": (0, 255), "H": (0, 65535), "I": (0, 2**32 - 1), "i": (-(2**31), 2**31 - 1)}
_TEXTS = ("", "a", "ü€𝄞", "BALL.children", "x" * 300, "\0\n")


def value_of(kind: Kind, chance: random.Random, depth: int = 0) -> Any:
    """Return a value that a field of this kind may hold, as its reader gives it."""
    match kind.what:
        case f.Whole(code):
            low, high = _WHOLE.get(code, (-(2**63), 2**63 - 1))
            return chance.choice((low, high, 0, 1, chance.randint(low, high)))
        case f.Real(refuses):
            odd = {"": (float("inf"), -0.0), "nan": (float("-inf"),), "infinite": (1e308,)}[refuses]
            return chance.choice((0.0, -1.5, chance.gauss(0.0, 1e3), *odd))
        case f.Reals(count):
            return tuple(chance.gauss(0.0, 1.0) for _ in range(count))
        case f.Words(_, is_path):
            return chance.choice((*_TEXTS, "\udcff") if is_path else _TEXTS)
        case f.Raw():
            return chance.randbytes(chance.randrange(20))
        case f.Choice(words):
            return chance.choice(words)
        case f.Scalar():
            return chance.choice((True, -7, 2**40, 0.25, "text", (1.0, 2.0), ()))
        case "list":
            assert kind.item is not None
            found = [value_of(kind.item, chance, depth + 1) for _ in range(chance.randrange(4))]
            return tuple(found) if len(kind.item.code) == 1 else found
        case "maybe":
            assert kind.item is not None
            return None if chance.random() < 0.5 else value_of(kind.item, chance, depth + 1)
        case type() if kind.what is bool:
            return chance.random() < 0.5
        case type() if kind.what.IS_FAMILY:
            return made(chance.choice(protocol.members(kind.what)), chance, depth + 1)
        case _:
            return made(kind.what, chance, depth + 1)


def made(cls: type[f.Message], chance: random.Random, depth: int = 0) -> tuple[Any, ...]:
    """Return a message as its reader gives it: its number, then its fields."""
    values = [value_of(kind, chance, depth) for _, kind in layout(cls)]
    return (cls.NUMBER, *values) if cls.NUMBER else tuple(values)


def packed(message: tuple[Any, ...]) -> bytes:
    """Return a message as bytes, those of families in it as well."""
    cls = protocol.MESSAGES[message[0]]
    values = [
        _packed(kind, value) for (_, kind), value in zip(layout(cls), message[1:], strict=True)
    ]
    return getattr(codec, cls.__name__).pack(*values)


def _packed(kind: Kind, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(kind.what, type) and issubclass(kind.what, f.Message) and kind.what.IS_FAMILY:
        return packed(value)
    if kind.item is not None:
        if kind.what == "list":
            return [_packed(kind.item, one) for one in value]
        return _packed(kind.item, value)
    return value
