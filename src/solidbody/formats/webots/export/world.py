"""Exports what surrounds the bodies: settings, contacts, lights, sky, viewpoint."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import SourceSpan
from solidbody.base.transforms import cross, dot, norm
from solidbody.formats.vrml.syntax import NodeSyntax
from solidbody.formats.webots.export.nodes import node
from solidbody.formats.webots.export.plain import plain_fields, plain_node
from solidbody.formats.webots.export.shapes import LOST
from solidbody.formats.webots.lower.world_rules import lines_of
from solidbody.formats.webots.nodes import NODES
from solidbody.model.contacts import DEFAULT_MATERIAL, ContactProperties, ContactTable
from solidbody.model.environment import Light, LightDirectional, Viewpoint
from solidbody.model.scene import Geodesy, Scene, Sleeping
from solidbody.model.shapes import ShapeRole

_STRAIGHT_DOWN = 1e-9
"""Share of gravity that may point sideways before it counts as tilted: rounding of a scene."""

_SKY = (0.6, 0.75, 0.9)
_SUN = (0.5, 0.3, -1.0)


def surroundings(scene: Scene, log: DiagnosticLog) -> list[NodeSyntax]:
    """Return WorldInfo, Viewpoint, Background, Fog and the lights that no link carries."""
    nodes = [_world_info(scene, log), _viewpoint(scene)]
    if scene.background is not None:
        sky = scene.background
        nodes.append(plain_node(sky))
        if sky.images:
            log.info(LOST, sky.span, "the images of the sky are left out")
    if scene.fog is not None:
        nodes.append(plain_node(scene.fog))
    nodes += [plain_node(light) for light in scene.lights if _carrier(light) is None]
    if not scene.lights and scene.background is None:
        # files of robots have no surroundings; without any a world of Webots is black
        nodes.append(node("Background", skyColor=[_SKY]))
        nodes.append(node("DirectionalLight", ambientIntensity=1.0, direction=_SUN))
    return nodes


def _carrier(light: Light) -> str | None:
    return None if isinstance(light, LightDirectional) else light.link


def _world_info(scene: Scene, log: DiagnosticLog) -> NodeSyntax:
    physics = scene.physics
    gravity = norm(physics.gravity)
    up = scene.geodesy.up
    sideways = norm(cross(physics.gravity, up))
    if sideways > _STRAIGHT_DOWN * gravity or dot(physics.gravity, up) > 0.0:
        log.warning(
            LOST,
            SourceSpan(scene.source, 1, 1, 1, 1),
            f"gravity {physics.gravity} does not point down: Webots takes its amount only",
        )
    rows = complete_table(scene)
    _report_law(scene, rows, log)
    sleeping = physics.sleeping or Sleeping(0.0, 0.01, 0.01)
    said: list[object] = [scene, physics, sleeping, scene.geodesy, ContactTable(tuple(rows))]
    fields = {
        name: value for item in said for name, value in plain_fields("WorldInfo", item).items()
    }
    fields["info"] = lines_of(physics, scene.info)
    fields["gravity"] = gravity
    fields["coordinateSystem"] = _coordinate_system(scene.geodesy)
    return node("WorldInfo", **{name: fields.get(name) for name in NODES.fields("WorldInfo")})


def _coordinate_system(geodesy: Geodesy) -> str | None:
    """Return Webots' word for the axes of a world; None = east, north, up, which is its default."""
    if geodesy.up == Geodesy().up:
        return None
    return "EUN" if geodesy.east == (1.0, 0.0, 0.0) else "NUE"


def _report_law(scene: Scene, rows: list[ContactProperties], log: DiagnosticLog) -> None:
    """Report once what rows of contact properties say beyond what Webots' nodes can."""
    plain = ContactProperties()
    fields = {
        "follows_sliding": "friction that follows the sliding",
        "remembers_loads": "friction bounded by remembered loads",
        "static_friction": "static friction",
        "rest_depth": "a depth at which bodies rest",
        "depth_scale": "a limit of the push-out speed",
        "min_depth": "a depth that contacts must have",
        "max_depth": "a depth beyond which contacts are left out",
    }
    losses = [
        word
        for name, word in fields.items()
        if any(getattr(row, name) != getattr(plain, name) for row in rows)
    ]
    if losses:
        place = SourceSpan(scene.source, 1, 1, 1, 1)
        log.info(LOST, place, f"contact properties: Webots cannot say {', '.join(losses)}")


def complete_table(scene: Scene) -> list[ContactProperties]:
    """Return the table with a row for each pair of materials in use that its default would rule.

    The default of the written file is Webots' own, so that another one must be spelled out.
    """
    rows = list(scene.contacts.entries)
    if _law(scene.contacts.default) == _law(ContactProperties()):
        return rows
    table = ContactTable(tuple(rows))
    used = {DEFAULT_MATERIAL} | {
        shape.contact_material
        for link in scene.links()
        for shape in link.shapes
        if shape.role is not ShapeRole.VISUAL
    }
    for first, second in combinations_with_replacement(sorted(used), 2):
        if table.find(first, second) is table.default:
            rows.append(replace(scene.contacts.default, materials=(first, second)))
    return rows


def _law(entry: ContactProperties) -> ContactProperties:
    """Return an entry without what does not act."""
    plain = ContactProperties()
    return replace(entry, materials=plain.materials, sounds=plain.sounds, span=plain.span)


def _viewpoint(scene: Scene) -> NodeSyntax:
    view = scene.viewpoint
    if view == Viewpoint():  # nobody chose a place, and the origin is inside the robot
        return node("Viewpoint")
    return node(
        "Viewpoint", **plain_fields("Viewpoint", view, without=("followType", "followSmoothness"))
    )
