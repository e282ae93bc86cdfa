"""Files that are made from others are up to date, and each says how it is made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import menagerie, public_robots
from solidbody.explanations import page as diagnostics_page
from solidbody.formats.choreonoid.keys import parity as choreonoid_parity
from solidbody.formats.webots.nodes import parity
from solidbody.viewer import protocol_ts
from tests.architecture.sources import ROOT, tracked_files
from tools import c_api, cli_reference, controller_api, make_client, make_protocol, page_shortcuts

MARK = "GENERATED FILE, " + "DO NOT EDIT"

MADE_BY: dict[str, Callable[[Path], str]] = {
    "docs/choreonoid-keys.md": lambda _: choreonoid_parity.render_page(),
    "docs/cli-options.md": lambda _: cli_reference.page(),
    "docs/controllers-api.md": lambda _: controller_api.page(),
    "docs/controllers-c-api.md": lambda _: c_api.page(),
    "docs/page-shortcuts.md": lambda _: page_shortcuts.page(),
    "docs/menagerie.md": lambda _: menagerie.page(menagerie.figures_kept()),
    "docs/public-robots.md": lambda _: public_robots.page(public_robots.figures_kept()),
    "docs/diagnostics.md": lambda _: diagnostics_page.render_page(),
    "docs/webots-nodes.md": lambda _: parity.render_page(),
    "docs/wire.md": lambda path: make_protocol.generate()[path],
    "src/solidbody/control/c/wire_messages.c": lambda path: make_protocol.generate()[path],
    "src/solidbody/control/c/wire_messages.h": lambda path: make_protocol.generate()[path],
    "src/solidbody/control/client/controller/kinds.py": lambda _: make_client.client_file(),
    "src/solidbody/control/client/solidbody_protocol.py": lambda path: make_protocol.generate()[
        path
    ],
    "web/src/protocol.ts": lambda _: protocol_ts.generate(),
}
"""File -> what makes its text."""

ELSEWHERE = {
    "docs/standins-list.md": "needs pictures of all stand-ins: tests/standins/test_docs.py"
}
"""File -> why it is not made anew here, and which test looks at it."""


@pytest.mark.parametrize("name", MADE_BY)
def test_the_file_is_what_its_recipe_makes(name: str) -> None:
    """If this fails, run what the first lines of the file name."""
    path = ROOT / name
    assert path.read_text(encoding="utf-8") == MADE_BY[name](path)


def test_every_generated_file_is_looked_at() -> None:
    """What says that it is generated has a row here."""
    found: set[str] = set()
    for path in tracked_files():
        with path.open("rb") as file:
            start = file.read(300)
        if MARK.encode() in start:
            found.add(path.relative_to(ROOT).as_posix())
    assert found == MADE_BY.keys() | ELSEWHERE.keys()
