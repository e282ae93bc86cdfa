"""Devices that take hold of things: vacuum grippers, and holders of attachments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.random import Generator

from solidbody.base.vectors import matrix
from solidbody.devices.actuators.bonds import Strength, bind, is_torn
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceFrames, DeviceWorld, Floats, Rows
from solidbody.devices.core.group import Group
from solidbody.model.devices import (
    DeviceAttachment,
    DeviceHolder,
    DeviceVacuumGripper,
    HoldCondition,
)

G = TypeVar("G", DeviceVacuumGripper, DeviceHolder)


@dataclass(slots=True)
class GripState:
    """Whether it is on, and what it holds (row of the link, number of the bond)."""

    is_on: bool
    held: int | None = None
    bond: int | None = None


class _Grips(Group[G]):
    """Devices that hold one link each while they are on."""

    acts = True

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self.states = [GripState(d.is_on) for d in self.devices]

    def reset(self) -> None:
        """On as in the file, holding nothing."""
        super().reset()
        self.states = [GripState(d.is_on) for d in self.devices]

    def is_on(self, row: int) -> bool:
        """See `Group.is_on`."""
        return self.states[row].is_on

    def turn(self, row: int, *, is_on: bool) -> bool:
        """See `Group.turn`: take hold of what fits, now or in the steps to come, or let go."""
        self.states[row].is_on = is_on
        if not is_on:
            self._release(row)
        return True

    def held(self, row: int) -> int | None:
        """Return the row of the link that it holds."""
        return self.states[row].held

    def _release(self, row: int) -> None:
        state = self.states[row]
        if state.bond is not None:
            self.world.source.detach_links(state.bond)
        state.held = state.bond = None

    def _take(self, row: int, links: Iterable[int]) -> None:
        """Hold the first of these links that can be held."""
        state = self.states[row]
        for link in links:
            state.bond = bind(self.world, self.bound[row].link, link)
            if state.bond is not None:
                state.held = link
                return


class VacuumGrippers(_Grips[DeviceVacuumGripper]):
    """The value is 1 while something is held, else 0."""

    def turn_on(self, row: int) -> None:
        """Hold what touches it, now or later."""
        self.turn(row, is_on=True)

    def turn_off(self, row: int) -> None:
        """Let go."""
        self.turn(row, is_on=False)

    def touching(self, row: int) -> dict[int, tuple[int, float]]:
        """Return what touches it: contact points and greatest depth, by link."""
        device, link, contacts = self.devices[row], self.bound[row].link, self.world.contacts
        found: dict[int, tuple[int, float]] = {}
        for side in range(2):
            mine = (contacts.link[:, side] == link) & np.isin(
                contacts.shape[:, side], device.shapes
            )
            others, depths = contacts.link[mine, 1 - side], contacts.depth[mine]
            for other, depth in zip(others.tolist(), depths.tolist(), strict=True):
                count, deepest = found.get(other, (0, 0.0))
                found[other] = (count + 1, max(deepest, depth))
        if device.feelers:
            # a surface without physics has no contact points: what is inside it touches enough
            for other, depth in self.world.source.felt(link, self.bound[row].number).items():
                found[other] = (device.contact_points, depth)
        return found

    def is_busy(self) -> bool:
        """Whether one looks for something to hold, or may lose it."""
        return any(
            state.is_on and (state.bond is None or self._strength(row).is_limited)
            for row, state in enumerate(self.states)
        )

    def act(self) -> None:
        """Take hold of what touches enough; lose what is pulled too hard."""
        for row, state in enumerate(self.states):
            if not state.is_on:
                continue
            if state.bond is None:
                self._grasp(row)
                continue
            turn = self.places.rotations(self.world, np.array([row], dtype=np.intp))[0]
            strength = self._strength(row)
            if strength.is_limited and is_torn(
                self.world, state.bond, matrix(turn)[:, 0], strength
            ):
                self._release(row)

    def _grasp(self, row: int) -> None:
        least = self.devices[row].contact_points
        touching = {
            link: depth for link, (count, depth) in self.touching(row).items() if count >= least
        }
        self._take(row, sorted(touching, key=lambda link: touching[link], reverse=True))

    def _strength(self, row: int) -> Strength:
        return Strength(self.devices[row].tensile_strength, self.devices[row].shear_strength)

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        for row in rows.tolist():
            state = self.states[row]
            # what it touches in this step is there in this step
            if state.is_on and state.bond is None:
                self._grasp(row)
            self.values[row] = float(state.bond is not None)


class Holders(_Grips[DeviceHolder]):
    """Hold attachments while they are on; the value is the number of attachments held."""

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self._attachments = _attachments(world)

    def is_busy(self) -> bool:
        """Whether one looks for something to hold."""
        return any(state.is_on and state.bond is None for state in self.states)

    def start(self) -> None:
        """What is near at the start is held from the start."""
        self.act()

    def act(self) -> None:
        """Take hold of what fits."""
        for row, state in enumerate(self.states):
            if state.is_on and state.bond is None:
                self._take(row, self._candidates(row))

    def _candidates(self, row: int) -> list[int]:
        """Return the links of the attachments that fit, the nearest first."""
        device, own = self.devices[row], self.bound[row]
        taken = {state.held for state in self.states}
        here = self.places.positions(self.world, np.array([row], dtype=np.intp))[0]
        found: list[tuple[float, int]] = []
        for body, place, attachment in self._attachments:
            link = int(place.link[0])
            fits = not device.categories or attachment.category in ("", *device.categories)
            if not fits or link in taken or body == own.body:
                continue
            there = place.positions(self.world, np.zeros(1, dtype=np.intp))[0]
            distance = float(np.linalg.norm(there - here))
            if self._is_met(device, own.link, link, body, distance):
                found.append((distance, link))
        return [link for _, link in sorted(found)]

    def _is_met(
        self, device: DeviceHolder, own: int, link: int, body: str, distance: float
    ) -> bool:
        match device.condition:
            case HoldCondition.DISTANCE:
                return distance <= device.max_distance
            case HoldCondition.NAME:
                return body == device.target_name
            case HoldCondition.COLLISION:
                pairs = self.world.contacts.link
                both = np.sort(pairs, axis=1) == sorted((own, link))
                return bool(both.all(axis=1).any())

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        for row in rows.tolist():
            self.values[row] = float(self.states[row].bond is not None)


def _attachments(world: DeviceWorld) -> list[tuple[str, DeviceFrames, DeviceAttachment]]:
    """Return all attachments with the names of their bodies and their places."""
    found: list[tuple[str, DeviceFrames, DeviceAttachment]] = []
    row = 0
    for body in world.scene.bodies:
        for link in body.links:
            found += [
                (body.name, DeviceFrames.at(row, device.pose), device)
                for device in link.devices
                if isinstance(device, DeviceAttachment)
            ]
            row += 1
    return found
