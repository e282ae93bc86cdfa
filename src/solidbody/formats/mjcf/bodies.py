"""Bodies of MuJoCo as links: a link for each, and a link without mass between two joints of one body.

Each tree below the world is a body of the model; trees that an equality joins are one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from solidbody.base.transforms import ZERO, Pose, Vec3, quat_rotate, quat_to_matrix
from solidbody.formats.link_trees.messages import Messages
from solidbody.formats.mjcf.compiling import Compilation
from solidbody.formats.mjcf.contacts import MjcfContacts, meetings, softness
from solidbody.formats.mjcf.frames import MjcfState, unit, vector
from solidbody.formats.mjcf.shapes import ShapeReader
from solidbody.formats.webots.lower.names import UniqueNames
from solidbody.model.devices import Device
from solidbody.model.joints import (
    Coupling,
    Joint,
    JointAxis,
    JointBall,
    JointFixed,
    JointFree,
    JointHinge,
    JointSlider,
    Loop,
    Stops,
)
from solidbody.model.links import Body, CollisionRules, Frame, Link, Motion, Robot
from solidbody.model.mass import MassProperties, Tensor
from solidbody.model.motors import Motor, PositionSensor

WORLD: Final = 0
"""MuJoCo's number of the world."""

WORLD_LINK: Final = "world"
"""Name that links of other formats may have; in MJCF that we write it is "world (link)"."""

NO_CONTROLLER: Final = "<none>"

APART: Final = CollisionRules(
    self_collision=True,
    chain_level=0,
    fixed_base_ignores_static=False,
    loop_ends_ignored=False,
    shared_anchor_ignored=False,
)
"""Who meets whom is written pair by pair."""


@dataclass(slots=True)
class AxisParts:
    """What actuators and sensors put on a joint."""

    motor: Motor | None = None
    sensor: PositionSensor | None = None


@dataclass(slots=True)
class MjcfLink:
    """A link before its body is known."""

    name: str
    body: int
    parent: int | None
    pose: Pose
    joint: Joint
    motion: Motion
    mass: MassProperties | None
    linear: Vec3 = ZERO
    angular: Vec3 = ZERO


@dataclass(slots=True)
class Trees:
    """Reads bodies and joints, and puts links into bodies of the model.

    Attributes:
        link_of_body: Number of the draft that carries a body's mass and geoms.
        joint_links: Number of the draft that a joint moves.
        joint_names: Names of joints, by their numbers.
        paths: Paths of the links of bodies; None = the world.
    """

    compilation: Compilation
    messages: Messages
    state: MjcfState
    name: str
    drafts: list[MjcfLink] = field(default_factory=list[MjcfLink])
    link_of_body: dict[int, int] = field(default_factory=dict[int, int])
    joint_links: dict[int, int] = field(default_factory=dict[int, int])
    joint_names: dict[int, str] = field(default_factory=dict[int, str])
    parts: dict[int, AxisParts] = field(default_factory=dict[int, AxisParts])
    devices: dict[int, list[Device]] = field(default_factory=dict[int, list[Device]])
    paths: dict[int, str | None] = field(default_factory=dict[int, str | None])
    _groups: dict[int, int] = field(default_factory=dict[int, int])
    _group_names: dict[int, str] = field(default_factory=dict[int, str])
    _bodies: list[Any] = field(default_factory=list[Any])
    _joints: list[Any] = field(default_factory=list[Any])
    _names: UniqueNames = field(default_factory=UniqueNames)
    _joint_names: UniqueNames = field(default_factory=UniqueNames)

    def __post_init__(self) -> None:
        self._bodies = list(self.compilation.spec.bodies)
        self._joints = list(self.compilation.spec.joints)

    # ------------------------------------------------------------------------------------------ links

    def read_links(self, *, has_world: bool) -> None:
        """Make a draft of each link, parents first.

        Args:
            has_world: Whether something is fixed to the world itself.
        """
        model = self.compilation.model
        if has_world:
            self.drafts.append(
                MjcfLink(
                    self._names.take("world"), 0, None, Pose(), JointFixed(), Motion.KINEMATIC, None
                )
            )
            self.link_of_body[WORLD] = 0
        self._name_joints()
        for body in range(1, model.nbody):
            self._read_body(body)

    def _name_joints(self) -> None:
        """Give names to joints: those that have one keep it."""
        model = self.compilation.model
        order = sorted(range(model.njnt), key=lambda joint: not self._joints[joint].name)
        for joint in order:
            body = self._bodies[int(model.jnt_bodyid[joint])]
            own = self._joints[joint].name or f"{self._body_name(body)} joint"
            self.joint_names[joint] = self._joint_names.take(own)

    @staticmethod
    def _body_name(body: Any) -> str:
        name: str = body.name or f"body {body.id}"
        return WORLD_LINK if name == f"{WORLD_LINK} (link)" else name

    def _read_body(self, body: int) -> None:
        model = self.compilation.model
        above = int(model.body_parentid[body])
        parent = self.link_of_body.get(above)
        if above == WORLD:
            parent = None
        name = self._names.take(self._body_name(self._bodies[body]))
        frame = self.state.body_frame(model, body)
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        stands = parent is None or self.drafts[parent].motion is Motion.KINEMATIC
        motion = Motion.KINEMATIC if stands and not count else Motion.DYNAMIC
        mass = None if motion is Motion.KINEMATIC else self._mass(body)
        if count and int(model.jnt_type[first]) == 0:
            self._read_free(body, name, first, mass)
            return
        pose, joint = frame, None
        for number in range(first, first + count):
            moved = self.state.moved(model, number)
            joint = self._joint(number, frame)
            pose = frame * moved
            self.joint_links[number] = len(self.drafts)
            if number < first + count - 1:
                between = self._names.take(f"{name} {self.joint_names[number]}")
                self.drafts.append(
                    MjcfLink(between, body, parent, pose, joint, motion, MassProperties(0.0))
                )
                parent, frame = len(self.drafts) - 1, Pose()
        self.link_of_body[body] = len(self.drafts)
        self.drafts.append(MjcfLink(name, body, parent, pose, joint or JointFixed(), motion, mass))

    def _read_free(self, body: int, name: str, joint: int, mass: MassProperties | None) -> None:
        model = self.compilation.model
        at = int(model.jnt_dofadr[joint])
        velocity = self.state.qvel[at : at + 6]
        pose = self.state.free_pose(model, joint)
        if any(model.dof_damping[at : at + 6]) or any(model.dof_frictionloss[at : at + 6]):
            spot = self.compilation.spot(self.messages, self._joints[joint])
            spot.warning("free-damping", "damping and friction of free joints are left out.")
        self.joint_links[joint] = self.link_of_body[body] = len(self.drafts)
        self.drafts.append(
            MjcfLink(
                name,
                body,
                None,
                pose,
                JointFree(),
                Motion.DYNAMIC,
                mass,
                vector(velocity),
                quat_rotate(pose.rotation, vector(velocity[3:])),
            )
        )

    def _mass(self, body: int) -> MassProperties:
        model = self.compilation.model
        mass = float(model.body_mass[body])
        if mass <= 0.0:
            return MassProperties(0.0)
        moments = vector(model.body_inertia[body])
        return MassProperties(
            mass,
            vector(model.body_ipos[body]),
            turned_tensor(moments, Pose(rotation=unit(model.body_iquat[body]))),
        )

    # ----------------------------------------------------------------------------------------- joints

    def _joint(self, joint: int, frame: Pose) -> Joint:
        """Return a joint; its axis and anchor are in the frame of the link above, as `frame` stands there."""
        import mujoco

        model = self.compilation.model
        name, span = self.joint_names[joint], self.compilation.span(self._joints[joint])
        anchor = frame.point(vector(model.jnt_pos[joint]))
        if int(model.jnt_type[joint]) == mujoco.mjtJoint.mjJNT_BALL:
            x, y, z = (
                self._axis(joint, 0, frame.direction(direction))
                for direction in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
            )
            if model.jnt_limited[joint]:
                spot = self.compilation.spot(self.messages, self._joints[joint], "range")
                spot.warning(
                    "ball-range", "the range of a ball joint is a cone, which is left out."
                )
            return JointBall(name, x, y, z, anchor, span)
        axis = self._axis(joint, 1, frame.direction(vector(model.jnt_axis[joint])))
        if int(model.jnt_type[joint]) == mujoco.mjtJoint.mjJNT_SLIDE:
            return JointSlider(name, axis, span)
        return JointHinge(name, axis, anchor, span=span)

    def _axis(self, joint: int, has_position: int, direction: Vec3) -> JointAxis:
        model = self.compilation.model
        at, dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
        position = float(self.state.qpos[at]) if has_position else 0.0
        rest = float(model.qpos_spring[at]) if has_position else 0.0
        stops = self._stops(joint, dof) if has_position and model.jnt_limited[joint] else None
        if any(model.dof_dampingpoly[dof]) or any(model.jnt_stiffnesspoly[joint]):
            spot = self.compilation.spot(self.messages, self._joints[joint])
            said = "damping and stiffness that depend on the motion are taken as constant."
            spot.warning("polynomial", said)
        return JointAxis(
            direction,
            position,
            float(self.state.qvel[dof]) if has_position else 0.0,
            stops=stops,
            rated_range=None if stops is None else (stops.low, stops.high),
            spring=float(model.jnt_stiffness[joint]),
            spring_rest=rest,
            damping=float(model.dof_damping[dof]),
            static_friction=float(model.dof_frictionloss[dof]),
            armature=float(model.dof_armature[dof]),
        )

    def _stops(self, joint: int, dof: int) -> Stops:
        model = self.compilation.model
        low, high = (float(x) for x in model.jnt_range[joint])
        mass = 1.0 / max(float(model.dof_invweight0[dof]), 1e-9)
        erp, cfm = softness(
            model.jnt_solref[joint], model.jnt_solimp[joint], float(model.opt.timestep), mass
        )
        return Stops(min(low, high), max(low, high), erp, cfm)

    # ----------------------------------------------------------------------------------------- groups

    def make_groups(self, joined: Sequence[tuple[int, int]]) -> None:
        """Say which links make a body together, and name the paths of all.

        Args:
            joined: Pairs of bodies of MuJoCo that an equality joins.
        """
        tops: list[int] = []
        for number, draft in enumerate(self.drafts):
            tops.append(number if draft.parent is None else tops[draft.parent])
        leader = {top: top for top in tops}

        def found(top: int) -> int:
            while leader[top] != top:
                top = leader[top]
            return top

        for a, b in joined:
            if a in self.link_of_body and b in self.link_of_body and WORLD not in (a, b):
                one, two = sorted(
                    (found(tops[self.link_of_body[a]]), found(tops[self.link_of_body[b]]))
                )
                leader[two] = one
        self._groups = {number: found(top) for number, top in enumerate(tops)}
        moving = {
            self._groups[number]
            for number, draft in enumerate(self.drafts)
            if draft.motion is Motion.DYNAMIC
        }
        alone = len(moving) == 1
        names = UniqueNames()
        for group in dict.fromkeys(self._groups.values()):
            own = self.name if alone and group in moving else self.drafts[group].name
            self._group_names[group] = names.take(own)
        for body, number in self.link_of_body.items():
            self.paths[body] = self.path(number)
        self.paths.setdefault(WORLD, None)

    def path(self, number: int) -> str:
        """Return the path of a link."""
        return f"{self._group_names[self._groups[number]]}:{self.drafts[number].name}"

    # ----------------------------------------------------------------------------------------- bodies

    def bodies(
        self,
        shapes: ShapeReader,
        contacts: MjcfContacts,
        frames: Mapping[int, Sequence[Frame]],
        loops: Sequence[tuple[int, Loop]],
        couplings: Sequence[tuple[int, Coupling]],
    ) -> tuple[Body, ...]:
        """Return the bodies of the scene.

        Args:
            shapes: Makes shapes.
            contacts: Names contact materials.
            frames: Sites, by body.
            loops: Loops, each with a link of its body.
            couplings: Couplings, each with a link of its body.
        """
        model = self.compilation.model
        colliding = self._colliding()
        numbers: dict[int, dict[int, int]] = {}
        links: dict[int, list[Link]] = {}
        joint_number = 0
        for number, draft in enumerate(self.drafts):
            group = self._groups[number]
            place = numbers.setdefault(group, {})
            place[number] = len(place)
            own = self.link_of_body.get(draft.body) == number
            made = (
                [
                    shape
                    for geom in self._geoms(draft.body)
                    for shape in shapes.shapes(
                        geom,
                        collides=geom in colliding.get(draft.body, ()),
                        material=contacts.of_geom[geom],
                    )
                ]
                if own
                else []
            )
            joint = self._with_parts(number, draft.joint)
            has_motor = isinstance(joint, JointHinge | JointSlider) and joint.axis.motor is not None
            links.setdefault(group, []).append(
                Link(
                    name=draft.name,
                    path=self.path(number),
                    pose=draft.pose,
                    parent=None if draft.parent is None else place[draft.parent],
                    joint=joint,
                    joint_number=joint_number if has_motor else None,
                    motion=draft.motion,
                    mass=draft.mass,
                    shapes=tuple(made),
                    devices=tuple(self.devices.get(draft.body, ())) if own else (),
                    frames=tuple(frames.get(draft.body, ())) if own else (),
                    linear_velocity=draft.linear,
                    angular_velocity=draft.angular,
                    span=self.compilation.span(self._bodies[draft.body]),
                )
            )
            joint_number += has_motor
        rules = self._rules(meetings(model, colliding))
        return tuple(
            self._body(group, tuple(found), rules.get(group, APART), loops, couplings)
            for group, found in links.items()
        )

    def _body(
        self,
        group: int,
        links: tuple[Link, ...],
        rules: CollisionRules,
        loops: Sequence[tuple[int, Loop]],
        couplings: Sequence[tuple[int, Coupling]],
    ) -> Body:
        name = self._group_names[group]
        has_parts = any(link.devices or link.joint_number is not None for link in links)
        robot = Robot(name, 0, NO_CONTROLLER, self_collision=True, span=links[0].span)
        return Body(
            name,
            links,
            robots=(robot,) if has_parts else (),
            loops=tuple(loop for number, loop in loops if self._groups[number] == group),
            collision=rules,
            span=links[0].span,
            couplings=tuple(one for number, one in couplings if self._groups[number] == group),
        )

    def _with_parts(self, number: int, joint: Joint) -> Joint:
        """Return a joint with its motor and sensor."""
        found = next((k for k, link in self.joint_links.items() if link == number), None)
        parts = None if found is None else self.parts.get(found)
        if parts is None or not isinstance(joint, JointHinge | JointSlider):
            return joint
        limit = math.inf if parts.motor is None else parts.motor.max_effort
        axis = replace(joint.axis, motor=parts.motor, sensor=parts.sensor, effort_limit=limit)
        return replace(joint, axis=axis)

    def _geoms(self, body: int) -> range:
        model = self.compilation.model
        first = int(model.body_geomadr[body])
        return range(first, first + int(model.body_geomnum[body]))

    def _colliding(self) -> dict[int, list[int]]:
        """Return the geoms that touch anything, by body."""
        model = self.compilation.model
        named = {int(geom) for ends in (model.pair_geom1, model.pair_geom2) for geom in ends}
        out: dict[int, list[int]] = {}
        for geom in range(model.ngeom):
            if model.geom_contype[geom] or model.geom_conaffinity[geom] or geom in named:
                out.setdefault(int(model.geom_bodyid[geom]), []).append(geom)
        return out

    def _rules(self, found: Any) -> dict[int, CollisionRules]:
        pairs: dict[int, list[tuple[str, str]]] = {}
        for a, b in sorted(found.apart):
            one, two = self.link_of_body[a], self.link_of_body[b]
            group = self._groups[two if a == WORLD else one]
            pairs.setdefault(group, []).append((self.path(one), self.path(two)))
        if found.mixed:
            names = sorted({self._body_name(self._bodies[k]) for pair in found.mixed for k in pair})
            shown = ", ".join(f'"{name}"' for name in names[:6]) + (
                ", ..." if len(names) > 6 else ""
            )
            first = min(found.mixed)
            spot = self.compilation.spot(self.messages, self._bodies[first[1]])
            spot.warning(
                "mixed-masks",
                "contype and conaffinity let only some geoms of a body meet another; links meet as "
                f"a whole here: {shown}.",
            )
        return {group: replace(APART, disabled_pairs=tuple(each)) for group, each in pairs.items()}


def turned_tensor(moments: Vec3, pose: Pose) -> Tensor:
    """Return the tensor with principal moments along the axes of a rotation."""
    rows = quat_to_matrix(pose.rotation)

    def entry(i: int, j: int) -> float:
        return math.fsum(rows[i][k] * moments[k] * rows[j][k] for k in range(3))

    return (entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2))
