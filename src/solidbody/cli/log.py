"""Opens the file of `run --log`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from solidbody.base.output_files import GrowingFile


class LogFile(Protocol):
    """Takes the lines of a log."""

    def write(self, text: str, /) -> object:
        """Take a line."""
        ...


@contextmanager
def open_log(path: str) -> Iterator[LogFile]:
    """Open the file to write to; `-` is the standard output."""
    if path == "-":
        yield sys.stdout
        sys.stdout.flush()
        return
    file = GrowingFile(Path(path))
    try:
        yield file
        file.finish()
    except OSError:
        file.abandon()
        raise
    except BaseException:  # Ctrl-C, or a simulation that failed: its rows count
        file.finish()
        raise
