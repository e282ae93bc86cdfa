"""Every block of Python and of the shell in the documentation runs, or says why not."""

from __future__ import annotations

import functools
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer.main

import solidbody as sb
from solidbody.cli.app import app
from tests.documentation.pages import PAGES, ROOT, SHELL, SHOWN, commands, try_page
from tools.page_blocks import blocks

FILES: dict[str, dict[str, str]] = {
    "docs/controllers-c.md": {
        "my_project/worlds/world.wbt": "examples/project_c/worlds/arena.wbt",
        **{
            f"my_project/controllers/wanderer/{name}": f"examples/project_c/controllers/wanderer/{name}"
            for name in ("Makefile", "steering.c", "steering.h", "wanderer.c")
        },
    },
    "docs/coming-from-webots.md": {"worlds/arena.wbt": "tests/documentation/files/arena.wbt"},
    "docs/coming-from-mujoco.md": {"pendulum.xml": "tests/documentation/files/pendulum.xml"},
    "docs/coming-from-pybullet.md": {
        "arena.wbt": "tests/documentation/files/arena.wbt",
        "cart.urdf": "tests/documentation/files/cart.urdf",
    },
    "docs/controllers.md": {
        "worlds/arena.wbt": "tests/documentation/files/arena.wbt",
        "worlds/extern.wbt": "tests/documentation/files/extern.wbt",
        "my_program.py": "tests/documentation/files/my_program.py",
    },
    "docs/editing.md": {"arena.wbt": "tests/documentation/files/arena.wbt"},
    "docs/sensors.md": {"world.wbt": "examples/robot.wbt"},
    "docs/supervisors.md": {"worlds/judge.wbt": "tests/documentation/files/judge.wbt"},
}
"""Page -> what its reader has: name -> file of the repository."""

RUN = [name for name, page in PAGES.items() if any(not b.reason for b in blocks(page))]

NAMES = [
    name
    for name in RUN
    if any(b.language in SHELL | {"python"} and not b.reason for b in blocks(PAGES[name]))
]


def test_there_are_blocks() -> None:
    """Otherwise the next tests would check little."""
    assert len(NAMES) > 30
    assert FILES.keys() <= set(NAMES)
    assert not blocks(Path(__file__))


@pytest.mark.parametrize("name", PAGES)
def test_every_block_says_what_it_is(name: str) -> None:
    """A language that is run, or one that is only shown: nothing hides behind a block without a name."""
    for block in blocks(PAGES[name]):
        assert block.language in SHELL | SHOWN | {"python"}, f"{name}:{block.line}"
        assert not (block.reason and block.title), f"{name}:{block.line}"


@pytest.mark.slow
@pytest.mark.timeout(3600)  # a page has up to a dozen blocks
@pytest.mark.parametrize("name", NAMES)
def test_what_a_page_shows_works(name: str, tmp_path: Path) -> None:
    """Blocks with a title are files, the others are run, in the order of the page."""
    if shutil.which("bash") is None:
        pytest.skip("no bash")
    try_page(PAGES[name], tmp_path, FILES.get(name, {}))


@functools.cache
def program() -> Any:
    """Return the command line as a tree of commands."""
    return typer.main.get_command(app)


FILE_ENDINGS = frozenset({"body", "glb", "mcap", "py", "sdf", "urdf", "usda", "wbt", "xml"})
"""`scene.glb` in a page is a file."""


@functools.cache
def api() -> dict[str, set[str]]:
    """Return what variables of the pages have, by their usual names."""
    world = sb.load_world(ROOT / "tests/documentation/files/arena.wbt")
    sim = sb.Sim(world.scene)
    found: dict[str, Any] = {"sb": sb, "sim": sim, "scene": world.scene, "world": world}
    return {name: {*dir(thing), "live"} for name, thing in found.items()}


def options_of(words: list[str]) -> set[str]:
    """Return the options of the command that words begin with, and those of the program."""
    command = program()
    known: set[str] = set()
    for word in ["", *words]:
        if word:
            if not hasattr(command, "commands") or word not in command.commands:
                break
            command = command.commands[word]
        known |= {name for item in command.params for name in (*item.opts, *item.secondary_opts)}
    return known | {"--help", "--version", "--install-completion", "--show-completion"}


@pytest.mark.parametrize("name", PAGES)
def test_options_of_commands_exist(name: str) -> None:
    """Also in blocks that are not run."""
    for block in blocks(PAGES[name]):
        if block.language not in SHELL:
            continue
        for words in commands(block):
            place = f"{name}:{block.line}: solidbody {' '.join(words)}"
            assert not words or words[0] in program().commands or words[0].startswith("-"), place
            given = {word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)}
            unknown = given - options_of(words)
            if words[:1] != ["controller"]:  # the rest is the program's
                assert not unknown, place


def test_parts_that_are_installed_exist() -> None:
    """`pip install "solidbody[NAME]"` names optional parts of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    known = set(project["project"]["optional-dependencies"])
    named: set[str] = set()
    for page in PAGES.values():
        for parts in re.findall(r"solidbody\[([\w,]+)\]", page.read_text(encoding="utf-8")):
            named |= set(parts.split(","))
    assert named <= known
    assert known - {"dev"} <= named


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_pages_and_sections(name: str) -> None:
    """Files that are there, and headings that they have."""
    page = PAGES[name]
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text(encoding="utf-8")):
        path, _, section = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        if section and file.suffix == ".md":
            text = file.read_text(encoding="utf-8")
            heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
            known = {re.sub(r"[^\w-]", "", head.lower().replace(" ", "-")) for head in heads}
            known |= set(re.findall(r'<a id="([^"]+)">', text))
            assert section in known, target


@pytest.mark.parametrize("name", [name for name in PAGES if name != "docs/architecture.md"])
def test_names_of_the_api_exist(name: str) -> None:
    """`sim.x`, `scene.x`, `world.x(...)` and `sb.x` in text and code."""
    known = api()
    text = PAGES[name].read_text(encoding="utf-8")
    used = re.findall(r"(?<![\w./-])(sb|sim|scene)\.([A-Za-z]\w*)", text)
    used += re.findall(r"(?<![\w./-])(world)\.(\w+)\(", text)
    for variable, attribute in used:
        if attribute not in FILE_ENDINGS:
            assert attribute in known[variable], f"{name}: {variable}.{attribute}"
