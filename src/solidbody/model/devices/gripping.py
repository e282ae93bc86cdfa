"""Devices that hold on to other things: connectors, vacuum grippers, holders."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import inf

from solidbody.model.devices.base import DeviceBase
from solidbody.model.shapes import Shape


class ConnectorKind(Enum):
    """Which connectors fit together: symmetric with symmetric, active with passive."""

    SYMMETRIC = "symmetric"
    ACTIVE = "active"
    PASSIVE = "passive"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceConnector(DeviceBase):
    """Docks to another connector of the same model, +x axes facing each other.

    Attributes:
        kind: Which connectors fit.
        is_locked: Whether it is locked at the start.
        auto_lock: Whether it goes on trying to attach while it is locked.
        unilateral_lock: Whether it may attach to a peer that is not locked.
        unilateral_unlock: Whether it may detach while the peer is locked.
        distance_tolerance: Between the origins [m].
        axis_tolerance: Between the x axes [rad].
        rotation_tolerance: About x, from the nearest docking angle [rad].
        docking_angles: Number of equally spaced docking angles in a turn; None = any angle.
        snap: Whether docking aligns both sides.
        tensile_strength: Pull along x that breaks the bond [N].
        shear_strength: Force across x that breaks the bond [N].
    """

    kind: ConnectorKind = ConnectorKind.SYMMETRIC
    is_locked: bool = False
    auto_lock: bool = False
    unilateral_lock: bool = True
    unilateral_unlock: bool = True
    distance_tolerance: float = 0.01
    axis_tolerance: float = 0.2
    rotation_tolerance: float = 0.2
    docking_angles: int | None = 4
    snap: bool = True
    tensile_strength: float = inf
    shear_strength: float = inf


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceVacuumGripper(DeviceBase):
    """Sucks on to what touches it, along +x.

    Attributes:
        is_on: Whether it works at the start.
        tensile_strength: Pull along x that breaks the bond [N].
        shear_strength: Force across x that breaks the bond [N].
        contact_points: Contacts needed with one thing before it holds.
        shapes: Indices in `Link.shapes` of the surfaces that suck.
        feelers: Surfaces that suck but are no part of the link, as those of a touch sensor.
    """

    is_on: bool = False
    tensile_strength: float = inf
    shear_strength: float = inf
    contact_points: int = 3
    shapes: tuple[int, ...] = ()
    feelers: tuple[Shape, ...] = ()


class HoldCondition(Enum):
    """Which attachments a holder takes."""

    DISTANCE = "distance"
    COLLISION = "collision"
    NAME = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceHolder(DeviceBase):
    """Holds attachments of its categories while it is on.

    Attributes:
        categories: Kinds of attachment that fit; empty = all.
        condition: What makes an attachment a candidate.
        max_distance: For the distance condition [m].
        target_name: For the name condition.
        is_on: Whether it holds at the start.
    """

    categories: tuple[str, ...] = ()
    condition: HoldCondition = HoldCondition.DISTANCE
    max_distance: float = 0.1
    target_name: str = ""
    is_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceAttachment(DeviceBase):
    """The part that a holder takes hold of.

    Attributes:
        category: Which holders it fits; empty = any.
        is_on: Whether it is held at the start.
    """

    category: str = ""
    is_on: bool = False


GrippingDevice = DeviceConnector | DeviceVacuumGripper | DeviceHolder | DeviceAttachment
"""A device of this file."""

__all__ = [
    "ConnectorKind",
    "DeviceAttachment",
    "DeviceConnector",
    "DeviceHolder",
    "DeviceVacuumGripper",
    "GrippingDevice",
    "HoldCondition",
]
