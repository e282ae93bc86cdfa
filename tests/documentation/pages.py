"""Blocks of code in pages, and how they are tried."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.page_blocks import Block, blocks

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

GENERATED = frozenset({"choreonoid-keys.md", "diagnostics.md", "webots-nodes.md"})
"""Lists of some ten thousand words each: tests of their own look at them."""

PAGES = {
    path.relative_to(ROOT).as_posix(): path
    for path in sorted(
        [
            *(path for path in DOCS.rglob("*.md") if path.name not in GENERATED),
            *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
            *(ROOT / name / "README.md" for name in ("examples", "benchmarks")),
        ]
    )
}

SHELL = frozenset({"sh", "bash"})
SHOWN = frozenset(
    {"cmake", "ini", "json", "make", "text", "toml", "typescript", "vrml", "xml", "yaml"}
)
"""Languages of blocks that nobody runs, unless they have a title: then they are files of the page."""

OPENS = re.compile(r"^(solidbody run (?:(?!--headless)[^&#\n])*?)( *(?:[&#].*)?)$", re.MULTILINE)
ENDLESS = re.compile(r"^(solidbody run (?:(?!--duration)[^&#\n])*?)( *(?:[&#].*)?)$", re.MULTILINE)
"""Runs with the page, or without an end: tried without the page, for a moment."""

INSTALLS = re.compile(r"^(?:python -m )?pip install [^\n]*\n?", re.MULTILINE)
"""Lines that bring packages: names of optional parts in them are looked up instead."""

PATIENCE = 900.0
"""[s] For one block: a hundred times what it takes on an idle machine."""


def scripts(page: Path) -> Iterator[tuple[Block, str]]:
    """Yield what is done, in order: the block, and for Python the text with what it goes on from."""
    found = blocks(page)
    text = ""
    for index, block in enumerate(found):
        if block.title or block.language != "python":
            yield block, block.text
        elif not block.reason:
            text = f"{text}\n{block.text}" if block.is_continued else block.text
            later = [
                one for one in found[index + 1 :] if one.language == "python" and not one.title
            ]
            if not (later and later[0].is_continued and not later[0].reason):
                yield block, text


def run(command: list[str], folder: Path, place: str) -> None:
    """Run a command, which must end well."""
    folders = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": folders, "BROWSER": "true"},  # pages are opened for nobody
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, f"{place}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


def try_page(page: Path, folder: Path, files: dict[str, str]) -> None:
    """Write the files of a page and run its other blocks, in a folder with the examples.

    Args:
        page: The page.
        folder: An empty folder.
        files: What a reader has already: name -> file of the repository.
    """
    shutil.copytree(ROOT / "examples", folder / "examples")
    for name, source in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / source, folder / name)
    for block, text in scripts(page):
        place = f"{page.relative_to(ROOT)}:{block.line}"
        if block.title:
            file = folder / block.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif block.reason:
            continue
        elif block.language == "python":
            tests = re.findall(r"^def (test_\w+)\(\)", text, flags=re.MULTILINE)
            script = folder / f"line_{block.line}.py"
            script.write_text(text + "".join(f"\n{name}()\n" for name in tests), encoding="utf-8")
            run([sys.executable, script.name], folder, place)
        elif block.language in SHELL and (lines := INSTALLS.sub("", text)).strip():
            lines = lines.replace("\\\n", " ").replace(" --run", "")  # of an example: the page, too
            lines = ENDLESS.sub(r"\1 --duration 0.2\2", OPENS.sub(r"\1 --headless\2", lines))
            run(["bash", "-euo", "pipefail", "-c", lines], folder, place)


def commands(block: Block) -> Iterator[list[str]]:
    """Yield the calls of our program in a block of the shell, as words."""
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        while words:
            end = next((i for i, word in enumerate(words) if word in ("&&", "|", "&", ";")), None)
            part, words = (words, []) if end is None else (words[:end], words[end + 1 :])
            if part and part[0] == "solidbody":
                yield part[1:]
