"""The scene: everything that one file (or several, put together) describes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from solidbody.base.diagnostics import Diagnostic
from solidbody.base.file_access import EVERY_FILE, FileAccess
from solidbody.base.transforms import Pose, Vec3
from solidbody.model.actions import scene_actions
from solidbody.model.contacts import ContactTable
from solidbody.model.environment import Background, Fog, Light, Viewpoint
from solidbody.model.fluids import Fluid
from solidbody.model.links import Body, Damping, Link


class RollingRule(Enum):
    """What symmetric friction means for a contact with axis-dependent rolling friction.

    Older releases of the original left the second friction coefficient unset (zero); since 2025
    both directions use the given value.
    """

    SECOND_SAME = "mu2 = mu"
    SECOND_ZERO = "mu2 = 0"


class RotationRule(Enum):
    """How orientation advances in a step: by the exact angle h|w|, or as ODE does (2 atan(h|w|/2))."""

    EXACT = "exact"
    ODE = "ode"


class CapRule(Enum):
    """How deep the contact points under the cap of a cylinder on a box are.

    Each by its own distance, so that a cylinder that leans rights itself; or all as deep as the
    deepest, as ODE has them: a disturbed upright cylinder then trembles at 0.01 rad/s for ever.
    """

    OWN_DEPTH = "own depth"
    ODE = "ode"


class GyroRule(Enum):
    """How the gyroscopic torque -w x Iw enters the step."""

    EXPLICIT = "explicit"
    IMPLICIT = "implicit"


class RidgeRule(Enum):
    """Whether ridges, peaks and borders of height fields carry what stands on them.

    In ODE they do not: only what is under the plane of a face, and over that face, is pushed out. Bodies
    sink into ridges there, and some are thrown out again.
    """

    HELD = "held"
    ODE = "ode"


class CoriolisRule(Enum):
    """At which velocity the forces quadratic in it (of jointed links) are taken.

    Of the start of the step, as textbooks and Choreonoid do it; or of its middle, which keeps the energy
    of swinging mechanisms many times better.
    """

    START = "start"
    MIDDLE = "middle"


class IntegrationRule(Enum):
    """How velocities and positions follow from accelerations.

    Positions by the new velocities; or by Runge and Kutta's four stages, as Choreonoid's AIST simulator has
    them: forces of contacts and motors are those of the first stage, and free roots move with the
    velocity of the start of the step.
    """

    SEMI_IMPLICIT_EULER = "semi-implicit Euler"
    RUNGE_KUTTA = "Runge-Kutta"


class SpringRule(Enum):
    """At which position the springs of joints pull: of the end of a step, or of its start.

    The first is stable whatever their stiffness; the second is MuJoCo's.
    """

    IMPLICIT = "implicit"
    EXPLICIT = "explicit"


class OriginRule(Enum):
    """Which point of a body that floats moves in a straight line in a step.

    Its centre of mass, as in ODE; or the origin of its link, as in MuJoCo: what spins beside its centre of
    mass is then a step late.
    """

    CENTER = "centre of mass"
    LINK = "link origin"


class MoveRule(Enum):
    """When parts move that no force moves: by their motors, or at a velocity that a program gave them.

    Before contacts are found in a step; or after that, so that contacts are those of where such parts were
    (Webots, which finds them at the end of the step before).
    """

    BEFORE_CONTACTS = "before contacts"
    AFTER_CONTACTS = "after contacts"


class PictureRule(Enum):
    """How cameras turn light into colours.

    Plainly: colours times light, cut off at white. Or as on film: colours of files stand for light, which
    a picture shows compressed, so that no light is too bright for it (Webots).
    """

    PLAIN = "plain"
    FILM = "film"


@dataclass(frozen=True, slots=True)
class Sleeping:
    """When a body that hardly moves is put to rest: after `time` [s] below both speeds."""

    time: float
    linear_speed: float
    angular_speed: float


@dataclass(frozen=True, slots=True)
class Physics:
    """Numbers that hold for the whole simulation.

    Attributes:
        time_step: [s].
        gravity: [m/s^2], world.
        erp: Share of joint errors removed in one step.
        cfm: Softness of rows without their own [velocity per force].
        damping: Of links without their own.
        sleeping: None = bodies never sleep.
    """

    time_step: float = 0.032
    gravity: Vec3 = (0.0, 0.0, -9.81)
    erp: float = 0.2
    cfm: float = 1e-5
    damping: Damping = Damping()
    sleeping: Sleeping | None = None
    rolling: RollingRule = RollingRule.SECOND_SAME
    rotation: RotationRule = RotationRule.EXACT
    caps: CapRule = CapRule.OWN_DEPTH
    ridges: RidgeRule = RidgeRule.HELD
    gyro: GyroRule = GyroRule.EXPLICIT
    coriolis: CoriolisRule = CoriolisRule.START
    integration: IntegrationRule = IntegrationRule.SEMI_IMPLICIT_EULER
    moving: MoveRule = MoveRule.BEFORE_CONTACTS
    origins: OriginRule = OriginRule.CENTER
    springs: SpringRule = SpringRule.IMPLICIT
    random_seed: int = 0


@dataclass(frozen=True, slots=True)
class Geodesy:
    """World axes by name ("E", "N", "U" as unit vectors) and the GPS origin."""

    east: Vec3 = (1.0, 0.0, 0.0)
    north: Vec3 = (0.0, 1.0, 0.0)
    up: Vec3 = (0.0, 0.0, 1.0)
    gps_system: str = "local"
    gps_reference: Vec3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Scene:
    """A complete description, frozen.

    `diagnostics` tells what loading it had to say; `start_accelerations` are those of the step before
    the start, of a world that was saved in motion, in the order of the degrees of freedom; `files` says
    which pictures, sounds and other files that it names may be read; `ends_with_programs` is true where a
    simulation ends in the step in which no program of a body has more to do.
    """

    name: str
    source: str
    physics: Physics = Physics()
    bodies: tuple[Body, ...] = ()
    contacts: ContactTable = ContactTable()
    fluids: tuple[Fluid, ...] = ()
    lights: tuple[Light, ...] = ()
    background: Background | None = None
    fog: Fog | None = None
    viewpoint: Viewpoint = Viewpoint()
    pictures: PictureRule = PictureRule.PLAIN
    geodesy: Geodesy = Geodesy()
    title: str = ""
    info: tuple[str, ...] = ()
    drag_force_scale: float = 30.0
    drag_torque_scale: float = 5.0
    line_scale: float = 0.1
    ink_evaporation: float = 0.0
    display_rate: float = 60.0
    diagnostics: tuple[Diagnostic, ...] = ()
    start_accelerations: tuple[float, ...] = ()
    ends_with_programs: bool = False
    files: FileAccess = field(default=EVERY_FILE, compare=False, repr=False)

    def links(self) -> Iterator[Link]:
        """Yield every link of every body, parents before children."""
        for body in self.bodies:
            yield from body.links

    def add(
        self, what: str | os.PathLike[str] | Scene, *, at: Sequence[float] | Pose | None = None
    ) -> Scene:
        """Return a scene that also holds what a file (of any format) or another scene describes.

        This scene gives physics, view and light; names that are taken get a number.

        Args:
            what: The file, or a scene.
            at: Of a robot's file (.body, .proto) the place of its root link, of a world that of its origin:
                x, y, z [m], then nothing, yaw, (roll, pitch, yaw) or (axis x, y, z, angle) [rad]; or a
                pose. None = where the file itself says.
        """
        return scene_actions().add(self, what, at)

    def save(
        self, path: str | os.PathLike[str], *, robot: str | None = None
    ) -> tuple[Diagnostic, ...]:
        """Write the scene (.wbt, .xml, .glb) or one robot of it (.body, .proto, .urdf); return what is lost.

        Args:
            path: The file; its extension chooses the format.
            robot: Name of the robot; None = the only one.
        """
        return scene_actions().save(self, path, robot)


def world_poses(body: Body) -> tuple[Pose, ...]:
    """Return the starting pose of each link of `body` in the world."""
    poses: list[Pose] = []
    for link in body.links:
        poses.append(link.pose if link.parent is None else poses[link.parent] * link.pose)
    return tuple(poses)
