"""Tasks on a device: the same observations, rewards and episodes as on the processor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from solidbody.rl import Policy, VectorEnv
from solidbody.rl.tasks.four_legs import FourLegs
from solidbody.rl.tasks.line import Line
from tests.gpu.comparing import DEVICE

pytestmark = [pytest.mark.slow, pytest.mark.native]

COUNT = 3
POLICIES = Path(__file__).parents[2] / "examples" / "learning" / "policies"


def test_a_task_does_the_same_on_a_device() -> None:
    """Episodes that end at different times, with starts of their own."""
    modes = {"autoreset_mode": "SameStep", "max_episode_steps": 25}
    wanted, got = (
        VectorEnv(FourLegs, COUNT, **modes),
        VectorEnv(FourLegs, COUNT, device=DEVICE, **modes),
    )
    random = np.random.default_rng(0)
    first, second = wanted.reset(seed=3)[0], got.reset(seed=3)[0]
    assert np.abs(first - second).max() <= 1e-9
    ended = 0
    for _ in range(60):
        actions = random.uniform(-1.0, 1.0, (COUNT, 8)).astype(np.float32)
        one, two = wanted.step(actions), got.step(actions)
        assert np.abs(one[0] - two[0]).max() <= 1e-6
        assert np.abs(one[1] - two[1]).max() <= 1e-8
        assert (one[2] == two[2]).all()
        assert (one[3] == two[3]).all()
        ended += int((one[2] | one[3]).sum())
    assert ended >= 2 * COUNT


def test_pictures_of_copies_on_a_device() -> None:
    """A copy is where the device has it."""
    envs = VectorEnv(FourLegs, 2, device=DEVICE, render_mode="rgb_array", width=32, height=24)
    envs.reset(seed=0)
    found = envs.render()
    assert found is not None
    assert found[1].shape == (24, 32, 3)
    assert found[1].std() > 1.0


def test_a_task_sees_the_same_on_a_device() -> None:
    """A robot follows a line by its camera alone."""
    wanted, got = VectorEnv(Line, COUNT), VectorEnv(Line, COUNT, device=DEVICE)
    first, second = wanted.reset(seed=5)[0], got.reset(seed=5)[0]
    random = np.random.default_rng(1)
    for _ in range(10):
        apart = np.abs(first.astype(int) - second)
        assert (apart > 1).mean() <= 1e-3  # where a ray just passes an edge
        assert first.std() > 5.0
        actions = random.uniform(-1.0, 1.0, (COUNT, 2)).astype(np.float32)
        (first, one, *_), (second, two, *_) = wanted.step(actions), got.step(actions)
        assert np.abs(one - two).max() <= 1e-8


def test_threads_are_no_matter_of_a_device() -> None:
    """They are refused together."""
    with pytest.raises(ValueError, match="threads"):
        VectorEnv(FourLegs, 1, device=DEVICE, threads=2)


def test_a_policy_of_a_card_walks_on_the_processor() -> None:
    """What was learned on an H200 goes on in the native step, without a fall."""
    policy = Policy.load(POLICIES / "four_legs-gpu.json")
    envs = VectorEnv(FourLegs, 3)
    seen, infos = envs.reset(seed=11)
    for _ in range(250):
        seen, _, fallen, _, infos = envs.step(policy(seen))
        assert not fallen.any()
    assert infos["x"].min() > 3.0  # [m] in 5 s
