"""A link of an io body: its place in the tree, its joint, and what a program reads and commands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike

from solidbody.control.body_copies.link_states import LinkStates
from solidbody.control.io_body.rotations import Floats, rotFromAxisAngle

if TYPE_CHECKING:
    from solidbody.control.io_body.body import Body


@dataclass(frozen=True, slots=True)
class ContactPoint:
    """Where a link touches something; world frame, from the other thing to this link.

    Attributes:
        position: [m]
        normal: Unit vector.
        force: [N]
        velocity: Of this link's point against the other's [m/s].
        depth: [m]
    """

    position: Floats
    normal: Floats
    force: Floats
    velocity: Floats
    depth: float


class Link(LinkStates):
    """What C++ programs know as cnoid::Link: symbols (`q`, `T`, `w`) are attributes, words are called.

    Attributes:
        q: Position of the joint [rad] or [m], as the last input had it, or the program since.
        dq: Its velocity.
        ddq: Its acceleration.
        u: Its effort [N*m] or [N]; the command in effort mode.
        q_target: Command in displacement mode.
        dq_target: Command in velocity mode; of a track, the speed of its surface [m/s].
        q_initial: Where the joint starts.
        q_lower, q_upper, dq_lower, dq_upper, u_lower, u_upper: Its limits; infinite = none.
        T: Pose in the world, a 4 x 4 matrix, of which `p` and `R` are views.
        v, w: Velocity of the origin [m/s] and angular velocity [rad/s], world axes.
        dv, dw: Their derivatives.
        F_ext: Force [N] and moment [N*m] about the world's origin, from `f_ext` and `tau_ext`.
        a, d: Joint axis in the link's frame.
        Tb, Rb, b: Pose in the parent at position 0, its rotation and its translation.
        m, c, I: Mass [kg], its centre and inertia in the link's frame.
    """

    RevoluteJoint: Final = 0
    PrismaticJoint: Final = 1
    FreeJoint: Final = 2
    FixedJoint: Final = 3
    PseudoContinuousTrackJoint: Final = 4

    def __init__(self, name: str, index: int, joint_type: int, joint_id: int = -1) -> None:
        self._name, self._index = name, index
        self._joint_type, self._joint_id = joint_type, joint_id
        self._parent: Link | None = None
        self._children: list[Link] = []
        self._body: Body | None = None
        self._actuation = self._sensing = 0
        self._contacts: list[ContactPoint] = []
        self.arm = np.zeros(3)
        """From where the axis passes to the origin, at position 0, in the link's frame."""
        self.q = self.dq = self.ddq = self.u = self.q_target = self.dq_target = 0.0
        self.q_initial = 0.0
        self.q_lower, self.q_upper = -math.inf, math.inf
        self.dq_lower, self.dq_upper = -math.inf, math.inf
        self.u_lower, self.u_upper = -math.inf, math.inf
        self.a = np.array([0.0, 0.0, 1.0])
        self._T, self.Tb = np.eye(4), np.eye(4)
        self._v, self._w, self._dv, self._dw = (np.zeros(3) for _ in range(4))
        self._F_ext = np.zeros(6)
        self.m, self.c, self.I = 0.0, np.zeros(3), np.zeros((3, 3))

    # ------------------------------------------------------------------ symbols that may be written

    @property
    def T(self) -> Floats:
        return self._T

    @T.setter
    def T(self, value: ArrayLike) -> None:
        self._T[:] = value

    @property
    def p(self) -> Floats:
        return self._T[:3, 3]

    @p.setter
    def p(self, value: ArrayLike) -> None:
        self._T[:3, 3] = value

    @property
    def R(self) -> Floats:
        return self._T[:3, :3]

    @R.setter
    def R(self, value: ArrayLike) -> None:
        self._T[:3, :3] = value

    @property
    def v(self) -> Floats:
        return self._v

    @v.setter
    def v(self, value: ArrayLike) -> None:
        self._v[:] = value

    @property
    def w(self) -> Floats:
        return self._w

    @w.setter
    def w(self, value: ArrayLike) -> None:
        self._w[:] = value

    @property
    def dv(self) -> Floats:
        return self._dv

    @dv.setter
    def dv(self, value: ArrayLike) -> None:
        self._dv[:] = value

    @property
    def dw(self) -> Floats:
        return self._dw

    @dw.setter
    def dw(self, value: ArrayLike) -> None:
        self._dw[:] = value

    @property
    def F_ext(self) -> Floats:
        return self._F_ext

    @F_ext.setter
    def F_ext(self, value: ArrayLike) -> None:
        self._F_ext[:] = value

    @property
    def f_ext(self) -> Floats:
        return self._F_ext[:3]

    @f_ext.setter
    def f_ext(self, value: ArrayLike) -> None:
        self._F_ext[:3] = value

    @property
    def tau_ext(self) -> Floats:
        return self._F_ext[3:]

    @tau_ext.setter
    def tau_ext(self, value: ArrayLike) -> None:
        self._F_ext[3:] = value

    # ------------------------------------------------------------------ symbols that follow

    @property
    def d(self) -> Floats:
        return self.a

    @property
    def b(self) -> Floats:
        return self.Tb[:3, 3]

    @property
    def Rb(self) -> Floats:
        return self.Tb[:3, :3]

    @property
    def wc(self) -> Floats:
        """Centre of mass in the world [m]."""
        return self.p + self.R @ self.c

    # ------------------------------------------------------------------ words

    def name(self) -> str:
        """Return its name."""
        return self._name

    def index(self) -> int:
        """Return its place among the links of the body."""
        return self._index

    def body(self) -> Body | None:
        """Return the body that it belongs to."""
        return self._body

    def isValid(self) -> bool:
        """Whether it is a link of the body, not what stands for a joint id that no link has."""
        return self._index >= 0

    def isRoot(self) -> bool:
        """Whether nothing holds it."""
        return self._parent is None

    def parent(self) -> Link | None:
        """Return the link that it hangs on."""
        return self._parent

    def child(self) -> Link | None:
        """Return the first link that hangs on it."""
        return self._children[0] if self._children else None

    def sibling(self) -> Link | None:
        """Return the next link that hangs on its parent."""
        beside = self._parent._children if self._parent is not None else []
        return next((two for one, two in pairwise(beside) if one is self), None)

    def children(self) -> Sequence[Link]:
        """Return the links that hang on it."""
        return tuple(self._children)

    def place(self, body: Body, parent: Link | None) -> None:
        """Become a link of a body."""
        self._body, self._parent = body, parent
        if parent is not None:
            parent._children.append(self)

    def jointId(self) -> int:
        """Return its number in the body's list of joints; -1 = it has none."""
        return self._joint_id

    def jointName(self) -> str:
        """Return the name of its joint."""
        return self._name

    def jointType(self) -> int:
        """Return RevoluteJoint, PrismaticJoint, FreeJoint, FixedJoint or PseudoContinuousTrackJoint."""
        return self._joint_type

    def isRevoluteJoint(self) -> bool:
        """Whether it turns."""
        return self._joint_type == self.RevoluteJoint

    isRotationalJoint = isRevoluteJoint

    def isPrismaticJoint(self) -> bool:
        """Whether it slides."""
        return self._joint_type == self.PrismaticJoint

    isSlideJoint = isPrismaticJoint

    def isFreeJoint(self) -> bool:
        """Whether nothing guides it."""
        return self._joint_type == self.FreeJoint

    def isFixedJoint(self) -> bool:
        """Whether it does not move against its parent."""
        return self._joint_type >= self.FixedJoint

    def hasActualJoint(self) -> bool:
        """Whether it turns or slides."""
        return self._joint_type <= self.PrismaticJoint

    def jointAxis(self) -> Floats:
        """Return `a`."""
        return self.a

    def mass(self) -> float:
        """Return `m`."""
        return self.m

    def centerOfMass(self) -> Floats:
        """Return `c`."""
        return self.c

    def centerOfMassGlobal(self) -> Floats:
        """Return `wc`."""
        return self.wc

    def position(self) -> Floats:
        """Return `T`."""
        return self._T

    def setPosition(self, first: ArrayLike, translation: ArrayLike | None = None) -> None:
        """Set `T`, as one matrix or as rotation and translation."""
        if translation is None:
            self._T[:] = first
        else:
            self.R, self.p = first, translation

    def translation(self) -> Floats:
        """Return `p`."""
        return self.p

    def setTranslation(self, p: ArrayLike) -> None:
        """Set `p`."""
        self.p = p

    def rotation(self) -> Floats:
        """Return `R`."""
        return self.R

    def setRotation(self, R: ArrayLike) -> None:
        """Set `R`."""
        self.R = R

    def offsetPosition(self) -> Floats:
        """Return `Tb`."""
        return self.Tb

    def offsetTranslation(self) -> Floats:
        """Return `b`."""
        return self.b

    def offsetRotation(self) -> Floats:
        """Return `Rb`."""
        return self.Rb

    def setOffsetPosition(self, T: ArrayLike) -> None:
        """Set `Tb`: forward kinematics of this copy use it, the simulated body does not change."""
        self.Tb[:] = T

    def setOffsetTranslation(self, b: ArrayLike) -> None:
        """Set `b`."""
        self.Tb[:3, 3] = b

    def setOffsetRotation(self, Rb: ArrayLike) -> None:
        """Set `Rb`."""
        self.Tb[:3, :3] = Rb

    def actuationMode(self) -> int:
        """Return the bits of what is commanded."""
        return self._actuation

    def setActuationMode(self, mode: int) -> None:
        """Say what is commanded: bits of `LinkStates`."""
        self._actuation = int(mode)

    def sensingMode(self) -> int:
        """Return the bits of what is read."""
        return self._sensing

    def setSensingMode(self, mode: int) -> None:
        """Say what is read."""
        self._sensing = int(mode)

    def mergeSensingMode(self, mode: int) -> None:
        """Add to what is read."""
        self._sensing |= int(mode)

    def externalWrench(self) -> Floats:
        """Return `F_ext`."""
        return self._F_ext

    def addExternalForceAtLocalPosition(self, f_global: ArrayLike, p_local: ArrayLike) -> None:
        """Add a force [N, world axes] that attacks at a point of the link's frame."""
        self.addExternalForceAtGlobalPosition(
            f_global, self.p + self.R @ np.asarray(p_local, float)
        )

    addExternalForce = addExternalForceAtLocalPosition

    def addExternalForceAtGlobalPosition(self, f_global: ArrayLike, p_global: ArrayLike) -> None:
        """Add a force [N, world axes] that attacks at a point of the world."""
        force = np.asarray(f_global, dtype=float)
        self._F_ext[:3] += force
        self._F_ext[3:] += np.cross(np.asarray(p_global, dtype=float), force)

    def contactPoints(self) -> list[ContactPoint]:
        """Return where it touches something, if LinkContactState is an input."""
        return self._contacts

    # ------------------------------------------------------------------ kinematics

    def local_pose(self) -> Floats:
        """Return the pose in the parent at the present `q`."""
        out = self.Tb.copy()
        if self._joint_type == self.RevoluteJoint:
            turn = rotFromAxisAngle(self.a, self.q)
            out[:3, :3] = self.Rb @ turn
            out[:3, 3] += self.Rb @ (turn @ self.arm - self.arm)
        elif self._joint_type == self.PrismaticJoint:
            out[:3, 3] += self.Rb @ self.a * self.q
        return out

    def __repr__(self) -> str:
        return f"<link {self._name!r}, joint {self._joint_id}>"
