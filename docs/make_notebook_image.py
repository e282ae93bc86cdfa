"""Makes `docs/images/notebook.png` and `plot.png`: a real notebook in a real Jupyter server, and a plot.

Needs the built page, the development tools, nbclassic, ipykernel and a Chromium (`CHROMIUM` may name one).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Frame, sync_playwright

import solidbody as sb

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
PATIENCE = 120.0
"""[s] Drawing in software on a busy machine takes its time."""

CELLS = (
    'import solidbody as sb\n\nsim = sb.Sim(sb.load("robot.wbt"))\nsim',
    'sim.joint("left motor").target_velocity = 6.0\nsim.joint("right motor").target_velocity = 6.0\n'
    'with sim.log("left motor.velocity", "robot.x") as log:\n    sim.run(3.0)\nlog',
)


def make_notebook(folder: Path) -> None:
    """Write a notebook of the cells, beside the world."""
    shutil.copytree(ROOT / "examples", folder, dirs_exist_ok=True)
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
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 4}
    (folder / "robot.ipynb").write_text(json.dumps(book), encoding="utf-8")


def show_notebook(folder: Path) -> None:
    """Run the notebook in a Jupyter server and take its picture."""
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    places = {name: str(folder / name) for name in names}
    install = [sys.executable, "-m", "ipykernel", "install", "--prefix", str(folder / "kernels")]
    subprocess.run(install, check=True, capture_output=True)
    places["JUPYTER_PATH"] = str(folder / "kernels" / "share" / "jupyter")
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "nbclassic", "--no-browser", "--allow-root", "--port=0"),
            *("--ip=127.0.0.1", f"--notebook-dir={folder}", "--IdentityProvider.token=secret"),
        ],
        env=os.environ | places,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        take_picture(address_of(folder / "JUPYTER_RUNTIME_DIR"))
    finally:
        server.terminate()
        server.wait(PATIENCE)


def address_of(folder: Path) -> str:
    """Wait for the server's file and return its address."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for file in folder.glob("*server*.json"):
            try:
                return str(json.loads(file.read_text(encoding="utf-8"))["url"])
            except ValueError:  # half written
                pass
        time.sleep(0.2)
    raise SystemExit("no Jupyter server came")


def take_picture(address: str) -> None:
    """Run all cells and wait until the frame shows their end."""
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    path = next(found for name in names if name and (found := shutil.which(name)))
    flags = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        page = browser.new_page(viewport={"width": 1120, "height": 1420})
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(f"{address}notebooks/robot.ipynb?token=secret")
        page.wait_for_function("window.Jupyter?.notebook?.kernel?.is_connected()")
        page.evaluate("Jupyter.notebook.execute_cell_range(0, 1)")
        page.frame_locator("iframe[title=solidbody]").get_by_test_id("canvas").wait_for()
        frame = next(item for item in page.frames if "/frame/" in item.url)
        wait_for(frame, "window.solidbody?.connection === 'connected'")
        page.evaluate("Jupyter.notebook.execute_cell_range(1, 2)")
        page.wait_for_selector(".output svg[viewBox]")
        wait_for(frame, "window.solidbody.time > 2.9 && window.solidbody.isAtRest")
        page.evaluate("Jupyter.notebook.deselect?.(); document.activeElement?.blur()")
        page.locator("#notebook-container").screenshot(path=IMAGES / "notebook.png")
        browser.close()


def wait_for(frame: Frame, condition: str) -> None:
    """Wait until something holds in the page, whose policy forbids playwright's own way."""
    end = time.monotonic() + PATIENCE
    while not frame.evaluate(condition):
        if time.monotonic() > end:
            raise SystemExit(f"waited in vain for {condition}")
        time.sleep(0.1)


def make_plot() -> None:
    """Draw what `docs/plots.md` shows: a robot drives and turns."""
    sim = sb.Sim(sb.load(ROOT / "examples" / "robot.wbt"))
    left, right = sim.joint("left motor"), sim.joint("right motor")
    left.target_velocity = right.target_velocity = 3.0
    with sim.log("*motor.velocity", "*motor.effort", "robot.?") as log:
        sim.run(1.0)
        left.target_velocity = -3.0
        sim.run(1.0)
    log.plot(IMAGES / "plot.png", size=(1000, 560))


if __name__ == "__main__":
    make_plot()
    with tempfile.TemporaryDirectory() as place:
        make_notebook(Path(place))
        show_notebook(Path(place))
