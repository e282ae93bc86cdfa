"""Devices that push, carry or feed a robot: propellers, rotors, belts, muscles, chargers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from solidbody.base.transforms import ZERO, Vec3
from solidbody.model.appearance import Color
from solidbody.model.devices.base import DeviceBase
from solidbody.model.motors import Motor
from solidbody.model.shapes import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicePropeller(DeviceBase):
    """Thrust and counter-torque on the link from a spinning shaft.

    With shaft rate w [rad/s] and advance speed V [m/s] along the shaft:
    thrust = t1*|w|*w - t2*|w|*V [N], torque = q1*|w|*w - q2*|w|*V [N*m].

    Attributes:
        shaft_axis: Direction of positive thrust, unit vector in the device frame.
        center_of_thrust: Point of attack in the device frame [m].
        thrust_constants: (t1 [N*s^2/rad^2], t2 [N*s^2/(rad*m)]).
        torque_constants: (q1 [N*m*s^2/rad^2], q2 [N*s^2/rad]).
        motor: Drives the shaft without a joint; None = the propeller stands still.
        fast_threshold: Shaft rate above which the fast helix is shown [rad/s].
        fast_helix: Path of the part shown when fast; empty = none.
        slow_helix: Path of the part shown when slow; empty = none.
    """

    shaft_axis: Vec3 = (1.0, 0.0, 0.0)
    center_of_thrust: Vec3 = ZERO
    thrust_constants: tuple[float, float] = (1.0, 0.0)
    torque_constants: tuple[float, float] = (1.0, 0.0)
    motor: Motor | None = None
    fast_threshold: float = 75.4
    fast_helix: str = ""
    slow_helix: str = ""


@dataclass(frozen=True, slots=True)
class ProximityEffect:
    """Change of a rotor's force near a surface: `max_rate` at contact, none beyond `distance` [m].

    At `middle_value` of the normalised distance the change is half of its greatest value.
    """

    distance: float
    middle_value: float
    max_rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceRotor(DeviceBase):
    """A force that a program sets, with its counter-torque.

    Attributes:
        direction: Of positive force, unit vector in the device frame.
        force: At the start [N].
        force_range: Lowest and highest force [N]; None = unlimited.
        torque: At the start [N*m].
        torque_range: Lowest and highest torque [N*m]; None = unlimited.
        wall_effect: Near a wall; None = none.
        ground_effect: Near the ground; None = none.
    """

    direction: Vec3 = (0.0, 0.0, 1.0)
    force: float = 0.0
    force_range: tuple[float, float] | None = None
    torque: float = 0.0
    torque_range: tuple[float, float] | None = None
    wall_effect: ProximityEffect | None = None
    ground_effect: ProximityEffect | None = None


@dataclass(frozen=True, slots=True)
class BeltWheel:
    """A wheel that a belt runs around, in the xz plane of the belt [m].

    Attributes:
        position: Centre (x, z).
        radius: [m].
        inner: Whether the belt runs around its outside (the wheel is inside the loop).
        frame: Path of the part that turns with it; empty = none.
    """

    position: tuple[float, float] = (0.0, 0.0)
    radius: float = 0.1
    inner: bool = True
    frame: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceTrackBelt(DeviceBase):
    """How the belt of a crawler looks; the motion itself is the link's track joint.

    Attributes:
        wheels: What the belt runs around, in order.
        texture_velocity: Shift of the texture per metre of belt travel, (u, v).
        element: Drawn many times along the belt; None = only the texture moves.
        element_count: How many times.
    """

    wheels: tuple[BeltWheel, ...] = ()
    texture_velocity: tuple[float, float] = (0.0, 0.0)
    element: Shape | None = None
    element_count: int = 10


class ConveyorKind(Enum):
    """How the surface of a conveyor moves."""

    LINEAR = "linear"
    ROTARY = "rotary"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceConveyor(DeviceBase):
    """The surface of the link moves at contacts.

    Attributes:
        kind: Straight, or round the device origin.
        axis: Direction of travel, or axis of rotation, in the device frame.
        speed: [m/s] or [rad/s].
        is_on: Whether it runs at the start.
    """

    kind: ConveyorKind = ConveyorKind.LINEAR
    axis: Vec3 = (1.0, 0.0, 0.0)
    speed: float = 0.0
    is_on: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceMuscle(DeviceBase):
    """A spheroid of constant volume drawn between the two sides of a joint.

    Attributes:
        motor: Name of the motor that it shows.
        end: Path of the link at the far end of the joint.
        volume: [m^3].
        start_offset: In the near link's frame [m].
        end_offset: In the far link's frame [m].
        colors: (idle, contracting, relaxing); fewer = the last holds for the rest.
        casts_shadows: Whether it throws a shadow.
        is_visible: Whether it is drawn.
    """

    motor: str = ""
    end: str = ""
    volume: float = 0.01
    start_offset: Vec3 = ZERO
    end_offset: Vec3 = ZERO
    colors: tuple[Color, ...] = ()
    casts_shadows: bool = True
    is_visible: bool = True


@dataclass(frozen=True, slots=True)
class Battery:
    """An energy store: content [J], capacity [J], rate of filling [W]."""

    charge: float
    capacity: float
    power: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceCharger(DeviceBase):
    """Fills the battery of a robot that stands within `radius`.

    Attributes:
        battery: Its own store; None = it gives nothing.
        radius: [m].
        emissive: Colour of its lamp.
        gradual: Whether the lamp dims with the content; else it is on only while the charger is full.
        shapes: Indices in `Link.shapes` of its lamp.
    """

    battery: Battery | None = None
    radius: float = 0.04
    emissive: Color = (0.0, 1.0, 0.0)
    gradual: bool = True
    shapes: tuple[int, ...] = ()


DrivingDevice = (
    DevicePropeller | DeviceRotor | DeviceTrackBelt | DeviceConveyor | DeviceMuscle | DeviceCharger
)
"""A device of this file."""

__all__ = [
    "Battery",
    "BeltWheel",
    "ConveyorKind",
    "DeviceCharger",
    "DeviceConveyor",
    "DeviceMuscle",
    "DevicePropeller",
    "DeviceRotor",
    "DeviceTrackBelt",
    "DrivingDevice",
    "ProximityEffect",
]
