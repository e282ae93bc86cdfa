"""The contact law in Python (ERP, CFM, friction), as sb_law.h explains (docs/behaviour, L1.1).

Used by the reference step, which is the fallback without a C compiler and the oracle in tests.
Names follow the header: `row_normal` here is `sb_row_normal` there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solidbody.contact import vectors

Vector = NDArray[np.float64]

MIN_CFM = 1e-9
"""[velocity per force] See SB_MIN_CFM."""

SLIDING = 1e-4
"""[m/s] See SB_SLIDING."""


class Row(NamedTuple):
    """J v+ + cfm f = c with lo <= f <= hi."""

    c: float
    cfm: float
    lo: float
    hi: float


class Form(IntEnum):
    """Forms of collision geometry, as far as contact points depend on them."""

    PLANE = 0
    HFIELD = 1
    SPHERE = 2
    CAPSULE = 3
    CYLINDER = 4
    BOX = 5
    MESH = 6
    OTHER = 7


# ---------------------------------------------------------------- 1. rows


def push_out(h: float, depth: float, erp: float, rest: float, scale: float) -> float:
    """Speed at which a contact is pushed out towards the depth `rest`, erp/h*scale at most."""
    e = max(depth, 0.0) - rest
    return erp / h * (e / (1.0 + e / scale) if e > 0 else e)


def row_normal(
    h: float,
    depth: float,
    vn: float,
    erp: float,
    cfm: float,
    bounce: float,
    bounce_velocity: float,
    rest: float = 0.0,
    scale: float = math.inf,
) -> Row:
    """Contact normal: c = max(push_out, -bounce*vn)."""
    c = push_out(h, depth, erp, rest, scale)
    if bounce > 0 and -vn > bounce_velocity and -bounce * vn > c:
        c = -bounce * vn
    return Row(c, max(cfm, MIN_CFM), 0.0, math.inf)


def row_friction(surface_velocity: float, slip: float, world_cfm: float) -> Row:
    """Friction along a tangent; bounds come from the normal force."""
    return Row(surface_velocity, max(slip if slip > 0 else world_cfm, MIN_CFM), 0.0, 0.0)


def row_rolling(world_cfm: float) -> Row:
    """Rolling about a tangent or spinning about the normal."""
    return Row(0.0, max(world_cfm, MIN_CFM), 0.0, 0.0)


def friction_bound(mu: float, normal_force: float) -> float:
    """Bound of a friction or rolling row."""
    return mu * normal_force if normal_force > 0 and mu > 0 else 0.0


def row_motor(velocity: float, effort: float, world_cfm: float) -> Row:
    """Motor or dry friction."""
    return Row(velocity, max(world_cfm, MIN_CFM), -effort, effort)


def row_spring(h: float, q: float, k: float, d: float) -> Row:
    """Implicit spring-damper towards zero."""
    s = 1.0 / (h * k + d)
    return Row(-k * s * q, max(s, MIN_CFM), -math.inf, math.inf)


def row_stop(
    h: float, side: int, violation: float, velocity: float, erp: float, cfm: float, bounce: float
) -> Row:
    """Joint stop; side +1 pushes up at the low end, -1 pushes down at the high end."""
    c = -erp / h * violation
    rebound = -bounce * velocity
    if bounce > 0 and side > 0 and velocity < 0 and rebound > c:
        c = rebound
    if bounce > 0 and side < 0 and velocity > 0 and rebound < c:
        c = rebound
    bounds = (0.0, math.inf) if side > 0 else (-math.inf, 0.0)
    return Row(c, max(cfm, MIN_CFM), *bounds)


def row_bilateral(h: float, error: float, erp: float, cfm: float) -> Row:
    """Closed loop or weld."""
    return Row(-erp / h * error, max(cfm, MIN_CFM), -math.inf, math.inf)


# ---------------------------------------------------------------- 2. surfaces


def _share(coefficient: float, part: float) -> float:
    return coefficient * part if part > 0 else 0.0


def combine(count: int, f: Sequence[float], c: float, s: float) -> tuple[float, float]:
    """Friction of two surfaces along the first and second direction."""
    if count == 2:
        return (
            f[0] + _share(f[0], c) + _share(f[1], s),
            f[1] + _share(f[0], s) + _share(f[1], c),
        )
    if count == 3:
        return f[0] + f[2], f[1] + f[2]
    if count == 4:
        return (
            f[0] + _share(f[2], c) + _share(f[3], s),
            f[1] + _share(f[2], s) + _share(f[3], c),
        )
    return f[0], f[0]


def combine_slip(count: int, f: Sequence[float], c: float, s: float) -> tuple[float, float]:
    """Slip combines like friction, but two values with a zero are not doubled."""
    if count == 2 and (f[0] == 0 or f[1] == 0):
        return f[0], f[1]
    return combine(count, f, c, s)


def rolling(friction_count: int, rho: Sequence[float]) -> tuple[bool, tuple[float, float, float]]:
    """Return (each axis has its own value, (about t1, about t2, about the normal))."""
    per_axis = friction_count > 1 or rho[1] > 0 or rho[2] > 0
    return per_axis, (rho[0], rho[1] if per_axis else rho[0], rho[2] if per_axis else rho[0])


# ---------------------------------------------------------------- 3. directions


def cross(a: Vector, b: Vector) -> Vector:
    """Vector product of two arrays."""
    return np.array(vectors.cross(a, b))


def tangent(n: Vector) -> Vector:
    """First tangent when no direction is given: ODE's plane space."""
    if abs(n[2]) > 0.70710678118654752:
        k = 1 / math.sqrt(n[1] * n[1] + n[2] * n[2])
        return np.array([0.0, -n[2] * k, n[1] * k])
    k = 1 / math.sqrt(n[0] * n[0] + n[1] * n[1])
    return np.array([-n[1] * k, n[0] * k, 0.0])


def world_tangents(n: Vector) -> tuple[Vector, Vector]:
    """Return the two tangents that Choreonoid's solver works along."""
    axis = np.zeros(3)
    axis[int(np.argmin(np.abs(n)))] = 1.0
    first = cross(n, axis)
    first /= math.sqrt(float(first @ first))
    return first, cross(n, first)


def sliding_tangent(
    tangents: tuple[Vector, Vector], u: Sequence[float], a: Sequence[float]
) -> Vector:
    """First tangent of isotropic friction at a contact that slides; the header says why.

    Args:
        tangents: Of the world, as `world_tangents` gives them.
        u: Velocity along each of them [m/s].
        a: Response of the contact along each of them [1/kg].
    """
    x, y = (v / own if own > 0 else 0.0 for v, own in zip(u, a, strict=True))
    length = math.sqrt(x * x + y * y)
    x, y = (x / length, y / length) if length > 0 else (1.0, 0.0)
    return x * tangents[0] + y * tangents[1]


def across_share(speed2: float, lost2: float) -> float:
    """Share of isotropic friction that is left across the first tangent; speeds squared."""
    return lost2 / (lost2 + speed2) if speed2 > 0 and lost2 < math.inf else 1.0


def friction_direction(xmat: Vector, cap: int, on_cap: int, on_side: int, n: Vector) -> Vector:
    """First friction direction of a geom; xmat is its 3x3 rotation to the world."""
    size = np.abs(xmat.T @ n)
    is_cap = size[cap] > size[(cap + 1) % 3] and size[cap] > size[(cap + 2) % 3]
    return xmat[:, on_cap if is_cap else on_side].copy()


def rotate(n: Vector, angle: float, v: Vector) -> Vector:
    """Rotate v about the unit axis n."""
    c, s = math.cos(angle), math.sin(angle)
    along = float(n @ v) * (1 - c)
    return c * v + s * cross(n, v) + along * n


def angle(a: Vector, b: Vector) -> tuple[float, float]:
    """|cos| and |sin| of the angle between two unit vectors."""
    n = cross(a, b)
    return abs(float(a @ b)), math.sqrt(float(n @ n))


# ---------------------------------------------------------------- 4. points


def point_shift(form0: Form, form1: Form, face0: float, face1: float, first: int) -> float:
    """Return s such that ODE's point = MuJoCo's point + s*depth*n."""
    if form0 in (Form.PLANE, Form.HFIELD):
        return -0.5
    if form1 is Form.MESH:
        return -0.5 if form0 is Form.SPHERE else 0.5
    match form0, form1:
        case Form.SPHERE, Form.BOX:
            return -0.5
        case (Form.SPHERE, Form.CYLINDER) | (Form.CYLINDER, Form.BOX):
            return 0.5
        case Form.BOX, Form.BOX if face0 > 1 - 1e-9 or face1 > 1 - 1e-9:
            reference = 0 if face0 > face1 + 1e-12 else 1 if face1 > face0 + 1e-12 else first
            return -0.5 if reference == 0 else 0.5
        case _:
            return 0.0
