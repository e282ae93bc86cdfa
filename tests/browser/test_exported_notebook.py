"""A notebook that was exported to HTML, read where its kernel is gone: frames show what they carry along."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import solidbody as sb
from solidbody.viewer import notebook
from tests.browser.driving import PATIENCE
from tests.browser.fixtures import OpenViewer
from tests.browser.test_jupyter import WORLD
from tests.waiting import wait_until

nbconvert = pytest.importorskip("nbconvert", reason="no nbconvert (pip install nbclassic)")

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def exported(folder: Path, outputs: list[str]) -> Path:
    """Return the page that `jupyter nbconvert --to html` makes of cells with these outputs."""
    cells: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "metadata": {},
            "source": "sim",
            "execution_count": 1,
            "outputs": [
                {
                    "output_type": "execute_result",
                    "execution_count": 1,
                    "metadata": {},
                    "data": {"text/html": text, "text/plain": "sim"},
                }
            ],
        }
        for text in outputs
    ]
    book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (folder / "run.ipynb").write_text(json.dumps(book), encoding="utf-8")
    page, _ = nbconvert.HTMLExporter().from_filename(str(folder / "run.ipynb"))
    path = folder / "run.html"
    path.write_text(page, encoding="utf-8")
    return path


def test_live_frames_become_replays_and_recordings_stay(
    tmp_path: Path, open_viewer: OpenViewer
) -> None:
    """The simulation as it was when the cell was run; the recording with its whole run."""
    (tmp_path / "ball.wbt").write_text(WORLD, encoding="utf-8")
    sim = sb.Sim(sb.load(tmp_path / "ball.wbt"))
    sim.run(0.32)
    live = sim._repr_html_()
    with sim.record(tmp_path / "fall.html") as recording:
        sim.run(0.064)
    kept = recording._repr_html_()  # pyright: ignore[reportAttributeAccessIssue]
    path = exported(tmp_path, [live, kept])
    for shown in list(notebook._shown.values()):
        shown.close()
    notebook._shown.clear()
    # the exporter's page looks for scripts in the network, and our frame for its server
    tab = open_viewer(path.as_uri(), may_complain=True)

    def heights() -> list[float]:
        found: list[float] = []
        for frame in tab.page.frames:
            if frame is not tab.page.main_frame and frame.url == "about:srcdoc":
                position = frame.evaluate("window.solidbody?.position?.('ball')")
                found += [position[2]] if position else []
        return found

    # free fall from rest with steps of 32 ms: 0.5 g t (t + h)
    fallen = 1.0 - 0.5 * 9.81 * 0.32 * (0.32 + 0.032)
    wait_until(
        lambda: len(heights()) == 2 and heights()[0] == pytest.approx(fallen, abs=1e-4),
        lambda: f"both replays, got {heights()}",
        patience=PATIENCE,
    )
