"""Where things are now: questions that must leave the state of the last step as it is.

A step collides where it begins, and keeps the poses, contacts and forces of that moment. Sensors of touch
see what touches where it has ended, as in Webots, which collides after it has moved everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco

from solidbody.contact.engine import EngineName, Step, make_step
from solidbody.sim.contacts import Contacts, contacts_of

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim


class Present:
    """A second state of the simulated model, brought up to date for every question."""

    def __init__(self, sim: Sim) -> None:
        self._sim = sim
        self._made: tuple[mujoco.MjData, Step] | None = None

    def _copied(self) -> tuple[mujoco.MjData, Step]:
        """Return the second state and its step; made for simulations of which somebody asks."""
        sim = self._sim
        if self._made is None:
            data = mujoco.MjData(sim.model)
            engine: EngineName = "native" if sim.engine_name == "native" else "reference"
            tables = sim.compiled.tables
            self._made = data, make_step(sim.model, data, tables, engine=engine, threads=1)
        mujoco.mj_copyData(self._made[0], sim.model, sim.data)
        return self._made

    def placed(self) -> mujoco.MjData:
        """Return the state with the poses of now."""
        data, _ = self._copied()
        mujoco.mj_kinematics(self._sim.model, data)
        return data

    def contacts(self) -> Contacts:
        """Return the contact points of now; their forces are zero, since they have not acted yet."""
        data, step = self._copied()
        step.find_contacts()
        return contacts_of(data, self._sim.compiled.binding, have_acted=False)
