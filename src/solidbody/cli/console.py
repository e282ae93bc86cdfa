"""Prints messages for people: to standard error, coloured on a terminal, plain otherwise."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, TextIO

from solidbody.base.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}

ASKED_FOR_COLOURS: Final = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
"""Variables by which Rich takes a pipe for a terminal."""

NEVER_SHOWN: Final = dict.fromkeys(map(ord, "\a\b\v\f\r"))
"""Characters that do things to a terminal; Rich leaves them out, too."""


def error_console() -> Console:
    """Return a console on standard error that never cuts or wraps plain output."""
    return _console(stderr=True)


def output_console() -> Console:
    """Return a console on standard output."""
    return _console(stderr=False)


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    # a pipe or file has no width; wrapping there would break lines that programs read
    width = None if stream.isatty() else 10_000
    return Console(file=stream, width=width, highlight=False, soft_wrap=True)


def say(text: str, *, style: str | None = None) -> None:
    """Print one message on standard error."""
    _print([(text, style or "")], sys.stderr)


def say_error(text: str) -> None:
    """Print an error on standard error."""
    _say_labelled("error", STYLES[Severity.ERROR], text)


def say_warning(text: str) -> None:
    """Print a warning on standard error."""
    _say_labelled("warning", STYLES[Severity.WARNING], text)


class ProgressBar:
    """Shows slow work on standard error, whenever there is some: a bar there, one line in a pipe."""

    def __init__(self) -> None:
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show that `done` of `total` pieces are finished; the last one ends it."""
        from rich.progress import Progress as Bar

        console = error_console()
        if self._bar is None:
            if not console.is_terminal:
                say(f"{what}: {total} ...")
            self._bar = Bar(console=console, transient=True, disable=not console.is_terminal)
            self._bar.start()
            self._task = self._bar.add_task(what, total=total)
        if self._task is not None:
            self._bar.update(self._task, completed=done, total=total)
        if done >= total:
            self.stop()

    def stop(self) -> None:
        """Show nothing any more, also if the work was broken off."""
        if self._bar is not None:
            self._bar.stop()
        self._bar = self._task = None


def _say_labelled(label: str, style: str, text: str) -> None:
    _print([(f"{label}: ", style), (text, "")], sys.stderr)


def print_diagnostics(items: Iterable[Diagnostic], stream: TextIO | None = None) -> None:
    """Print `file:line:column: severity: node.field: text [code]`, one per line.

    Args:
        items: What to print.
        stream: Where; None = standard error.
    """
    for item in items:
        subject = ".".join(part for part in (item.node, item.field) if part)
        parts = [
            (str(item.span), "bold"),
            (": ", ""),
            (item.severity.value, STYLES[item.severity]),
            (": ", ""),
            (f"{subject}: " if subject else "", "magenta"),
            (item.text, ""),
            (f" [{item.code}]", "dim"),
        ]
        _print(parts, stream or sys.stderr)


def _print(parts: Sequence[tuple[str, str]], stream: TextIO) -> None:
    """Print a line of texts and their styles; a pipe or file does not wait for the import of Rich."""
    if not stream.isatty() and not any(map(os.environ.get, ASKED_FOR_COLOURS)):
        line = "".join(text for text, _ in parts).translate(NEVER_SHOWN).expandtabs()
        stream.write(line + "\n")
        stream.flush()
        return
    from rich.text import Text

    _console(stderr=stream is sys.stderr).print(Text.assemble(*parts))


def count_text(items: Iterable[Diagnostic]) -> str:
    """Return `2 errors, 1 warning`, or an empty string for none."""
    counts = Counter(item.severity for item in items)
    return ", ".join(
        f"{counts[severity]} {severity.value}{'s' if counts[severity] > 1 else ''}"
        for severity in (Severity.ERROR, Severity.WARNING)
        if counts[severity]
    )
