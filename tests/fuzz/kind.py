"""What a kind of input is, and what counts as a fault."""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from solidbody.base.errors import SolidbodyError

Files = dict[str, bytes]
"""An input: contents by file name; names may hold folders."""

ACCEPTED, REFUSED = "accepted", "refused"


class FaultError(Exception):
    """Something that was called fine is not."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of input.

    Attributes:
        name: As on the command line.
        make: Makes an input, the same for the same chance.
        read: Reads the input that lies in a folder; returns ACCEPTED or REFUSED.
        refusals: Exceptions by which the reader may refuse, beside SolidbodyError.
        seconds: Processor time that one input may take.
        memory: Bytes that one input may take beside what was there before.
        share: Times as many inputs of this kind as of others in a long run: those that take little time.
    """

    name: str
    make: Callable[[random.Random], Files]
    read: Callable[[Path], str]
    refusals: tuple[type[Exception], ...] = ()
    seconds: float = 3.0
    memory: int = 300_000_000
    share: int = 1

    def input(self, seed: int) -> Files:
        """Return the input of a seed."""
        return self.make(random.Random(f"{self.name}/{seed}"))

    def judge(self, folder: Path) -> str:
        """Read the input in a folder; return ACCEPTED or REFUSED, or raise what is a fault."""
        try:
            return self.read(folder)
        except SolidbodyError:
            return REFUSED
        except self.refusals as error:
            # a ValueError that nobody meant to raise is of a type of Python's own
            if type(error) in self.refusals or isinstance(error, OSError):
                return REFUSED
            raise


def no_nan(value: Any, where: str = "", *, no_infinity: bool = False) -> None:
    """Raise FaultError if a number somewhere in plain data, arrays or dataclasses is not a number."""
    stack: list[tuple[Any, str]] = [(value, where)]
    seen: set[int] = set()
    while stack:
        item, path = stack.pop()
        match item:
            case bool() | int() | str() | bytes() | None:
                continue
            case float():
                if item != item or (no_infinity and math.isinf(item)):
                    raise FaultError(f"{path} is {item}")
                continue
            case np.ndarray():
                if item.dtype.kind == "f" and not _is_fine(item, no_infinity):
                    raise FaultError(f"{path} holds a number that is not finite")
                continue
            case _:
                pass
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, tuple | list | frozenset | set):
            stack.extend((part, f"{path}[{k}]") for k, part in enumerate(item))
        elif isinstance(item, Mapping):
            stack.extend((part, f"{path}[{key!r}]") for key, part in item.items())
        elif dataclasses.is_dataclass(item):
            stack.extend(
                (getattr(item, part.name, None), f"{path}.{part.name}")
                for part in dataclasses.fields(item)
            )


def _is_fine(array: np.ndarray, no_infinity: bool) -> bool:
    return bool(np.isfinite(array).all() if no_infinity else not np.isnan(array).any())
