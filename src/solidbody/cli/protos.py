"""`solidbody protos`: lists and shows our own PROTOs, and tells where those of a world come from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from solidbody.cli.status import BAD_INPUT, OK

if TYPE_CHECKING:
    from solidbody.formats.options import LoadOptions


def list_protos(*, as_json: bool) -> int:
    """Print the name, the group and a line about each PROTO of ours; return the exit status."""
    from pathlib import Path

    from solidbody.formats.vrml.proto import read_metadata
    from solidbody.formats.webots.protos.standin_protos import find_own, own_names

    rows: list[tuple[str, str, str]] = []
    for name in own_names():
        own = find_own(name)
        assert own is not None
        said = " ".join(read_metadata(own.text).description)
        about = said.removeprefix(f"solidbody's own {name}: ")
        rows.append((Path(own.file).parent.name, name, about))
    rows.sort(key=lambda row: (row[0], row[1].lower()))
    if as_json:
        print(
            json.dumps(
                [{"name": name, "group": group, "about": about} for group, name, about in rows],
                indent=2,
            )
        )
        return OK
    _print_table(("group", "name", "about"), rows)
    return OK


def show_proto(name: str) -> int:
    """Print the text of one of our PROTOs; return the exit status."""
    from solidbody.base.diagnostics import did_you_mean
    from solidbody.cli.console import say_error
    from solidbody.formats.webots.protos.standin_protos import find_own, own_names

    own = find_own(name)
    if own is None:
        guess = did_you_mean(name, own_names())
        say_error(f'there is no PROTO "{name}" of ours.{guess} "solidbody protos list" names them.')
        return BAD_INPUT
    print(own.text, end="")
    return OK


def show_places(world: str, reading: LoadOptions, *, as_json: bool) -> int:
    """Print where each PROTO of a world comes from; the exit status tells whether one is missing."""
    from solidbody.base.diagnostics import DiagnosticLog
    from solidbody.cli.console import print_diagnostics, say
    from solidbody.formats.webots.protos.survey import ProtoOrigin, proto_uses

    log = DiagnosticLog()
    uses = proto_uses(world, reading, log)
    if uses is None:
        print_diagnostics(log.items)
        return BAD_INPUT
    missing = [use for use in uses if use.origin is ProtoOrigin.MISSING]
    if as_json:
        rows = [{**use._asdict(), "origin": use.origin.value} for use in uses]
        print(json.dumps(rows, indent=2))
    else:
        _print_table(
            ("from", "name", "used", "file, or why there is none"),
            [
                (use.origin.value, use.name, str(use.instances), use.file or use.reason)
                for use in uses
            ],
        )
        ours = sum(use.origin is ProtoOrigin.OWN for use in uses)
        say(f"{len(uses)} PROTOs: {ours} are solidbody's own, {len(missing)} missing")
    return BAD_INPUT if missing else OK


def _print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from solidbody.cli.console import output_console

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(Text(column))
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    output_console().print(table)
