"""`solidbody run` with a real browser: what a user gets who types it."""

from __future__ import annotations

import gzip
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from solidbody.viewer.page_files import PAGE_FOLDER
from tests.browser.conftest import OpenViewer
from tests.browser.worlds import pendulum_world

pytestmark = pytest.mark.browser

BUNDLE_LIMIT = 400_000
"""Bytes of the whole page after compression: what a first visit has to load."""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_the_command_shows_the_world_and_ends_with_ctrl_c(
    tmp_path: Path, open_viewer: OpenViewer
) -> None:
    """It prints the address, waits for the page, runs, and ends with status 0."""
    world = tmp_path / "pendulum.wbt"
    world.write_text(pendulum_world(), encoding="utf-8")
    program = subprocess.Popen(
        [sys.executable, "-m", "solidbody.cli", "run", str(world), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert program.stdout is not None
        # a warning (no native step) may come first
        words = (word for line in program.stdout for word in line.split())
        url = next(word for word in words if word.startswith("http://127.0.0.1:"))
        viewer = open_viewer(url, may_complain=True)
        viewer.wait_for_picture()
        viewer.wait(lambda: viewer.read("time") > 0.2, "time to run")
        assert viewer.text("title") == "A pendulum"
        program.send_signal(signal.SIGINT)
        rest, _ = program.communicate(timeout=30)
        assert (program.returncode, rest) == (0, "")
        viewer.wait(lambda: viewer.read("connection") == "lost", "the loss to show")
        viewer.page.close()
    finally:
        program.kill()
        program.wait()


def test_the_page_is_small() -> None:
    """Everything that a browser loads, compressed."""
    files = [path for path in PAGE_FOLDER.rglob("*") if path.is_file()]
    size = sum(len(gzip.compress(path.read_bytes())) for path in files)
    assert 10_000 < size < BUNDLE_LIMIT
