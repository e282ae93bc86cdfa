"""Finds the best step and noise of a random search for the pole with Ray Tune: pip install "ray[tune]".

python examples/learning/tune_pole.py [ITERATIONS]
"""

import os
import sys

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_AIR_NEW_OUTPUT", "0")

import ray
from ray import tune

from solidbody import rl
from solidbody.rl.tasks.pole import Pole


def balance(config: dict[str, float]) -> dict[str, float]:
    policy = rl.search(
        Pole,
        iterations=int(config["iterations"]),
        step=config["step"],
        noise=config["noise"],
        threads=1,
    )
    return {"worth": float(rl.evaluate(Pole, policy, episodes=8, threads=1).mean())}


def main() -> None:
    iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    space = {
        "step": tune.grid_search([0.02, 0.2]),
        "noise": tune.grid_search([0.05, 0.2]),
        "iterations": iterations,
    }
    trials = tune.Tuner(balance, param_space=space).fit()
    found = [trials[k].metrics or {} for k in range(len(trials))]
    for metrics in sorted(found, key=lambda item: -item["worth"]):
        tried = {name: metrics["config"][name] for name in ("step", "noise")}
        print(f"{tried}: worth {metrics['worth']:.0f}", flush=True)
    ray.shutdown()


if __name__ == "__main__":
    main()
