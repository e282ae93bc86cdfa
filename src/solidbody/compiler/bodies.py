"""Links, joints and shapes as MuJoCo bodies, joints and geoms of an MjSpec."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose, Vec3
from solidbody.compiler.axes import scalar_axes
from solidbody.compiler.filters import STATIC_BITS, collision_bits, ignored_pairs
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryPlane,
    GeometrySphere,
)
from solidbody.model.joints import (
    Joint,
    JointAxis,
    JointBall,
    JointFixed,
    JointFree,
    JointHinge,
    JointHinge2,
    JointSlider,
    JointTrack,
)
from solidbody.model.links import Body, Link, Motion
from solidbody.model.mass import MassProperties
from solidbody.model.scene import Scene, world_poses
from solidbody.model.shapes import Shape, ShapeRole

CONTACT_MARGIN = 1e-9
"""[m] Touching counts as contact, as in ODE; a larger margin would add contacts ODE does not see."""

VISUAL_GROUP = 2
COLLISION_GROUP = 3

Spec = Any
"""MjSpec and its elements have no static types."""


@dataclass(slots=True)
class LinkPart:
    """What became of one link: its MuJoCo body and where the link frame sits in it."""

    link: Link
    body: Spec
    offset: Pose
    world: Pose
    joints: list[tuple[JointAxis, Spec]] = field(default_factory=list[tuple[JointAxis, Spec]])
    override_inertia: bool = False


@dataclass(slots=True)
class SpecBuilder:
    """Builds the MjSpec of a scene, link by link."""

    scene: Scene
    spec: Spec
    log: DiagnosticLog
    with_visuals: bool
    parts: list[LinkPart] = field(default_factory=list[LinkPart])
    geoms: list[tuple[Shape, Spec]] = field(default_factory=list[tuple[Shape, Spec]])

    def add_body(self, body: Body) -> None:
        """Add all links of one body and the pairs that ignore each other."""
        first = len(self.parts)
        for link, world in zip(body.links, world_poses(body), strict=True):
            parent = None if link.parent is None else self.parts[first + link.parent]
            self._add_link(body, link, world, parent)
        for a, b in ignored_pairs(body):
            self.spec.add_exclude(
                bodyname1=self.parts[first + a].body.name, bodyname2=self.parts[first + b].body.name
            )

    def _add_link(self, body: Body, link: Link, world: Pose, parent: LinkPart | None) -> None:
        floats = link.motion is Motion.DYNAMIC and isinstance(link.joint, JointFree)
        rides = parent is not None and not floats and not self._is_mocap(link, parent)
        if floats:
            # the centre of mass is the origin, so that it moves in a straight line in free flight
            # and ODE's integration of position holds exactly
            assert link.mass is not None
            offset = Pose(tuple(-x for x in link.mass.center))  # type: ignore[arg-type]
        else:
            offset = Pose()
        frame = world * offset.inverse()
        if rides and parent is not None:
            home, pose = parent.body, parent.offset * link.pose
        else:
            home, pose = self.spec.worldbody, frame
        element = home.add_body(
            name=mujoco_name(link), pos=pose.position, quat=pose.rotation
        )
        element.mocap = not rides and link.motion is Motion.KINEMATIC
        part = LinkPart(link, element, offset, world)
        self.parts.append(part)
        if link.motion is Motion.DYNAMIC:
            assert link.mass is not None
            part.override_inertia = set_inertia(element, link.mass, offset)
            self._add_joint(part, link.joint)
        elif not isinstance(link.joint, JointFixed | JointFree):
            self.log.warning(
                "kinematic-joint",
                link.joint.span,
                f'the joint of "{link.name}" moves a part without physics: it is held still',
                node=link.path,
            )
        bits = collision_bits(body, link)
        for shape in link.shapes:
            self._add_shape(part, shape, bits)

    def _is_mocap(self, link: Link, parent: LinkPart) -> bool:
        """A kinematic link below a kinematic one is placed by the program, not by its parent."""
        return link.motion is Motion.KINEMATIC and parent.link.motion is Motion.KINEMATIC

    def _add_joint(self, part: LinkPart, joint: Joint) -> None:
        link, inverse = part.link, part.link.pose.inverse()
        match joint:
            case JointFree():
                part.body.add_freejoint(name=f"{link.name} free")
            case JointFixed():
                pass
            case JointHinge():
                self._add_axis(part, joint.name, "HINGE", joint.axis, inverse, joint.anchor)
            case JointSlider():
                self._add_axis(part, joint.name, "SLIDE", joint.axis, inverse, (0.0, 0.0, 0.0))
            case JointHinge2():
                for number, axis in enumerate((joint.axis1, joint.axis2), start=1):
                    self._add_axis(
                        part, f"{joint.name} {number}", "HINGE", axis, inverse, joint.anchor
                    )
            case JointBall():
                part.body.add_joint(
                    name=joint.name, type=mujoco.mjtJoint.mjJNT_BALL, pos=inverse.point(joint.anchor)
                )
            case JointTrack():
                self.log.warning(
                    "track-surface", joint.span, "the surface of a track does not move yet",
                    node=link.path,
                )
        if isinstance(joint, JointHinge | JointHinge2) and joint.suspension is not None:
            self.log.warning(
                "suspension", joint.span, "the suspension of a hinge is rigid here", node=link.path
            )

    def _add_axis(
        self, part: LinkPart, name: str, kind: str, axis: JointAxis, inverse: Pose, anchor: Vec3
    ) -> None:
        element = part.body.add_joint(
            name=name,
            type=getattr(mujoco.mjtJoint, f"mjJNT_{kind}"),
            axis=inverse.direction(axis.direction),
            pos=inverse.point(anchor),
            ref=axis.position,
            armature=axis.armature,
            stiffness=axis.spring,
            springref=0.0,
            damping=axis.damping,
            frictionloss=axis.static_friction,
        )
        if axis.stops is not None and math.isfinite(axis.stops.low + axis.stops.high):
            element.limited = mujoco.mjtLimited.mjLIMITED_TRUE
            element.range = (axis.stops.low, axis.stops.high)
        part.joints.append((axis, element))

    def _add_shape(self, part: LinkPart, shape: Shape, bits: tuple[int, int]) -> None:
        collides = shape.role is not ShapeRole.VISUAL
        if not collides and not self.with_visuals:
            return
        form = geom_form(shape.geometry)
        if form is None:
            name = type(shape.geometry).__name__.removeprefix("Geometry").lower()
            if collides:
                self.log.warning(
                    "collision-form", shape.span, f"a {name} does not collide yet",
                    node=part.link.path,
                )
            return
        kind, size = form
        owner, pose = part.body, part.offset * shape.pose
        if kind == mujoco.mjtGeom.mjGEOM_PLANE and part.link.motion is Motion.DYNAMIC:
            # a plane is never attached to a body: it stays a half-space of the static world
            owner, pose, bits = self.spec.worldbody, part.world * shape.pose, STATIC_BITS
        geom = owner.add_geom(
            type=kind,
            size=size,
            pos=pose.position,
            quat=pose.rotation,
            contype=bits[0] if collides else 0,
            conaffinity=bits[1] if collides else 0,
            group=COLLISION_GROUP if shape.role is ShapeRole.COLLISION else VISUAL_GROUP,
            margin=CONTACT_MARGIN if collides else 0.0,
        )
        if shape.appearance is not None:
            look = shape.appearance
            geom.rgba = (*look.base_color, 1.0 - look.transparency)
        self.geoms.append((shape, geom))


def mujoco_name(link: Link) -> str:
    """Return a body name that MuJoCo accepts: its own root is called "world"."""
    return link.name if link.name not in ("world", "") else f"{link.name or 'link'}(1)"


def set_inertia(element: Spec, mass: MassProperties, offset: Pose) -> bool:
    """Write mass properties; returns True if MuJoCo's checks would refuse the tensor as it is.

    Principal moments of a real body obey the triangle inequality, but files break it; then a
    stand-in is compiled and the real numbers are put in place afterwards.
    """
    xx, yy, zz, xy, xz, yz = mass.inertia
    moments = np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    refused = moments[0] + moments[1] < moments[2] * (1 - 1e-9) or moments[0] <= 0.0
    element.explicitinertial = True
    element.mass = mass.mass
    element.ipos = offset.point(mass.center)
    if refused:
        element.fullinertia = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    else:
        element.fullinertia = (xx, yy, zz, xy, xz, yz)
    return bool(refused)


def geom_form(geometry: Geometry) -> tuple[Any, tuple[float, float, float]] | None:
    """Return (MuJoCo geom type, half sizes), or None for forms that have no MuJoCo primitive."""
    kinds = mujoco.mjtGeom
    match geometry:
        case GeometryBox(size=(x, y, z)):
            return kinds.mjGEOM_BOX, (x / 2, y / 2, z / 2)
        case GeometrySphere(radius=r):
            return kinds.mjGEOM_SPHERE, (r, 0.0, 0.0)
        case GeometryCylinder(radius=r, height=h):
            return kinds.mjGEOM_CYLINDER, (r, h / 2, 0.0)
        case GeometryCapsule(radius=r, height=h):
            return kinds.mjGEOM_CAPSULE, (r, h / 2, 0.0)
        case GeometryPlane(size=(x, y)):
            return kinds.mjGEOM_PLANE, (x / 2, y / 2, 1.0)
        case _:
            return None
