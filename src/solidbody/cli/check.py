"""`solidbody check`: reports errors and warnings about world files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from solidbody.base.diagnostics import Diagnostic, Severity
from solidbody.cli.check_folder import report_folders
from solidbody.cli.console import count_text, print_diagnostics, say
from solidbody.cli.reading import read_and_compile
from solidbody.cli.status import BAD_INPUT, OK
from solidbody.model.plain import plain_diagnostic

if TYPE_CHECKING:
    from solidbody.formats.options import LoadOptions

MOST_CODES = 8
"""Codes that the last line names."""


def check_files(paths: Sequence[str], reading: LoadOptions, *, as_json: bool) -> int:
    """Print the diagnostics of all files on standard output; return the exit status.

    With a folder among `paths` the report has one line per world and tables instead.
    """
    if any(Path(path).is_dir() for path in paths):
        return report_folders(paths, reading, as_json=as_json)
    items: list[Diagnostic] = []
    for path in paths:
        found = list(read_and_compile(path, reading))
        items += found
        if not as_json:
            print_diagnostics(found, sys.stdout)
    has_errors = any(item.severity is Severity.ERROR for item in items)
    if as_json:
        print(json.dumps([plain_diagnostic(item) for item in items], indent=2, allow_nan=False))
    else:
        files = f"{len(paths)} file{'s' if len(paths) > 1 else ''}"
        say(
            f"{files}: {count_text(items) or 'no problems'}", style="red" if has_errors else "green"
        )
        if codes := sorted({item.code for item in items if item.severity is not Severity.INFO}):
            shown = ", ".join(codes[:MOST_CODES]) + (", ..." if len(codes) > MOST_CODES else "")
            say(f"What they mean: solidbody explain CODE ({shown})")
    return BAD_INPUT if has_errors else OK


def import_numpy_alone() -> None:
    """Import numpy without the threads of its linear algebra, which a check has no work for.

    They begin by waiting busily, for a tenth of the time that a small world takes.
    """
    name = "OPENBLAS_NUM_THREADS"
    if name in os.environ or "numpy" in sys.modules:
        return
    os.environ[name] = "1"
    try:
        import numpy  # noqa: F401
    finally:
        del os.environ[name]
