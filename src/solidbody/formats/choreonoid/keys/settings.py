"""What files say as read, before it becomes the model's: headers, settings of project items, materials."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.base.transforms import Vec3
from solidbody.model.appearance import Color
from solidbody.model.scene import IntegrationRule

STANDARD_GRAVITY: Final[Vec3] = (0.0, 0.0, -9.80665)


class DynamicsMode(Enum):
    """What moves the bodies of a project (`project/dynamics_modes.py`)."""

    SPACE = "forces"
    PLANE = "forces, in a plane"
    COMMANDS = "commands"


@dataclass(frozen=True, slots=True)
class BodyHeader:
    """What the top-level keys of a body file say.

    Attributes:
        name: Of the model.
        version: Of the format; None = none is given.
        root: Name of the root link; None = the first link.
        angle_factor: Radians per angle unit of the file.
    """

    name: str
    version: float | None
    root: str | None
    angle_factor: float


@dataclass(frozen=True, slots=True)
class SubBodyNames:
    """What becomes of the names and numbers of a body that is part of another.

    Attributes:
        prefix: Before all names.
        suffix: Behind all names.
        device_prefix: Before names of devices; None = the one of all names.
        joint_shift: Added to joint numbers.
    """

    prefix: str
    suffix: str
    device_prefix: str | None
    joint_shift: int


@dataclass(frozen=True, slots=True)
class MeshUnits:
    """Length unit and upper axis of a file of meshes."""

    length_unit: str = "meter"
    upper_axis: str = "Z"


@dataclass(frozen=True, slots=True)
class OdeContacts:
    """Contacts and joints of the ODE simulator; the defaults are its own.

    Attributes:
        friction: Coulomb coefficient of all contacts; materials do not count.
        erp: Share of an error that is removed in one step.
        cfm: Softness of all rows [velocity per force].
        max_speed: Greatest speed at which contacts are pushed out [m/s].
        stops_joints: Whether joints stop at the ends of their ranges.
    """

    friction: float = 1.0
    erp: float = 0.4
    cfm: float = 1e-10
    max_speed: float = 1e-3
    stops_joints: bool = False


@dataclass(frozen=True, slots=True)
class SimulatorSettings:
    """What a simulator item says, as far as it has a meaning here; defaults are the AIST simulator's.

    Attributes:
        time_step: [s].
        gravity: [m/s^2].
        friction_range: Smallest and largest coefficient of friction.
        culling_depth: Deeper contact points are left out [m].
        max_points: Contact points per pair; 0 = no limit.
        correction_depth: Depth at which bodies rest [m].
        correction_ratio: Rate at which other depths are corrected [1/s].
        typical_mass: Of the moving bodies [kg]; not a setting, but what softness is chosen by.
        mode: What moves bodies.
        controller_options: What all controllers are told.
        ends_with_programs: Whether a simulation ends when no controller has more to do.
        ode: What holds instead of AIST's contacts where the simulator is ODE.
    """

    time_step: float = 0.001
    gravity: Vec3 = STANDARD_GRAVITY
    friction_range: tuple[float, float] = (0.0, 100.0)
    culling_depth: float = 0.05
    max_points: int = 4
    correction_depth: float = 0.00025
    correction_ratio: float = 5.0
    typical_mass: float = 1.0
    integration: IntegrationRule = IntegrationRule.SEMI_IMPLICIT_EULER
    mode: DynamicsMode = DynamicsMode.SPACE
    controller_options: str = ""
    ends_with_programs: bool = False
    ode: OdeContacts | None = None


@dataclass(frozen=True, slots=True)
class VisionSettings:
    """Which sensors see, and how often.

    Attributes:
        is_on: Whether they see at all.
        bodies: Names of body items; empty = all.
        sensors: Names of devices; empty = all.
        max_rate: [Hz].
        is_smooth: Whether edges are smoothed.
        background: Colour of what is nowhere; None = as the scene has it.
    """

    is_on: bool = True
    bodies: tuple[str, ...] = ()
    sensors: tuple[str, ...] = ()
    max_rate: float = 1000.0
    is_smooth: bool = False
    background: Color | None = None


DEFAULT_FRICTION: Final = 0.5
"""Friction of an entry that gives none."""


@dataclass(frozen=True, slots=True)
class ViewCamera:
    """Where a scene view is seen from; None = not said."""

    eye: Vec3 | None
    direction: Vec3 | None
    up: Vec3


@dataclass(frozen=True, slots=True)
class Material:
    """A surface by itself; the defaults are those of a name that no table knows."""

    name: str = ""
    roughness: float = 0.5
    viscosity: float = 1.0


@dataclass(frozen=True, slots=True)
class ContactMaterial:
    """The surface law of all pairs of some materials; None = the simulator's number."""

    materials: tuple[str, ...] = ()
    friction: float = DEFAULT_FRICTION
    static_friction: float | None = None
    restitution: float = 0.0
    culling_depth: float | None = None
    max_points: int | None = None
    span: SourceSpan = NOWHERE
