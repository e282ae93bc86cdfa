"""Sizes of boxes, balls and round forms: what cannot be one is said, what has no thickness is thin."""

from __future__ import annotations

from typing import Final

from solidbody.base.transforms import Vec3
from solidbody.formats.geometry.affine import MAX_COORDINATE
from solidbody.formats.geometry.forms import THINNEST
from solidbody.formats.link_trees.messages import Spot

_THIN: Final = f"a form without thickness is taken to be {THINNEST:g} m thin."


def checked_size(size: float, spot: Spot, *, least: float | None = None) -> float | None:
    """Return a size, or None after a message.

    Args:
        size: A radius or a height [m].
        spot: Where it is written.
        least: What a size of 0 is taken to be; None = nothing is left of the form then.
    """
    if 0.0 < size < MAX_COORDINATE:
        return size
    if size != 0.0:
        text = f"expected a number above 0 (and below {MAX_COORDINATE:g}), got {size:g}; "
        spot.error("wrong-size", f"{text}the shape is left out.")
        return None
    if least is None:
        spot.warning("flat-shape", "a form of size 0 cannot be touched; it is left out.")
    elif least > 0.0:
        spot.warning("flat-shape", _THIN)
    return least


def checked_sides(sides: Vec3, spot: Spot) -> Vec3 | None:
    """Return the sides of a box, or None after a message."""
    if min(sides) < 0.0 or max(sides) >= MAX_COORDINATE:
        text = f"the sides of a box must be from 0 to {MAX_COORDINATE:g}; the shape is left out."
        spot.error("wrong-size", text)
        return None
    if min(sides) > 0.0:
        return sides
    spot.warning("flat-shape", _THIN)
    x, y, z = sides
    return (x or THINNEST, y or THINNEST, z or THINNEST)
