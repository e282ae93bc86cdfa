"""A real notebook in a real Jupyter server: the cell's frame shows the live page, and follows later cells."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.browser.driving import PATIENCE, Viewer
from tests.browser.fixtures import OpenViewer
from tests.waiting import wait_until

pytest.importorskip("nbclassic", reason="no Jupyter server (pip install nbclassic ipykernel)")
pytest.importorskip("ipykernel", reason="no kernel for notebooks (pip install ipykernel)")

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { }
Viewpoint { orientation 0 0 1 3.14159 position 3 0 0.5 }
Solid { translation 0 0 1 name "ball" physics Physics { }
  children [ DEF BALL Shape { appearance PBRAppearance { baseColor 1 0 0 } geometry Sphere { radius 0.3 } } ]
  boundingObject USE BALL }
"""

CELLS = (
    'import solidbody as sb\nsim = sb.Sim(sb.load("ball.wbt"))\nsim',
    "sim.run(0.32)\nprint('at', round(sim.time, 3))",
)


@pytest.fixture
def jupyter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Start a Jupyter server of the loopback; return its address with the token."""
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))
    (tmp_path / "ball.wbt").write_text(WORLD, encoding="utf-8")
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [
        {
            "cell_type": "code",
            "metadata": {},
            "source": cell,
            "outputs": [],
            "execution_count": None,
        }
        for cell in CELLS
    ]
    book = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 4}
    (tmp_path / "ball.ipynb").write_text(json.dumps(book), encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "ipykernel", "install", "--prefix", str(tmp_path / "kernels")],
        check=True,
        capture_output=True,
    )
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "kernels" / "share" / "jupyter"))
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "nbclassic", "--no-browser", "--allow-root", "--port=0"),
            *("--ip=127.0.0.1", f"--notebook-dir={tmp_path}", "--IdentityProvider.token=secret"),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield _address_of(tmp_path / "JUPYTER_RUNTIME_DIR", server)
    finally:
        server.terminate()
        server.wait(PATIENCE)


def _address_of(folder: Path, server: subprocess.Popen[bytes]) -> str:
    found: list[dict[str, object]] = []

    def is_there() -> bool:
        assert server.poll() is None, "the Jupyter server has ended"
        for file in folder.glob("*server*.json"):
            try:
                found.append(json.loads(file.read_text(encoding="utf-8")))
            except ValueError:  # half written
                return False
        return bool(found)

    wait_until(is_there, "the Jupyter server")
    address = str(found[-1]["url"])
    wait_until(lambda: _answers(address), "its answer")
    return address


def _answers(address: str) -> bool:
    try:
        return httpx.get(f"{address}api?token=secret").status_code == 200
    except httpx.TransportError:
        return False


def test_a_cell_shows_the_live_page(jupyter: str, open_viewer: OpenViewer) -> None:
    """The frame draws the scene, and is where the simulation is after the next cell has run it."""
    # the notebook's own page complains of this and that
    tab: Viewer = open_viewer(f"{jupyter}notebooks/ball.ipynb?token=secret", may_complain=True)
    page = tab.page
    page.wait_for_function(
        "window.Jupyter?.notebook?.kernel?.is_connected()", timeout=1000 * PATIENCE
    )
    page.evaluate("Jupyter.notebook.execute_cell_range(0, 1)")
    page.wait_for_selector("iframe[title=solidbody]", timeout=1000 * PATIENCE)
    frame = page.frame_locator("iframe[title=solidbody]")
    frame.get_by_test_id("canvas").wait_for(timeout=1000 * PATIENCE)
    inner = next(item for item in page.frames if "/frame/" in item.url)

    def height() -> float:
        if inner.evaluate("window.solidbody?.connection") != "connected":
            return float("nan")
        return float(inner.evaluate("window.solidbody.position('ball')[2]"))

    wait_until(lambda: height() == pytest.approx(1.0), "the ball at its start", patience=PATIENCE)
    page.evaluate("Jupyter.notebook.execute_cell_range(1, 2)")
    # free fall from rest with steps of 32 ms: 0.5 g t (t + h)
    fallen = 1.0 - 0.5 * 9.81 * 0.32 * (0.32 + 0.032)
    wait_until(lambda: height() == pytest.approx(fallen, abs=1e-4), "the fall", patience=PATIENCE)
