"""Where things are now: questions that must leave the state of the last step as it is.

A step collides where it begins, and keeps the poses, contacts and forces of that moment. Sensors of touch
see what touches where it has ended, as in Webots, which collides after it has moved everything.
"""

from __future__ import annotations

import mujoco

from solidbody.compiler.compile import Compiled
from solidbody.contact.engine import EngineName, Step, make_step
from solidbody.sim.contacts import Contacts, contacts_of


class Present:
    """A second state of the simulated model, brought up to date for every question.

    It knows parts of a simulation but not the simulation, which would otherwise outlive its last user.
    """

    def __init__(self, compiled: Compiled, data: mujoco.MjData, engine_name: str) -> None:
        self._compiled = compiled
        self._simulated = data
        self._engine: EngineName = "native" if engine_name == "native" else "reference"
        self._made: tuple[mujoco.MjData, Step] | None = None

    def _copied(self) -> tuple[mujoco.MjData, Step]:
        """Return the second state and its step; made for simulations of which somebody asks."""
        model, tables = self._compiled.model, self._compiled.tables
        if self._made is None:
            data = mujoco.MjData(model)
            self._made = data, make_step(model, data, tables, engine=self._engine, threads=1)
        mujoco.mj_copyData(self._made[0], model, self._simulated)
        return self._made

    def placed(self) -> tuple[mujoco.MjData, Step]:
        """Return the state with the poses of now, and the step that would advance it."""
        data, step = self._copied()
        mujoco.mj_kinematics(self._compiled.model, data)
        return data, step

    def contacts(self) -> Contacts:
        """Return the contact points of now; their forces are zero, since they have not acted yet."""
        data, step = self._copied()
        step.find_contacts()
        return contacts_of(data, self._compiled.binding, have_acted=False)
