"""Makes notebooks of three tutorials: `docs/notebooks/*.ipynb`.

python -m tools.make_notebooks
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from tools.page_blocks import BLOCK, Block, block_of

ROOT: Final = Path(__file__).resolve().parents[1]
TUTORIALS: Final = ROOT / "docs" / "tutorials"
NOTEBOOKS: Final = ROOT / "docs" / "notebooks"

PAGES: Final = {
    "first-robot": "solidbody",
    "many-runs": "solidbody",
    "training": "solidbody[rl]",
}
"""Tutorial -> what has to be installed."""

LINK: Final = re.compile(r"(?<!!)(\[[^\]]*\]\()(?!https?:|#|\.\./)([^)]+\))")
"""Of one tutorial to another."""

HEADLESS: Final = "--headless"


def markdown(text: str) -> dict[str, Any]:
    """Return a cell of text."""
    return {"cell_type": "markdown", "metadata": {}, "source": lines_of(text.strip())}


def code(text: str) -> dict[str, Any]:
    """Return a cell that is run."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": lines_of(text.strip("\n")),
    }


def lines_of(text: str) -> list[str]:
    """Return lines as a notebook has them."""
    return text.splitlines(keepends=True)


def cells_of(block: Block) -> list[dict[str, Any]]:
    """Return the cells of a block of code."""
    shown = markdown(f"```{block.language}\n{block.text}```")
    if block.title:
        folder = str(Path(block.title).parent.as_posix())
        made = [code(f"!mkdir -p {folder}")] if folder != "." else []
        return [*made, code(f"%%writefile {block.title}\n{block.text}")]
    if block.reason:
        return [shown]
    if block.language == "python":
        return [code(block.text)]
    if block.language == "sh":
        if re.search(rf"^solidbody run (?!.*{HEADLESS})", block.text, re.MULTILINE):
            return [markdown(f"In a terminal:\n\n```sh\n{block.text}```")]
        return [code("".join(f"!{line}\n" for line in block.text.strip().splitlines()))]
    return [shown]


def notebook(page: str) -> str:
    """Return a notebook as text."""
    text = (TUTORIALS / f"{page}.md").read_text(encoding="utf-8")
    cells: list[dict[str, Any]] = []
    end = 0

    def add(words: str) -> None:
        if words.strip():
            cells.append(markdown(LINK.sub(r"\1../tutorials/\2", words)))

    for match in BLOCK.finditer(text):
        add(text[end : match.start()])
        cells.extend(cells_of(block_of(match)))
        end = match.end()
    add(text[end:])
    needs = f'%pip install -q "{PAGES[page]}"'
    cells.insert(1, markdown(f"If it is not installed yet: `{needs}`"))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    whole = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "solidbody": f"GENERATED FILE, DO NOT EDIT: made of docs/tutorials/{page}.md",
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write all notebooks."""
    NOTEBOOKS.mkdir(exist_ok=True)
    for page in PAGES:
        (NOTEBOOKS / f"{page}.ipynb").write_text(notebook(page), encoding="utf-8")


if __name__ == "__main__":
    main()
