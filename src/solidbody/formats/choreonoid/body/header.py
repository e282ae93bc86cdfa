"""Reads the top of a body file: format, version, angle unit, root link (docs/behaviour, C2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.bodies import BodyKeys

FORMAT: Final = "ChoreonoidBody"
FIRST_UNKNOWN_VERSION: Final = 2.1
FIRST_WITHOUT_RADIANS: Final = 2.0


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
    written = keys.read(BodyKeys.format)
    if written is not None and written != FORMAT:
        keys.error("wrong-format", BodyKeys.format, f'expected "{FORMAT}", got "{written}".')
        return None
    version = _version(keys)
    factor = keys.read(BodyKeys.angle_unit)
    if factor == 1.0 and version >= FIRST_WITHOUT_RADIANS:
        keys.error(
            "radian-unit",
            BodyKeys.angle_unit,
            f"since format version {FIRST_WITHOUT_RADIANS} angles are in degrees; Choreonoid refuses "
            "this file. Read as radians, as written.",
        )
    handlers = keys.read(BodyKeys.body_handlers)
    if handlers:
        keys.warning(
            "body-handler",
            BodyKeys.body_handlers,
            f"native plug-ins are not run: {', '.join(handlers)}; bodies move without them.",
        )
    return Header(
        keys.read(BodyKeys.name) or PurePath(file).stem,
        keys.read(BodyKeys.root_link),
        factor,
        handlers,
    )


def _version(keys: Keys) -> float:
    version = keys.read(BodyKeys.format_version)
    if version is None:
        if not keys.has(BodyKeys.format_version):
            text = "a body file needs it (1.0 or 2.0); read as 1.0."
            keys.error("missing-key", BodyKeys.format_version, text)
        return 1.0
    if version >= FIRST_UNKNOWN_VERSION:
        keys.error(
            "unknown-version",
            BodyKeys.format_version,
            f"versions below {FIRST_UNKNOWN_VERSION} are known, got {version:g}; read as 2.0.",
        )
        return 2.0
    return version
