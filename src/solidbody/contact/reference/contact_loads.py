"""Normal forces that bound friction, and the warm start, in the reference step (sb_contact_loads.c)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.typing import NDArray

SAME_CONTACT = 0.02
"""[m] See SB_SAME_CONTACT."""
LOAD_SWEEPS = 50
LOAD_CHANGE = 1e-6
CONE_EXCESS = 1e-3
"""See SB_LOAD_SWEEPS, SB_LOAD_CHANGE and SB_CONE_EXCESS."""

Array = NDArray[np.float64]
Kin = tuple[int, int, int]
"""What contacts that may be the same share: (0, geom, geom), or (1, body, body) in ascending order."""
Name = tuple[str | int, ...]
"""What a row that is no contact belongs to; empty: nothing that lasts."""
Point = tuple[list[float], list[float], float]
"""Where a contact was, the forces of its rows, its load."""


@dataclass(slots=True)
class LastForces:
    """Forces of the last step: of contacts by their kin, of other rows by what they belong to."""

    contacts: dict[Kin, list[Point]] = field(default_factory=dict)
    others: dict[Name, float] = field(default_factory=dict)

    def find(
        self, d: mujoco.MjData, names: Sequence[Name], kins: Sequence[Kin]
    ) -> tuple[Array, Array]:
        """Return forces and loads of the rows of this step, 0 = unknown; kins: of each contact."""
        forces = np.array([self.others.get(name, 0.0) for name in names])
        loads = np.zeros(len(names))
        for contact, kin in zip(d.contact, kins, strict=True):
            a = contact.efc_address
            found = self._nearest(contact, kin) if a >= 0 else None
            if found is not None:
                _, before, load = found
                forces[a : a + contact.dim] = before[: contact.dim]
                loads[a] = load
        return forces, loads

    def _nearest(self, contact: mujoco.MjContact, kin: Kin) -> Point | None:
        """Return the nearest contact of the last step of the same kin, None if it is far."""
        known = self.contacts.get(kin, [])
        gaps = [float(np.linalg.norm(contact.pos - point)) for point, *_ in known]
        least = min(range(len(known)), key=gaps.__getitem__, default=None)
        return None if least is None or gaps[least] >= SAME_CONTACT else known[least]

    @classmethod
    def of(
        cls,
        d: mujoco.MjData,
        names: Sequence[Name],
        kins: Sequence[Kin],
        forces: Array,
        loads: Array,
    ) -> LastForces:
        """Return the forces and loads of a step."""
        out = cls()
        for name, force in zip(names, forces.tolist(), strict=True):
            if name:
                out.others[name] = force
        for contact, kin in zip(d.contact, kins, strict=True):
            a = contact.efc_address
            if a < 0:
                continue
            rows = forces[a : a + contact.dim].tolist() + [0.0] * (6 - contact.dim)
            out.contacts.setdefault(kin, []).append((contact.pos.tolist(), rows, float(loads[a])))
        return out

    def to_bytes(self) -> bytes:
        """Return all of it as text; numbers come back exactly."""
        if not self.contacts and not self.others:
            return b""
        return json.dumps([list(self.contacts.items()), list(self.others.items())]).encode()

    @classmethod
    def from_bytes(cls, memory: bytes) -> LastForces:
        """Return what `to_bytes` was made of, or raise ValueError."""
        if not memory:
            return cls()
        contacts, others = json.loads(memory)
        return cls(
            {(a, b, c): [(p[0], p[1], p[2]) for p in points] for (a, b, c), points in contacts},
            {tuple(name): force for name, force in others},
        )


def share_loads(
    response: Array, speed: Array, forces: Array, loads: Array, carriers: NDArray[np.intp]
) -> Array:
    """Return what each of the `carriers` carries, beginning with `loads`, in the order of the rows.

    Args:
        response: Speed that the force of one row gives another, without softness.
        speed: Of each row without forces, and what it gives way to the forces of the last step.
        forces: Of the last step; those of the carriers are replaced by their loads.
        loads: Of the last step.
        carriers: Normals that remember loads.
    """
    out = forces.copy()
    out[carriers] = loads[carriers]
    for _ in range(LOAD_SWEEPS):
        before = out[carriers]
        for i in carriers.tolist():
            if response[i, i] > 0.0:
                out[i] = max(out[i] - (response[i] @ out + speed[i]) / response[i, i], 0.0)
        after = out[carriers]
        if np.sum((after - before) ** 2) <= LOAD_CHANGE**2 * np.sum(after**2):
            break
    return out


def shorten_friction(forces: Array, lo: Array, hi: Array, pairs: Sequence[int]) -> bool:
    """Shorten the bounds of pairs of friction forces that lie outside their cone; returns if there was one.

    Args:
        forces: Of all rows.
        lo: Lower bounds, which change.
        hi: Upper bounds, which change.
        pairs: First rows of contacts whose friction is a cone, as wide as their upper bound; the second
            ones follow.
    """
    bounds = {row: float(hi[row]) for row in pairs if hi[row] < np.inf}
    slack = CONE_EXCESS * max(bounds.values(), default=0.0)
    found = False
    for row, most in bounds.items():
        pair = slice(row, row + 2)
        length = float(np.hypot(*forces[pair]))
        if length > most + slack:
            hi[pair] = np.abs(forces[pair]) * most / length
            lo[pair] = -hi[pair]
            found = True
    return found
