"""Random numbers of episodes: streams that do not know of each other."""

from __future__ import annotations

import numpy as np

from solidbody.rl.streams import Draws, stream_keys

MANY = 200_000


def keys(count: int, episode: int = 0, first: int = 0) -> np.ndarray:
    seeds = np.arange(first, first + count, dtype=np.uint64)
    return stream_keys(seeds, np.full(count, episode, dtype=np.uint64))


def test_a_copy_draws_the_same_however_many_there_are() -> None:
    """Row k of many is what a lonely copy with that seed draws."""
    many = Draws(keys(10))
    first, second = many.uniform(-2.0, 3.0, (2, 3)), many.normal(0.5, 4)
    for k in range(10):
        lonely = Draws(keys(1, first=k))
        assert np.array_equal(lonely.uniform(-2.0, 3.0, (2, 3))[0], first[k])
        assert np.array_equal(lonely.normal(0.5, 4)[0], second[k])


def test_seeds_and_episodes_give_other_numbers() -> None:
    """No stream repeats another one."""
    drawn = [Draws(keys(50, episode)).uniform(shape=20).ravel() for episode in range(50)]
    assert len(np.unique(drawn)) == 50 * 50 * 20


def test_uniform_numbers_are_uniform() -> None:
    """Mean, variance and ten bins of many numbers, within five standard deviations of what they should be."""
    drawn = Draws(keys(100)).uniform(shape=MANY // 100).ravel()
    assert drawn.min() >= 0.0 and drawn.max() < 1.0
    assert abs(drawn.mean() - 0.5) < 5.0 * np.sqrt(1.0 / 12.0 / MANY)
    bins = np.histogram(drawn, 10, (0.0, 1.0))[0]
    assert np.abs(bins - MANY / 10).max() < 5.0 * np.sqrt(MANY * 0.1 * 0.9)


def test_neighbouring_streams_are_not_alike() -> None:
    """Numbers of seeds k and k+1 are uncorrelated, within five standard deviations."""
    rows = Draws(keys(MANY // 100)).uniform(shape=100) - 0.5
    correlation = (rows[1:] * rows[:-1]).mean() * 12.0
    assert abs(correlation) < 5.0 / np.sqrt(MANY)


def test_normal_numbers_are_normal() -> None:
    """Moments within five standard deviations of the estimates."""
    drawn = Draws(keys(100)).normal(2.0, MANY // 100).ravel() / 2.0
    assert abs(drawn.mean()) < 5.0 / np.sqrt(MANY)
    assert abs(np.square(drawn).mean() - 1.0) < 5.0 * np.sqrt(2.0 / MANY)
    assert abs((drawn**4).mean() - 3.0) < 5.0 * np.sqrt(96.0 / MANY)


def test_whole_numbers_take_all_values() -> None:
    """From low to high - 1."""
    drawn = Draws(keys(1000)).integers(-2, 3, 10)
    assert set(np.unique(drawn)) == {-2, -1, 0, 1, 2}
