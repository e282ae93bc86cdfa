"""`Env` keeps Gymnasium's contract."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import (
    ClipReward,
    FlattenObservation,
    NormalizeObservation,
    RecordEpisodeStatistics,
    RescaleAction,
    TimeAwareObservation,
    TimeLimit,
)

from solidbody import rl
from solidbody.rl.registration import TASKS
from tests.rl.pushing import WORLD, Pushed

Maker = Callable[..., Pushed]

FULL = np.array([1.0], dtype=np.float32)
NOTHING = np.array([0.0], dtype=np.float32)


def run(env: gymnasium.Env, actions: int, seed: int) -> list[bytes]:
    """Return the bytes of what an environment observes under drawn actions."""
    env.action_space.seed(seed)
    out = [env.reset(seed=seed)[0].tobytes()]
    for _ in range(actions):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        out.append(observation.tobytes() + np.float64(reward).tobytes())
        if terminated or truncated:
            out.append(env.reset()[0].tobytes())
    return out


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_ready_tasks_pass_the_check(name: str) -> None:
    """Gymnasium's own checker, of the bare environment: no warning but that there are no bounds."""
    env = gymnasium.make(name, render_mode="rgb_array", width=32, height=24)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env.unwrapped, skip_render_check=True)
    texts = [str(item.message) for item in caught]
    assert not [text for text in texts if "infinity" not in text]
    picture = env.unwrapped.render()
    assert isinstance(picture, np.ndarray)
    assert picture.shape == (24, 32, 3) and picture.dtype == np.uint8 and picture.std() > 0.0
    env.close()


@pytest.mark.parametrize("name", TASKS)
def test_ready_tasks_repeat_to_the_byte(name: str) -> None:
    """Another environment under the same seed, in the same process, observes the same; other seeds do not."""
    one, two = gymnasium.make(name), gymnasium.make(name)
    first = run(one, 12, seed=5)
    run(one, 3, seed=6)
    assert run(two, 12, seed=5) == first
    assert run(one, 12, seed=5) == first
    assert run(two, 12, seed=6) != first


def test_episodes_without_a_seed_go_on(pushed: Maker) -> None:
    """`reset()` gives the next episode of the last seed: other numbers, the same ones every time."""
    env = rl.Env(pushed)
    first = [env.reset(seed=1)[0], env.reset()[0], env.reset()[0]]
    again = [env.reset(seed=1)[0], env.reset()[0], env.reset()[0]]
    assert np.array_equal(first, again)
    assert len({float(observation[2]) for observation in first}) == 3


def test_never_seeded_environments_differ(pushed: Maker) -> None:
    """Without any seed the start is drawn."""
    assert rl.Env(pushed).reset()[0][2] != rl.Env(pushed).reset()[0][2]


def test_the_end_of_time_truncates_and_the_end_of_the_task_terminates(pushed: Maker) -> None:
    """Nobody pushes: cut off after 20 actions. 10 N on 1 kg: 1 m after sqrt(0.2) s, 23 actions of 20 ms."""
    env = rl.Env(pushed)
    env.reset(seed=0)
    ends = [env.step(NOTHING)[2:4] for _ in range(20)]
    assert ends == [(False, False)] * 19 + [(False, True)]
    env = rl.Env(pushed, max_episode_steps=None)
    env.reset(seed=0)
    ends = [env.step(FULL)[2:4] for _ in range(30)]
    first = ends.index((True, False))
    assert 21 <= first <= 24  # the start is drawn within 1 cm, and steps are whole
    assert ends[:first] == [(False, False)] * first


def test_both_ends_at_once_are_both_told(pushed: Maker) -> None:
    """An episode can end by itself with its last action."""
    env = rl.Env(partial(pushed, start=2.0), max_episode_steps=1)
    env.reset(seed=0)
    assert env.step(NOTHING)[2:4] == (True, True)


def test_actions_out_of_bounds_are_clipped(pushed: Maker) -> None:
    """What the task is told lies within the space."""
    env = rl.Env(pushed)
    env.reset(seed=0)
    env.step(np.array([7.0], dtype=np.float32))
    assert env.task.told.tolist() == [[1.0]]  # type: ignore[attr-defined]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_actions_that_are_no_numbers_are_refused(pushed: Maker, value: float) -> None:
    """Nothing moves."""
    env = rl.Env(pushed)
    before = env.reset(seed=0)[0]
    with pytest.raises(ValueError, match="must be finite; those of copy 0"):
        env.step(np.array([value], dtype=np.float32))
    assert np.array_equal(env.step(NOTHING)[0][2], before[2])


@pytest.mark.parametrize("action", [np.zeros(2), np.zeros((1, 1)), np.float32(0.0)])
def test_actions_of_another_shape_are_refused(pushed: Maker, action: object) -> None:
    """The message says which shape is wanted."""
    env = rl.Env(pushed)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"expected actions of shape \(1, 1\)"):
        env.step(action)


def test_step_before_reset_is_refused(pushed: Maker) -> None:
    """As Gymnasium's own wrapper refuses it."""
    with pytest.raises(gymnasium.error.ResetNeeded):
        rl.Env(pushed).step(NOTHING)


def test_what_is_returned_is_nobody_elses(pushed: Maker) -> None:
    """Later steps do not change observations and infos that were returned."""
    env = rl.Env(pushed)
    observation, info = env.reset(seed=0)
    kept = observation.copy(), dict(info)
    env.step(FULL)
    env.step(FULL)
    assert np.array_equal(observation, kept[0]) and info == kept[1]


def test_closing_twice_is_allowed(pushed: Maker) -> None:
    """And so is closing what was never used."""
    env = rl.Env(pushed, render_mode="rgb_array")
    env.close()
    env.close()


def test_a_pickled_environment_starts_anew(pushed: Maker) -> None:
    """Another process gets an environment of the same arguments."""
    env = rl.Env(pushed, max_episode_steps=7, render_mode="rgb_array")
    env.reset(seed=3)
    env.step(FULL)
    other = pickle.loads(pickle.dumps(env))
    assert np.array_equal(other.reset(seed=3)[0], env.reset(seed=3)[0])
    assert other.render_mode == "rgb_array"
    assert [other.step(NOTHING)[3] for _ in range(7)][-1]


def test_a_task_serves_several_environments(pushed: Maker) -> None:
    """Each takes a task of its own like the one that it is given."""
    task = pushed()
    one, two = rl.Env(task), rl.Env(task)
    one.reset(seed=1), two.reset(seed=1)
    one.step(FULL)
    assert one.task is not two.task
    assert np.array_equal(two.step(NOTHING)[0], rl_first_step(pushed))


def rl_first_step(pushed: Maker) -> np.ndarray:
    env = rl.Env(pushed)
    env.reset(seed=1)
    return env.step(NOTHING)[0]


def test_a_task_that_observes_something_else_is_told(pushed: Maker) -> None:
    """The shape that was observed and the one that was promised."""

    class Wrong(Pushed):
        def observe(self) -> object:
            return super().observe()[:, :2]

    env = rl.Env(partial(Wrong, pushed().world))
    with pytest.raises(ValueError, match=r"shape \(1, 2\); its space wants \(1, 3\)"):
        env.reset()


def test_a_simulation_that_breaks_down_ends_its_episode(tmp_path: Path) -> None:
    """Terminated, worth nothing, observed in numbers; the next episode is as good as new."""
    world = tmp_path / "pushed.wbt"
    world.write_text(WORLD, encoding="utf-8")

    class Broken(Pushed):
        def act(self, actions: object) -> None:
            super().act(actions)
            self._batch.sims[0].data.qvel[0] = np.inf

    env = rl.Env(partial(Broken, world))
    env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(NOTHING)
    assert (reward, terminated, truncated, info["failed"]) == (0.0, True, False, True)
    assert np.isfinite(observation).all()
    observation, info = env.reset(seed=0)
    assert "failed" not in info and np.isfinite(observation).all()


def test_what_makes_no_task_is_refused() -> None:
    """The class of what came instead is named."""
    with pytest.raises(TypeError, match="got int"):
        rl.Env(lambda: 5)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize(("mode", "text"), [("rgb", "rgb_array"), ("depth_array", "human")])
def test_render_modes_that_there_are_not_are_refused(pushed: Maker, mode: str, text: str) -> None:
    """The message names those that there are."""
    with pytest.raises(ValueError, match=text):
        rl.Env(pushed, render_mode=mode)


def test_rendering_must_be_asked_for(pushed: Maker) -> None:
    """Without a mode there is no picture."""
    env = rl.Env(pushed)
    env.reset()
    with pytest.raises(ValueError, match="render_mode"):
        env.render()


def test_pictures_do_not_change_the_run(pushed: Maker) -> None:
    """What is observed has the same bytes with pictures taken in between."""
    plain, seen = rl.Env(pushed), rl.Env(pushed, render_mode="rgb_array", width=16, height=16)
    plain.reset(seed=4), seen.reset(seed=4)
    for _ in range(5):
        seen.render()
        assert plain.step(FULL)[0].tobytes() == seen.step(FULL)[0].tobytes()


def test_wrappers_work_unchanged(pushed: Maker, tmp_path: Path) -> None:
    """Those that most programs use, on top of each other."""
    rl.register("tests/Pushed-v0", Pushed, max_episode_steps=6, world=pushed().world)
    env: gymnasium.Env = gymnasium.make(
        "tests/Pushed-v0", render_mode="rgb_array", width=32, height=32
    )
    del gymnasium.registry["tests/Pushed-v0"]
    assert isinstance(env, TimeLimit)
    env = RecordEpisodeStatistics(ClipReward(RescaleAction(env, 0.0, 2.0), -1.0, 1.0))
    env = NormalizeObservation(FlattenObservation(TimeAwareObservation(env)))
    observation, _ = env.reset(seed=0)
    assert observation.shape == (4,) and env.observation_space.shape == (4,)
    for k in range(6):
        observation, _, terminated, truncated, info = env.step(np.array([2.0], np.float32))
        assert (terminated, truncated) == (False, k == 5)
    assert info["episode"]["l"] == 6


def test_make_takes_the_limit_that_is_asked_for(pushed: Maker) -> None:
    """Shorter and longer than the task's own."""
    rl.register("tests/Limited-v0", Pushed, world=pushed().world)
    try:
        for limit in (3, 25):
            env = gymnasium.make("tests/Limited-v0", max_episode_steps=limit)
            env.reset(seed=0)
            assert [env.step(NOTHING)[3] for _ in range(limit)].index(True) == limit - 1
            envs = gymnasium.make_vec("tests/Limited-v0", num_envs=2, max_episode_steps=limit)
            envs.reset(seed=0)
            cut = [envs.step(np.zeros((2, 1), np.float32))[3].all() for _ in range(limit)]
            assert cut.index(True) == limit - 1
        assert gymnasium.spec("tests/Limited-v0").max_episode_steps == 20
    finally:
        del gymnasium.registry["tests/Limited-v0"]
