"""Notebooks of tutorials are what their pages make, and run from the first cell to the last."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tools.make_notebooks import NOTEBOOKS, PAGES, notebook


@pytest.mark.parametrize("page", PAGES)
def test_a_notebook_is_up_to_date(page: str) -> None:
    """If this fails, run `python -m tools.make_notebooks`."""
    assert (NOTEBOOKS / f"{page}.ipynb").read_text(encoding="utf-8") == notebook(page)


def test_there_are_no_others() -> None:
    assert {path.stem for path in NOTEBOOKS.iterdir()} == set(PAGES)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_a_notebook_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With Jupyter's own kernel; a cell that fails ends it."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    if shutil.which("bash") is None:
        pytest.skip("no shell for the lines that begin with !")
    scripts = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    monkeypatch.setenv("PATH", scripts)
    whole = nbformat.read(NOTEBOOKS / f"{page}.ipynb", as_version=4)
    nbformat.validate(whole)
    client = nbclient.NotebookClient(
        whole, timeout=280, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    shells = [cell for cell in whole.cells if cell.cell_type == "code" and "!sol" in cell.source]
    assert not [cell.source for cell in shells if "Traceback" in json.dumps(cell.outputs)]
