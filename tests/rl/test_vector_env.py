"""`VectorEnv` keeps the conventions of Gymnasium's vector environments, and does what `Env` does."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import (
    DictInfoToList,
    FlattenObservation,
    NormalizeObservation,
    RecordEpisodeStatistics,
    RescaleAction,
)

from solidbody import rl
from solidbody.rl.registration import TASKS
from solidbody.rl.tasks.pole import Pole
from tests.rl.pushing import Pushed

Maker = Callable[..., Pushed]

MODES = list(AutoresetMode)
RESETTING = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]


def actions_of(count: int, steps: int, size: int = 1) -> np.ndarray:
    """Return drawn actions (steps, copies, size), some of which push copies beyond the end."""
    return np.random.default_rng(1).uniform(-0.2, 1.0, (steps, count, size)).astype(np.float32)


def same(one: object, two: object) -> bool:
    """Whether two infos say the same."""
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, np.ndarray) and isinstance(two, np.ndarray) and one.dtype == object:
        return len(one) == len(two) and all(same(a, b) for a, b in zip(one, two, strict=True))
    return np.array_equal(one, two)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", RESETTING)
def test_it_does_what_gymnasiums_own_vector_of_envs_does(
    pushed: Maker, mode: AutoresetMode
) -> None:
    """Observations, rewards, ends and infos with masks, to the byte, over episodes of several lengths."""
    count, steps = 5, 60
    task = partial(pushed, start=0.5)
    ours = rl.VectorEnv(task, count, autoreset_mode=mode)
    theirs = SyncVectorEnv([lambda: rl.Env(task)] * count, autoreset_mode=mode)
    mine, others = ours.reset(seed=7), theirs.reset(seed=7)
    assert mine[0].tobytes() == others[0].tobytes() and same(mine[1], others[1])
    ends = 0
    for action in actions_of(count, steps):
        mine, others = ours.step(action), theirs.step(action)
        for one, two in zip(mine[:4], others[:4], strict=True):
            assert one.dtype == two.dtype and one.tobytes() == two.tobytes()
        assert same(mine[4], others[4])
        ends += int((mine[2] | mine[3]).sum())
    assert ends > count


@pytest.mark.parametrize("name", TASKS)
def test_copies_of_ready_tasks_do_what_single_ones_do(name: str) -> None:
    """Copy k under seed s is `Env` under s + k, though its neighbours end and start again."""
    count, steps = 3, 8
    envs = gymnasium.make_vec(name, num_envs=count)
    observations, _ = envs.reset(seed=11)
    assert observations in envs.observation_space
    assert observations.dtype == envs.single_observation_space.dtype
    envs.action_space.seed(0)
    actions = [envs.action_space.sample() for _ in range(steps)]
    rows = [observations, *(envs.step(action)[0] for action in actions)]
    for k in range(count):
        env = gymnasium.make(name)
        observation, _ = env.reset(seed=11 + k)
        assert observation.tobytes() == rows[0][k].tobytes()
        for step, action in enumerate(actions, 1):
            observation, _, terminated, truncated, _ = env.step(action[k])
            assert observation.tobytes() == rows[step][k].tobytes()
            if terminated or truncated:
                break
    assert len({rows[0][k].tobytes() for k in range(count)}) > 1


def test_results_do_not_depend_on_threads(pushed: Maker) -> None:
    """One thread or four."""
    runs = []
    for threads in (1, 4):
        envs = rl.VectorEnv(partial(pushed, start=0.5), 6, threads=threads)
        rows = [envs.reset(seed=2)[0], *(envs.step(a)[0] for a in actions_of(6, 30))]
        runs.append(b"".join(row.tobytes() for row in rows))
    assert runs[0] == runs[1]


def test_one_copy_has_arrays_of_one(pushed: Maker) -> None:
    """n = 1 keeps the leading axis."""
    envs = rl.VectorEnv(pushed, 1)
    observations, infos = envs.reset(seed=0)
    assert observations.shape == (1, 3) and infos["_place"].tolist() == [True]
    observations, rewards, terminated, truncated, _ = envs.step(np.zeros((1, 1), np.float32))
    assert observations.shape == (1, 3)
    assert rewards.shape == terminated.shape == truncated.shape == (1,)
    assert rewards.dtype == np.float64 and terminated.dtype == truncated.dtype == np.bool_


@pytest.mark.parametrize("mode", MODES)
def test_metadata_names_the_mode(pushed: Maker, mode: AutoresetMode) -> None:
    """Wrappers ask there; names do as well as members."""
    assert rl.VectorEnv(pushed, 2, autoreset_mode=mode).metadata["autoreset_mode"] is mode
    assert rl.VectorEnv(pushed, 2, autoreset_mode=mode.value).metadata["autoreset_mode"] is mode


def test_same_step_keeps_the_last_observation(pushed: Maker) -> None:
    """`final_obs` is where the episode ended, the observation where the next one starts."""
    envs = rl.VectorEnv(partial(pushed, start=0.9), 3, autoreset_mode="SameStep")
    envs.reset(seed=0)
    action = np.array([[1.0], [0.0], [1.0]], np.float32)
    for _ in range(20):
        observations, _, terminated, truncated, infos = envs.step(action)
        if terminated.any():
            break
    assert terminated.tolist() == [True, False, True] and not truncated.any()
    assert infos["_final_obs"].tolist() == [True, False, True]
    assert infos["final_obs"][1] is None
    assert infos["final_obs"][0][0] > 1.0 > observations[0, 0]
    assert infos["final_info"]["place"][0] > 1.0 > infos["place"][0]
    assert infos["final_info"]["_place"].tolist() == [True, False, True]


def test_disabled_waits_to_be_told(pushed: Maker) -> None:
    """Stepping on is an error that names the copies; a masked reset starts these alone."""
    envs = rl.VectorEnv(partial(pushed, start=0.9), 3, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=0)
    action = np.array([[1.0], [0.0], [1.0]], np.float32)
    terminated = np.zeros(3, dtype=bool)
    while not terminated.any():
        observations, _, terminated, _, _ = envs.step(action)
    with pytest.raises(gymnasium.error.ResetNeeded, match="copies 0, 2"):
        envs.step(action)
    started, infos = envs.reset(options={"reset_mask": terminated})
    assert np.array_equal(started[1], observations[1])
    assert (started[[0, 2], 0] < 1.0).all()
    assert infos["_place"].tolist() == [True, False, True]
    assert not envs.step(action)[2].any()


def test_a_reset_of_some_copies_leaves_the_others_alone(pushed: Maker) -> None:
    """To the byte: they go on as if nothing had happened, and the started ones as under their seeds."""
    actions = actions_of(4, 6)
    quiet, asked = rl.VectorEnv(pushed, 4), rl.VectorEnv(pushed, 4)
    quiet.reset(seed=1), asked.reset(seed=1)
    for action in actions[:3]:
        quiet.step(action), asked.step(action)
    mask = np.array([False, True, False, True])
    asked.reset(seed=[None, 50, None, 51], options={"reset_mask": mask})
    fresh = rl.VectorEnv(pushed, 2)
    fresh.reset(seed=50)
    for action in actions[3:]:
        one, two, three = quiet.step(action)[0], asked.step(action)[0], fresh.step(action[mask])[0]
        assert one[~mask].tobytes() == two[~mask].tobytes()
        assert three.tobytes() == two[mask].tobytes()


@pytest.mark.parametrize(
    ("mask", "error", "text"),
    [
        ([True, False], TypeError, "numpy array of booleans"),
        (np.array([1, 0]), TypeError, "numpy array of booleans"),
        (np.array([True]), ValueError, r"shape \(2,\)"),
        (np.array([False, False]), ValueError, "at least one"),
    ],
)
def test_bad_masks_are_refused(
    pushed: Maker, mask: object, error: type[Exception], text: str
) -> None:
    """With what is wanted."""
    envs = rl.VectorEnv(pushed, 2)
    envs.reset(seed=0)
    with pytest.raises(error, match=text):
        envs.reset(options={"reset_mask": mask})


def test_seeds_are_one_or_one_for_each(pushed: Maker) -> None:
    """A list of them gives each copy its own; too few are refused."""
    envs = rl.VectorEnv(pushed, 3)
    listed, _ = envs.reset(seed=[9, 8, 9])
    assert np.array_equal(listed[0], listed[2]) and not np.array_equal(listed[0], listed[1])
    counted, _ = envs.reset(seed=8)
    assert np.array_equal(counted[0], listed[1]) and np.array_equal(counted[1], listed[0])
    with pytest.raises(ValueError, match="expected 3 seeds, got 2"):
        envs.reset(seed=[1, 2])


@pytest.mark.parametrize("seed", [1.5, [0, -1, 2], [0, 0.5, 2], "abc"])
def test_seeds_that_are_none_are_refused(pushed: Maker, seed: object) -> None:
    with pytest.raises(ValueError, match="seeds must be whole numbers"):
        rl.VectorEnv(pushed, 3).reset(seed=seed)  # type: ignore[arg-type]


def test_a_pickled_vector_starts_anew(pushed: Maker) -> None:
    """It carries the arguments."""
    made = rl.VectorEnv(pushed, 3, autoreset_mode="SameStep", max_episode_steps=4, threads=1)
    made.reset(seed=2)
    found = pickle.loads(pickle.dumps(made))
    assert (found.num_envs, found.metadata) == (3, made.metadata)
    same_start = [envs.reset(seed=5)[0].tobytes() for envs in (made, found)]
    assert same_start[0] == same_start[1]


def test_registered_names_stand_for_tasks() -> None:
    """Wherever a task is wanted, with the length of episodes that it is registered with."""
    envs = rl.VectorEnv("solidbody/Pole-v0", 2)
    assert isinstance(envs.task, Pole) and envs.task.max_episode_steps == 500
    assert rl.Env("solidbody/Biped-v0").task.max_episode_steps == 400
    with pytest.raises(gymnasium.error.NameNotFound, match="Did you mean: `Pole`"):
        rl.Env("solidbody/Poles-v0")
    with pytest.raises(ValueError, match=r"CartPole-v1 is no task of solidbody\.rl"):
        rl.Env("CartPole-v1")


def test_options_of_other_names_are_let_through(pushed: Maker) -> None:
    """Gymnasium's convention: an environment ignores what it does not know."""
    rl.VectorEnv(pushed, 2).reset(seed=0, options={"colour": "red"})


@pytest.mark.parametrize("mode", MODES)
def test_a_bad_action_of_one_copy_is_named(pushed: Maker, mode: AutoresetMode) -> None:
    """Which copy, and what it was told."""
    envs = rl.VectorEnv(pushed, 3, autoreset_mode=mode)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match="copy 1 are"):
        envs.step(np.array([[0.0], [np.nan], [0.0]], np.float32))


def test_actions_of_copies_that_start_again_do_not_matter(pushed: Maker) -> None:
    """Under NEXT_STEP the action after the end is ignored, whatever it is."""
    envs = rl.VectorEnv(partial(pushed, start=2.0), 2)
    envs.reset(seed=0)
    assert envs.step(np.zeros((2, 1), np.float32))[2].all()
    observations, rewards, terminated, _, _ = envs.step(np.full((2, 1), np.nan, np.float32))
    assert not rewards.any() and not terminated.any() and np.isfinite(observations).all()


def test_what_is_returned_stays(pushed: Maker) -> None:
    """Later steps do not change it."""
    envs = rl.VectorEnv(pushed, 2)
    envs.reset(seed=0)
    found = envs.step(np.ones((2, 1), np.float32))
    kept = [part.copy() for part in found[:4]], found[4]["place"].copy()
    envs.step(np.ones((2, 1), np.float32))
    assert all(np.array_equal(a, b) for a, b in zip(found[:4], kept[0], strict=True))
    assert np.array_equal(found[4]["place"], kept[1])


@pytest.mark.parametrize("mode", RESETTING)
def test_vector_wrappers_work_unchanged(pushed: Maker, mode: AutoresetMode) -> None:
    """Those that most programs use, on top of each other."""
    envs: gymnasium.vector.VectorEnv = rl.VectorEnv(
        partial(pushed, start=0.5), 3, autoreset_mode=mode
    )
    envs = RecordEpisodeStatistics(RescaleAction(envs, 0.0, 2.0))
    if mode is AutoresetMode.NEXT_STEP:  # the only one that these take
        envs = NormalizeObservation(FlattenObservation(envs))
    envs = DictInfoToList(envs)
    envs.reset(seed=0)
    lengths = []
    for _ in range(40):
        _, _, _, _, infos = envs.step(np.full((3, 1), 2.0, np.float32))
        for info in infos:
            found = info.get("episode", info.get("final_info", {}).get("episode"))
            if found is not None:
                lengths.append(int(found["l"]))
    # 1 m/s^2 ... 10 m/s^2 over half a metre: 16 actions of 20 ms
    assert len(lengths) >= 3 and all(12 <= length <= 19 for length in lengths)
    envs.close()
    envs.close()


@pytest.mark.slow
def test_processes_of_gymnasium_carry_environments() -> None:
    """`AsyncVectorEnv` with two spawned processes observes what one process does."""
    task = "solidbody.rl:solidbody/Pole-v0"
    there = gymnasium.make_vec(
        task, num_envs=2, vectorization_mode="async", vector_kwargs={"context": "spawn"}
    )
    here = gymnasium.make_vec(task, num_envs=2)
    assert isinstance(there, AsyncVectorEnv)
    try:
        assert there.reset(seed=1)[0].tobytes() == here.reset(seed=1)[0].tobytes()
        for action in actions_of(2, 5):
            assert there.step(action)[0].tobytes() == here.step(action)[0].tobytes()
    finally:
        there.close()


def test_pictures_are_one_for_each_copy(pushed: Maker) -> None:
    """Copies that stand elsewhere look different."""
    envs = rl.VectorEnv(rl_task("Pole"), 2, render_mode="rgb_array", width=64, height=48)
    envs.reset(seed=0)
    for _ in range(20):
        envs.step(np.array([[1.0], [-1.0]], np.float32))
    pictures = envs.render()
    assert pictures is not None and [picture.shape for picture in pictures] == [(48, 64, 3)] * 2
    assert not np.array_equal(pictures[0], pictures[1])


def rl_task(name: str) -> type[rl.Task]:
    from solidbody.rl.registration import task_class

    return task_class(TASKS[f"solidbody/{name}-v0"][0])


def test_at_least_one_copy_is_wanted(pushed: Maker) -> None:
    """None is refused."""
    with pytest.raises(ValueError, match="at least one copy"):
        rl.VectorEnv(pushed, 0)
