"""Reads Shape and LineSet nodes into shapes of the model, in link coordinates."""

from __future__ import annotations

from dataclasses import replace

from solidbody.formats.choreonoid.body.appearance import appearance_of
from solidbody.formats.choreonoid.body.geometries import (
    RESOURCE,
    form_of,
    textured,
)
from solidbody.formats.choreonoid.body.resources import Resources
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.bodies import PlaceKeys
from solidbody.formats.choreonoid.keys.shapes import (
    GeometryKeys,
    LineSetKeys,
    MaterialKeys,
    ShapeKeys,
)
from solidbody.formats.choreonoid.keys.table import plain_values
from solidbody.formats.geometry.trees import TreePart
from solidbody.formats.link_trees.node_transforms import NodeTransform, scaled_place
from solidbody.model.appearance import Appearance
from solidbody.model.geometry import GeometryLines
from solidbody.model.shapes import Shape, ShapeRole


def place_below(place: NodeTransform, keys: Keys) -> NodeTransform:
    """Return the place of a node that may have `translation`, `rotation` and `scale` keys."""
    values = plain_values(keys, PlaceKeys)
    return place * scaled_place(values["pose"], values["scale"], keys.spot(PlaceKeys.scale))


def shapes_of(
    keys: Keys, place: NodeTransform, role: ShapeRole, resources: Resources
) -> tuple[Shape, ...]:
    """Return the shapes of a Shape node; none, after a message, if it has no usable geometry.

    Args:
        keys: Of the node.
        place: Of the node around it.
        role: What it is for.
        resources: Where files come from; remembers geometries that several Shapes share.
    """
    inner = place_below(place, keys)
    name = keys.read(ShapeKeys.name)
    look = appearance_of(keys, resources.files, check_images=resources.check_images)
    geometry = keys.keys(ShapeKeys.geometry)
    if geometry is None:
        if not keys.has(ShapeKeys.geometry):
            keys.warning("missing-key", ShapeKeys.geometry, "a Shape without geometry has no form.")
        return ()
    keys.warn_of_slips(ShapeKeys)
    if resources.refuses(keys.spot()):
        return ()
    form = _form(geometry, resources)
    if form is None:
        return ()
    if look is not None and look.texture is not None:
        plain = form
        form = resources.remembered(geometry.yaml, "textured", lambda: textured(plain))
    shape = resources.shape(keys.spot(), form, inner, role)
    if shape is None:
        return ()
    return (replace(shape, appearance=look, name=name),)


def _form(keys: Keys, resources: Resources) -> TreePart | None:
    """Return the form of a geometry mapping; one that an alias repeats is the same object."""
    if keys.read(GeometryKeys.type) != RESOURCE:
        return resources.remembered(keys.yaml, "form", lambda: form_of(keys))
    # the file itself is remembered; the finding of it may fail anew for each use
    return resources.form(keys)


def lines_of(
    keys: Keys, place: NodeTransform, role: ShapeRole, resources: Resources
) -> tuple[Shape, ...]:
    """Return the lines of a LineSet node, which are drawn and collide with nothing."""
    inner = place_below(place, keys)
    name = keys.read(LineSetKeys.name)
    lines = GeometryLines(**plain_values(keys, LineSetKeys))
    points, pairs = lines.points, lines.segments
    keys.read(LineSetKeys.line_width)
    material = keys.keys(LineSetKeys.material)
    color = (1.0, 1.0, 1.0) if material is None else material.read(MaterialKeys.diffuse)
    keys.warn_of_slips(LineSetKeys)
    kept = tuple(pair for pair in pairs if all(0 <= index < len(points) for index in pair))
    if len(kept) < len(pairs):
        keys.warning(
            "bad-index",
            LineSetKeys.lines,
            f"{len(pairs) - len(kept)} lines use points that do not exist; they are left out.",
        )
    if not kept:
        return ()
    shape = resources.shape(keys.spot(), TreePart(replace(lines, segments=kept)), inner, role)
    if shape is None:
        return ()
    return (replace(shape, name=name, appearance=Appearance(base_color=color)),)
