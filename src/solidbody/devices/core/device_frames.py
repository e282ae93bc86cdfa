"""World poses and velocities of device frames, for whole groups at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.extras import needs
from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.base.transforms import Pose
from solidbody.base.vectors import cross, multiply, rotate
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.plain import Plain, PlainReader
from solidbody.devices.surfaces.looks import SurfaceLooks
from solidbody.devices.surfaces.render_snapshot import RenderSnapshot, Show, Visible
from solidbody.model.devices import DeviceCamera
from solidbody.model.scene import Scene

if TYPE_CHECKING:
    from solidbody.render.ray_engine import EngineParts, RayEngine

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


class TouchPoints(Protocol):
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

    def touches(self) -> TouchPoints:
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


class DeviceWorld:
    """The state of the links, asked for at most once per step."""

    def __init__(self, source: MotionSource) -> None:
        self.source = source
        self.scene = self._painted = source.scene
        self.folder = os.path.dirname(source.scene.source)
        self.log = DiagnosticLog()
        """What devices have to say about their files."""
        self.surfaces = SurfaceLooks()
        self.showing: list[Callable[[], Show]] = []
        """Return what devices change in the ray engine, as they are now."""
        self.gravity: Floats = np.array(source.scene.physics.gravity)
        self._poses: Floats | None = None
        self._velocities: Floats | None = None
        self._joints: Floats | None = None
        self._wrenches: Floats | None = None
        self.start_rotations: Floats = np.zeros((0, 4))
        """Orientations of the links at the start of the last step, once wrenches were asked for."""
        self._contacts: TouchPoints | None = None
        self.ray_device: str | None = None
        """Where rays are followed: see `RayEngine`; to be set before they are."""
        self._rays: RayEngine | None = None
        self._parts: EngineParts | None = None
        self._instant: RenderSnapshot | None = None
        self._first: RenderSnapshot | None = None
        self._shown: RenderSnapshot | None = None

    def forget(self, *, keeps_wrenches: bool = False) -> None:
        """The simulation has moved on; `keeps_wrenches`: something has moved, and the step is the same."""
        self._poses = self._velocities = self._joints = self._contacts = None
        self._instant = None
        if not keeps_wrenches:
            self._wrenches = None

    def describe_anew(self, scene: Scene, *, painted: bool) -> None:
        """Go on with a scene in which nothing is different that devices know; `painted`: but rays meet."""
        self.scene = scene
        if painted:
            self._painted, self._instant = scene, None

    def drop_rays(self) -> None:
        """Shapes have looks of their own that the ray engine has no room for: it needs another one."""
        if self._rays is not None:
            self._parts, self._rays = self._rays.parts, None
        self._first = self._instant = self._shown = None

    def take_rays_of(self, before: DeviceWorld) -> None:
        """Go on with the ray engine of another scene: painted anew, or with what is the same in both."""
        rays, before._rays = before._rays, None
        if rays is None:
            self._parts = before._parts
            return
        before._parts = rays.parts
        if not before.surfaces.inks and self._repaint(rays, self.scene):
            self._rays = rays
        else:
            self._parts = rays.parts

    def _repaint(self, rays: RayEngine, scene: Scene) -> bool:
        """Let a ray engine look as a scene does; False = it needs another one."""
        # not without an engine, which loads Warp
        from solidbody.render.material_updates import update_materials

        return not self.surfaces.inks and update_materials(rays, scene, self.surfaces.own)

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

    def note_wrenches(self) -> None:
        """Work out what each link exerts on its parent; to be done before poses are asked for."""
        if self._wrenches is None:
            self._wrenches = self.source.joint_wrenches()
            self.start_rotations = self.source.start_rotations()

    @property
    def wrenches(self) -> Floats:
        """What each link exerts on its parent."""
        self.note_wrenches()
        assert self._wrenches is not None
        return self._wrenches

    @property
    def contacts(self) -> TouchPoints:
        """Contact points of now."""
        if self._contacts is None:
            self._contacts = self.source.touches()
        return self._contacts

    @property
    def snapshot(self) -> RenderSnapshot:
        """The world as it is now, to be looked at now or later."""
        if self._instant is None:
            shows = tuple(look() for look in self.showing)
            step = self.source.step_count
            look = self.surfaces.now
            self._instant = RenderSnapshot(self, self._painted, self.poses, look, shows, step)
            self._first = self._first or self._instant
        return self._instant

    @property
    def rays(self) -> RayEngine:
        """The ray engine, with everything where it is now."""
        return self.rays_at(self.snapshot)

    def rays_at(self, snapshot: RenderSnapshot) -> RayEngine:
        """Return the ray engine, with everything where it was; made when it is first asked for."""
        if self._rays is not None and self._rays.scene is not snapshot.painted:
            self._shown = None
            if not self._repaint(self._rays, snapshot.painted):
                self._parts, self._rays, self._first = self._rays.parts, None, snapshot
        if self._rays is None:
            # Warp and its kernels are loaded for worlds that look at something, not for others
            from solidbody.render.ray_engine import RayEngine

            own = self.surfaces.own
            self._rays = RayEngine(
                snapshot.painted, device=self.ray_device, own=own, parts=self._parts
            )
            self._parts = None
            self.surfaces.begin()
            self._tell_unseen(self._rays.unseen)
            self._tell_plain(self._rays)
            # its tree is built of the first snapshot that anybody noted, so that late readers of pictures and
            # prompt ones follow rays in the same order: it decides between surfaces at one place
            self.rays_at(self._first or snapshot)
        if self._shown is not snapshot:
            self.surfaces.show(self._rays, snapshot.look)
            for show in snapshot.shows:
                show(self._rays)
            self._rays.update(snapshot.poses)
            self._shown = snapshot
        return self._rays

    def _tell_plain(self, rays: RayEngine) -> None:
        """Say that pictures are plain without Warp, once there are cameras."""
        for link in self.scene.links() if rays.is_plain else ():
            for device in link.devices:
                if isinstance(device, DeviceCamera):
                    self.log.warning(
                        "plain-pictures",
                        device.span,
                        "pictures of cameras have no textures, lamps and shadows: all of that "
                        f"{needs('cameras')}.",
                        node=device.name,
                    )
                    return

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
class DeviceFrames:
    """Frames fixed to links, one row per device."""

    link: Rows
    position: Floats
    rotation: Floats

    @classmethod
    def of(cls, devices: Sequence[BoundDevice]) -> DeviceFrames:
        """Return the places of these devices."""
        return cls(
            link=np.array([bound.link for bound in devices], dtype=np.intp),
            position=np.array([bound.pose.position for bound in devices]).reshape(-1, 3),
            rotation=np.array([bound.pose.rotation for bound in devices]).reshape(-1, 4),
        )

    @classmethod
    def at(cls, link: int, pose: Pose) -> DeviceFrames:
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

    def point_velocities(self, world: DeviceWorld, rows: Rows) -> Floats:
        """Return the velocities of the origins, world axes."""
        link = self.link[rows]
        arm = rotate(world.poses[link, 3:], self.position[rows])
        velocity = world.velocities[link]
        return velocity[:, :3] + cross(velocity[:, 3:], arm)

    def angular_velocities(self, world: DeviceWorld, rows: Rows) -> Floats:
        """Return the angular velocities, world axes."""
        return world.velocities[self.link[rows], 3:]
