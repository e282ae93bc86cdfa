"""The page on learning: its code runs, its tables name what there is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from solidbody import rl
from solidbody.rl.registration import TASKS, task_class

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/learning.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)


@pytest.mark.slow
def test_code_of_the_page_runs(tmp_path: Path) -> None:
    """Each block as a script of its own, from a folder beside the examples."""
    assert len(BLOCKS) >= 6
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for number, code in enumerate(BLOCKS):
        script = tmp_path / f"block{number}.py"
        script.write_text(code, encoding="utf-8")
    scripts = [str(tmp_path / f"block{number}.py") for number in range(len(BLOCKS))]
    # one process for all: most of the time goes into imports
    runner = (
        "import runpy, sys\nfor path in sys.argv[1:]:\n    runpy.run_path(path, run_name=path)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", runner, *scripts],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert (tmp_path / "walker/worlds/four_legs.wbt").exists()
    assert "<script" in (tmp_path / "walk.html").read_text(encoding="utf-8")


def test_table_lists_all_tasks_with_their_actions() -> None:
    """As many rows as tasks."""
    rows = re.findall(r"^\| `(solidbody/\w+-v0)` \|", TEXT, flags=re.M)
    assert rows == list(TASKS)


def test_every_task_was_learned() -> None:
    """A policy of its spaces, a curve, and a row of what came out."""
    learned = ROOT / "examples/learning"
    files = {re.sub(r"(?<!^)(?=[A-Z])", "_", name[10:-3]).lower(): name for name in TASKS}
    policies = sorted(
        (learned / "policies").iterdir()
    )  # NAME-gpu: what was trained on a graphics card
    assert {path.stem.split("-")[0] for path in policies} == set(files)
    assert {path.stem.split("-")[0] for path in (learned / "curves").iterdir()} == set(files)
    assert set(re.findall(r"^\| (\w+) \| [^|]* \| [\d.]+ million", TEXT, flags=re.M)) == {
        name[10:-3] for name in TASKS
    }
    for path in policies:
        task = task_class(TASKS[files[path.stem.split("-")[0]]][0])
        policy = rl.Policy.load(path)
        assert policy.mean.shape == (np.prod(task.observation_space.shape or ()),)
        assert policy.low.shape == task.action_space.shape


def test_what_the_page_names_exists() -> None:
    """Scripts, policies, pictures."""
    names = set(re.findall(r"examples/learning/[\w/.]+\w", TEXT))
    names |= {f"docs/{name}" for name in re.findall(r"\]\((images/[^)]+)\)", TEXT)}
    assert len(names) > 5
    assert not [name for name in sorted(names) if not (ROOT / name).exists()]
