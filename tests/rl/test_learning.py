"""Learning: with numpy alone here; the examples with torch, stable-baselines3 and Ray where these are."""

from __future__ import annotations

import csv
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solidbody import rl
from solidbody.base.errors import SolidbodyError
from solidbody.rl.random_search import Progress
from solidbody.rl.tasks.four_legs import FourLegs
from solidbody.rl.tasks.pole import Pole

EXAMPLES = Path(__file__).parents[2] / "examples/learning"


def example(name: str, *arguments: object, folder: Path) -> str:
    """Return what a script of the examples prints."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def need(*modules: str) -> None:
    for module in modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")


@pytest.mark.slow
def test_random_search_learns_to_balance() -> None:
    """From about 50 of 500 actions to all of them, in episodes that it has not tried."""
    means: list[float] = []

    def note(now: Progress) -> bool:
        means.append(float(now.returns.mean()))
        return means[-1] > 490.0

    policy = rl.search(Pole, iterations=20, step=0.2, noise=0.2, best=8, on_progress=note)
    assert means[0] < 100.0
    assert rl.evaluate(Pole, policy, episodes=8).mean() > 450.0


def test_search_repeats_whatever_the_threads() -> None:
    """The same policy to the byte."""
    found = [
        rl.search(Pole, iterations=2, directions=4, step=0.2, noise=0.2, threads=threads)
        for threads in (1, 3)
    ]
    assert found[0].to_json() == found[1].to_json()
    other = rl.search(Pole, iterations=2, directions=4, step=0.2, noise=0.2, seed=1)
    assert other.to_json() != found[0].to_json()


@pytest.mark.slow
def test_random_search_learns_to_walk() -> None:
    """From standing to half a metre within 100 actions (3.3 s at most); the first tries only tremble.

    Not every seed learns it in 14 iterations, and the last bit of a contact force decides which ones do.
    """
    seen: list[float] = []

    def note(now: Progress) -> None:
        seen.append(float(now.returns.mean()))

    policy = rl.search(
        FourLegs,
        iterations=14,
        directions=16,
        best=6,
        step=0.1,
        noise=0.1,
        max_episode_steps=100,
        seed=2,
        on_progress=note,
    )
    before, after = (
        rl.evaluate(FourLegs, act, episodes=8, max_episode_steps=100).mean()
        for act in (lambda rows: np.zeros((len(rows), 8)), policy)
    )
    assert after > 2.0 * before, (before, after, seen)


def test_what_is_learned_can_be_stored(tmp_path: Path) -> None:
    """A policy reads back as it was written; other files are told from policies."""
    policy = rl.search(Pole, iterations=1, directions=2, max_episode_steps=5)
    policy.save(tmp_path / "policy.json")
    assert rl.Policy.load(tmp_path / "policy.json").to_json() == policy.to_json()
    for number, text in enumerate(("", "[]", "{}", '{"mean": [0], "deviation": [0]}', "[" * 9999)):
        path = tmp_path / f"{number}.json"
        path.write_text(text)
        with pytest.raises(SolidbodyError, match="holds no policy"):
            rl.Policy.load(path)


@pytest.mark.slow
def test_ppo_learns_to_balance(tmp_path: Path) -> None:
    """The example in plain torch, as a script: three times the worth of the first tries."""
    need("torch")
    policy, curve = tmp_path / "pole.json", tmp_path / "curve.csv"
    more = ["--steps", 40_000, "--copies", 32, "--policy", policy, "--curve", curve]
    example("ppo.py", "solidbody/Pole-v0", *more, folder=tmp_path)
    with curve.open(newline="", encoding="utf-8") as rows:
        worth = [float(row["worth"]) for row in csv.DictReader(rows)]
    found = rl.evaluate(Pole, rl.Policy.load(policy), episodes=8).mean()
    assert found > 3.0 * worth[1], worth


@pytest.mark.slow
def test_stable_baselines_takes_environments_as_they_are(tmp_path: Path) -> None:
    """Its checker, its wrappers one upon another, and the example of ten lines."""
    need("stable_baselines3", "torch")
    from stable_baselines3.common.env_checker import check_env
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import VecFrameStack, VecMonitor, VecNormalize

    check_env(rl.Env(Pole), warn=False)
    envs = VecFrameStack(VecNormalize(VecMonitor(make_vec_env("solidbody/Pole-v0", n_envs=3))), 2)
    envs.seed(0)
    seen: Any = envs.reset()
    assert np.shape(seen) == (3, 8)
    lengths = []
    for _ in range(120):
        _, _, dones, infos = envs.step(np.ones((3, 1), np.float32))
        assert dones.shape == (3,)
        lengths += [info["episode"]["l"] for info in infos if "episode" in info]
    assert len(lengths) >= 3 and max(lengths) < 100
    envs.close()
    assert "20 episodes are worth" in example("sb3_goal.py", 4096, folder=tmp_path)
    assert (tmp_path / "goal_sb3.zip").exists()


@pytest.mark.slow
def test_rllib_learns_in_environments_as_they_are(tmp_path: Path) -> None:
    """Two iterations of the example: steps are counted, episodes end and are worth something."""
    need("ray", "torch", "tree", "scipy")
    said = example("rllib_goal.py", 2, folder=tmp_path).splitlines()
    last = re.fullmatch(r"2 (\d+) steps, worth (-?[\d.]+)", said[-1])
    assert last is not None and int(last[1]) >= 8192


@pytest.mark.slow
def test_tune_finds_the_better_search(tmp_path: Path) -> None:
    """Four trials of the example on workers of Ray; large steps learn faster than small ones."""
    need("ray", "pandas", "tensorboardX")
    said = example("tune_pole.py", 6, folder=tmp_path)
    rows = re.findall(r"'step': ([\d.]+), 'noise': ([\d.]+)}: worth (\d+)", said)
    worth = {(step, noise): int(value) for step, noise, value in rows}
    assert len(worth) == 4
    assert worth["0.2", "0.2"] > worth["0.02", "0.05"]
