"""Sizes of boxes, balls and round forms: what cannot be one is said, what has no thickness is thin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from solidbody.formats.geometry.affine import MAX_COORDINATE
from solidbody.formats.geometry.forms import THINNEST
from solidbody.formats.link_trees.messages import Spot
from solidbody.model.geometry import (
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometrySphere,
)

Primitive = GeometryBox | GeometrySphere | GeometryCylinder | GeometryCapsule | GeometryCone

_THIN: Final = f"a form without thickness is taken to be {THINNEST:g} m thin."


def checked_form(form: Primitive, spot: Callable[[str], Spot]) -> Primitive | None:
    """Return a form that can be, or None after a message.

    Args:
        form: As it is written.
        spot: Returns where a size is written, by its field.
    """
    if isinstance(form, GeometryBox):
        return _checked_box(form, spot("size"))
    radius = _checked_size(form.radius, spot("radius"), None)
    if isinstance(form, GeometrySphere):
        return None if radius is None else form
    least = 0.0 if isinstance(form, GeometryCapsule) else THINNEST
    height = _checked_size(form.height, spot("height"), least)
    if radius is None or height is None:
        return None
    if height == 0.0:  # nothing between the ends: a ball
        return GeometrySphere(radius)
    return replace(form, height=height)


def _checked_box(box: GeometryBox, spot: Spot) -> GeometryBox | None:
    if min(box.size) < 0.0 or max(box.size) >= MAX_COORDINATE:
        text = f"the sides of a box must be from 0 to {MAX_COORDINATE:g}; the shape is left out."
        spot.error("wrong-size", text)
        return None
    if min(box.size) > 0.0:
        return box
    spot.warning("flat-shape", _THIN)
    x, y, z = box.size
    return GeometryBox((x or THINNEST, y or THINNEST, z or THINNEST))


def _checked_size(size: float, spot: Spot, least: float | None) -> float | None:
    """Return a size, or None after a message; 0 is taken to be `least`, if that is given."""
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
