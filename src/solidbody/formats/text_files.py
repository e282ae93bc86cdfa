"""Reads text files from disk: size and encoding checked, every failure a diagnostic."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import SourceSpan


def read_text(name: str, log: DiagnosticLog, *, max_bytes: int) -> str | None:
    """Return the text of a file in UTF-8, or in UTF-16 that says so, or None after a message."""
    place = SourceSpan(name, 1, 1, 1, 1)
    path = Path(name)
    try:
        if path.is_dir():
            log.error("unreadable-file", place, "this is a directory, not a file.")
            return None
        size = path.stat().st_size
        if size > max_bytes:
            log.error(
                "file-too-large", place, f"the file has {size} bytes; at most {max_bytes} are read."
            )
            return None
        data = path.read_bytes()
    except FileNotFoundError:
        log.error("missing-file", place, "no such file.")
        return None
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        reason = error.strerror if isinstance(error, OSError) else str(error)
        log.error("unreadable-file", place, f"cannot be read: {reason}.")
        return None
    target = link_text(data, name)
    if target:
        log.error("link-as-text", place, f"{LINK_AS_TEXT.format(target)}.")
        return None
    text, fault = decoded_text(data)
    if fault is None:
        return text
    span = SourceSpan(name, fault.line, fault.column, fault.line, fault.column)
    if fault.is_final:
        log.error("bad-encoding", span, fault.text)
        return None
    log.warning("bad-encoding", span, fault.text)
    return text


LINK_AS_TEXT: Final = (
    'the file holds only the path "{}": it was a symbolic link and has been checked out as text, as Git does '
    "on Windows; open that file, or check out with core.symlinks=true"
)

_MAX_LINK: Final = 1024
"""Bytes of a path at most."""

_LINK: Final = re.compile(r"[^\0-\x1f\s{}<>\[\]\"'#:|*?]+(?: [^\0-\x1f\s{}<>\[\]\"'#:|*?]+)*")


def link_text(data: bytes, name: str) -> str:
    """Return the path that is all that a file holds, to its like or out of its folder; else nothing."""
    kind = Path(name).suffix.lower()
    if not kind or not 0 < len(data) <= _MAX_LINK:
        return ""
    text = data.decode("utf-8", errors="replace").removesuffix("\n").removesuffix("\r")
    is_path = _LINK.fullmatch(text) is not None and "\ufffd" not in text
    leads_there = text.startswith("../") or (text.lower().endswith(kind) and len(text) > len(kind))
    return text if is_path and leads_there else ""


@dataclass(frozen=True, slots=True)
class EncodingFault:
    """Where a text is not UTF-8 and what it is read as; a final one is no text at all."""

    line: int
    column: int
    text: str
    is_final: bool = False


def decoded_text(data: bytes) -> tuple[str, EncodingFault | None]:
    """Return bytes as text and what is wrong with them: UTF-8, or what old files most likely are."""
    marks = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    if data.startswith(marks) and not data.startswith(codecs.BOM_UTF32_LE):
        fault = EncodingFault(1, 1, "the file is not UTF-8; it is read as UTF-16.")
        return data.decode("utf-16", errors="replace"), fault
    try:
        return data.decode("utf-8"), None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        what = f"the file is not UTF-8: byte 0x{data[error.start]:02x} cannot be decoded"
    western = data.decode("utf-8", errors=_LATIN_1)
    if b"\0" in data:  # no text in any encoding of one byte for a letter
        return western, EncodingFault(line, column, f"{what}.", is_final=True)
    for encoding, called in _JAPANESE.items():
        text = _decoded(data, encoding)
        if _KANA.search(text) and not _KANA.search(western):
            return text, EncodingFault(line, column, f"{what}; the file is read as {called}.")
    said = f"{what}; it and its like are read as Latin-1."
    return western, EncodingFault(line, column, said)


def _decoded(data: bytes, encoding: str) -> str:
    """Return bytes as text, or nothing if they are none in that encoding."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return ""


_JAPANESE: Final = {"cp932": "Shift-JIS", "euc_jp": "EUC-JP"}
"""Encodings of old files from Japan, where Choreonoid and OpenHRP come from."""

_KANA: Final = re.compile("[\u3041-\u30fa]")
"""Letters that no Japanese remark is without, and that bytes of other texts do not give."""


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    """Return the letters of bytes; those of Windows, which has quotes where Latin-1 has controls."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", errors="replace"), error.end


_LATIN_1: Final = "solidbody.latin-1"
"""Handler of errors that takes bytes that are not UTF-8 for letters: old files have some in comments."""
codecs.register_error(_LATIN_1, _as_latin_1)
