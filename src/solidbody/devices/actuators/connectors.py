"""Connectors: they dock to each other, +x axes facing, and may break apart (docs/behaviour, W9.5.5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from solidbody.base.transforms import Pose, quat_from_axis_angle, quat_multiply
from solidbody.base.vectors import matrix
from solidbody.devices.actuators.bonds import Strength, bind, is_torn, pose_of
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld, Floats, Rows
from solidbody.devices.core.group import Group
from solidbody.model.devices import ConnectorKind, DeviceConnector

_FITS = {
    ConnectorKind.SYMMETRIC: ConnectorKind.SYMMETRIC,
    ConnectorKind.ACTIVE: ConnectorKind.PASSIVE,
    ConnectorKind.PASSIVE: ConnectorKind.ACTIVE,
}

_FLIP = (0.0, 0.0, 0.0, 1.0)
"""Half a turn about z: x axes face each other, z axes are parallel."""


@dataclass(slots=True)
class ConnectorState:
    """Whether it is locked, and to whom it is attached.

    Attributes:
        is_locked: Whether it is locked.
        peer: Row of the other side; None = it is free.
        bond: Number of the bond with it.
        made_bond: Whether this side made the bond, so that the bond's axis is its own.
        tries_once: Whether it was locked in the file and has not looked for a peer yet.
    """

    is_locked: bool
    peer: int | None = None
    bond: int | None = None
    made_bond: bool = False
    tries_once: bool = False


class Connectors(Group[DeviceConnector]):
    """The value is 1 if a peer is near, 0 if not, -1 for passive connectors."""

    acts = True

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self.states = self._start()
        self._all = np.arange(len(devices), dtype=np.intp)

    def _start(self) -> list[ConnectorState]:
        return [ConnectorState(d.is_locked, tries_once=d.is_locked) for d in self.devices]

    def reset(self) -> None:
        """Locked as in the file, attached to nobody (the simulation lets go of all bonds by itself)."""
        super().reset()
        self.states = self._start()

    # ------------------------------------------------------------------ commands

    def lock(self, row: int) -> str:
        """Lock, and attach if a peer is there; returns what is wrong, or nothing."""
        if self.devices[row].kind is ConnectorKind.PASSIVE:
            return "a passive connector cannot lock"
        self.states[row].is_locked = True
        if self.states[row].peer is None:
            self._try_to_attach(row)
        return ""

    def unlock(self, row: int) -> str:
        """Unlock, and let go if that is allowed; returns what is wrong, or nothing."""
        device, state = self.devices[row], self.states[row]
        if device.kind is ConnectorKind.PASSIVE:
            return "a passive connector cannot unlock"
        state.is_locked = False
        peer = state.peer
        if peer is not None and (device.unilateral_unlock or not self.states[peer].is_locked):
            self._detach(row)
        return ""

    def peer_of(self, row: int) -> int | None:
        """Return the row of the connector that it is attached to."""
        return self.states[row].peer

    # ------------------------------------------------------------------ docking

    def is_near(self, row: int) -> bool:
        """Whether a peer is attached or could be."""
        return self.states[row].peer is not None or self._candidate(row) is not None

    def _candidate(self, row: int) -> int | None:
        """Return the nearest connector that fits and stands right."""
        device = self.devices[row]
        positions = self.places.positions(self.world, self._all)
        turns = self.places.rotations(self.world, self._all)
        distance = np.linalg.norm(positions - positions[row], axis=1)
        best, nearest = None, math.inf
        for other in np.flatnonzero(distance <= device.distance_tolerance).tolist():
            mate = self.devices[other]
            fits = (
                other != row
                and mate.kind is _FITS[device.kind]
                and mate.model == device.model
                and self.states[other].peer is None
                and self.bound[other].link != self.bound[row].link
            )
            if not fits or float(distance[other]) >= nearest:
                continue
            relative = matrix(turns[row]).T @ matrix(turns[other])
            if _stands_right(device, relative):
                best, nearest = other, float(distance[other])
        return best

    def _try_to_attach(self, row: int) -> None:
        device = self.devices[row]
        other = self._candidate(row)
        if other is None or not (device.unilateral_lock or self.states[other].is_locked):
            return
        first, second = self.bound[row].link, self.bound[other].link
        shift = self._shift(row, other) if device.snap else None
        bond = bind(self.world, first, second, shift=shift)
        if bond is not None:
            self.states[row].peer, self.states[row].bond = other, bond
            self.states[row].made_bond, self.states[other].made_bond = True, False
            self.states[other].peer, self.states[other].bond = row, bond

    def _shift(self, row: int, other: int) -> Pose:
        """Return the motion of the other link that brings both connectors into line."""
        first, second = (pose_of(self.world, self.bound[k].link) for k in (row, other))
        ours, theirs = self.bound[row].pose, self.bound[other].pose
        here, there = first * ours, second * theirs
        relative = matrix(np.array((here.inverse() * there).rotation))
        angle = _docking_angle(self.devices[row], _turn_about_x(relative))
        docked = Pose(rotation=quat_multiply(quat_from_axis_angle((1.0, 0.0, 0.0), angle), _FLIP))
        return here * docked * theirs.inverse() * second.inverse()

    def _detach(self, row: int) -> None:
        state = self.states[row]
        if state.bond is None or state.peer is None:
            return
        self.world.source.detach_links(state.bond)
        peer = self.states[state.peer]
        state.peer = state.bond = peer.peer = peer.bond = None

    # ------------------------------------------------------------------ time

    def is_busy(self) -> bool:
        """Whether a connector looks for a peer, or a bond may break."""
        return any(
            state.tries_once
            or (state.is_locked and device.auto_lock and state.peer is None)
            or (state.bond is not None and self._strength(row, state).is_limited)
            for row, (device, state) in enumerate(zip(self.devices, self.states, strict=True))
        )

    def start(self) -> None:
        """What is locked at the start is attached from the start."""
        for row, state in enumerate(self.states):
            if state.is_locked and state.peer is None:
                self._try_to_attach(row)
            state.tries_once = False

    def act(self) -> None:
        """Attach what is locked and near; break what is pulled too hard."""
        for row, (device, state) in enumerate(zip(self.devices, self.states, strict=True)):
            wants = state.tries_once or (state.is_locked and device.auto_lock)
            state.tries_once = False
            if wants and state.peer is None:
                self._try_to_attach(row)
            elif state.bond is not None and state.peer is not None and row < state.peer:
                self._test(row, state)

    def _test(self, row: int, state: ConnectorState) -> None:
        assert state.bond is not None
        assert state.peer is not None
        strength = self._strength(row, state)
        if not strength.is_limited:
            return
        first = row if state.made_bond else state.peer
        turn = self.places.rotations(self.world, np.array([first], dtype=np.intp))[0]
        if is_torn(self.world, state.bond, matrix(turn)[:, 0], strength):
            self._detach(row)

    def _strength(self, row: int, state: ConnectorState) -> Strength:
        """What both sides bear; a side that is not locked bears nothing."""
        total = Strength(0.0, 0.0)
        for side in (row, state.peer):
            if side is not None and self.states[side].is_locked:
                device = self.devices[side]
                total = total + Strength(device.tensile_strength, device.shear_strength)
        return total

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        for row in rows.tolist():
            is_passive = self.devices[row].kind is ConnectorKind.PASSIVE
            self.values[row] = -1.0 if is_passive else float(self.is_near(row))


def _stands_right(device: DeviceConnector, relative: Floats) -> bool:
    """Whether a peer, turned by `relative`, faces the connector at one of its docking angles."""
    between = math.acos(min(max(-float(relative[0, 0]), -1.0), 1.0))
    if between > device.axis_tolerance:
        return False
    turn = _turn_about_x(relative)
    error = turn - _docking_angle(device, turn)
    return abs(math.remainder(error, 2 * math.pi)) <= device.rotation_tolerance


def _turn_about_x(relative: Floats) -> float:
    """Return the turn about x between a docked peer with parallel z axes and this one."""
    m = relative @ matrix(np.array(_FLIP))
    return math.atan2(float(m[2, 1] - m[1, 2]), float(m[1, 1] + m[2, 2]))


def _docking_angle(device: DeviceConnector, turn: float) -> float:
    """Return the docking angle nearest to a turn; any turn is one where their number is not given."""
    if device.docking_angles is None:
        return turn
    apart = 2 * math.pi / device.docking_angles
    return round(turn / apart) * apart
