"""Reads the top of a body file: format, version, angle unit, root link (docs/behaviour, C2.1)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import Final

from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.bodies import BodyKeys
from solidbody.formats.choreonoid.keys.settings import BodyHeader
from solidbody.formats.choreonoid.keys.table import plain_values

FORMAT: Final = "ChoreonoidBody"
FIRST_UNKNOWN_VERSION: Final = 2.1
FIRST_WITHOUT_RADIANS: Final = 2.0


def read_header(keys: Keys, file: str) -> BodyHeader | None:
    """Return the header of a body file, or None (after a message) if this is another kind of file."""
    written = keys.read(BodyKeys.format)
    if written is not None and written != FORMAT:
        keys.error("wrong-format", BodyKeys.format, f'expected "{FORMAT}", got "{written}".')
        return None
    header = BodyHeader(**plain_values(keys, BodyKeys))
    version = _version(keys, header.version)
    if header.angle_factor == 1.0 and version >= FIRST_WITHOUT_RADIANS:
        keys.error(
            "radian-unit",
            BodyKeys.angle_unit,
            f"since format version {FIRST_WITHOUT_RADIANS} angles are in degrees; Choreonoid refuses "
            "this file. Read as radians, as written.",
        )
    return replace(header, name=header.name or PurePath(file).stem)


def read_handlers(keys: Keys) -> tuple[str, ...]:
    """Return the native plug-ins that the file asks for."""
    handlers = keys.read(BodyKeys.body_handlers)
    if handlers:
        keys.warning(
            "body-handler",
            BodyKeys.body_handlers,
            f"native plug-ins are not run: {', '.join(handlers)}; bodies move without them.",
        )
    return handlers


def _version(keys: Keys, version: float | None) -> float:
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
