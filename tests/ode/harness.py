"""The same scene in ODE: a `Scene` becomes a dWorld that steps under Webots' rules.

Step order: explicit gyroscopic torque, contacts of the current poses, dWorldStep (the exact
two-phase solver that Webots uses). ODE's bodies sit at their centres of mass; everything handed out
here is about the link origin, world axes, as the product reports it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import (
    Pose,
    Quat,
    Vec3,
    add,
    cross,
    quat_conjugate,
    quat_rotate,
    scale,
    subtract,
)
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryHeightField,
    GeometryMesh,
    GeometryPlane,
    GeometrySphere,
)
from solidbody.model.joints import JointFixed, JointFree, JointHinge, JointSlider
from solidbody.model.links import Body, Link, Motion
from solidbody.model.mass import MassProperties
from solidbody.model.scene import GyroRule, Scene, world_poses
from solidbody.model.shapes import Shape, ShapeRole
from tests.ode import library as ode
from tests.ode.joints import OdeJoint, attach_joint
from tests.ode.surface import Side, surface_parameters
from tests.ode.surfaces import OdeSurfaces, heights_pose
from tests.ode.webots_collider import cylinder_plane_points

MAX_POINTS = 1000
"""Points asked of one dCollide call: Webots asks for 100 and, where they are not enough, again for more."""
MAX_ANGULAR_SPEED = 10000.0
"""[rad/s], as Webots sets on every body."""


@dataclass(slots=True)
class OdeLink:
    """A link of the scene and its ODE body (None: part of the static world)."""

    link: Link
    tree: int
    body: int | None
    center: Vec3
    jointed_to_world: bool = False
    jointed_with: set[int] = field(default_factory=set[int])


@dataclass(frozen=True, slots=True)
class OdePoint:
    """One contact point of the last step; the normal points into the first link."""

    links: tuple[str, str]
    position: Vec3
    normal: Vec3
    depth: float


@dataclass(frozen=True, slots=True)
class GeomRecord:
    """A geom as a step loop outside Python needs to know it."""

    handle: int
    material: str
    tree: int
    jointed_to_world: bool


class OdeWorld:
    """An ODE world built from a scene. Use as a context manager, or call `close`."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.links: list[OdeLink] = []
        self.joints: dict[str, OdeJoint] = {}
        self.points: list[OdePoint] = []
        self.time = 0.0
        self._lib = ode.load()
        self._surfaces = OdeSurfaces(self._lib)
        self._shapes: list[tuple[OdeLink, Shape]] = []
        self._index_of_geom: dict[int, int] = {}
        self._callback = ode.NearCallback(self._collide_pair)
        self._buffer = (ode.ContactGeom * MAX_POINTS)()

        lib, physics = self._lib, scene.physics
        self.world: int | None = lib.dWorldCreate()
        self.space = lib.dSimpleSpaceCreate(None)
        self.contacts = lib.dJointGroupCreate(0)
        lib.dWorldSetGravity(self.world, *physics.gravity)
        lib.dWorldSetERP(self.world, physics.erp)
        lib.dWorldSetCFM(self.world, physics.cfm)
        lib.dWorldSetAutoDisableFlag(self.world, 0)
        lib.dWorldSetLinearDampingThreshold(self.world, 0.0)
        lib.dWorldSetAngularDampingThreshold(self.world, 0.0)
        for tree, body in enumerate(scene.bodies):
            self._add_tree(tree, body)

    # building

    def _add_tree(self, tree: int, body: Body) -> None:
        start = len(self.links)
        poses = world_poses(body)
        for link, pose in zip(body.links, poses, strict=True):
            is_static = link.motion is Motion.KINEMATIC
            node = OdeLink(link, tree, None, (0.0, 0.0, 0.0))
            if not is_static:
                assert link.mass is not None
                node.center = link.mass.center
                node.body = self._add_body(link, link.mass, pose)
            self.links.append(node)
            for shape in link.shapes:
                if shape.role is not ShapeRole.VISUAL:
                    self._add_geom(node, shape, pose)
        for offset, link in enumerate(body.links):
            node = self.links[start + offset]
            parent = None if link.parent is None else self.links[start + link.parent]
            self._add_joint(node, parent, link, None if link.parent is None else poses[link.parent])

    def _add_body(self, link: Link, mass: MassProperties, pose: Pose) -> int:
        lib = self._lib
        body = lib.dBodyCreate(self.world)
        xx, yy, zz, xy, xz, yz = mass.inertia
        record = ode.Mass()
        lib.dMassSetParameters(
            ctypes.byref(record), mass.mass, 0.0, 0.0, 0.0, xx, yy, zz, xy, xz, yz
        )
        lib.dBodySetMass(body, ctypes.byref(record))
        lib.dBodySetPosition(body, *pose.point(mass.center))
        lib.dBodySetQuaternion(body, ode.Quaternion(*pose.rotation))
        w = link.angular_velocity
        v = add(link.linear_velocity, cross(w, pose.direction(mass.center)))
        lib.dBodySetLinearVel(body, *v)
        lib.dBodySetAngularVel(body, *w)
        lib.dBodySetMaxAngularSpeed(body, MAX_ANGULAR_SPEED)
        lib.dBodySetGyroscopicMode(body, int(self.scene.physics.gyro is GyroRule.IMPLICIT))
        damping = self.scene.physics.damping if link.damping is None else link.damping
        h = self.scene.physics.time_step
        lib.dBodySetLinearDamping(body, 1.0 - (1.0 - damping.linear) ** h)
        lib.dBodySetAngularDamping(body, 1.0 - (1.0 - damping.angular) ** h)
        return body

    def _add_geom(self, node: OdeLink, shape: Shape, link_pose: Pose) -> None:
        lib = self._lib
        if isinstance(shape.geometry, GeometryPlane):
            place = link_pose * shape.pose
            normal = place.direction((0.0, 0.0, 1.0))
            offset = sum(n * p for n, p in zip(normal, place.position, strict=True))
            geom = lib.dCreatePlane(self.space, *normal, offset)
        else:
            geom = self._create_geom(shape.geometry)
            if node.body is None:
                place = link_pose * shape.pose
                if isinstance(shape.geometry, GeometryHeightField):
                    place = place * heights_pose(shape.geometry)
                lib.dGeomSetPosition(geom, *place.position)
                lib.dGeomSetQuaternion(geom, ode.Quaternion(*place.rotation))
            else:
                lib.dGeomSetBody(geom, node.body)
                lib.dGeomSetOffsetPosition(geom, *subtract(shape.pose.position, node.center))
                lib.dGeomSetOffsetQuaternion(geom, ode.Quaternion(*shape.pose.rotation))
        self._index_of_geom[geom] = len(self._shapes)
        self._shapes.append((node, shape))

    def _create_geom(self, geometry: Geometry) -> int:
        match geometry:
            case GeometryBox(size):
                return self._lib.dCreateBox(self.space, *size)
            case GeometrySphere(radius):
                return self._lib.dCreateSphere(self.space, radius)
            case GeometryCylinder(radius, height):
                return self._lib.dCreateCylinder(self.space, radius, height)
            case GeometryCapsule(radius, height):
                return self._lib.dCreateCapsule(self.space, radius, height)
            case GeometryMesh():
                return self._surfaces.add_mesh(self.space, geometry)
            case GeometryHeightField():
                return self._surfaces.add_heights(self.space, geometry)
            case _:
                raise ValueError(f"the ODE harness has no {type(geometry).__name__}")

    def _add_joint(
        self, node: OdeLink, parent: OdeLink | None, link: Link, parent_pose: Pose | None
    ) -> None:
        match link.joint:
            case JointFree():
                return
            case JointFixed():
                if node.body is not None:
                    raise ValueError("the ODE harness fixes only static links")
            case JointHinge() | JointSlider() as joint:
                assert node.body is not None
                other = None if parent is None else parent.body
                self.joints[joint.name] = attach_joint(
                    self._lib,
                    self.world,
                    joint,
                    node.body,
                    other,
                    parent_pose or Pose(),
                    self.scene.physics,
                )
                if other is None or parent is None:
                    node.jointed_to_world = True
                else:
                    node.jointed_with.add(id(parent))
                    parent.jointed_with.add(id(node))
            case _:
                raise ValueError(f"the ODE harness has no {type(link.joint).__name__}")

    # stepping

    def step(self, n: int = 1) -> None:
        """Advance by `n` steps."""
        h = self.scene.physics.time_step
        for _ in range(n):
            for joint in self.joints.values():
                joint.command(h)
            if self.scene.physics.gyro is GyroRule.EXPLICIT:
                self._add_gyroscopic_torques()
            self.points.clear()
            self._lib.dSpaceCollide(self.space, None, self._callback)
            self._lib.dWorldStep(self.world, h)
            self._lib.dJointGroupEmpty(self.contacts)
            self.time += h

    def _add_gyroscopic_torques(self) -> None:
        """Add -w x I w at the old velocity, as the ODE inside Webots does."""
        for node in self.links:
            if node.body is None or node.link.mass is None:
                continue
            w = _triple(self._lib.dBodyGetAngularVel(node.body))
            rotation = _quat(self._lib.dBodyGetQuaternion(node.body))
            xx, yy, zz, xy, xz, yz = node.link.mass.inertia
            x, y, z = quat_rotate(quat_conjugate(rotation), w)
            local = (xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z)
            torque = scale(cross(w, quat_rotate(rotation, local)), -1.0)
            self._lib.dBodyAddTorque(node.body, *torque)

    def _collide_pair(self, _data: int | None, geom1: int, geom2: int) -> None:
        i, j = self._index_of_geom[geom1], self._index_of_geom[geom2]
        # the order that ODE's simple space settles on: moving before static, then by creation
        if self._rank(i) > self._rank(j):
            i, j, geom1, geom2 = j, i, geom2, geom1
        one, two = self._shapes[i], self._shapes[j]
        if not self._may_touch(one[0], two[0]):
            return
        lib = self._lib
        found = self._find_points(geom1, geom2, one, two)
        if not found:
            return
        properties = self.scene.contacts.find(one[1].contact_material, two[1].contact_material)
        if len(found) > properties.max_contacts:
            found = sorted(found, key=lambda point: -point.depth)[: properties.max_contacts]
        sides = self._side(geom1, one[1]), self._side(geom2, two[1])
        for point in found:
            normal: Vec3 = (point.normal[0], point.normal[1], point.normal[2])
            record = ode.Contact()
            record.surface, direction = surface_parameters(
                properties, *sides, normal, self.scene.physics.rolling
            )
            record.geom = point
            if direction is not None:
                record.fdir1 = ode.Vector3(*direction, 0.0)
            joint = lib.dJointCreateContact(self.world, self.contacts, ctypes.byref(record))
            lib.dJointAttach(joint, one[0].body, two[0].body)
            position: Vec3 = (point.pos[0], point.pos[1], point.pos[2])
            names = one[0].link.name, two[0].link.name
            self.points.append(OdePoint(names, position, normal, point.depth))

    def _find_points(
        self, geom1: int, geom2: int, one: tuple[OdeLink, Shape], two: tuple[OdeLink, Shape]
    ) -> list[ode.ContactGeom]:
        """Return the contact points of two geoms; cylinders on planes by Webots' collider."""
        match one[1].geometry, two[1].geometry:
            # a plane is static, so it is never the first
            case GeometryCylinder(radius, height), GeometryPlane():
                plane = two[0].link.pose * two[1].pose
                normal = plane.direction((0.0, 0.0, 1.0))
                offset = sum(n * p for n, p in zip(normal, plane.position, strict=True))
                position, rotation = self._lib.dGeomGetPosition(geom1), ode.Quaternion()
                self._lib.dGeomGetQuaternion(geom1, rotation)
                w, x, y, z = rotation
                place = Pose(_triple(position), (w, x, y, z))
                points = cylinder_plane_points(place, radius, height, normal, offset)
                out: list[ode.ContactGeom] = []
                for point, depth in points:
                    record = ode.ContactGeom()
                    record.pos, record.normal = ode.Vector3(*point), ode.Vector3(*normal)
                    record.depth, record.g1, record.g2 = depth, geom1, geom2
                    out.append(record)
                return out
            case _:
                size = ctypes.sizeof(ode.ContactGeom)
                buffer = ctypes.byref(self._buffer)
                count = self._lib.dCollide(geom1, geom2, MAX_POINTS, buffer, size)
                return self._buffer[:count]

    def _rank(self, index: int) -> tuple[bool, int]:
        return self._shapes[index][0].body is None, index

    def _side(self, geom: int, shape: Shape) -> Side:
        if isinstance(shape.geometry, GeometryPlane):
            # ODE keeps no orientation of a plane: take it from the static link
            node = self._shapes[self._index_of_geom[geom]][0]
            rotation = (node.link.pose * shape.pose).rotation
        else:
            buffer = ode.Quaternion()
            self._lib.dGeomGetQuaternion(geom, buffer)
            rotation = (buffer[0], buffer[1], buffer[2], buffer[3])
        return Side(shape.contact_material, rotation, shape.friction_axes)

    def _may_touch(self, one: OdeLink, two: OdeLink) -> bool:
        """Apply Webots' pair filter (rules W5.3.1 to W5.3.3)."""
        if one.body is None and two.body is None:
            return False
        if one.body is None or two.body is None:
            moving = two if one.body is None else one
            return not moving.jointed_to_world
        same_tree = one.tree == two.tree
        if same_tree and not self.scene.bodies[one.tree].collision.self_collision:
            return False
        return id(two) not in one.jointed_with

    # reading

    def poses(self) -> NDArray[np.float64]:
        """Return link poses (link, 7): position [m], quaternion w x y z; in scene order."""
        out = np.full((len(self.links), 7), np.nan)
        for row, node in zip(out, self._placed(), strict=True):
            row[:3], row[3:] = node.position, node.rotation
        return out

    def velocities(self) -> NDArray[np.float64]:
        """Return link velocities (link, 6): linear at the link origin, angular; world axes."""
        out = np.zeros((len(self.links), 6))
        for row, node in zip(out, self.links, strict=True):
            if node.body is None:
                continue
            rotation = _quat(self._lib.dBodyGetQuaternion(node.body))
            w = _triple(self._lib.dBodyGetAngularVel(node.body))
            v = _triple(self._lib.dBodyGetLinearVel(node.body))
            row[:3] = subtract(v, cross(w, quat_rotate(rotation, node.center)))
            row[3:] = w
        return out

    def _placed(self) -> Iterator[Pose]:
        starts = [pose for body in self.scene.bodies for pose in world_poses(body)]
        for node, start in zip(self.links, starts, strict=True):
            if node.body is None:
                yield start
                continue
            position = _triple(self._lib.dBodyGetPosition(node.body))
            rotation = _quat(self._lib.dBodyGetQuaternion(node.body))
            yield Pose(subtract(position, quat_rotate(rotation, node.center)), rotation)

    def geom_records(self) -> list[GeomRecord]:
        """Return every geom, in the order of creation."""
        return [
            GeomRecord(handle, shape.contact_material, node.tree, node.jointed_to_world)
            for handle, (node, shape) in zip(self._index_of_geom, self._shapes, strict=True)
        ]

    def joint(self, name: str) -> OdeJoint:
        """Return the joint called `name`."""
        return self.joints[name]

    # ending

    def close(self) -> None:
        """Destroy the world; a second call does nothing."""
        if self.world is not None:
            self._lib.dJointGroupDestroy(self.contacts)
            self._lib.dSpaceDestroy(self.space)
            self._lib.dWorldDestroy(self.world)
            self._surfaces.close()
            self.world = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _triple(values: ctypes._Pointer[ctypes.c_double]) -> Vec3:
    return values[0], values[1], values[2]


def _quat(values: ctypes._Pointer[ctypes.c_double]) -> Quat:
    return values[0], values[1], values[2], values[3]
