"""Where messages for people go: standard error, coloured on a terminal, plain otherwise."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from solidbody.base.diagnostics import Diagnostic, Severity
from solidbody.base.progress import Progress

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}


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
    error_console().print(text, style=style, markup=False)


def say_error(text: str) -> None:
    """Print an error on standard error."""
    _say_labelled("error", STYLES[Severity.ERROR], text)


def say_warning(text: str) -> None:
    """Print a warning on standard error."""
    _say_labelled("warning", STYLES[Severity.WARNING], text)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Give what shows slow preparations on standard error: a bar there, one line in a pipe."""
    from rich.progress import Progress as Bar

    console = error_console()
    with Bar(console=console, transient=True, disable=not console.is_terminal) as bar:
        tasks: dict[str, TaskID] = {}

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total)
                if not console.is_terminal:
                    say(f"{what}: {total} ...")
            bar.update(tasks[what], completed=done, total=total)

        yield show


def _say_labelled(label: str, style: str, text: str) -> None:
    from rich.text import Text

    error_console().print(Text.assemble((f"{label}: ", style), text))


def print_diagnostics(items: Iterable[Diagnostic], console: Console) -> None:
    """Print `file:line:column: severity: node.field: text [code]`, one per line."""
    from rich.text import Text

    for item in items:
        subject = ".".join(part for part in (item.node, item.field) if part)
        console.print(
            Text.assemble(
                (str(item.span), "bold"),
                ": ",
                (item.severity.value, STYLES[item.severity]),
                ": ",
                (f"{subject}: " if subject else "", "magenta"),
                item.text,
                (f" [{item.code}]", "dim"),
            )
        )


def count_text(items: Iterable[Diagnostic]) -> str:
    """Return `2 errors, 1 warning`, or an empty string for none."""
    counts = Counter(item.severity for item in items)
    return ", ".join(
        f"{counts[severity]} {severity.value}{'s' if counts[severity] > 1 else ''}"
        for severity in (Severity.ERROR, Severity.WARNING)
        if counts[severity]
    )
