"""Learns the goal task with stable-baselines3: pip install "solidbody[rl]" stable-baselines3."""

import sys

from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

import solidbody.rl  # noqa: F401  (registers the tasks)

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 500_000
envs = make_vec_env("solidbody/Goal-v0", n_envs=16, seed=0)
model = PPO("MlpPolicy", envs, n_steps=256, batch_size=512, seed=0, verbose=1, device="cpu")
model.learn(steps)
worth, spread = evaluate_policy(model, envs, n_eval_episodes=20)
print(f"20 episodes are worth {worth:.1f} +- {spread:.1f}")
model.save("goal_sb3")
