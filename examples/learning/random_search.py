"""Learns a task by random search, in numpy alone; the result is a linear policy.

python examples/learning/random_search.py solidbody/FourLegs-v0 --iterations 150 --policy walk.json
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path

from solidbody import rl
from solidbody.rl.random_search import Progress
from solidbody.rl.registration import TASKS, task_class


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", choices=TASKS, help="the task")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--directions", type=int, default=16)
    parser.add_argument("--best", type=int, default=8)
    parser.add_argument("--step", type=float, default=0.05)
    parser.add_argument("--noise", type=float, default=0.05)
    parser.add_argument("--limit", type=int, default=-1, help="actions of a try")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--policy", type=Path, help="where the policy is written to")
    parser.add_argument("--curve", type=Path, help="where the learning curve is written to")
    options = parser.parse_args()
    began = time.monotonic()
    curve: list[tuple[float, ...]] = []

    def note(now: Progress) -> None:
        curve.append((now.steps, round(time.monotonic() - began, 3), float(now.returns.mean())))
        if now.iteration % 10 in (0, 1):
            print(f"{now.iteration:5} {now.steps:9,} steps  worth {curve[-1][2]:8.2f}", flush=True)
            save(options, now.policy, curve)

    task = task_class(TASKS[options.name][0])
    policy = rl.search(
        task,
        iterations=options.iterations,
        directions=options.directions,
        best=options.best,
        step=options.step,
        noise=options.noise,
        seed=options.seed,
        max_episode_steps=options.limit,
        on_progress=note,
    )
    found = rl.evaluate(task, policy)
    print(f"16 other episodes are worth {found.mean():.1f}, the least {found.min():.1f}")
    save(options, policy, curve)


def save(options: argparse.Namespace, policy: rl.Policy, curve: list[tuple[float, ...]]) -> None:
    """Write what there is so far."""
    if options.policy:
        policy.save(options.policy)
    if options.curve:
        with options.curve.open("w", newline="", encoding="utf-8") as out:
            rows = [("steps", "seconds", "worth"), *curve]
            csv.writer(out, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
