"""Where devices are and how they move: their frames in the world, for whole groups at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.base.transforms import Pose
from solidbody.devices.core.bound import Bound
from solidbody.devices.core.plain import Plain, PlainReader
from solidbody.devices.surfaces.instants import Instant, Show, Visible
from solidbody.devices.surfaces.looks import Surfaces
from solidbody.model.scene import Scene

if TYPE_CHECKING:
    from solidbody.render.engine import RayEngine

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


class ContactPoints(Protocol):
    """Contact points; see `sim/contacts.py`."""

    @property
    def link(self) -> Rows:
        """(n, 2) links."""
        ...

    @property
    def shape(self) -> Rows:
        """(n, 2) shapes of the links."""
        ...

    @property
    def position(self) -> Floats:
        """(n, 3) [m], world."""
        ...

    @property
    def depth(self) -> Floats:
        """(n,) [m]."""
        ...


class CommandState(Protocol):
    """Parts of a simulation's state that devices write."""

    @property
    def propellers(self) -> NDArray[Any]:
        """Rotors and driven propellers: `force` [N] and `moment` [N*m] count for rotors."""
        ...

    @property
    def random(self) -> NDArray[Any]:
        """Where the noise goes on (`base/random_streams.py`); written when a snapshot is taken."""
        ...


class MotorSwitch(Protocol):
    """Takes the power from motors, and gives it back (`sim/motors.py`)."""

    def switch_off(self, rows: Iterable[int]) -> list[tuple[int, float]]:
        """Take all effort from motors; returns what `switch_on` gives back: rows and efforts."""
        ...

    def switch_on(self, efforts: Iterable[tuple[int, float]]) -> None:
        """Give back what `switch_off` has taken."""
        ...


class MotionSource(Protocol):
    """What devices see of a simulation."""

    @property
    def scene(self) -> Scene:
        """What is simulated."""
        ...

    @property
    def step_count(self) -> int:
        """Steps since the start."""
        ...

    @property
    def time_step(self) -> float:
        """[s]."""
        ...

    def poses(self) -> Floats:
        """Return (links, 7): position and quaternion."""
        ...

    def velocities(self) -> Floats:
        """Return (links, 6): linear velocity of the origin, angular velocity."""
        ...

    def joint_states(self) -> Floats:
        """Return (axes, 2): position and velocity."""
        ...

    def axis_row(self, link: int, number: int) -> int:
        """Return the row of an axis of the joint of a link."""
        ...

    def propeller_row(self, link: int, device: int) -> int:
        """Return the row of the shaft of a propeller."""
        ...

    def joint_wrenches(self) -> Floats:
        """Return (links, 6): force and moment on the parent, world axes, about the link's origin."""
        ...

    def start_rotations(self) -> Floats:
        """Return (links, 4): orientations that the wrenches belong to; to be asked before poses are."""
        ...

    def touches(self) -> ContactPoints:
        """Return the contact points of the present poses."""
        ...

    @property
    def motor_states(self) -> NDArray[Any]:
        """Memory of the motors: `reaction` is what each joint transmitted about its axis in the last step."""
        ...

    @property
    def motors(self) -> MotorSwitch:
        """What writes commands of motors."""
        ...

    @property
    def state(self) -> CommandState:
        """See `CommandState`."""
        ...

    def can_sense(self, plain: Plain) -> bool:
        """Whether `plain_reader` can read such a sensor."""
        ...

    def plain_reader(self, plains: Sequence[Plain], to: Sequence[Floats]) -> PlainReader | None:
        """Return what reads plain sensors in one call; None = their groups must."""
        ...

    def felt(self, link: int, device: int) -> dict[int, float]:
        """Return the links that a device touches now with what pushes nothing, and how deep [m]."""
        ...

    def attach_links(self, first: int, second: int, *, shift: Pose | None = None) -> int:
        """Hold two links together; returns a number. ValueError if that is not possible."""
        ...

    def detach_links(self, number: int) -> None:
        """Let go."""
        ...

    def bond_force(self, number: int) -> Floats:
        """Return the force on the second link of such a pair, world axes [N]."""
        ...


class World:
    """The state of the links, asked for at most once per step."""

    def __init__(self, source: MotionSource) -> None:
        self.source = source
        self.scene = source.scene
        self.folder = os.path.dirname(source.scene.source)
        self.log = DiagnosticLog()
        """What devices have to say about their files."""
        self.surfaces = Surfaces()
        self.showing: list[Callable[[], Show]] = []
        """Return what devices change in the ray engine, as they are now."""
        self.gravity: Floats = np.array(source.scene.physics.gravity)
        self._poses: Floats | None = None
        self._velocities: Floats | None = None
        self._joints: Floats | None = None
        self._wrenches: Floats | None = None
        self.start_rotations: Floats = np.zeros((0, 4))
        """Orientations of the links at the start of the last step, once wrenches were asked for."""
        self._contacts: ContactPoints | None = None
        self._rays: RayEngine | None = None
        self._instant: Instant | None = None
        self._first: Instant | None = None
        self._shown: Instant | None = None

    def forget(self) -> None:
        """The simulation has moved on."""
        self._poses = self._velocities = self._joints = self._wrenches = self._contacts = None
        self._instant = None

    def describe_anew(self, scene: Scene) -> None:
        """Go on with a scene in which nothing is different that devices or rays meet."""
        self.scene = scene

    def take_rays_of(self, before: World) -> None:
        """Go on with the ray engine of a scene that looked otherwise, if it can be painted anew."""
        rays = before._rays
        if rays is None or before.surfaces.inks or self.surfaces.inks:
            return
        from solidbody.render.repainting import repaint  # not without an engine, which loads Warp

        before._rays = None
        if repaint(rays, self.scene, self.surfaces.own):
            self._rays = rays

    def look_again(self) -> None:
        """A device looks otherwise now: who looks at the world later in this step sees that."""
        self._instant = None

    @property
    def poses(self) -> Floats:
        """Poses of all links."""
        if self._poses is None:
            self._poses = self.source.poses()
        return self._poses

    @property
    def velocities(self) -> Floats:
        """Velocities of all links."""
        if self._velocities is None:
            self._velocities = self.source.velocities()
        return self._velocities

    @property
    def joints(self) -> Floats:
        """Positions and velocities of all joint axes."""
        if self._joints is None:
            self._joints = self.source.joint_states()
        return self._joints

    @property
    def wrenches(self) -> Floats:
        """What each link exerts on its parent; to be asked before poses are."""
        if self._wrenches is None:
            self._wrenches = self.source.joint_wrenches()
            self.start_rotations = self.source.start_rotations()
        return self._wrenches

    @property
    def contacts(self) -> ContactPoints:
        """Contact points of now."""
        if self._contacts is None:
            self._contacts = self.source.touches()
        return self._contacts

    @property
    def instant(self) -> Instant:
        """The world as it is now, to be looked at now or later."""
        if self._instant is None:
            shows = tuple(look() for look in self.showing)
            step = self.source.step_count
            self._instant = Instant(self, self.poses, self.surfaces.now, shows, step)
            self._first = self._first or self._instant
        return self._instant

    @property
    def rays(self) -> RayEngine:
        """The ray engine, with everything where it is now."""
        return self.rays_at(self.instant)

    def rays_at(self, instant: Instant) -> RayEngine:
        """Return the ray engine, with everything where it was; made when it is first asked for."""
        if self._rays is None:
            # Warp and its kernels are loaded for worlds that look at something, not for others
            from solidbody.render.engine import RayEngine

            self._rays = RayEngine(self.scene, own=self.surfaces.own)
            self._tell_unseen(self._rays.unseen)
            # its tree is built of the first instant that anybody noted, so that late readers of pictures and
            # prompt ones follow rays in the same order: it decides between surfaces at one place
            self.rays_at(self._first or instant)
        if self._shown is not instant:
            self.surfaces.show(self._rays, instant.look)
            for show in instant.shows:
                show(self._rays)
            self._rays.update(instant.poses)
            self._shown = instant
        return self._rays

    def _tell_unseen(self, pictures: dict[str, str]) -> None:
        """Say which pictures are not drawn: those on the web once for all of them."""
        place = SourceSpan(self.scene.source or NOWHERE.file, 1, 1, 1, 1)
        away = [uri for uri in pictures if "://" in uri]
        for uri in sorted(pictures.keys() - set(away)):
            self.log.warning(
                "unseen-picture", place, f'the picture "{uri}" is not drawn: {pictures[uri]}.'
            )
        if away:
            self.log.info(
                "unseen-picture",
                place,
                f"{len(away)} pictures on the web are not drawn ({away[0]}{', ...' * (len(away) > 1)}): they "
                "are in no Webots installation (WEBOTS_HOME) and not in the download cache "
                "(--allow-download fetches them).",
            )


@dataclass(frozen=True, slots=True)
class Places:
    """Frames fixed to links, one row per device."""

    link: Rows
    position: Floats
    rotation: Floats

    @classmethod
    def of(cls, devices: Sequence[Bound]) -> Places:
        """Return the places of these devices."""
        return cls(
            link=np.array([bound.link for bound in devices], dtype=np.intp),
            position=np.array([bound.pose.position for bound in devices]).reshape(-1, 3),
            rotation=np.array([bound.pose.rotation for bound in devices]).reshape(-1, 4),
        )

    @classmethod
    def at(cls, link: int, pose: Pose) -> Places:
        """Return a single place on a link."""
        return cls(
            link=np.array([link], dtype=np.intp),
            position=np.array([pose.position]),
            rotation=np.array([pose.rotation]),
        )

    def positions(self, world: Visible, rows: Rows) -> Floats:
        """Return the origins in the world."""
        pose = world.poses[self.link[rows]]
        return pose[:, :3] + rotate(pose[:, 3:], self.position[rows])

    def rotations(self, world: Visible, rows: Rows) -> Floats:
        """Return the orientations in the world, as quaternions."""
        return multiply(world.poses[self.link[rows], 3:], self.rotation[rows])

    def point_velocities(self, world: World, rows: Rows) -> Floats:
        """Return the velocities of the origins, world axes."""
        link = self.link[rows]
        arm = rotate(world.poses[link, 3:], self.position[rows])
        velocity = world.velocities[link]
        return velocity[:, :3] + cross(velocity[:, 3:], arm)

    def angular_velocities(self, world: World, rows: Rows) -> Floats:
        """Return the angular velocities, world axes."""
        return world.velocities[self.link[rows], 3:]


def cross(a: Floats, b: Floats) -> Floats:
    """Return a x b, row by row."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[:, 0] = a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]
    out[:, 1] = a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]
    out[:, 2] = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return out


def rotate(q: Floats, v: Floats) -> Floats:
    """Return the vectors v rotated by the quaternions q, row by row."""
    u = q[:, 1:]
    twice = 2.0 * cross(u, v)
    return v + q[:, :1] * twice + cross(u, twice)


def unrotate(q: Floats, v: Floats) -> Floats:
    """Return world vectors v in the frames q, row by row."""
    return rotate(q * np.array([1.0, -1.0, -1.0, -1.0]), v)


def multiply(a: Floats, b: Floats) -> Floats:
    """Return the quaternion products a b, row by row."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    aw, av, bw, bv = a[:, :1], a[:, 1:], b[:, :1], b[:, 1:]
    out[:, :1] = aw * bw - np.sum(av * bv, axis=1, keepdims=True)
    out[:, 1:] = aw * bv + bw * av + cross(av, bv)
    return out


def axes_along(x: Floats) -> Floats:
    """Return a right-handed frame (columns) whose first axis is a unit vector."""
    other: Floats = np.eye(3)[int(np.abs(x).argmin())]
    z = cross(x[None], other[None])
    z = z / np.linalg.norm(z)
    return np.concatenate([x[None], cross(z, x[None]), z]).T


def matrix(q: Floats) -> Floats:
    """Return the rotation matrix of one quaternion w x y z."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
