"""Runs one scene on several engines and measures how far their trajectories are apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import pytest
from numpy.typing import NDArray

from solidbody.model.scene import Scene
from solidbody.sim import Sim
from tests.ode.harness import OdeWorld
from tests.ode.marks import NEEDS_ODE

Engine = Literal["native", "reference", "ode"]

OUR_ENGINES = (pytest.param("native"), pytest.param("reference"))
ALL_ENGINES = (*OUR_ENGINES, pytest.param("ode", marks=NEEDS_ODE))
"""ODE takes part in closed forms too: a form that it fails is our mistake in the form."""


class Steppable(Protocol):
    """What the product and the ODE harness share."""

    def step(self, n: int = 1) -> None:
        """Advance."""
        ...

    def poses(self) -> NDArray[np.float64]:
        """Return (link, 7)."""
        ...

    def velocities(self) -> NDArray[np.float64]:
        """Return (link, 6)."""
        ...


@dataclass(frozen=True, slots=True)
class Trace:
    """States after each step (and at the start): poses (time, link, 7), velocities (time, link, 6)."""

    poses: NDArray[np.float64]
    velocities: NDArray[np.float64]

    def positions(self, link: int) -> NDArray[np.float64]:
        """Return the path (time, 3) of one link."""
        return self.poses[:, link, :3]


@dataclass(frozen=True, slots=True)
class Deviation:
    """Greatest absolute differences between two traces.

    Attributes:
        position: [m].
        rotation: Of quaternion components, signs aligned.
        velocity: [m/s].
        spin: [rad/s].
    """

    position: float
    rotation: float
    velocity: float
    spin: float

    @property
    def worst(self) -> float:
        """Return the greatest of all."""
        return max(self.position, self.rotation, self.velocity, self.spin)


def run(
    scene: Scene, engine: Engine, steps: int, speeds: Mapping[str, float] | None = None
) -> Trace:
    """Return the trace of `scene` on `engine`, motors set to `speeds` before the first step."""
    if engine == "ode":
        with OdeWorld(scene) as world:
            for name, speed in (speeds or {}).items():
                world.joint(name).target_velocity = speed
            return record(world, steps)
    sim = make_sim(scene, engine, speeds)
    trace = record(sim, steps)
    assert sim.stats.not_converged == 0, f"{sim.stats.not_converged} steps did not converge"
    return trace


def make_sim(
    scene: Scene,
    engine: Literal["native", "reference"] = "native",
    speeds: Mapping[str, float] | None = None,
) -> Sim:
    """Return a simulation with motors set to `speeds`."""
    sim = Sim(scene, engine=engine)
    for name, speed in (speeds or {}).items():
        sim.joint(name).target_velocity = speed
    return sim


def record(simulation: Steppable, steps: int) -> Trace:
    """Step `steps` times and keep every state."""
    poses, velocities = [simulation.poses().copy()], [simulation.velocities().copy()]
    for _ in range(steps):
        simulation.step()
        poses.append(simulation.poses().copy())
        velocities.append(simulation.velocities().copy())
    return Trace(np.array(poses), np.array(velocities))


def deviation(one: Trace, two: Trace) -> Deviation:
    """Return how far two traces are apart at the worst moment."""
    q1, q2 = one.poses[..., 3:], two.poses[..., 3:]
    sign = np.where(np.sum(q1 * q2, axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    return Deviation(
        _greatest(one.poses[..., :3] - two.poses[..., :3]),
        _greatest(q1 - sign * q2),
        _greatest(one.velocities[..., :3] - two.velocities[..., :3]),
        _greatest(one.velocities[..., 3:] - two.velocities[..., 3:]),
    )


def _greatest(difference: NDArray[np.float64]) -> float:
    assert np.isfinite(difference).all()
    return float(np.abs(difference).max(initial=0.0))
