"""Writes the state of a running simulation as field values of the nodes that it came from.

Written are, per solid: `translation` and `rotation` where it has moved, `linearVelocity` (of the
centre of mass) and `angularVelocity`; per joint: `position`. The pose of a joint's end point follows
from its position, as Webots does it, so no drift of the solver gets into the file.

Not in a world file, in Webots as here: commands and inner state of motors, the forces that the
solver starts from, how long a body has been at rest. After loading, a motor holds the position at which
its joint stands: one that carries a load and stood a little below its target now aims at that place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from solidbody.base.span import SourceSpan
from solidbody.base.transforms import (
    IDENTITY,
    WORLD,
    ZERO,
    Pose,
    Quat,
    Vec3,
    add,
    cross,
    dot,
    normalized,
    quat_conjugate,
    quat_from_axis_angle,
    quat_multiply,
    quat_rotate,
    scale,
    subtract,
)
from solidbody.formats.vrml.syntax import FileSyntax, NodeSyntax
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.releases.turns import axis_angle
from solidbody.formats.webots.releases.upgrade import proto_turn
from solidbody.formats.webots.write.instances import InstanceFields
from solidbody.model.joints import (
    JointBall,
    JointFixed,
    JointFree,
    JointHinge,
    JointHinge2,
    JointSlider,
    JointTrack,
)
from solidbody.model.links import Link, Motion
from solidbody.model.scene import Scene

STANDING = 1e-12
"""[m/s, rad/s] Up to this the velocity of a solid beside what carries it is rounding."""

UNMOVED = 1e-13
"""[m, 1] Differences up to this are rounding: a solid that has not moved keeps its text."""

_PARAMETERS = ("jointParameters", "jointParameters2", "jointParameters3")
_POSITIONS = ("position", "position2", "position3")
_DEFAULT_AXES: dict[str, tuple[Vec3, ...]] = {
    "HingeJoint": ((1.0, 0.0, 0.0),),
    "SliderJoint": ((0.0, 0.0, 1.0),),
    "Hinge2Joint": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
}


class RunningSim(Protocol):
    """What is asked of a simulation (`solidbody.Sim` has it)."""

    scene: Scene

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the rows of `joint_states`."""
        ...

    def poses(self) -> Any:
        """Rows x y z qw qx qy qz, one per link."""
        ...

    def velocities(self) -> Any:
        """Rows of linear and angular velocity, one per link."""
        ...

    def joint_states(self) -> Any:
        """Rows of position and velocity, one per joint axis."""
        ...


@dataclass(frozen=True, slots=True)
class Edit:
    """New numbers of a field; `is_hidden` for the hidden values of PROTO instances."""

    values: tuple[float, ...]
    is_hidden: bool = False


StateEdits = dict[SourceSpan, dict[str, Edit]]
"""Edits by the node they belong to (its place in the file) and field name."""


def state_edits(sim: RunningSim, nodes: Sequence[TypedNode | None], tree: FileSyntax) -> StateEdits:
    """Return what has to be written so that loading the file gives the state of `sim`.

    Args:
        sim: The simulation.
        nodes: The solid of each link of `sim.scene`, in order; None for links without one.
        tree: The file, with its PROTO instances.
    """
    return _Writer(sim, nodes, tree).run()


class _Writer:
    def __init__(
        self, sim: RunningSim, nodes: Sequence[TypedNode | None], tree: FileSyntax
    ) -> None:
        self.links = list(sim.scene.links())
        self.parents = _parents(sim.scene)
        self.nodes = nodes
        self.poses = [_pose(row) for row in sim.poses()]
        self.velocities = [tuple(float(x) for x in row) for row in sim.velocities()]
        states = sim.joint_states()
        self.positions = {name: float(states[k][0]) for k, name in enumerate(sim.joint_names)}
        self.index = {id(node): k for k, node in enumerate(nodes) if node is not None}
        self.driven = _driven(sim.scene)
        self.fields = InstanceFields(tree)
        self.edits: StateEdits = {}

    def run(self) -> StateEdits:
        for k, (link, node, pose) in enumerate(
            zip(self.links, self.nodes, self.poses, strict=True)
        ):
            if node is None:
                continue
            velocity = self._own_velocity(k)
            if velocity is not None:
                self._write_velocity(link, node, pose, velocity)
            match link.joint:
                case JointHinge() | JointSlider() | JointHinge2():
                    self._write_joint(link, link.joint, node)
                case JointBall():
                    self._write_ball(link, link.joint, node, pose)
                    self._write_pose(node, self._frame_of(node).inverse() * pose)
                case JointFree() | JointFixed() | JointTrack():
                    self._write_pose(node, self._frame_of(node).inverse() * pose)
                case _:
                    pass
        return self.edits

    def _own_velocity(self, k: int) -> tuple[float, ...] | None:
        """Return the velocity that a solid has by itself; None if its own is what the file says.

        A solid without physics goes along with the one above it: only what it does beyond that is its
        own. Motors move those on joints, and wheels those that they drive.
        """
        link, velocity = self.links[k], self.velocities[k]
        above = self.parents[k]
        if link.motion is Motion.DYNAMIC or above is None:
            return None if k in self.driven else velocity
        if not isinstance(link.joint, JointFixed):
            return None
        carrier, turning = self.velocities[above][:3], self.velocities[above][3:]
        arm = subtract(self.poses[k].position, self.poses[above].position)
        carried = add(_vector(carrier), cross(_vector(turning), arm))
        own = (
            *subtract(_vector(velocity[:3]), carried),
            *subtract(_vector(velocity[3:]), _vector(turning)),
        )
        return None if math.hypot(*own) <= STANDING else own

    def _write_velocity(
        self, link: Link, node: TypedNode, pose: Pose, velocity: tuple[float, ...]
    ) -> None:
        linear = (velocity[0], velocity[1], velocity[2])
        angular = (velocity[3], velocity[4], velocity[5])
        if link.mass is not None:
            linear = add(linear, cross(angular, pose.direction(link.mass.center)))
        for name, value in (("linearVelocity", linear), ("angularVelocity", angular)):
            if value != node.vec3(name):
                self._put(self.fields.of_solid(node, name), value)

    def _write_pose(self, node: TypedNode, pose: Pose) -> None:
        old, holder = node.pose(), node.parent
        if _distance(old, pose) <= UNMOVED:
            return
        if holder is not None and holder.has("endPoint") and holder.node("endPoint") is not node:
            return  # the end of a joint that has none in the file
        pose = _pose_in_file(node, pose)
        self._put(self.fields.of_solid(node, "translation"), pose.position)
        self._put(self.fields.of_solid(node, "rotation"), axis_angle(pose.rotation))

    def _write_joint(
        self, link: Link, joint: JointHinge | JointSlider | JointHinge2, node: TypedNode
    ) -> None:
        joint_node = node.parent
        if joint_node is None or joint_node.type not in _DEFAULT_AXES:
            return
        axes = (joint.axis1, joint.axis2) if isinstance(joint, JointHinge2) else (joint.axis,)
        names = [f"{joint.name}[{k}]" for k in range(len(axes))] if len(axes) > 1 else [joint.name]
        if not all(name in self.positions for name in names):
            return
        old = [axis.position for axis in axes]
        new = [self.positions[name] for name in names]
        if old == new:
            return
        self._write_positions(joint_node, new)
        self._write_pose(node, _moved_end(joint_node, node, old, new))

    def _write_ball(self, link: Link, joint: JointBall, node: TypedNode, pose: Pose) -> None:
        """Write the Euler angles of a ball joint: the zero pose stays the same."""
        if node.parent is None or node.parent.type != "BallJoint":
            return
        above = self.parents[self.index[id(node)]]
        now = (
            pose.rotation
            if above is None
            else quat_multiply(quat_conjugate(self.poses[above].rotation), pose.rotation)
        )
        new = _ball_positions(joint, link.pose.rotation, now)
        old = [axis.position for axis in (joint.axis1, joint.axis2, joint.axis3)]
        if math.dist(old, new) > UNMOVED:
            self._write_positions(node.parent, new)

    def _write_positions(self, joint: TypedNode, values: Sequence[float]) -> None:
        for k, value in enumerate(values):
            parameters = joint.node(_PARAMETERS[k])
            self._put(self.fields.of_joint(joint, parameters, _POSITIONS[k]), (value,))

    def _put(self, place: tuple[NodeSyntax, str, bool], values: Sequence[float]) -> None:
        node, name, is_hidden = place
        self.edits.setdefault(node.span, {})[name] = Edit(tuple(values), is_hidden)

    def _frame_of(self, node: TypedNode) -> Pose:
        """Return the frame in which a node's pose is given, as it lies in the world now."""
        inside: list[Pose] = []
        above = node.parent
        while above is not None:
            k = self.index.get(id(above))
            if k is not None:
                inside.append(self.poses[k])
                break
            if above.is_a("Pose"):
                inside.append(above.pose())
            above = above.parent
        frame = WORLD
        for pose in reversed(inside):
            frame = frame * pose
        return frame


def _pose_in_file(node: TypedNode, pose: Pose) -> Pose:
    """Return the pose as the file has it: devices of old PROTOs, and what stands in them, are turned later.

    A device has been read as pose * R, what stands in it as R^-1 * pose.
    """
    own = proto_turn(node.syntax)
    if own is not None:
        pose = pose * Pose(rotation=quat_conjugate(own))
    around = proto_turn(node.parent.syntax) if node.parent is not None else None
    return pose if around is None else Pose(rotation=around) * pose


def _moved_end(
    joint: TypedNode, end: TypedNode, old: Sequence[float], new: Sequence[float]
) -> Pose:
    """Return the pose of an end point after its joint went from `old` to `new` positions."""
    start = end.pose()
    axes: list[Vec3] = []
    for k, default in enumerate(_DEFAULT_AXES[joint.type]):
        parameters = joint.node(_PARAMETERS[k])
        axis = parameters.vec3("axis") if parameters is not None else default
        axes.append(normalized(axis, fallback=(0.0, 0.0, 1.0)))
    if joint.type == "SliderJoint":
        return Pose(add(start.position, scale(axes[0], new[0] - old[0])), start.rotation)
    if len(axes) == 1:
        turn = quat_from_axis_angle(axes[0], new[0] - old[0])
    else:
        turn = quat_multiply(_turn(axes, new), quat_conjugate(_turn(axes, old)))
    parameters = joint.node("jointParameters")
    anchor = parameters.vec3("anchor") if parameters is not None else ZERO
    position = add(anchor, quat_rotate(turn, subtract(start.position, anchor)))
    return Pose(position, quat_multiply(turn, start.rotation))


def _ball_positions(joint: JointBall, old: Quat, new: Quat) -> tuple[float, float, float]:
    """Return the Euler angles at which the child has rotation `new`; at the stored ones it has `old`.

    Rotation = q(a1, p1) q(a2, p2) q(a3, p3) zero, with right-angled axes. In their basis that is
    Rx Ry Rz, whose entries give the angles.
    """
    axes = (joint.axis1, joint.axis2, joint.axis3)
    turn, basis = IDENTITY, list[Vec3]()
    for axis in axes:  # the model has each axis as those before it have carried it
        basis.append(quat_rotate(quat_conjugate(turn), axis.direction))
        turn = quat_multiply(turn, quat_from_axis_angle(basis[-1], axis.position))
    turn = quat_multiply(quat_multiply(new, quat_conjugate(old)), turn)
    m = [[dot(row, quat_rotate(turn, column)) for column in basis] for row in basis]
    return (
        math.atan2(-m[1][2], m[2][2]),
        math.asin(min(max(m[0][2], -1.0), 1.0)),
        math.atan2(-m[0][1], m[0][0]),
    )


def _parents(scene: Scene) -> list[int | None]:
    """Return the index of each link's parent among all links."""
    parents: list[int | None] = []
    for body in scene.bodies:
        first = len(parents)
        parents += [None if link.parent is None else first + link.parent for link in body.links]
    return parents


def _driven(scene: Scene) -> set[int]:
    """Return the indices of the links that wheels move, among all links."""
    found: set[int] = set()
    first = 0
    for body in scene.bodies:
        found |= {first + robot.link for robot in body.robots if robot.drive is not None}
        first += len(body.links)
    return found


def _vector(values: Sequence[float]) -> Vec3:
    x, y, z = values
    return (x, y, z)


def _turn(axes: Sequence[Vec3], angles: Sequence[float]) -> Quat:
    turn = IDENTITY
    for axis, angle in zip(axes, angles, strict=True):
        turn = quat_multiply(turn, quat_from_axis_angle(axis, angle))
    return turn


def _pose(row: Sequence[float]) -> Pose:
    x, y, z, qw, qx, qy, qz = (float(value) for value in row)
    return Pose((x, y, z), (qw, qx, qy, qz))


def _distance(a: Pose, b: Pose) -> float:
    """Return the largest difference of two poses; opposite quaternions are the same rotation."""
    same = math.dist(a.rotation, b.rotation)
    opposite = math.dist(a.rotation, tuple(-x for x in b.rotation))
    return max(math.dist(a.position, b.position), min(same, opposite))
