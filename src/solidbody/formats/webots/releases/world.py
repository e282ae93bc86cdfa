"""Converts WorldInfo and Viewpoint of old releases."""

from __future__ import annotations

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.vrml.syntax import NodeSyntax, StringSyntax
from solidbody.formats.webots.releases.release import FIRST_ENU, Release
from solidbody.formats.webots.releases.turns import (
    CAMERA_TURN,
    AxisTurn,
    field_of,
    numbers_in,
    turned_after,
    with_numbers,
    with_value,
)

_OLD_POSITION = (0.0, 0.0, 10.0)
"""Where a Viewpoint without position stood up to R2021b."""

_Y_DOWN = ("NUE", "EUN")


def modern_world_info(node: NodeSyntax, release: Release, log: DiagnosticLog) -> NodeSyntax:
    """Return the WorldInfo of a release before R2022a with its axes and gravity said in today's words.

    Files without `coordinateSystem` are NUE before R2020b, ENU then. Gravity as a vector becomes a number
    where it points along the down axis; a vector along -z makes the world ENU.
    """
    written = field_of(node, "coordinateSystem")
    system = written.value.value if written and isinstance(written.value, StringSyntax) else ""
    gravity = numbers_in(node, "gravity", ())
    if written is None and release >= FIRST_ENU and (gravity is None or len(gravity) != 3):
        system = "ENU"
    if gravity is not None and len(gravity) == 3:
        x, y, z = gravity
        if x == 0.0 and z == 0.0 and y < 0.0 and (system in _Y_DOWN or not system):
            node = with_numbers(node, "gravity", (-y,))
        elif x == 0.0 and y == 0.0 and z < 0.0 and system in ("", "ENU"):
            node = with_numbers(node, "gravity", (-z,))
            system = "ENU"
        elif gravity == (0.0, 0.0, 0.0):
            node = with_numbers(node, "gravity", (0.0,))
        else:
            log.warning(
                "manual-conversion",
                node.type_span,
                f"gravity {x:g} {y:g} {z:g} does not point along the down axis; it is kept as "
                "a vector, which Webots no longer reads: turn the world by hand.",
                node=node.label,
                field="gravity",
            )
    if written is None:
        node = with_value(node, "coordinateSystem", StringSyntax(system or "NUE", node.type_span))
    return node


def modern_viewpoint(node: NodeSyntax) -> NodeSyntax:
    """Return a Viewpoint that looks along x where it looked along -z."""
    if field_of(node, "position") is None:
        node = with_numbers(node, "position", _OLD_POSITION, first=True)
    return turned_after(node, AxisTurn(CAMERA_TURN), "orientation") or node
