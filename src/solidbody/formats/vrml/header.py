"""Parses the first line of a file, which names the Webots release that it was written for."""

from __future__ import annotations

import re
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.vrml.source import SourceText

VRML97: Final = "V2.0"
"""What stands in that place of files in VRML97, which are read as Choreonoid reads them."""

# `VRML_OBJ` heads nodes that were saved by themselves, and PROTOs whose authors began with such a file.
_HEADER = re.compile(
    r"\s*+#[ \t]*+VRML_(?:SIM|OBJ)[ \t]++(\S++)(?:[ \t]++revision[ \t]++\d++)?[ \t]++utf8\b"
)


def read_header(source: SourceText, log: DiagnosticLog, *, otherwise: str = "") -> str | None:
    """Return the release in a file's header, or None after a message.

    Args:
        source: The file.
        log: Takes what is wrong.
        otherwise: The release to read a file without a header as; empty = it cannot be read.
    """
    found = _HEADER.match(source.text)
    if found is not None:
        return found.group(1)
    first = re.split(r"[\r\n]", source.text, maxsplit=1)[0][:60]
    fault = (
        'invalid header: the first line must be like "#VRML_SIM R2025a utf8", '
        f'got "{first}". The file is'
    )
    if otherwise:
        text = f"{fault} read as one of {otherwise}, like the world."
        log.warning("bad-header", source.span(0, len(first)), text)
        return otherwise
    log.error("bad-header", source.span(0, len(first)), f"{fault} not loaded.")
    return None
