"""Energy that systems without friction lose or gain in a minute: ours, ODE's and MuJoCo's.

`python -m benchmarks.energy [SECONDS]` prints the table. Each number is the greatest change within the run as
a share of what the system has to lose; MuJoCo has no bounce, so its balls stop.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import mujoco
import numpy as np
from numpy.typing import NDArray

from benchmarks.plain_mujoco import build_model
from solidbody.base.errors import SimulationError
from solidbody.model.joints import JointFree
from solidbody.model.scene import GyroRule, Scene
from solidbody.sim import Sim
from tests.ode.harness import OdeWorld
from tests.ode.library import why_unavailable
from tests.physics.conserving import brick, cradle, double_pendulum, energy, lost, row_of_balls
from tests.physics.referee import Steppable

STEPS = (0.001, 0.008, 0.016, 0.032)
SYSTEMS: dict[str, tuple[Callable[[float], Scene], float | None]] = {
    "double pendulum": (double_pendulum, 7.848),
    "brick, explicit": (lambda step: brick(GyroRule.EXPLICIT, step), None),
    "brick, implicit": (lambda step: brick(GyroRule.IMPLICIT, step), None),
    "balls in a row": (row_of_balls, None),
    "Newton's cradle": (cradle, 9.81 * 0.5 * (1.0 - float(np.cos(0.5)))),
}
"""Scene of a step, and the energy that can be lost [J] (None: what it has at the start)."""


class PlainMujoco:
    """`mj_step` on a scene, seen as the other engines are."""

    def __init__(self, scene: Scene) -> None:
        self._model = build_model(scene)
        self._data = mujoco.MjData(self._model)
        self._names = [link.name for link in scene.links()]
        for link in scene.links():
            body = self._model.body(link.name)
            if link.mass is not None and isinstance(link.joint, JointFree):
                dof = body.dofadr[0]
                self._data.qvel[dof : dof + 6] = (*link.linear_velocity, *link.angular_velocity)

    def step(self, n: int = 1) -> None:
        """Advance."""
        mujoco.mj_step(self._model, self._data, nstep=n)

    def poses(self) -> NDArray[np.float64]:
        """Return (link, 7)."""
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        bodies = [self._data.body(name) for name in self._names]
        return np.array([[*body.xpos, *body.xquat] for body in bodies])

    def velocities(self) -> NDArray[np.float64]:
        """Return (link, 6)."""
        mujoco.mj_comVel(self._model, self._data)
        out = np.zeros((len(self._names), 6))
        for k, name in enumerate(self._names):
            turned = np.zeros(6)
            body = self._model.body(name).id
            mujoco.mj_objectVelocity(
                self._model, self._data, mujoco.mjtObj.mjOBJ_XBODY, body, turned, 0
            )
            out[k] = [*turned[3:], *turned[:3]]
        return out


def share_lost(
    make: Callable[[Scene], Steppable], scene: Scene, whole: float | None, t: float
) -> str:
    """Return the greatest change of energy in a run as text."""
    simulation = make(scene)
    whole = energy(simulation, scene) if whole is None else whole
    try:
        share = lost(simulation, scene, t) / whole
    except SimulationError:
        return "explodes"
    return f"{100.0 * share:.2f} %" if share < 1000.0 else "explodes"


def main() -> None:
    """Print the table."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    engines: dict[str, Callable[[Scene], Steppable]] = {"solidbody": Sim}
    if why_unavailable() is None:
        engines["ODE"] = OdeWorld
    engines["MuJoCo"] = PlainMujoco
    print(f"greatest change of energy in {seconds:g} s")
    print(f"{'system':18s} {'step':>6s}" + "".join(f"{name:>12s}" for name in engines))
    for name, (build, whole) in SYSTEMS.items():
        for step in STEPS:
            scene = build(step)
            cells = [share_lost(make, scene, whole, seconds) for make in engines.values()]
            row = "".join(f"{cell:>12s}" for cell in cells)
            print(f"{name:18s} {1000 * step:3g} ms{row}", flush=True)


if __name__ == "__main__":
    main()
