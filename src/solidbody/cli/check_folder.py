"""`solidbody check FOLDER`: one line per world, then tables of outcomes and kinds of diagnostics."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog, Severity
from solidbody.base.span import SourceSpan
from solidbody.cli.console import count_text, say
from solidbody.cli.reading import read_and_compile
from solidbody.cli.status import BAD_INPUT, OK
from solidbody.model.plain import plain_diagnostic

if TYPE_CHECKING:
    from solidbody.formats.options import LoadOptions

SCENE_FILES = frozenset({".wbt", ".body", ".cnoid", ".urdf", ".mjcf", ".xml", ".sdf", ".world"})
"""Extensions of the files in a folder that are checked: PROTOs, xacro's files and the like are often parts
of others, and read where a world or a robot uses them. Of `.xml` those that MuJoCo's element begins."""

_HEAD_BYTES = 64 * 1024
"""Of an .xml file; comments and licences stand before its first element."""

_COMMENT_OR_HEAD = re.compile(rb"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>", re.DOTALL)

_MISSING = frozenset({"missing-proto", "missing-file", "missing-asset", "missing-mesh"})
_UNSUPPORTED = "unsupported-"


class Outcome(Enum):
    """How a world fared, from best to worst."""

    CLEAN = "clean"
    WARNINGS = "warnings"
    UNSUPPORTED = "unsupported parts"
    MISSING = "missing files"
    ERRORS = "errors"
    FAILED = "internal error"


@dataclass(frozen=True, slots=True)
class FileReport:
    """What checking one world gave, and how long it took [s]."""

    path: str
    diagnostics: tuple[Diagnostic, ...]
    seconds: float
    failure: str = ""

    @property
    def outcome(self) -> Outcome:
        """The worst thing that happened."""
        if self.failure:
            return Outcome.FAILED
        errors = [item for item in self.diagnostics if item.severity is Severity.ERROR]
        if any(item.code not in _MISSING for item in errors):
            return Outcome.ERRORS
        if errors or any(item.code in _MISSING for item in self.diagnostics):
            return Outcome.MISSING
        if any(item.code.startswith(_UNSUPPORTED) for item in self.diagnostics):
            return Outcome.UNSUPPORTED
        has_warnings = any(item.severity is Severity.WARNING for item in self.diagnostics)
        return Outcome.WARNINGS if has_warnings else Outcome.CLEAN


def worlds_in(paths: Iterable[str]) -> list[str]:
    """Return the files among `paths` and the worlds, bodies and projects in its folders, sorted."""
    found: list[str] = []
    for path in paths:
        if Path(path).is_dir():
            found.extend(str(file) for file in sorted(_scene_files(Path(path))))
        else:
            found.append(path)
    return found


def _scene_files(folder: Path) -> Iterator[Path]:
    from solidbody.formats.loading import READERS

    for file in folder.rglob("*.*"):
        kind = file.suffix.lower()
        if kind in SCENE_FILES and kind in READERS and (kind != ".xml" or _is_mjcf(file)):
            yield file


def _is_mjcf(file: Path) -> bool:
    """Whether the first element of a file is MuJoCo's; others mean other things by the extension."""
    try:
        with file.open("rb") as opened:
            head = opened.read(_HEAD_BYTES)
    except OSError:
        return False
    return (
        re.match(rb"<mujoco[\s>/]", _COMMENT_OR_HEAD.sub(b"", head).lstrip(b"\xef\xbb\xbf \t\r\n"))
        is not None
    )


def check_world(path: str, reading: LoadOptions) -> FileReport:
    """Check one world; a failure of ours is part of the report, not the end of it."""
    start = time.perf_counter()
    log, failure = DiagnosticLog(), ""
    try:
        log = read_and_compile(path, reading)
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
        log.error("internal-error", SourceSpan(path, 1, 1, 1, 1), failure)
    return FileReport(path, tuple(log), time.perf_counter() - start, failure)


def report_folders(paths: Sequence[str], reading: LoadOptions, *, as_json: bool) -> int:
    """Print the report on standard output; return the exit status."""
    reports: list[FileReport] = []
    for path in worlds_in(paths):
        report = check_world(path, reading)
        reports.append(report)
        if not as_json:
            counts = count_text(report.diagnostics)
            line = f"{report.outcome.value:18} {report.seconds:7.3f} s  {report.path}"
            print(f"{line}  ({counts})" if counts else line, flush=True)
    if as_json:
        print(json.dumps([_plain(report) for report in reports], indent=2, allow_nan=False))
    else:
        for line in summary_lines(reports):
            print(line)
    bad = (Outcome.MISSING, Outcome.ERRORS, Outcome.FAILED)
    has_errors = any(
        report.outcome in bad
        and any(item.severity is Severity.ERROR for item in report.diagnostics)
        for report in reports
    )
    if not as_json:
        count = f"{len(reports)} world{'' if len(reports) == 1 else 's'}"
        every = [item for report in reports for item in report.diagnostics]
        say(
            f"{count}: {count_text(every) or 'no problems'}", style="red" if has_errors else "green"
        )
    return BAD_INPUT if has_errors else OK


def summary_lines(reports: Sequence[FileReport]) -> list[str]:
    """Return the tables: outcomes, then diagnostics by kind with the number of worlds they are in."""
    outcomes = Counter(report.outcome for report in reports)
    seconds = [report.seconds for report in reports] or [0.0]
    lines = ["", f"{'outcome':24} {'worlds':>8}"]
    lines += [f"{outcome.value:24} {outcomes[outcome]:8}" for outcome in Outcome]
    lines += ["", f"{'kind':34} {'severity':10} {'count':>8} {'worlds':>8}"]
    kinds = Counter((item.severity, item.code) for report in reports for item in report.diagnostics)
    worlds = Counter(
        key
        for report in reports
        for key in {(item.severity, item.code) for item in report.diagnostics}
    )
    order = list(Severity)
    for key in sorted(kinds, key=lambda key: (order.index(key[0]), -kinds[key], key[1])):
        severity, code = key
        lines.append(f"{code:34} {severity.value:10} {kinds[key]:8} {worlds[key]:8}")
    lines += ["", f"time: {sum(seconds):.1f} s, at most {max(seconds):.3f} s for one world"]
    return lines


def _plain(report: FileReport) -> dict[str, object]:
    return {
        "file": report.path,
        "outcome": report.outcome.value,
        "seconds": round(report.seconds, 6),
        "diagnostics": [plain_diagnostic(item) for item in report.diagnostics],
    }
