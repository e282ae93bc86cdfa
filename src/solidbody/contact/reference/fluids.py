"""Buoyancy and drag of fluids in the reference step (native: sb_fluids.c, sb_immersion.c).

Round shapes are cut as fine triangle meshes here, not into discs, so that the two share nothing: the
reference is exact for boxes and meshes, and within `tables.IMMERSION`'s tessellation for the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.contact import layout
from solidbody.contact import tables as t
from solidbody.contact.reference.drag import Drag, bound_drags
from solidbody.contact.reference.forces import apply
from solidbody.contact.state import StepState
from solidbody.contact.vectors import velocity_at

Array = NDArray[np.float64]

MAX_DRAG_SPIN = 1000.0
"""[rad/s] See SB_MAX_DRAG_SPIN."""

ROUND = 96
"""Corners of a circle: areas and volumes of round shapes come out 0.1 % small, at 2 ms per shape."""


@dataclass(frozen=True, slots=True)
class Wet:
    """The part of a shape below a plane: volume, centre, wetted area, areas seen along three axes."""

    volume: float
    centre: Array
    area: float
    projected: Array


def wet_part(triangles: Array, n: Array, offset: float, directions: Array) -> Wet:
    """Cut triangles (k, 3, 3) at n.x = offset and add up what lies below."""
    kept = np.array(list(_below(triangles, n, offset))).reshape(-1, 3, 3)
    origin = offset * n
    normals = np.cross(kept[:, 1] - kept[:, 0], kept[:, 2] - kept[:, 0])
    volumes = np.einsum("ij,ij->i", kept[:, 0] - origin, normals) / 6
    centres = (kept.sum(axis=1) + origin) / 4
    volume = float(volumes.sum())
    seen = 0.5 * normals @ directions.T
    return Wet(
        volume,
        volumes @ centres / volume if volume > 0 else origin,
        0.5 * float(np.linalg.norm(normals, axis=1).sum()),
        0.5 * (np.abs(seen).sum(axis=0) + np.abs(seen.sum(axis=0))),
    )


def _below(triangles: Array, n: Array, offset: float) -> Iterator[Array]:
    heights = triangles @ n - offset
    for corners, height in zip(triangles, heights, strict=True):
        if (height > 0).all():
            continue
        polygon: list[Array] = []
        for i in range(3):
            j = (i + 1) % 3
            if height[i] <= 0:
                polygon.append(corners[i])
            if (height[i] <= 0) != (height[j] <= 0):
                share = height[i] / (height[i] - height[j])
                polygon.append(corners[i] + share * (corners[j] - corners[i]))
        for i in range(2, len(polygon)):
            yield np.array([polygon[0], polygon[i - 1], polygon[i]])


def _turned(profile: list[tuple[float, float]]) -> Array:
    """Return triangles of a body of revolution about z from its profile (radius, z), bottom first."""
    angles = 2 * math.pi * np.arange(ROUND + 1) / ROUND
    c, s = np.cos(angles), np.sin(angles)
    out: list[Array] = []
    for (r0, z0), (r1, z1) in pairwise(profile):
        for k in range(ROUND):
            a, b = (np.array([r0 * c[i], r0 * s[i], z0]) for i in (k, k + 1))
            e, f = (np.array([r1 * c[i], r1 * s[i], z1]) for i in (k, k + 1))
            if r0 > 0:
                out.append(np.array([a, b, f]))
            if r1 > 0:
                out.append(np.array([a, f, e]))
    return np.array(out)


@lru_cache(maxsize=64)
def form_triangles(form: int, x: float, y: float, z: float) -> Array:
    """Return triangles of a primitive with half sizes (or radius, half height)."""
    if form == layout.FluidForm.BOX:
        corners = np.array([[i, j, k] for i in (-x, x) for j in (-y, y) for k in (-z, z)])
        quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
        return np.array([corners[[q[0], q[i], q[i + 1]]] for q in quads for i in (1, 2)])
    if form == layout.FluidForm.CYLINDER:
        return _turned([(0.0, -y), (x, -y), (x, y), (0.0, y)])
    half = y if form == layout.FluidForm.CAPSULE else 0.0
    turns = np.linspace(-0.5 * math.pi, 0.5 * math.pi, ROUND // 2 + 1)
    low = [(x * math.cos(a), x * math.sin(a) - half) for a in turns if a <= 1e-9]
    high = [(x * math.cos(a), x * math.sin(a) + half) for a in turns if a >= -1e-9]
    profile = [*low, *(high if half > 0 else high[1:])]
    profile[0], profile[-1] = (0.0, -x - half), (0.0, x + half)
    return _turned(profile)


def _triangles(tables: t.StepTables, form: int, span: Array, size: Array) -> Array:
    if form == layout.FluidForm.MESH:
        return tables.triangles[span[0] : span[0] + span[1]].reshape(-1, 3, 3)
    return form_triangles(form, *size.tolist())


def _planes(item: t.Record, tables: t.StepTables, seen: Array) -> Iterator[tuple[Array, Array]]:
    """Yield (outward normal, point) of the fluid's faces, in its frame; `seen`: the shape's place."""
    size, z = item["fluid_size"], np.array([0.0, 0.0, 1.0])
    match item["fluid_form"]:
        case layout.FluidForm.BOX:
            for axis in range(3):
                for side in (-1.0, 1.0):
                    n = side * np.eye(3)[axis]
                    yield n, n * size[axis]
        case layout.FluidForm.PLANE:
            yield z, np.zeros(3)
        case layout.FluidForm.MESH:
            first, count = item["fluid_triangles"]
            for a, b, c in tables.triangles[first : first + count].reshape(-1, 3, 3):
                n = np.cross(b - a, c - a)
                if n.any():
                    yield n / np.linalg.norm(n), a
        case form:
            centre = np.zeros(3)
            if form == layout.FluidForm.CYLINDER:
                yield z, size[1] * z
                yield -z, -size[1] * z
                centre[2] = seen[2]
            elif form == layout.FluidForm.CAPSULE:
                centre[2] = min(max(seen[2], -size[1]), size[1])
            n = seen - centre
            length = float(np.linalg.norm(n))
            n = n / length if length > 0 else np.array([1.0, 0.0, 0.0])
            yield n, centre + size[0] * n


def apply_fluids(
    m: mujoco.MjModel, d: mujoco.MjData, tables: t.StepTables, state: StepState
) -> None:
    """Buoyancy, drag and viscous resistance."""
    drags: list[Drag] = []
    for item in tables.immersions[: int(tables.world["immersions"][0])]:
        tree = int(m.body_treeid[item["body"]])
        one = _immerse(m, d, tables, item) if tree < 0 or d.tree_asleep[tree] < 0 else None
        if one is not None:
            drags.append(one)
    bound_drags(m, d, tables, state, drags)
    for one in drags:
        apply(m, d, one.lift + one.force, one.torque, one.centre, one.body)


def _immerse(
    m: mujoco.MjModel, d: mujoco.MjData, tables: t.StepTables, item: t.Record
) -> Drag | None:
    """Return what the fluid does to one shape."""
    body = int(item["body"])
    local, fluid, body_mat = np.zeros(9), np.zeros(9), d.xmat[body].reshape(3, 3)
    mujoco.mju_quat2Mat(local, item["quat"].copy())
    mujoco.mju_quat2Mat(fluid, item["fluid_quat"].copy())
    axes, fluid_mat = local.reshape(3, 3), fluid.reshape(3, 3)
    mat = body_mat @ axes
    place = d.xpos[body] + body_mat @ item["pos"]
    triangles = _triangles(tables, int(item["form"]), item["triangles"], item["size"])
    best: Wet | None = None
    for normal, point in _planes(item, tables, fluid_mat.T @ (place - item["fluid_pos"])):
        n = fluid_mat @ normal
        offset = float(n @ (fluid_mat @ point + item["fluid_pos"] - place))
        wet = wet_part(triangles, mat.T @ n, offset, axes)
        if best is None or wet.volume < best.volume:
            best = wet
    if best is None or best.volume <= 0:
        return None
    u = velocity_at(m, d, body, d.xipos[body]) - item["stream"]
    w = d.cvel[body, :3].copy()
    spin = float(np.linalg.norm(w))
    slowed = min(1.0, MAX_DRAG_SPIN / spin) if spin > 0 else 1.0
    w *= slowed
    lift = -m.opt.gravity * item["density"] * best.volume
    force, torque, per_speed = _resistance(item, best, body_mat, u, w)
    per_speed[3:] *= slowed
    return Drag(body, lift, force, torque, per_speed, place + mat @ best.centre)


def _resistance(
    item: t.Record, wet: Wet, body_mat: Array, u: Array, w: Array
) -> tuple[Array, Array, Array]:
    """Return force, torque, and what they are per velocity and spin along the body's axes."""
    share = wet.area / item["area"] if item["area"] > 0 else 0.0
    rho = float(item["density"])
    force = -share * item["viscosity"] * item["viscous_force"] * u
    torque = -share * item["viscosity"] * item["viscous_torque"] * w
    per_speed = np.repeat([float(item["viscous_force"]), float(item["viscous_torque"])], 3)
    per_speed *= share * item["viscosity"]
    if not item["projected"]:
        force -= rho * wet.area * item["drag_force"][0] * np.linalg.norm(u) * u
        torque -= rho * wet.area * item["drag_torque"][0] * np.linalg.norm(w) * w
        per_speed[:3] += rho * wet.area * item["drag_force"][0] * np.linalg.norm(u)
        per_speed[3:] += rho * wet.area * item["drag_torque"][0] * np.linalg.norm(w)
        return force, torque, per_speed
    v, o, area = body_mat.T @ u, body_mat.T @ w, wet.projected
    around = area.sum() - area
    force += body_mat @ (-rho * item["drag_force"] * area * np.abs(v) * v)
    torque += body_mat @ (-rho * item["drag_torque"] * around * np.abs(o) * o)
    per_speed[:3] += rho * item["drag_force"] * area * np.abs(v)
    per_speed[3:] += rho * item["drag_torque"] * around * np.abs(o)
    return force, torque, per_speed


__all__ = ["Wet", "apply_fluids", "form_triangles", "wet_part"]
