"""Lowers bounding objects: which geometries of a solid collide, and where (docs/behaviour, W3.2).

Legal is a geometry, a Shape, a Pose with one of these, or a Group of any of them. A Transform without
scale is a Pose, whatever the release.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import SourceSpan
from solidbody.base.transforms import WORLD, Pose, Vec3
from solidbody.formats.webots.lower.drawn_nodes import DrawnNodes
from solidbody.formats.webots.lower.geometries import GeometryReader
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.releases.release import FIRST_POSE, Release
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryHeightField,
    GeometryMesh,
    GeometryPlane,
    GeometrySphere,
)

_NEVER_COLLIDES = ("Cone", "IndexedLineSet", "PointSet")
_UNSCALED: Vec3 = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class BoundingPart:
    """A geometry that collides, at its place in the solid."""

    geometry: Geometry
    pose: Pose
    node_type: str
    span: SourceSpan


def bounding_parts(
    solid: TypedNode,
    release: Release,
    geometries: GeometryReader,
    drawn: DrawnNodes,
    log: DiagnosticLog,
) -> list[BoundingPart]:
    """Return the collision geometries of a solid (or fluid), in its frame."""
    node = solid.node("boundingObject")
    if node is None:
        return []
    reader = _Reader(release, geometries, drawn, log)
    if node.type == "Group":
        return reader.group(node)
    return reader.single(node, is_in_group=False)


@dataclass(slots=True)
class _Reader:
    release: Release
    geometries: GeometryReader
    drawn: DrawnNodes
    log: DiagnosticLog

    def group(self, group: TypedNode) -> list[BoundingPart]:
        children = group.children()
        if not children:
            group.inform(self.log, "empty-bounding-object", "an empty Group in a bounding object.")
        legal = [child for child in children if not self.is_bare_and_drawn(child, group)]
        return [part for child in legal for part in self.single(child, is_in_group=True)]

    def is_bare_and_drawn(self, child: TypedNode, holder: TypedNode) -> bool:
        """Whether a geometry without Shape stands in a node that is also drawn (after a report)."""
        if not child.is_a("Geometry") or not self.drawn.has(holder):
            return False
        child.warn(
            self.log,
            "illegal-bounding-object",
            f"a {child.type} directly in a {holder.type} that is also drawn (by DEF and USE) cannot "
            "collide; put it into a Shape. It is left out.",
        )
        return True

    def single(self, node: TypedNode, *, is_in_group: bool) -> list[BoundingPart]:
        """Return the parts of a node that is not the outer Group."""
        if node.type in ("Pose", "Transform"):
            return self.posed(node)
        if node.type == "Shape" or node.is_a("Geometry"):
            return self.leaf(node, WORLD, _UNSCALED)
        where = "in a Group of a bounding object" if is_in_group else "in a bounding object"
        node.warn(
            self.log,
            "illegal-bounding-object",
            f"ignoring illegal node: a {node.type} is not allowed {where} "
            "(allowed: geometries, Shape, Pose, and one outer Group).",
        )
        return []

    def posed(self, pose: TypedNode) -> list[BoundingPart]:
        scale = pose.vec3("scale") if pose.type == "Transform" else _UNSCALED
        if scale != _UNSCALED and self.release >= FIRST_POSE:  # one without scale is a Pose
            pose.warn(
                self.log,
                "illegal-bounding-object",
                f"a Transform with a scale is not allowed in a bounding object since {FIRST_POSE}; "
                "it is used as in releases before. Use a Pose, and give the geometry its size.",
            )
        children = pose.children()
        if not children:
            pose.inform(
                self.log, "empty-bounding-object", f"a {pose.type} without child does not collide."
            )
            return []
        if len(children) > 1:
            pose.warn(
                self.log,
                "illegal-bounding-object",
                f"a {pose.type} in a bounding object takes one child, got {len(children)}; "
                "only the first counts.",
            )
        child = children[0]
        if child.type != "Shape" and not child.is_a("Geometry"):
            child.warn(
                self.log,
                "illegal-bounding-object",
                f"a {child.type} is not allowed inside a {pose.type} of a bounding object "
                "(allowed: a geometry or a Shape); it is left out.",
            )
            return []
        if self.is_bare_and_drawn(child, pose):
            return []
        return self.leaf(child, pose.pose(), scale)

    def leaf(self, node: TypedNode, pose: Pose, scale: Vec3) -> list[BoundingPart]:
        """Return the part of a Shape or geometry."""
        if node.type == "Shape":
            inner = node.node("geometry")
            if inner is None:
                node.inform(
                    self.log, "empty-bounding-object", "a Shape without geometry does not collide."
                )
                return []
            node = inner
        if node.type in _NEVER_COLLIDES:
            node.warn(
                self.log,
                "illegal-bounding-object",
                f"a {node.type} cannot be used in a bounding object; it is left out.",
            )
            return []
        geometry = self.geometries.lower(node)
        if geometry is None:  # there is nothing of it, which has been reported
            return []
        if scale != _UNSCALED:
            geometry = scaled_geometry(geometry, scale)
        return [BoundingPart(geometry, pose, node.type, node.span)]


def scaled_part(part: BoundingPart, s: Vec3) -> BoundingPart:
    """Return a part of a solid with the scale `s` of files before R2023b."""
    x, y, z = part.pose.position
    pose = Pose((s[0] * x, s[1] * y, s[2] * z), part.pose.rotation)
    return replace(part, geometry=scaled_geometry(part.geometry, s), pose=pose)


def scaled_geometry(geometry: Geometry, s: Vec3) -> Geometry:
    """Return the geometry with the scale of an old Transform; round forms take the larger factor."""
    match geometry:
        case GeometryBox():
            x, y, z = geometry.size
            return GeometryBox((x * s[0], y * s[1], z * s[2]))
        case GeometrySphere():
            return GeometrySphere(geometry.radius * max(s))
        case GeometryCylinder():
            return GeometryCylinder(geometry.radius * max(s[0], s[1]), geometry.height * s[2])
        case GeometryCapsule():
            return GeometryCapsule(geometry.radius * max(s[0], s[1]), geometry.height * s[2])
        case GeometryPlane():
            return GeometryPlane((geometry.size[0] * s[0], geometry.size[1] * s[1]))
        case GeometryMesh():
            points = tuple((x * s[0], y * s[1], z * s[2]) for x, y, z in geometry.vertices)
            return replace(geometry, vertices=points)
        case GeometryHeightField():
            return replace(
                geometry,
                x_spacing=geometry.x_spacing * s[0],
                y_spacing=geometry.y_spacing * s[1],
                heights=tuple(height * s[2] for height in geometry.heights),
                thickness=geometry.thickness * s[2],
            )
        case _:
            return geometry
