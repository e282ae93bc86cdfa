"""Learns the goal task with RLlib: pip install "solidbody[rl]" "ray[rllib]" torch.

python examples/learning/rllib_goal.py [ITERATIONS]
"""

import os
import sys

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.tune.registry import register_env

from solidbody import rl
from solidbody.rl.tasks.goal import Goal


def main() -> None:
    iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    register_env("goal", lambda config: rl.Env(Goal, **config))
    config = (
        PPOConfig()
        .environment("goal")
        .env_runners(num_env_runners=1, num_envs_per_env_runner=8)
        .training(lr=5e-4, train_batch_size_per_learner=4096, minibatch_size=512, num_epochs=8)
        .learners(num_learners=0)
        .debugging(seed=0)
    )
    algorithm = config.build_algo()
    for iteration in range(1, iterations + 1):
        found = algorithm.train()["env_runners"]
        worth = found.get("episode_return_mean", float("nan"))
        steps = int(found["num_env_steps_sampled_lifetime"])
        print(f"{iteration} {steps} steps, worth {worth:.2f}", flush=True)
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
