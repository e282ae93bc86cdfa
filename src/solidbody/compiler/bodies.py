"""Builds an MjSpec from links, joints and shapes: MuJoCo bodies, joints and geoms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import ZERO, Pose, Vec3
from solidbody.compiler.collision_filters import (
    GROUND_HULL_BITS,
    NO_BITS,
    STATIC_BITS,
    collision_bits,
    hull_bits,
    ignored_pairs,
    surface_bits,
)
from solidbody.compiler.convex_decomposition import ConvexParts, is_cut_when_met, moving_links
from solidbody.compiler.geoms import FormBuilder, is_convex, primitive_form
from solidbody.compiler.loops import LoopBuilder
from solidbody.model.geometry import GeometryHeightField
from solidbody.model.joints import (
    Coupling,
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
from solidbody.model.scene import world_poses
from solidbody.model.shapes import Shape, ShapeRole

CONTACT_MARGIN = 1e-9
"""[m] Touching counts as contact, as in ODE; a larger margin would add contacts ODE does not see."""

LEAST_MOMENT = 1e-14
"""[kg*m^2] What stands in for smaller moments, which MuJoCo refuses (its limit is 1e-15, after rounding)."""

LEAST_RANGE = 1e-9
"""[rad] or [m] Half of the range of a joint that is held: MuJoCo wants one."""

LEAST_MASS = 1e-12
"""[kg] What stands in for a moving link without mass, which MuJoCo refuses; nothing real is as light."""

VISUAL_GROUP = 2
COLLISION_GROUP = 3

Spec = Any
"""MjSpec and its elements have no static types."""


@dataclass(slots=True)
class LinkPart:
    """What became of one link: its MuJoCo body, where the link frame sits in it, whether it moves.

    `rides`: it is part of the body above; `moves`: physics moves it or what it rides on;
    `parent_offset`: the parent link's frame in the parent body (the world, if it does not ride).
    """

    link: Link
    body: Spec
    offset: Pose
    world: Pose
    rides: bool
    moves: bool
    parent_offset: Pose
    suspension: tuple[JointAxis, Spec] | None = None
    joints: list[tuple[JointAxis, Spec]] = field(default_factory=list[tuple[JointAxis, Spec]])


@dataclass(frozen=True, slots=True)
class Room:
    """A still mesh that is inside out: which way it faces depends on who starts within its box.

    Attributes:
        link: Row of its link.
        frame: From the world to its frame.
        low: Corner of its box.
        high: The opposite corner.
    """

    link: int
    frame: Pose
    low: Vec3
    high: Vec3

    def holds(self, at: Vec3) -> bool:
        """Whether a place in the world is in its box."""
        here = zip(self.low, self.frame.point(at), self.high, strict=True)
        return all(low < x < high for low, x, high in here)


@dataclass(slots=True)
class SpecBuilder:
    """Builds the MjSpec of a scene, link by link.

    For simulation, floating bodies have their origin at the centre of mass, kinematic links can be
    moved, and shapes that only look are left out. For export, frames stay where the file has them,
    kinematic links are static bodies, and every shape is written.
    """

    spec: Spec
    log: DiagnosticLog
    for_export: bool
    forms: FormBuilder
    mesh_parts: ConvexParts
    moving_places: Sequence[Vec3] = ()
    parts: list[LinkPart] = field(default_factory=list[LinkPart])
    geoms: list[tuple[Shape, Spec]] = field(default_factory=list[tuple[Shape, Spec]])
    owners: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Of each geom: row of its link in `parts`, number of its shape in `Link.shapes`."""
    rooms: list[Room] = field(default_factory=list[Room])
    centred: bool = True
    """Whether floating bodies have their origin at the centre of mass."""

    def add_body(self, body: Body) -> None:
        """Add all links of one body and the pairs that ignore each other."""
        first = len(self.parts)
        for link, world, moves in zip(
            body.links, world_poses(body), moving_links(body), strict=True
        ):
            parent = None if link.parent is None else self.parts[first + link.parent]
            self._add_link(body, link, world, parent, moves)
        for a, b in ignored_pairs(body):
            self.spec.add_exclude(
                bodyname1=self.parts[first + a].body.name, bodyname2=self.parts[first + b].body.name
            )

        here = {part.link.path: part for part in self.parts[first:]}
        for coupling in body.couplings:
            self._couple(coupling, here)
        if not self.for_export:
            return
        builder = LoopBuilder(self.spec, here, self.log)
        for loop in body.loops:
            builder.add(loop)

    def keep_apart(self, bodies: Sequence[Body]) -> None:
        """Name the pairs of links of different bodies that ignore each other."""
        named = [pair for body in bodies for pair in body.collision.disabled_pairs]
        if not named:
            return
        home = {link.path: number for number, body in enumerate(bodies) for link in body.links}
        parts = {part.link.path: part for part in self.parts}
        for a, b in named:
            if a in home and b in home and home[a] != home[b]:
                self.spec.add_exclude(bodyname1=parts[a].body.name, bodyname2=parts[b].body.name)

    def _couple(self, coupling: Coupling, parts: Mapping[str, LinkPart]) -> None:
        """Let one joint follow another: MuJoCo's row, under our law; it counts from the start."""
        joints = [parts[path].joints for path in (coupling.follower, coupling.leader)]
        if not all(joints):
            self.log.warning(
                "no-coupling",
                coupling.span,
                "only hinges and sliders that forces move follow each other; left out",
                node=coupling.follower,
            )
            return
        (follower, one), (leader, other) = joints[0][0], joints[1][0]
        start = coupling.multiplier * leader.position + coupling.offset - follower.position
        self.spec.add_equality(
            type=mujoco.mjtEq.mjEQ_JOINT,
            objtype=mujoco.mjtObj.mjOBJ_JOINT,
            name1=one.name,
            name2=other.name,
            data=[start, coupling.multiplier] + [0.0] * (mujoco.mjNEQDATA - 2),
        )

    def _add_link(
        self, body: Body, link: Link, world: Pose, parent: LinkPart | None, moves: bool
    ) -> None:
        part = self.add_frame(body, link, world, parent, moves)
        bits = collision_bits(body, link)
        for number, shape in enumerate(link.shapes):
            before = len(self.geoms)
            self.add_shape(part, shape, bits)
            self.owners += [(len(self.parts) - 1, number)] * (len(self.geoms) - before)

    def add_frame(
        self, body: Body, link: Link, world: Pose, parent: LinkPart | None, moves: bool
    ) -> LinkPart:
        """Add a link with its mass and its joint, but without shapes."""
        floats = link.motion is Motion.DYNAMIC and isinstance(link.joint, JointFree)
        rides = parent is not None and not floats
        if floats and self.centred and not self.for_export:
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
        element = home.add_body(name=mujoco_name(link), pos=pose.position, quat=pose.rotation)
        element.mocap = not (rides or self.for_export) and link.motion is Motion.KINEMATIC
        above = parent.offset if rides and parent is not None else Pose()
        part = LinkPart(link, element, offset, world, rides, moves, above)
        self.parts.append(part)
        if link.motion is Motion.DYNAMIC:
            assert link.mass is not None
            set_inertia(element, link.mass, offset)
            if link.mass.mass < LEAST_MASS and not isinstance(link.joint, JointFixed):
                element.mass = LEAST_MASS
                if not _carries_mass(body, link):
                    self.log.warning(
                        "massless-link",
                        link.span,
                        f"a link that moves needs a mass; {LEAST_MASS:g} kg is used",
                        node=link.path,
                    )
            elif link.mass != MassProperties(0.0) and not is_real_inertia(link.mass):
                self.log.warning(
                    "inertia-triangle",
                    link.span,
                    "no body has this inertia: a principal moment is not positive or exceeds the "
                    + ("sum of the others; written reduced" if self.for_export else "others' sum"),
                    node=link.path,
                )
            self._add_joint(part, link.joint)
        return part

    def _add_joint(self, part: LinkPart, joint: Joint) -> None:
        link, inverse = part.link, part.link.pose.inverse()
        match joint:
            case JointFree():
                part.body.add_freejoint(name=f"{link.name} free")
            case JointFixed():
                pass
            case JointHinge():
                self._add_suspension(part, joint, inverse)
                self._add_axis(part, joint.name, "HINGE", joint.axis, inverse, joint.anchor)
            case JointSlider():
                self._add_axis(part, joint.name, "SLIDE", joint.axis, inverse, (0.0, 0.0, 0.0))
            case JointHinge2():
                self._add_suspension(part, joint, inverse)
                for number, axis in enumerate((joint.axis1, joint.axis2)):
                    self._add_axis(
                        part, f"{joint.name}[{number}]", "HINGE", axis, inverse, joint.anchor
                    )
            case JointBall():
                part.body.add_joint(
                    name=joint.name,
                    type=mujoco.mjtJoint.mjJNT_BALL,
                    pos=inverse.point(joint.anchor),
                    armature=joint.axis1.armature,
                )
            case JointTrack():
                pass

    def _add_suspension(self, part: LinkPart, joint: JointHinge | JointHinge2, turn: Pose) -> None:
        """Let the anchor slide against the parent: a spring-damper along one direction."""
        sprung = joint.suspension
        if sprung is None:
            return
        axis = JointAxis(sprung.direction, spring=sprung.spring, damping=sprung.damping)
        self._add_axis(part, f"{joint.name} suspension", "SLIDE", axis, turn, (0.0, 0.0, 0.0))
        part.suspension = part.joints.pop()

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
            springref=axis.spring_rest,
            damping=axis.damping,
            frictionloss=axis.static_friction,
        )
        if axis.stops is not None and math.isfinite(axis.stops.low + axis.stops.high):
            element.limited = mujoco.mjtLimited.mjLIMITED_TRUE
            element.range = open_range(axis.stops.low, axis.stops.high)
        part.joints.append((axis, element))

    def add_shape(self, part: LinkPart, shape: Shape, bits: tuple[int, int]) -> None:
        """Add the geoms of a shape, if it collides."""
        collides = shape.role is not ShapeRole.VISUAL
        if not collides and not self.for_export:
            return
        form = primitive_form(shape.geometry)
        if form is None:
            for geom in self._add_surface(part, shape, bits if collides else NO_BITS):
                self._finish_geom(shape, geom)
            return
        kind, size = form
        owner, pose = part.body, part.offset * shape.pose
        if kind == mujoco.mjtGeom.mjGEOM_PLANE:
            bits = surface_bits(bits)
            if part.rides or part.link.motion is Motion.DYNAMIC:
                # a plane is never attached to a body: it stays a half-space of the static world
                owner, pose = self.spec.worldbody, part.world * shape.pose
                bits = surface_bits(STATIC_BITS)
        geom = owner.add_geom(
            type=kind,
            size=size,
            pos=pose.position,
            quat=pose.rotation,
            contype=bits[0] if collides else 0,
            conaffinity=bits[1] if collides else 0,
        )
        self._finish_geom(shape, geom)

    def _finish_geom(self, shape: Shape, geom: Spec) -> None:
        geom.group = COLLISION_GROUP if shape.role is ShapeRole.COLLISION else VISUAL_GROUP
        geom.margin = CONTACT_MARGIN if shape.role is not ShapeRole.VISUAL else 0.0
        if shape.appearance is not None:
            look = shape.appearance
            geom.rgba = (*look.base_color, 1.0 - look.transparency)
        self.geoms.append((shape, geom))

    def _add_surface(self, part: LinkPart, shape: Shape, bits: tuple[int, int]) -> list[Spec]:
        """Add the geoms of a form made of triangles; none if there is nothing to touch."""
        place = (part.world * shape.pose).inverse()
        inmates = () if part.moves else [place.point(at) for at in self.moving_places]
        surface = self.forms.surface(shape.geometry, inmates)
        if (
            surface is not None
            and inmates
            and surface is not self.forms.surface(shape.geometry, ())
        ):
            low, high = surface[0].min(axis=0), surface[0].max(axis=0)
            self.rooms.append(Room(len(self.parts) - 1, place, _vector(low), _vector(high)))
        name = type(shape.geometry).__name__.removeprefix("Geometry").lower()
        if surface is None or not len(surface[1]):
            if shape.role is not ShapeRole.VISUAL:
                reason = "has no triangle with an area" if surface else "has no surface"
                self._warn_form(part, shape, f"this {name} {reason}: it does not collide")
            return []
        points, faces = surface
        pose = part.offset * shape.pose
        if self.for_export and isinstance(shape.geometry, GeometryHeightField):
            return [
                self.forms.add_height_field(part.body, pose, shape.geometry, surface_bits(bits))
            ]
        if self.for_export:
            if bits != NO_BITS and not is_convex(points, faces):
                self._warn_form(part, shape, f"MuJoCo collides this {name} as its convex hull")
            return [self.forms.add_drawn(part.body, pose, surface, bits)]
        if isinstance(shape.geometry, GeometryHeightField):
            depth = shape.geometry.thickness
            ground = self.forms.add_terrain(
                part.body, pose, surface, surface_bits(bits), heights_above=depth
            )
            if not part.moves or not bits[1] & STATIC_BITS[0]:
                return [ground]
            # what our collider does not know, planes and other triangles, meets the hull of the ground
            bottom = points.copy()
            bottom[:, 2] = points[:, 2].min() - depth
            hull = np.concatenate([points, bottom])
            return [ground, *self.forms.add_hulls(part.body, pose, [hull], GROUND_HULL_BITS, hull)]
        if not part.moves:
            return [self.forms.add_terrain(part.body, pose, surface, surface_bits(bits))]
        if id(shape.geometry) not in self.mesh_parts.hollow:
            return self.hulls_of(part, shape, bits)
        if is_cut_when_met(part.link):
            hull, vertices = points[np.unique(faces)], self.forms.vertices(shape.geometry, points)
            allowed, node = hull_bits(bits), part.link.path
            hulls = [self.forms.add_hollow(part.body, pose, shape, hull, allowed, vertices, node)]
        else:
            hulls = self.hulls_of(part, shape, hull_bits(bits))
        self.forms.add_skin(hulls[0], pose, surface, bits)
        return hulls

    def hulls_of(self, part: LinkPart, shape: Shape, bits: tuple[int, int]) -> list[Spec]:
        """Add the convex parts of a form of triangles, its hull where it has none."""
        surface = self.forms.surface(shape.geometry, ())
        if surface is None or not len(surface[1]):
            return []
        points, faces = surface
        hulls = self.mesh_parts.parts.get(id(shape.geometry), [points[np.unique(faces)]])
        failure = self.mesh_parts.failures.get(id(shape.geometry))
        if failure is not None:
            self._warn_form(
                part, shape, f"this hollow mesh meets other meshes as its convex hull: {failure}"
            )
        vertices = self.forms.vertices(shape.geometry, points)
        return self.forms.add_hulls(part.body, part.offset * shape.pose, hulls, bits, vertices)

    def _warn_form(self, part: LinkPart, shape: Shape, text: str) -> None:
        self.log.warning("collision-form", shape.span, text, node=part.link.path)


def _carries_mass(body: Body, link: Link) -> bool:
    """Whether something fixed to a link has mass: a frame on the ground that the robot stands on has none."""
    carried: set[int] = set()
    for index, other in enumerate(body.links):
        if other is link or (other.parent in carried and isinstance(other.joint, JointFixed)):
            carried.add(index)
            if other.mass is not None and other.mass.mass >= LEAST_MASS:
                return True
    return False


def mujoco_name(link: Link) -> str:
    """Return a body name that MuJoCo accepts: its own root is called "world"."""
    return link.name if link.name not in ("world", "") else f"{link.name} (link)"


def has_velocity(link: Link) -> bool:
    """Whether the link starts with a velocity."""
    return link.linear_velocity != ZERO or link.angular_velocity != ZERO


def open_range(low: float, high: float) -> tuple[float, float]:
    """Return a range that MuJoCo takes: one whose ends are the same is as good as that."""
    return (low, high) if low < high else (low - LEAST_RANGE, low + LEAST_RANGE)


def principal_moments(mass: MassProperties) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the principal moments, ascending, and the axes as columns of a rotation."""
    xx, yy, zz, xy, xz, yz = mass.inertia
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    if np.linalg.det(axes) < 0:
        axes[:, 2] *= -1
    return moments, axes


def is_real_inertia(mass: MassProperties) -> bool:
    """Whether a body can have this tensor: positive moments, none above the sum of the others."""
    moments, _ = principal_moments(mass)
    return bool(moments[0] >= LEAST_MOMENT and moments[0] + moments[1] >= moments[2] * (1 - 1e-9))


def set_inertia(element: Spec, mass: MassProperties, offset: Pose) -> None:
    """Write mass properties.

    MuJoCo refuses a tensor that no body can have: the nearest one that it takes is written instead
    (the simulation puts the real one back afterwards).
    """
    element.explicitinertial = True
    element.mass = mass.mass
    element.ipos = offset.point(mass.center)
    moments, axes = principal_moments(mass)
    if moments[0] >= LEAST_MOMENT and moments[0] + moments[1] >= moments[2] * (1 + 1e-12):
        element.fullinertia = mass.inertia
        return
    moments = np.maximum(moments, LEAST_MOMENT)
    moments[2] = min(moments[2], (moments[0] + moments[1]) * (1 - 1e-12))  # room for rounding
    moments[1] = min(moments[1], moments[2])
    if moments[2] <= 10.0 * LEAST_MOMENT:  # turned, rounding would take MuJoCo below its limit
        axes = np.eye(3)
    full = axes @ np.diag(moments) @ axes.T
    element.fullinertia = (full[0, 0], full[1, 1], full[2, 2], full[0, 1], full[0, 2], full[1, 2])


def _vector(v: NDArray[np.float64]) -> Vec3:
    x, y, z = v.tolist()
    return x, y, z
