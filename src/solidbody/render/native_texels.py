"""Where points lie on the textures and paint of shapes: `uv_at` and `paint_at` of the kernels, in numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solidbody.render.shapes import BOX, CAPSULE, CONE, CYLINDER, PLANE, SPHERE

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Bools = NDArray[np.bool_]


def _on_cap(size: Floats, p: Floats) -> Bools:
    """Whether points of cylinders are nearer to a cap than to the side; holds for thin discs as well."""
    to_side = size[:, 0] - np.hypot(p[:, 0], p[:, 1])
    return np.abs(size[:, 2] - np.abs(p[:, 2])) < np.abs(to_side)


def _side_of_box(q: Floats) -> tuple[Bools, Bools]:
    """Return which points are on the sides along x, and which on those along y."""
    a = np.abs(q)
    along_x = (a[:, 0] >= a[:, 1]) & (a[:, 0] >= a[:, 2])
    return along_x, ~along_x & (a[:, 1] >= a[:, 2])


def texture_places(kind: Ints, size: Floats, p: Floats) -> Floats:
    """Return texture coordinates (n, 2) of points in the frames of their shapes; 0 on meshes."""
    out = np.zeros((len(p), 2))
    plane, box = kind == PLANE, kind == BOX
    out[plane] = p[plane, :2] / (2.0 * size[plane, :2]) + 0.5
    q = p[box] / size[box]
    along_x, along_y = _side_of_box(q)
    sign = np.sign(q)
    turned = 0.5 + 0.5 * np.stack([q[:, 0], q[:, 1] * sign[:, 2]], axis=1)
    turned[along_x] = 0.5 + 0.5 * np.stack([q[:, 1] * sign[:, 0], q[:, 2]], axis=1)[along_x]
    turned[along_y] = 0.5 + 0.5 * np.stack([-q[:, 0] * sign[:, 1], q[:, 2]], axis=1)[along_y]
    out[box] = turned
    round_ = (kind == SPHERE) | (kind == CYLINDER) | (kind == CONE) | (kind == CAPSULE)
    # Webots' pictures begin at +y and go by -x
    around = np.arctan2(-p[:, 0], p[:, 1]) / (2.0 * np.pi)
    out[round_, 0] = np.where(around < 0.0, around + 1.0, around)[round_]
    out[round_, 1] = (0.5 + 0.5 * p[:, 2] / np.maximum(size[:, 2], 1e-12))[round_]
    ball = kind == SPHERE
    height = np.clip(p[ball, 2] / size[ball, 0], -1.0, 1.0)
    out[ball, 1] = 0.5 + np.arcsin(height) / np.pi
    is_level = (kind == CONE) & (np.abs(p[:, 2]) > size[:, 2] * 0.99999)
    is_level |= (kind == CYLINDER) & _on_cap(size, p)
    flat = p[is_level]
    own = np.stack([flat[:, 0], np.sign(flat[:, 2]) * flat[:, 1]], axis=1)
    out[is_level] = 0.5 + 0.5 * own / size[is_level, :1]
    return out


def paint_places(kind: Ints, size: Floats, p: Floats, uv: Floats) -> Floats:
    """Return coordinates (n, 2) on the layers of paint; sides have cells of them, laid out as Webots does."""
    out = uv.copy()
    n = len(p)
    cell = np.zeros((n, 2))  # column and row
    cells = np.zeros((n, 2))  # columns and rows of the layer; 0 = it has none
    box = kind == BOX
    q = p[box] / size[box]
    along_x, along_y = _side_of_box(q)
    column = np.where(q[:, 2] > 0.0, 2.0, 0.0)
    column = np.where(along_y, np.where(q[:, 1] < 0.0, 2.0, 0.0), column)
    column = np.where(along_x, np.where(q[:, 0] < 0.0, 1.0, 3.0), column)
    cell[box] = np.stack([column, np.where(along_x | along_y, 1.0, 0.0)], axis=1)
    cells[box] = (4.0, 2.0)
    cylinder = kind == CYLINDER
    cap = _on_cap(size, p)
    cells[cylinder] = (2.0, 2.0)
    cell[cylinder & cap & (p[:, 2] > 0.0)] = (1.0, 0.0)
    cell[cylinder & cap & (p[:, 2] <= 0.0)] = (0.0, 1.0)
    cone = kind == CONE
    cells[cone] = (2.0, 1.0)
    cell[cone & (np.abs(p[:, 2]) > size[:, 2] * 0.99999)] = (1.0, 0.0)
    some = cells[:, 0] > 0.0
    u = np.clip(uv[some, 0], 0.0, 0.99999)
    v = np.clip(uv[some, 1], 0.00001, 1.0)
    out[some, 0] = (cell[some, 0] + u) / cells[some, 0]
    out[some, 1] = 1.0 - (cell[some, 1] + 1.0 - v) / cells[some, 1]
    capsule = kind == CAPSULE  # a third each: the straight part by height, the caps by latitude
    height = np.abs(p[capsule, 2])
    above = height - size[capsule, 2]
    third = 0.5 * height / np.maximum(size[capsule, 2], 1e-9)
    latitude = np.arcsin(np.clip(above / size[capsule, 0], 0.0, 1.0)) / (0.5 * np.pi)
    third = np.where(above > 0.0, 0.5 + latitude, third)
    out[capsule, 1] = 0.5 + third * np.sign(p[capsule, 2]) / 3.0
    return out
