"""Vectors of three floats, in the order of operations of the native step (sb_law.h)."""

from __future__ import annotations

from collections.abc import Sequence

Vector = list[float]


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    """Return a.b of the first three numbers."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Sequence[float], b: Sequence[float]) -> Vector:
    """Return a x b."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def subtract(a: Sequence[float], b: Sequence[float]) -> Vector:
    """Return a - b."""
    return [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
