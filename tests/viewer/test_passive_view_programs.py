"""`sb.view` in programs of users: plain Python, IPython and pytest, with Ctrl-C theirs."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, signal, threading, urllib.request
import solidbody as sb

def test_view():
    before = signal.getsignal(signal.SIGINT)
    sim = sb.Sim(sb.load("box.wbt"))
    with sb.view(sim, open_browser=False) as one, sb.view(sim.copy(), open_browser=False) as two:
        for _ in range(5):
            sim.step()
            one.sync()
            two.sync()
        for view in (one, two):
            assert b"<canvas" in urllib.request.urlopen(view.frame_url).read()
        assert signal.getsignal(signal.SIGINT) is before
        try:
            while True:
                sim.step()
                one.sync()
                if sim.step_count == 20:
                    os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            print("interrupted after", sim.step_count // 20)
    assert not one.is_running() and not two.is_running()
    print("threads left:", sum("solidbody" in thread.name for thread in threading.enumerate()))
"""

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { }
Solid { translation 0 0 1 physics Physics { } boundingObject Box { } }
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["python", "IPython", "pytest"])
def test_the_program_keeps_its_signals(tmp_path: Path, how: str) -> None:
    """The page is there beside it; Ctrl-C is the program's, and afterwards nothing is left."""
    if how == "IPython" and importlib.util.find_spec("IPython") is None:
        pytest.skip("no IPython")
    (tmp_path / "box.wbt").write_text(WORLD, encoding="utf-8")
    file = tmp_path / "test_program.py"
    file.write_text(PROGRAM + ("" if how == "pytest" else "\ntest_view()\n"), encoding="utf-8")
    command = {
        "python": [sys.executable, str(file)],
        "IPython": [sys.executable, "-m", "IPython", "--quick", "--colors=NoColor", str(file)],
        "pytest": [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", str(file)],
    }[how]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "interrupted after 1" in done.stdout and "threads left: 0" in done.stdout
