"""Pickles of simulations: what another process needs to go on with the same bytes.

Carried are scene, constants (nothing is compiled again), state, and of devices their periods, noise, last
values and switches, and batteries. Not carried: pictures that cameras have taken (the next ones are due when
they were), what displays show, what pens have drawn, and the MjSpec. Programs are processes or objects of
their own: a simulation that has them attached refuses to be pickled.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from solidbody.compiler import Compiled
from solidbody.contact.engine import EngineName
from solidbody.contact.state import StepState
from solidbody.contact.tables import Table
from solidbody.devices import DeviceEngine
from solidbody.devices.actuators.displays import Displays
from solidbody.devices.core.group import Group
from solidbody.devices.imaging.lazy_rendering import ImageGroup
from solidbody.model.scene import Scene
from solidbody.sim.snapshot import Snapshot

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

_OF_CLOCK = ("periods", "last", "asked", "_kept")
_OF_BATTERY = ("charge", "intake", "cut", "is_empty")


@dataclass(frozen=True, slots=True)
class PickledDevices:
    """What devices remember: of the clock, of each group, of batteries and of chargers."""

    clock: dict[str, Any]
    groups: tuple[dict[str, Any], ...]
    robots: tuple[dict[str, Any], ...]
    chargers: tuple[float, ...]
    is_dead: np.ndarray

    def given_to(self, engine: DeviceEngine) -> DeviceEngine:
        """Let the devices of the same scene in another process go on from here."""
        for name, value in self.clock.items():
            setattr(engine.clock, name, value)
        on = np.flatnonzero(engine.clock.periods > 0)
        for device in on:
            group, row = engine.group_of(engine.devices[device])
            group.enable(row)
        for group, memory in zip(engine.groups, self.groups, strict=True):
            for name, value in memory.items():
                setattr(group, name, value)
            if memory:
                group.resume(group)
        for robot, values in zip(engine.power.robots, self.robots, strict=True):
            for name, value in values.items():
                setattr(robot, name, value)
        for charger, charge in zip(engine.power.chargers, self.chargers, strict=True):
            charger.charge = charge
        engine.power.is_dead[:] = self.is_dead
        engine.go_on()
        return engine


@dataclass(frozen=True, slots=True)
class PickledSim:
    """A simulation as scene, constants and state.

    Attributes:
        start: The state to go back to; None = that of `compiled`.
        devices: None where nobody has asked for devices yet.
    """

    scene: Scene
    compiled: Compiled
    engine: EngineName
    threads: int | None
    cut_meshes: bool
    start: StepState | None
    snapshot: Snapshot
    stats: Table
    devices: PickledDevices | None


def pickled(
    sim: Sim,
    devices: DeviceEngine | None,
    engine: EngineName,
    threads: int | None,
    cut_meshes: bool,
) -> PickledSim:
    """Return what is pickled of a simulation.

    Raises:
        pickle.PicklingError: Controllers, recorders or other step hooks are attached.
    """
    if sim.step_hooks:
        names = ", ".join(type(hook).__name__ for hook in sim.step_hooks)
        raise pickle.PicklingError(
            f"a simulation with something attached cannot be pickled ({names}): programs and files do not"
            " travel. Detach it, or pickle the simulation before, and attach again in the other process"
        )
    own_start = sim.core.start is not sim.compiled.start
    return PickledSim(
        sim.scene,
        sim.compiled,
        engine,
        threads,
        cut_meshes,
        sim.core.start if own_start else None,
        sim.snapshot(),
        sim.core.step.stats.copy(),
        None if devices is None else _memory_of(devices),
    )


def _memory_of(engine: DeviceEngine) -> PickledDevices:
    power = engine.power
    return PickledDevices(
        clock={name: getattr(engine.clock, name) for name in _OF_CLOCK},
        groups=tuple(map(_group_memory, engine.groups)),
        robots=tuple({name: getattr(one, name) for name in _OF_BATTERY} for one in power.robots),
        chargers=tuple(one.charge for one in power.chargers),
        is_dead=power.is_dead,
    )


def _group_memory(group: Group[Any]) -> dict[str, Any]:
    """Return what a group remembers: its arrays, and the states of its devices."""
    if isinstance(group, ImageGroup | Displays):
        return {}
    return {
        name: value
        for name, value in vars(group).items()
        if isinstance(value, np.ndarray) or name == "states"
    }
