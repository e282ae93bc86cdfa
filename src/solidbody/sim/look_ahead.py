"""Look-ahead: contacts and poses at the end of a step, computed without changing its state.

A step collides where it begins, and keeps the poses, contacts and forces of that moment. Sensors of touch
see what touches where it has ended, as in Webots, which collides after it has moved everything.
"""

from __future__ import annotations

import mujoco

from solidbody.compiler.compile import Compiled
from solidbody.contact.engine import EngineName, Step, make_step
from solidbody.contact.state import StepState
from solidbody.sim.contacts import Contacts, contacts_of


class LookAhead:
    """A second state of the simulated model, brought up to date for every question.

    It knows parts of a simulation but not the simulation, which would otherwise outlive its last user.
    """

    def __init__(
        self,
        compiled: Compiled,
        model: mujoco.MjModel,
        step: Step,
        state: StepState,
    ) -> None:
        self._compiled, self._model = compiled, model
        self._simulated, self._state = step, state
        self._engine: EngineName = "native" if step.name == "native" else "reference"
        self._made: tuple[mujoco.MjData, Step] | None = None

    def adopt(self, compiled: Compiled, model: mujoco.MjModel) -> None:
        """Go on with other constants of the same layout."""
        self._compiled, self._model = compiled, model
        if self._made is not None:
            self._made[1].adopt(model, compiled.tables, owns_model=False)

    def _copied(self) -> tuple[mujoco.MjData, Step]:
        """Return the second state and its step; made for simulations of which somebody asks."""
        model, tables, state = self._model, self._compiled.tables, self._state
        if self._made is None:
            data = mujoco.MjData(model)
            self._made = data, make_step(model, data, tables, state, engine=self._engine, threads=1)
        mujoco.mj_copyData(self._made[0], model, self._simulated.data)
        return self._made

    def placed(self) -> tuple[mujoco.MjData, Step]:
        """Return the state with the poses of now, and the step that would advance it."""
        data, step = self._copied()
        mujoco.mj_kinematics(self._model, data)
        return data, step

    def contacts(self) -> Contacts:
        """Return the contact points of now; their forces are zero, since they have not acted yet."""
        data, step = self._copied()
        step.find_contacts()
        return contacts_of(data, self._compiled.binding, have_acted=False)
