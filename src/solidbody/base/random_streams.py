"""Stores the state of a numpy random generator in a row of numbers, so that snapshots can keep it.

A row has `words` (state and increment of a PCG64, low words first), `has_rest` and `rest` (half a number that
it has left over).
"""

from __future__ import annotations

from typing import Any

_WORD = (1 << 64) - 1


def store(generator: Any, row: Any) -> None:
    """Write where a generator stands into a row."""
    now = generator.bit_generator.state
    state, increment = int(now["state"]["state"]), int(now["state"]["inc"])
    row["words"] = (state & _WORD, state >> 64, increment & _WORD, increment >> 64)
    row["has_rest"], row["rest"] = now["has_uint32"], now["uinteger"]


def load(generator: Any, row: Any) -> None:
    """Let a generator go on where `store` found it."""
    low, high, increment, high_increment = (int(word) for word in row["words"].ravel())
    generator.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": high << 64 | low, "inc": high_increment << 64 | increment},
        "has_uint32": int(row["has_rest"].item()),
        "uinteger": int(row["rest"].item()),
    }
