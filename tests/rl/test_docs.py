"""The page on learning: its tables name what there is."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from solidbody import rl
from solidbody.rl.registration import TASKS, task_class

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/learning.md").read_text(encoding="utf-8")


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
