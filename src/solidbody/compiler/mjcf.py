"""Writes a compiled scene as MJCF text."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import mujoco

from solidbody.compiler.compile import Compiled

DIGITS = 15
"""Significant digits: all that decimal numbers in files have; MuJoCo writes 6 by itself."""


def mjcf_text(compiled: Compiled) -> str:
    """Return the model as MJCF that plain MuJoCo loads."""
    with _xml_precision(DIGITS):
        return compiled.spec.to_xml()


@contextmanager
def _xml_precision(digits: int) -> Iterator[None]:
    """Set the precision of MuJoCo's XML writer, where its library lets us (it has no public call)."""
    folder = Path(cast(str, mujoco.__file__)).parent
    found = sorted(folder.glob("libmujoco*"))
    library = ctypes.CDLL(str(found[0])) if found else None
    setter = getattr(library, "_mjPRIVATE__set_xml_precision", None)
    getter = getattr(library, "_mjPRIVATE__get_xml_precision", None)
    if setter is None or getter is None:
        yield
        return
    before = getter()
    setter(digits)
    try:
        yield
    finally:
        setter(before)
