"""Proximal policy optimisation (Schulman and others 2017) in plain torch, for any task with bounded actions.

    python examples/learning/ppo.py solidbody/Goal-v0 --steps 1500000 --policy goal.json --curve goal.csv
    python examples/learning/ppo.py solidbody/FourLegs-v0 --device cuda --copies 4096 --length 24

All copies of the world step together. An iteration collects `--length` actions of each, then climbs

    mean( min( r A, clip(r, 1 - c, 1 + c) A ) )    r = p(a | o) / p_old(a | o)

where A is how much better an action turned out than the critic had thought (generalised advantages). The
policy is a normal distribution about a small network, with one width for each action.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from solidbody import rl

GAMMA, LAMBDA = 0.99, 0.95
CLIP, EPOCHS, BATCHES = 0.2, 8, 8
RATE, ENTROPY = 5e-4, 1e-3


class Progress(NamedTuple):
    """What the curve shows: means over the episodes that ended in an iteration."""

    steps: int
    seconds: float
    worth: float
    success: float
    policy: rl.Policy


class Scaling:
    """Mean and deviation of all observations so far."""

    def __init__(self, size: int, place: torch.device) -> None:
        self.place = place
        self.count, self.mean, self.square = 1e-4, np.zeros(size), np.ones(size)

    def add(self, rows: NDArray[np.float64]) -> None:
        self.count += len(rows)
        share = len(rows) / self.count
        self.mean += share * (rows.mean(axis=0) - self.mean)
        self.square += share * (np.square(rows).mean(axis=0) - self.square)

    @property
    def deviation(self) -> NDArray[np.float64]:
        return np.sqrt(np.maximum(self.square - self.mean**2, 1e-4))

    def __call__(self, rows: Any) -> Tensor:
        values = (rows.reshape(len(rows), -1) - self.mean) / self.deviation
        return torch.as_tensor(values.clip(-10.0, 10.0), dtype=torch.float32, device=self.place)


def network(inputs: int, outputs: int, width: int, last: float) -> nn.Sequential:
    sizes = [(inputs, width, 2**0.5), (width, width, 2**0.5), (width, outputs, last)]
    layers: list[nn.Module] = []
    for number, (before, after, gain) in enumerate(sizes):
        layer = nn.Linear(before, after)
        nn.init.orthogonal_(layer.weight, gain)
        nn.init.zeros_(layer.bias)
        layers += [layer] if number == len(sizes) - 1 else [layer, nn.Tanh()]
    return nn.Sequential(*layers)


def learn(
    name: str,
    *,
    steps: int,
    copies: int = 64,
    length: int = 64,
    width: int = 64,
    seed: int = 0,
    spread: float = -0.7,
    start: rl.Policy | None = None,
    device: str | None = None,
    on_progress: Callable[[Progress], object] = lambda progress: None,
) -> rl.Policy:
    """Return a policy for a task after some steps, all copies counted.

    Args:
        name: Of the task, as `gymnasium.make_vec` takes it.
        steps: Actions in all.
        copies: Of the world.
        length: Actions of each copy in an iteration.
        width: Of the two hidden layers.
        seed: Of everything that is drawn.
        spread: Logarithm of the deviation of actions at the start.
        start: A policy of the same width to begin with.
        device: "cuda", ...: the copies and the networks are on a graphics card; None = on the processor.
        on_progress: Told after each iteration.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    place = torch.device("cpu" if device is None else device)
    more = {} if device is None else {"device": device}
    envs = gymnasium.make_vec(name, num_envs=copies, autoreset_mode="SameStep", **more)
    space = envs.single_action_space
    assert isinstance(space, gymnasium.spaces.Box)
    inputs = int(np.prod(envs.single_observation_space.shape or (1,)))
    outputs = int(np.prod(space.shape or (1,)))
    scaling = Scaling(inputs, place)
    actor, critic = network(inputs, outputs, width, 0.01), network(inputs, 1, width, 1.0)
    if start is not None:
        begin_with(start, actor, scaling)
    actor, critic = actor.to(place), critic.to(place)
    log_deviation = nn.Parameter(torch.full((outputs,), spread, device=place))
    parameters = [*actor.parameters(), *critic.parameters(), log_deviation]
    optimizer = torch.optim.Adam(parameters, lr=RATE, eps=1e-5)

    began, taken = time.monotonic(), 0
    ended: list[tuple[float, float]] = [(0.0, 0.0)]
    worth = np.zeros(copies)
    observations, _ = envs.reset(seed=seed)
    iterations = max(1, steps // (copies * length))
    policy = policy_of(actor, scaling, space)
    for iteration in range(iterations):
        optimizer.param_groups[0]["lr"] = RATE * (1.0 - iteration / iterations)
        scaling.add(observations.reshape(copies, -1).astype(np.float64))
        seen = torch.zeros(length, copies, inputs, device=place)
        done = torch.zeros(length, copies, outputs, device=place)
        chances = torch.zeros(length, copies, device=place)
        values = torch.zeros(length + 1, copies, device=place)
        rewards = torch.zeros(length, copies, device=place)
        lasts = torch.zeros(length, copies, device=place)
        fresh = []
        for k in range(length):
            with torch.no_grad():
                seen[k] = scaling(observations)
                choice = torch.distributions.Normal(actor(seen[k]), log_deviation.exp())
                done[k] = choice.sample()
                chances[k] = choice.log_prob(done[k]).sum(1)
                values[k] = critic(seen[k])[:, 0]
            actions = done[k].cpu().numpy().clip(space.low, space.high)
            observations, reward, terminated, truncated, infos = envs.step(actions)
            fresh.append(observations.reshape(copies, -1))
            worth += reward
            rewards[k] = torch.as_tensor(reward)
            over = terminated | truncated
            if over.any():
                lasts[k] = torch.as_tensor(over, dtype=torch.float32)
                success = infos["final_info"].get("is_success", np.zeros(copies))
                ended += [(worth[copy], float(success[copy])) for copy in np.flatnonzero(over)]
                worth[over] = 0.0
            if (cut := truncated & ~terminated).any():  # time is up, but the future would go on
                with torch.no_grad():
                    beyond = critic(scaling(np.stack(infos["final_obs"][cut])))[:, 0]
                rewards[k, torch.as_tensor(cut, device=place)] += GAMMA * beyond
        taken += copies * length
        with torch.no_grad():
            values[length] = critic(scaling(observations))[:, 0]
        scaling.add(np.concatenate(fresh).astype(np.float64))

        better = torch.zeros(copies, device=place)
        advantages = torch.zeros(length, copies, device=place)
        for k in reversed(range(length)):
            going = 1.0 - lasts[k]
            surprise = rewards[k] + GAMMA * values[k + 1] * going - values[k]
            better = surprise + GAMMA * LAMBDA * going * better
            advantages[k] = better
        wanted = (advantages + values[:length]).flatten()
        advantages = ((advantages - advantages.mean()) / (advantages.std() + 1e-8)).flatten()
        seen, done, chances = seen.flatten(0, 1), done.flatten(0, 1), chances.flatten()

        for _ in range(EPOCHS):
            for rows in torch.randperm(len(seen), device=place).chunk(BATCHES):
                choice = torch.distributions.Normal(actor(seen[rows]), log_deviation.exp())
                ratio = (choice.log_prob(done[rows]).sum(1) - chances[rows]).exp()
                bounded = ratio.clamp(1.0 - CLIP, 1.0 + CLIP)
                gain = torch.minimum(ratio * advantages[rows], bounded * advantages[rows]).mean()
                error = (critic(seen[rows])[:, 0] - wanted[rows]).square().mean()
                loss = 0.5 * error / (wanted.var() + 1e-3) - gain - ENTROPY * log_deviation.sum()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(parameters, 0.5)
                optimizer.step()

        means = np.mean(ended[-max(1, min(len(ended) - 1, 4 * copies)) :], axis=0)
        policy = policy_of(actor, scaling, space)
        seconds = time.monotonic() - began
        on_progress(Progress(taken, seconds, float(means[0]), float(means[1]), policy))
        ended = ended[-4 * copies :]
    envs.close()
    return policy


def policy_of(actor: nn.Sequential, scaling: Scaling, space: gymnasium.spaces.Box) -> rl.Policy:
    """Return the middle of what the actor draws from, in numbers."""
    dense = [layer for layer in actor if isinstance(layer, nn.Linear)]
    layers = [(layer.weight.tolist(), layer.bias.tolist()) for layer in dense]
    scales = {"mean": scaling.mean, "deviation": scaling.deviation}
    return rl.dense_policy(layers, low=space.low, high=space.high, **scales)


def begin_with(policy: rl.Policy, actor: nn.Sequential, scaling: Scaling) -> None:
    """Take over what a policy has learned, and how it scales observations."""
    dense = [layer for layer in actor if isinstance(layer, nn.Linear)]
    with torch.no_grad():
        for layer, (weights, biases) in zip(dense, policy.layers, strict=True):
            layer.weight.copy_(torch.as_tensor(weights))
            layer.bias.copy_(torch.as_tensor(biases))
    scaling.count, scaling.mean = 1e6, policy.mean.copy()
    scaling.square = policy.deviation**2 + policy.mean**2


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", help="the task, such as solidbody/Goal-v0")
    parser.add_argument("--steps", type=int, default=1_500_000)
    parser.add_argument("--copies", type=int, default=64)
    parser.add_argument("--length", type=int, default=64)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--spread", type=float, default=-0.7)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", help="cuda: on a graphics card")
    parser.add_argument("--start", type=Path, help="a policy to begin with")
    parser.add_argument("--policy", type=Path, help="where the policy is written to")
    parser.add_argument("--curve", type=Path, help="where the learning curve is written to")
    options = parser.parse_args()
    curve: list[Progress] = []

    def note(progress: Progress) -> None:
        curve.append(progress)
        if len(curve) % 10 == 1:
            save(options, curve)
            print(
                f"{progress.steps:9,} steps {progress.seconds:6.0f} s"
                f"  worth {progress.worth:8.2f}  success {progress.success:.0%}",
                flush=True,
            )

    learn(
        options.name,
        steps=options.steps,
        copies=options.copies,
        length=options.length,
        width=options.width,
        seed=options.seed,
        spread=options.spread,
        start=rl.Policy.load(options.start) if options.start else None,
        device=options.device,
        on_progress=note,
    )
    save(options, curve)


def save(options: argparse.Namespace, curve: list[Progress]) -> None:
    """Write what there is so far."""
    if options.policy:
        curve[-1].policy.save(options.policy)
    if options.curve:
        with options.curve.open("w", newline="", encoding="utf-8") as out:
            rows = [[round(value, 3) for value in item[:4]] for item in curve]
            csv.writer(out, lineterminator="\n").writerows([Progress._fields[:4], *rows])


if __name__ == "__main__":
    main()
