"""Kinds whose readers fail in every way that counts as a fault, for the test of the fuzzers."""

from __future__ import annotations

import os
import random
from pathlib import Path

from solidbody.base.errors import SolidbodyError
from tests.fuzz.kind import ACCEPTED, Files, Kind, no_nan


def _error(_: Path) -> str:
    raise KeyError("x")


def _exit(_: Path) -> str:
    os._exit(3)


def _crash(_: Path) -> str:
    os.abort()


def _loop(_: Path) -> str:
    while True:
        pass


def _memory(_: Path) -> str:
    return ACCEPTED if bytearray(150_000_000) else ""


def _nan(_: Path) -> str:
    no_nan([1.0, {"a": float("nan")}])
    return ACCEPTED


def _refused(_: Path) -> str:
    raise SolidbodyError("no")


def _accepted(_: Path) -> str:
    return ACCEPTED


def _make(chance: random.Random) -> Files:
    return {"a.txt": chance.randbytes(8)}


KINDS = {
    read.__name__[1:]: Kind(read.__name__[1:], _make, read, seconds=0.3, memory=100_000_000)
    for read in (_error, _exit, _crash, _loop, _memory, _nan, _refused, _accepted)
}
