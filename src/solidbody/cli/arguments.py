"""What commands take from the command line, and the parser of what is written without mistakes.

A command is a function of `app.py`; the annotations of its parameters are the table of its options. Two read
it: `parse` here, for a line that is right, without waiting for Typer (a third of what a small `check` costs);
and `typer_app.py`, which makes Typer's commands of the same functions: help, completion, words for mistakes.
`parse` never complains: what it does not know for sure it leaves to Typer.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

from solidbody.cli.status import UsageError


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument: it has a place, and no name.

    Attributes:
        help: What it is.
        metavar: What help calls it; None = the name of the parameter.
        show_default: Whether help says what it is without being given.
        exists: Whether it is refused if there is no such file or folder.
        file_okay: Whether it may be a file.
    """

    help: str
    metavar: str | None = None
    show_default: bool = True
    exists: bool = False
    file_okay: bool = True


@dataclass(frozen=True, slots=True)
class Option:
    """An option.

    Attributes:
        names: `--name`, for flags also `--name/--contrary`; none = that of the parameter.
        help: What it does.
        metavar: What help calls its value; None = its type.
        panel: Group of options in which help shows it.
        show_default: Whether help says what it is without being given.
        min: Least value.
        max: Greatest value.
        callback: Returns the value that counts, or raises UsageError.
    """

    names: tuple[str, ...] = ()
    help: str = ""
    metavar: str | None = None
    panel: str | None = None
    show_default: bool = True
    min: float | None = None
    max: float | None = None
    callback: Callable[[Any], Any] | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """A command.

    Attributes:
        path: Its words: `("check",)`, `("protos", "list")`.
        run: Does it; returns the exit status, None = fine.
        passes_on: Whether what it does not know goes to a program, as its parameter `more`.
    """

    path: tuple[str, ...]
    run: Callable[..., int | None]
    passes_on: bool = False


class NotSure(Exception):
    """The line is left to Typer: it is wrong, or asks for help, or is of a form that is not known here."""


INTEGER: Final = re.compile(r"-?[0-9]+")
NUMBER: Final = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


def options_of(command: Command) -> dict[str, tuple[Any, Argument | Option]]:
    """Return type and description of each parameter of a command."""
    found: dict[str, tuple[Any, Argument | Option]] = {}
    for name, hint in get_type_hints(command.run, include_extras=True).items():
        if get_origin(hint) is Annotated:
            kind, described = get_args(hint)
            found[name] = (kind, described)
    return found


def flat_type(kind: Any) -> tuple[Any, bool]:
    """Return the type of one value, and whether there may be several."""
    if get_origin(kind) in (Union, types.UnionType):
        (kind,) = (part for part in get_args(kind) if part is not types.NoneType)
    if get_origin(kind) is list:
        return get_args(kind)[0], True
    return kind, False


def names_of(parameter: str, option: Option) -> tuple[list[str], list[str]]:
    """Return the names of an option, and those that turn it off."""
    on: list[str] = []
    off: list[str] = []
    for name in option.names or (f"--{parameter.replace('_', '-')}",):
        first, _, second = name.partition("/")
        on.append(first)
        off += [second] if second else []
    return on, off


def value_of(text: str, kind: Any, described: Argument | Option) -> Any:
    """Return a value as the command wants it."""
    if kind is int or kind is float:
        if not (INTEGER if kind is int else NUMBER).fullmatch(text):
            raise NotSure
        value = kind(text)
        if isinstance(described, Option) and (
            (described.min is not None and value < described.min)
            or (described.max is not None and value > described.max)
        ):
            raise NotSure
        return value
    if kind is Path or kind is str:
        return kind(text)
    if issubclass(kind, StrEnum) and text in {str(item) for item in kind}:
        return kind(text)
    raise NotSure


def parse(command: Command, words: Sequence[str]) -> dict[str, Any]:
    """Return what the words after the name of a command say, by parameter.

    Raises:
        NotSure: Typer has to look.
    """
    table = options_of(command)
    named: dict[str, tuple[str, bool]] = {}
    places: list[str] = []
    for parameter, (_, described) in table.items():
        if isinstance(described, Argument):
            if described.exists:
                raise NotSure
            places.append(parameter)
            continue
        on, off = names_of(parameter, described)
        named |= dict.fromkeys(on, (parameter, True)) | dict.fromkeys(off, (parameter, False))
    found: dict[str, Any] = {}
    loose: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            loose.append(word)
            continue
        name, mark, value = word.partition("=")
        if name not in named:
            raise NotSure
        parameter, on_or_off = named[name]
        kind, several = flat_type(table[parameter][0])
        if kind is bool:
            if mark or parameter in found:
                raise NotSure
            found[parameter] = on_or_off
            continue
        if not mark:
            if not rest or (rest[0].startswith("-") and rest[0] != "-"):
                raise NotSure
            value = rest.pop(0)
        if parameter in found and not several:
            raise NotSure
        made = value_of(value, kind, table[parameter][1])
        found[parameter] = [*found.get(parameter, ()), made] if several else made
    _fill_places(found, table, places, loose, command)
    for parameter, value in found.items():
        described = table[parameter][1]
        if isinstance(described, Option) and described.callback is not None:
            found[parameter] = described.callback(value)
    return found


def _fill_places(
    found: dict[str, Any],
    table: dict[str, tuple[Any, Argument | Option]],
    places: Sequence[str],
    loose: list[str],
    command: Command,
) -> None:
    """Give each argument its words; one that takes several is the last one."""
    if not all(loose):
        raise NotSure
    defaults = len(command.run.__defaults__ or ())
    needed = command.run.__code__.co_argcount - defaults
    names = command.run.__code__.co_varnames
    for place in places:
        kind, several = flat_type(table[place][0])
        if loose:
            taken = loose if several else loose[:1]
            loose = loose[len(taken) :]
            values = [value_of(text, kind, table[place][1]) for text in taken]
            found[place] = values if several else values[0]
        elif place in names[:needed]:
            raise NotSure
    if loose:
        raise NotSure


def find(
    commands: Sequence[Command], words: Sequence[str]
) -> tuple[Command, dict[str, Any]] | None:
    """Return the command of a line and what it is told; None = Typer has to look."""
    for command in commands:
        count = len(command.path)
        if tuple(words[:count]) == command.path and not command.passes_on:
            try:
                return command, parse(command, words[count:])
            except (NotSure, UsageError):
                return None
    return None
