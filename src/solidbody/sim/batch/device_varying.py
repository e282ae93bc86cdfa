"""What differs from world to world on a device: tables and commands of each world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import warp as wp
from numpy.typing import NDArray

from solidbody.contact.layout import VariedTable
from solidbody.gpu.model_tables import (
    ModelTables,
    axis_reals,
    rows_needed,
    surface_count,
    surface_reals,
)
from solidbody.gpu.worlds import Worlds
from solidbody.sim.batch.variables import Variables
from solidbody.sim.batch.variations import Variations, principal

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

Floats = NDArray[np.float64]

_COMMANDED: Final = {
    "joint.gains": (6, 7, 8),
    "joint.max_effort": (4,),
    "joint.acceleration": (5,),
}
"""Variable -> its columns in a command (CM_* of `gpu/native/sb_fields.h`)."""
VARIED_ON_DEVICES: Final = frozenset(
    (
        *_COMMANDED,
        *("contact.friction", "contact.bounce", "contact.bounce_velocity", "contact.soft_cfm"),
        *("contact.rolling_friction", "contact.soft_erp", "link.mass", "link.inertia"),
        *("joint.damping", "joint.static_friction", "joint.spring", "joint.servo"),
    )
)
"""What may differ from world to world; all else that batches on the processor vary is refused by name."""


def check_varied(name: str) -> None:
    """Refuse variables that cannot differ on a device.

    Raises:
        ValueError: This one cannot.
    """
    if name not in VARIED_ON_DEVICES:
        raise ValueError(
            f"{name} cannot differ on a device; {', '.join(sorted(VARIED_ON_DEVICES))} can"
        )


class DeviceVarying:
    """Constants of the worlds on a device.

    Args:
        sim: What they are copies of.
        tables: Of the kernels.
        worlds: On the device.
        start: Their state at the start, on the device; commands that differ are written into it.
    """

    def __init__(
        self, sim: Sim, tables: ModelTables, worlds: Worlds, start: dict[str, Any]
    ) -> None:
        self._sim, self._tables, self._worlds, self._start = sim, tables, worlds, start
        self._variations: Variations | None = None

    @property
    def known(self) -> Variables:
        """What batches can vary."""
        return self._all.known

    @property
    def _all(self) -> Variations:
        if self._variations is None:
            nothing = np.zeros(0, dtype=np.uint8)
            devices = self._sim.devices.devices
            self._variations = Variations(
                self._sim, self._worlds.count, devices, None, None, nothing
            )
        return self._variations

    def values(self, name: str) -> Floats:
        """Return (worlds, items, numbers): what holds now."""
        return self._all.values(name)

    def vary(
        self,
        name: str,
        places: Sequence[int],
        worlds: NDArray[np.int64],
        wanted: Floats | None,
    ) -> None:
        """Let a variable be different in some worlds; None = as in the scene.

        Raises:
            ValueError: The numbers are not allowed, or there is no room for them.
        """
        if name == "joint.spring" and self._tables.counts["SPRINGS"]:
            raise ValueError(f"{name} cannot differ on a device where springs are MuJoCo's")
        varying = self._all
        varying.set(name, places, worlds, wanted)
        if name in _COMMANDED:
            self._vary_commands(name, places, worlds)
        elif not varying.set_tables(name, places, worlds):
            self._vary_bodies(name)
        elif name.startswith("contact."):
            count = surface_count(self._sim.compiled)
            table = varying.tables[VariedTable.SURFACES][:, :count]
            room = (self._tables.counts["MAX_DENSE"] - self._tables.counts["FIXED"]) // max(
                1, self._tables.counts["MAX_CONTACTS"]
            )
            if rows_needed(table) > room:
                raise ValueError(f"{name}: worlds have no room for friction that the scene has not")
            self._worlds.vary("SURFACE", surface_reals(table))
        else:
            axes = varying.tables[VariedTable.AXES][:, : self._tables.counts["AXES"]]
            self._worlds.vary("AXIS", axis_reals(axes))

    def _vary_commands(self, name: str, places: Sequence[int], worlds: NDArray[np.int64]) -> None:
        """Write what motors are told at the start, and now where nobody has told them otherwise."""
        state = self._worlds.state["COMMAND"]
        now = state.numpy().copy()
        start = np.broadcast_to(self._start["COMMAND"].numpy(), now.shape).copy()
        values, items = self._all.values(name), self._all.known.items_of[name]
        for place in places:
            for k, column in enumerate(_COMMANDED[name]):
                at, value = 10 * items[place].row + column, values[worlds, place, k]
                same = now[worlds, at] == start[worlds, at]
                now[worlds[same], at] = value[same]
                start[worlds, at] = value
        state.assign(now)
        self._start["COMMAND"] = wp.array(start, dtype=wp.float64, device=self._worlds.device)

    def _vary_bodies(self, name: str) -> None:
        """Write masses, or moments and axes of inertia, of the bodies of all worlds."""
        m, bodies, count = self._sim.model, self._tables.body, self._worlds.count
        found, varying = self._all.values(name), self._all
        links = [item.link for item in varying.known.items_of[name]]
        rows = self._tables.row_of_body[self._sim.compiled.binding.body[links]]
        if name == "link.mass":
            masses = np.repeat(m.body_mass[bodies][None], count, axis=0)
            masses[:, rows] = found[:, :, 0]
            self._worlds.vary("BODY_MASS", masses)
            return
        moments = np.repeat(m.body_inertia[bodies][None], count, axis=0)
        turns = np.repeat(m.body_iquat[bodies][None], count, axis=0)
        for place, row in enumerate(rows.tolist()):
            if not varying.differs(name, place):
                continue
            if m.body_simple[bodies[row]]:
                moments[:, row] = found[:, place, :3]
                turns[:, row] = (1.0, 0.0, 0.0, 0.0)
            else:
                moments[:, row], turns[:, row] = principal(found[:, place])
        self._worlds.vary("BODY_INERTIA", moments)
        self._worlds.vary("BODY_IQUAT", turns)
