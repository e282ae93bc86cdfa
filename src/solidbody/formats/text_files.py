"""Text files from disk: size and encoding checked, every failure a diagnostic."""

from __future__ import annotations

from pathlib import Path

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import SourceSpan


def read_text(name: str, log: DiagnosticLog, *, max_bytes: int) -> str | None:
    """Return the text of a UTF-8 file, or None after a message."""
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
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        log.error(
            "bad-encoding",
            SourceSpan(name, line, column, line, column),
            f"the file is not UTF-8: byte 0x{data[error.start]:02x} cannot be decoded.",
        )
        return None
