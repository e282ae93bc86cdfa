"""Augmented random search (Mania, Guy, Recht 2018): learning with numpy alone.

A linear policy is tried with its weights moved a little way in random directions and back. All tries are
copies of one batch, and take place at the same time:

    M <- M + step / (b s) * sum over the b best directions d of (R(M + noise d) - R(M - noise d)) d

where R is the return of an episode, the same start for both, and s the standard deviation of the returns
used. Observations are scaled by the mean and deviation of all that were seen (their "V2").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from solidbody.rl.env import OWN_LIMIT, seeds_of, task_of
from solidbody.rl.episodes import Episodes
from solidbody.rl.policy import LEAST_DEVIATION, Policy
from solidbody.rl.task import Task

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Progress:
    """What one iteration of a search has found.

    Attributes:
        iteration: Its number, from 1.
        returns: Of all tries.
        steps: Actions taken since the start of the search.
        policy: As it is now.
    """

    iteration: int
    returns: Floats
    steps: int
    policy: Policy


@dataclass(slots=True)
class _Seen:
    """Mean and variance of all observations so far (Chan, Golub, LeVeque 1979)."""

    count: float = 0.0
    mean: Floats = field(default_factory=lambda: np.zeros(0))
    squares: Floats = field(default_factory=lambda: np.zeros(0))

    def add(self, count: float, total: Floats, squares: Floats) -> None:
        """Add `count` observations with these sums of values and of their squares."""
        if count == 0.0:
            return
        mean = total / count
        apart = squares - count * mean * mean
        if self.count == 0.0:
            self.count, self.mean, self.squares = count, mean, apart
            return
        both = self.count + count
        way = mean - self.mean
        self.squares = self.squares + apart + way * way * self.count * count / both
        self.mean = self.mean + way * count / both
        self.count = both

    @property
    def deviation(self) -> Floats:
        """Standard deviation; 1 for what never changes."""
        found = np.sqrt(np.maximum(self.squares / max(self.count, 1.0), 0.0))
        return np.where(found < LEAST_DEVIATION, 1.0, found)


def search(
    task: Task | Callable[[], Task] | str,
    *,
    iterations: int,
    directions: int = 16,
    best: int | None = None,
    step: float = 0.02,
    noise: float = 0.03,
    seed: int = 0,
    max_episode_steps: int | None = OWN_LIMIT,
    start: Policy | None = None,
    threads: int | None = None,
    on_progress: Callable[[Progress], object] | None = None,
) -> Policy:
    """Return a linear policy for a task; the same one for the same arguments.

    Args:
        task: The task, what makes one, or its registered name.
        iterations: How often the weights are moved.
        directions: Tried in each iteration, forth and back: twice as many copies.
        best: How many of them count; None = all.
        step: How far the weights are moved.
        noise: How far they are moved to be tried.
        seed: Of the directions and of the episodes.
        max_episode_steps: Actions after which tries are cut off; by default as the task says.
        start: A linear policy to begin with; None = one that does nothing.
        threads: How many may step the copies.
        on_progress: Called after each iteration; a true result ends the search.
    """
    own = task_of(task)
    limit = own.max_episode_steps if max_episode_steps == OWN_LIMIT else max_episode_steps
    if limit is None:
        raise ValueError("tries must end: give max_episode_steps")
    if min(iterations, directions) < 1:
        raise ValueError("iterations and directions must be at least 1")
    space = own.action_space
    if not isinstance(space, spaces.Box) or len(space.shape) != 1:
        raise ValueError(f"actions must be rows of numbers, not {space}")
    episodes = Episodes(own, 2 * directions, max_episode_steps=limit, threads=threads)
    size = int(np.prod(own.observation_space.shape or (1,)))
    random = np.random.default_rng(seed)
    kept = min(best or directions, directions)
    weights = np.zeros((space.shape[0], size))
    seen = _Seen(0.0, np.zeros(size), np.zeros(size))
    if start is not None:
        weights = start.layers[0][0].copy()
        seen = _Seen(1e4, start.mean.copy(), 1e4 * start.deviation**2)
    steps = 0
    policy = _policy(weights, seen, space)
    for iteration in range(1, iterations + 1):
        moves = random.standard_normal((directions, *weights.shape))
        tried = np.concatenate([weights + noise * moves, weights - noise * moves])
        first = int(random.integers(2**32))
        starts = seeds_of([first + k for k in range(directions)])
        returns, taken = _try(episodes, tried, seen, np.concatenate([starts, starts]))
        steps += taken
        forth, back = returns[:directions], returns[directions:]
        order = np.argsort(-np.maximum(forth, back), kind="stable")[:kept]
        spread = float(np.concatenate([forth[order], back[order]]).std())
        if spread > 0.0:
            gain = (forth - back)[order]
            weights = weights + step / (kept * spread) * np.tensordot(gain, moves[order], 1)
        policy = _policy(weights, seen, space)
        if on_progress is not None and on_progress(Progress(iteration, returns, steps, policy)):
            break
    return policy


def evaluate(
    task: Task | Callable[[], Task] | str,
    policy: Callable[[Any], Any],
    *,
    episodes: int = 16,
    seed: int = 10_000,
    max_episode_steps: int | None = OWN_LIMIT,
    threads: int | None = None,
) -> Floats:
    """Return the returns of some episodes under a policy that maps rows of observations to actions."""
    own = task_of(task)
    limit = own.max_episode_steps if max_episode_steps == OWN_LIMIT else max_episode_steps
    if limit is None:
        raise ValueError("episodes must end: give max_episode_steps")
    copies = Episodes(own, episodes, max_episode_steps=limit, threads=threads)
    copies.reset(copies.everyone, seeds_of([seed + k for k in range(episodes)]))
    returns, _, _, _, _ = _run(copies, lambda rows: np.asarray(policy(rows)))
    return returns


def _policy(weights: Floats, seen: _Seen, space: spaces.Box) -> Policy:
    layer = (weights.copy(), np.zeros(len(weights)))
    low, high = space.low.astype(np.float64), space.high.astype(np.float64)
    return Policy(seen.mean.copy(), seen.deviation, (layer,), low, high)


def _try(
    episodes: Episodes, weights: Floats, seen: _Seen, seeds: NDArray[np.uint64]
) -> tuple[Floats, int]:
    """Return what each set of weights is worth in an episode, and how many actions were taken."""
    episodes.reset(episodes.everyone, seeds)
    mean, deviation = seen.mean.copy(), seen.deviation

    def act(rows: Floats) -> Floats:
        return np.einsum("nij,nj->ni", weights, (rows - mean) / deviation)

    returns, count, total, squares, taken = _run(episodes, act)
    seen.add(count, total, squares)
    return returns, taken


def _run(
    episodes: Episodes, act: Callable[[Floats], Floats]
) -> tuple[Floats, float, Floats, Floats, int]:
    """Run one episode in every copy; return returns, and count and sums of what was observed."""
    copies = episodes.copies
    returns = np.zeros(copies)
    going = episodes.everyone
    rows = episodes.observe().reshape(copies, -1).astype(np.float64)
    total, squares = np.zeros(rows.shape[1]), np.zeros(rows.shape[1])
    taken = 0
    while len(going):
        seen = rows[going]
        total += seen.sum(axis=0)
        squares += np.square(seen).sum(axis=0)
        taken += len(going)
        everyone = len(going) == copies
        outcome = episodes.step(act(rows), None if everyone else going)
        returns[going] += outcome.rewards[going]
        over = outcome.terminated | outcome.truncated
        going = going[~over[going]]
        rows = episodes.observe().reshape(copies, -1).astype(np.float64)
    return returns, float(taken), total, squares, taken
