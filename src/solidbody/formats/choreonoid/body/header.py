"""The top of a body file: what it is, which version, which angle unit, which root."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from solidbody.formats.choreonoid.keys.access import DEGREE, Keys

FORMAT: Final = "ChoreonoidBody"
FIRST_UNKNOWN_VERSION: Final = 2.1
FIRST_WITHOUT_RADIANS: Final = 2.0

_UNITS: Final = {"degree": DEGREE, "radian": 1.0}


@dataclass(frozen=True, slots=True)
class Header:
    """What the top-level keys say.

    Attributes:
        name: Of the model.
        root: Name of the root link; None = the first link.
        angle_factor: Radians per angle unit of the file.
        handlers: Native plug-ins that the file asks for.
    """

    name: str
    root: str | None
    angle_factor: float
    handlers: tuple[str, ...]


def read_header(keys: Keys, file: str) -> Header | None:
    """Return the header of a body file, or None (after a message) if this is another kind of file."""
    written = keys.text("format", default=None)
    if written is not None and written != FORMAT:
        keys.error("wrong-format", "format", f'expected "{FORMAT}", got "{written}".')
        return None
    version = _version(keys)
    factor = keys.choice("angle_unit", "angleUnit", table=_UNITS, default=DEGREE)
    if factor == 1.0 and version >= FIRST_WITHOUT_RADIANS:
        keys.error(
            "radian-unit",
            "angle_unit",
            f"since format version {FIRST_WITHOUT_RADIANS} angles are in degrees; Choreonoid refuses "
            "this file. Read as radians, as written.",
        )
    handlers = keys.texts("body_handlers")
    if handlers:
        keys.warning(
            "body-handler",
            "body_handlers",
            f"native plug-ins are not run: {', '.join(handlers)}; bodies move without them.",
        )
    return Header(
        keys.text("name", default="") or PurePath(file).stem,
        keys.text("root_link", "rootLink", default=None),
        factor,
        handlers,
    )


def _version(keys: Keys) -> float:
    version = keys.number("format_version", "formatVersion", default=math.nan)
    if math.isnan(version):
        if keys.find("format_version", "formatVersion") is None:
            keys.error(
                "missing-key", "format_version", "a body file needs it (1.0 or 2.0); read as 1.0."
            )
        return 1.0
    if version >= FIRST_UNKNOWN_VERSION:
        keys.error(
            "unknown-version",
            "format_version",
            f"versions below {FIRST_UNKNOWN_VERSION} are known, got {version:g}; read as 2.0.",
        )
        return 2.0
    return version
