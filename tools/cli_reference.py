"""Makes `docs/cli-options.md`: every command and option, from the program itself.

python tools/cli_reference.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, Final

import typer.main

from solidbody.cli.app import app

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "cli-options.md"

HEAD: Final = """<!-- GENERATED FILE, DO NOT EDIT: python tools/cli_reference.py -->
# Commands and options

Every command with all of its options, as `--help` has them. [The command line](cli.md) tells
how they go together, what they print and what exit statuses mean.
"""

OF_EVERY: Final = frozenset({"help", "install_completion", "show_completion"})
"""Options that typer adds."""


WORDS: Final = {int: "INTEGER", float: "NUMBER", Path: "PATH"}
"""Type of a value -> how it is called where the option says nothing."""


def cell(text: object) -> str:
    """Return a text as it stands in a cell of a table."""
    return re.sub(r"\s+", " ", str(text)).strip().replace("|", "\\|")


def default_of(item: Any) -> str:
    """Return what an option is without being given; empty where help does not say."""
    value = item.default
    if getattr(item, "show_default", True) is False or callable(value):
        return ""
    if value is None or value == "" or value is False or value == () or value == []:
        return ""
    if value is True:
        return "on"
    return f"`{cell(getattr(value, 'value', value))}`"


def names_of(item: Any) -> str:
    """Return an option as it is written, with what follows it."""
    names = [*item.opts, *item.secondary_opts]
    if getattr(item, "is_flag", False):
        return ", ".join(f"`{name}`" for name in names)
    kind = item.type_descriptor.annotation
    if isinstance(kind, type) and issubclass(kind, Enum):
        metavar = "|".join(str(choice.value) for choice in kind)
    else:
        metavar = item.metavar or WORDS.get(kind, "TEXT")
    return ", ".join(f"`{name} {cell(metavar)}`" for name in names)


def section(path: list[str], command: Any) -> Iterator[str]:
    """Yield what the page says of a command and of those below it."""
    arguments = [item for item in command.params if item.param_type_name == "argument"]
    options = [
        item
        for item in command.params
        if item.param_type_name == "option"
        and item.name not in OF_EVERY
        and not getattr(item, "hidden", False)
    ]
    words = " ".join(item.metavar or (item.name or "").upper() for item in arguments)
    yield f"\n## {' '.join(path)}\n"
    usage = " ".join([*path, *(["[OPTIONS]"] if options else []), *([words] if words else [])])
    yield f"\n`{usage}`\n"
    if command.help:
        yield f"\n{cell(command.help)}\n"
    if arguments:
        yield "\n| argument | |\n|---|---|\n"
        for item in arguments:
            yield f"| `{item.metavar or (item.name or '').upper()}` | {cell(item.help or '')} |\n"
    if options:
        yield "\n| option | default | |\n|---|---|---|\n"
        for item in options:
            yield f"| {names_of(item)} | {default_of(item)} | {cell(item.help or '')} |\n"
    for name, below in sorted(getattr(command, "commands", {}).items()):
        if not below.hidden:
            yield from section([*path, name], below)


def page() -> str:
    """Return the page."""
    program: Any = typer.main.get_command(app)
    parts = [HEAD]
    for name, command in program.commands.items():
        if not command.hidden:
            parts += section(["solidbody", name], command)
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
