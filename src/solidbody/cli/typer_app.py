"""Typer's program, made of the commands of `app.py`: help, completion, and words for mistakes."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from solidbody._version import __version__
from solidbody.cli.app import COMMANDS, GROUPS, open_page
from solidbody.cli.arguments import Argument, Command, Option, options_of
from solidbody.cli.status import UsageError


def show_version(wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        print(f"solidbody {__version__}")
        raise typer.Exit


def front_door(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Simulate robots: opens Webots worlds and Choreonoid bodies as they are."""
    if context.invoked_subcommand is not None:
        return
    if sys.stdin.isatty() and sys.stdout.isatty():  # somebody is there to choose
        raise typer.Exit(open_page() or 0)
    print(context.get_help())
    raise typer.Exit(2)


def told(error: UsageError) -> typer.BadParameter:
    """Return a mistake of usage as Typer tells it."""
    return typer.BadParameter(str(error), param_hint=error.where)


def described(kind: Any, of: Argument | Option) -> Any:
    """Return a parameter's type as Typer reads it."""
    if isinstance(of, Argument):
        return Annotated[
            kind,
            typer.Argument(
                help=of.help,
                metavar=of.metavar,
                show_default=of.show_default,
                exists=of.exists,
                file_okay=of.file_okay,
            ),
        ]
    callback = of.callback
    return Annotated[
        kind,
        typer.Option(
            *of.names,
            help=of.help,
            metavar=of.metavar,
            rich_help_panel=of.panel,
            show_default=of.show_default,
            min=of.min,
            max=of.max,
            callback=None if callback is None else checked(callback),
        ),
    ]


def checked(callback: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a check of a value whose complaints Typer understands."""

    def check(value: Any) -> Any:
        try:
            return callback(value)
        except UsageError as error:
            raise told(error) from error

    return check


def typer_function(command: Command) -> Callable[..., None]:
    """Return the function of a command with the annotations that Typer reads."""
    options = options_of(command)

    def call(**given: Any) -> None:
        context = given.pop("context", None)
        if context is not None:
            given["more"] = context.args
        try:
            status = command.run(**given)
        except UsageError as error:
            raise told(error) from error
        raise typer.Exit(status or 0)

    parameters = [
        parameter.replace(annotation=described(*options[name]), kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in inspect.signature(command.run).parameters.items()
        if name in options
    ]
    if command.passes_on:
        parameters.insert(
            0,
            inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
        )
    call.__name__, call.__doc__ = command.run.__name__, command.run.__doc__
    call.__dict__["__signature__"] = inspect.Signature(parameters)
    call.__annotations__ = {item.name: item.annotation for item in parameters}
    return call


def make_app() -> typer.Typer:
    """Return Typer's program with all commands."""
    made = typer.Typer(
        name="solidbody",
        help="Simulate robots: opens Webots worlds and Choreonoid bodies as they are.",
        invoke_without_command=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Exit status: 0 fine, 1 the simulation failed, 2 bad input or usage.",
    )
    made.callback()(front_door)
    groups: dict[str, typer.Typer] = {}
    for command in COMMANDS:
        *above, name = command.path
        where = made
        if above and above[0] not in groups:
            groups[above[0]] = typer.Typer(help=GROUPS[above[0]], no_args_is_help=True)
            made.add_typer(groups[above[0]], name=above[0])
        if above:
            where = groups[above[0]]
        settings = (
            {"allow_extra_args": True, "ignore_unknown_options": True}
            if command.passes_on
            else None
        )
        where.command(name, context_settings=settings)(typer_function(command))
    return made


app = make_app()
