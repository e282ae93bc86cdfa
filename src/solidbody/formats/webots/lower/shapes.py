"""Lowers shapes and appearances."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from solidbody.base.transforms import Pose, Vec3
from solidbody.formats.assets import AssetFinder
from solidbody.formats.geometry.face_meshes import default_texture_coordinates
from solidbody.formats.meshes import MeshPart, turned_over
from solidbody.formats.webots.lower.geometries import GeometryReader
from solidbody.formats.webots.lower.plain import lower_plain, plain_values
from solidbody.formats.webots.nodes.attributes import bindings
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.releases.release import FIRST_Z_UP, Release
from solidbody.formats.webots.releases.turns import UPRIGHT_TURN
from solidbody.model.appearance import Appearance, Texture
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCylinder,
    GeometryLines,
    GeometryMesh,
    GeometryPlane,
    GeometryPoints,
)
from solidbody.model.shapes import Axis, FrictionAxes, Shape


def friction_axes(geometry: Geometry, release: Release) -> FrictionAxes | None:
    """Return the directions of direction-dependent friction, or None where none are defined.

    In old releases planes and cylinders stood along y and used y and z where z and x are used today.
    They come here turned (see `old_releases`): their old z is -y of the shape.
    """
    is_new = release >= FIRST_Z_UP
    match geometry:
        case GeometryBox():
            if is_new:
                return FrictionAxes(cap=Axis.Z, on_cap=Axis.X, on_side=Axis.Z)
            return FrictionAxes(cap=Axis.Y, on_cap=Axis.Z, on_side=Axis.Y)
        case GeometryPlane():
            first = Axis.X if is_new else Axis.Y
            return FrictionAxes(cap=Axis.Z, on_cap=first, on_side=first)
        case GeometryCylinder():
            return FrictionAxes(cap=Axis.Z, on_cap=Axis.X if is_new else Axis.Y, on_side=Axis.Z)
        case _:
            return None


def lower_visual_shape(
    node: TypedNode, pose: Pose, scale: Vec3, geometries: GeometryReader
) -> Shape | None:
    """Return the drawn shape of a Shape node, or None if it has nothing to draw."""
    geometry_node = node.node("geometry")
    geometry = geometries.lower(geometry_node) if geometry_node is not None else None
    if geometry is None:
        return None
    look_node = node.node("appearance")
    look = (
        None
        if look_node is None
        else geometries.once(
            look_node, "look", lambda: lower_appearance(look_node, geometries.finder)
        )
    )
    if look is not None and isinstance(geometry, GeometryLines | GeometryPoints):
        look = _of_strokes(look)
    if isinstance(geometry, GeometryBox) and not geometries.is_z_up and _is_pictured(look):
        # pictures stood along y: the same box, from the frame in which that is z
        geometry = GeometryBox(_upright(geometry.size))
        pose, scale = pose * Pose(rotation=UPRIGHT_TURN), _upright(scale)
    return lower_plain(
        Shape,
        node,
        geometry=_with_coordinates(geometry, look, geometries),
        pose=pose,
        scale=scale,
        appearance=look,
        name=node.label,
    )


def _upright(size: Vec3) -> Vec3:
    """Return lengths along x, y and z as those along x, -z and y."""
    return size[0], size[2], size[1]


def _is_pictured(look: Appearance | None) -> bool:
    """Whether a look has pictures."""
    if look is None:
        return False
    maps = (look.texture, look.normal_map, look.roughness_map, look.metalness_map)
    return any((*maps, look.occlusion_map, look.emissive_map))


def _of_strokes(look: Appearance) -> Appearance:
    """Return the look of lines or points: a classic material shows what it gives off, in any light."""
    has_material = look.specular is not None and look.is_lit
    return replace(
        look, base_color=look.emissive if has_material else look.base_color, is_lit=False
    )


def _with_coordinates(
    geometry: Geometry, look: Appearance | None, geometries: GeometryReader
) -> Geometry:
    """Return a mesh with texture coordinates by its box, where it has none and its look has pictures."""
    if not isinstance(geometry, GeometryMesh) or geometry.texture_coordinates:
        return geometry
    if not _is_pictured(look):
        return geometry
    return geometries.once(
        geometry,
        "coordinates",
        lambda: GeometryMesh(
            geometry.vertices,
            geometry.triangles,
            geometry.normals,
            default_texture_coordinates(geometry),
            geometry.two_sided,
        ),
    )


def lower_cad_shape(
    node: TypedNode, pose: Pose, scale: Vec3, geometries: GeometryReader
) -> list[Shape]:
    """Return the drawn shapes of a CadShape node, one for each object of its file."""
    return [
        lower_plain(
            Shape,
            node,
            geometry=part.geometry
            if node.boolean("ccw")
            else geometries.once(part.geometry, "turned over", partial(turned_over, part.geometry)),
            pose=pose,
            scale=scale,
            appearance=geometries.once(
                node, f"look of {id(part)}", partial(_part_look, node, part, geometries)
            ),
            name=node.label or part.name,
        )
        for part in geometries.mesh_parts(node)
    ]


def _part_look(node: TypedNode, part: MeshPart, geometries: GeometryReader) -> Appearance | None:
    """Return the look that a mesh file gives one of its objects."""
    if part.color is None and not part.texture:
        return None
    plain = Appearance() if part.roughness is None else Appearance(roughness=part.roughness)
    return replace(
        plain,
        base_color=part.color or (1.0, 1.0, 1.0),
        metalness=part.metalness,
        emissive=part.glow or (0.0, 0.0, 0.0),
        transparency=1.0 - part.opacity,
        texture=Texture(geometries.image_address(node, part.texture)) if part.texture else None,
    )


def lower_appearance(node: TypedNode, finder: AssetFinder) -> Appearance:
    """Return the look that an Appearance or PBRAppearance node describes."""
    child = partial(_look_part, finder=finder)
    if node.type == "PBRAppearance":
        return lower_plain(
            Appearance, node, child=child, blends_screen=_blends(node, "baseColorMap")
        )
    parts = plain_values(bindings("Appearance"), node, child=child)
    parts["blends_screen"] = _blends(node, "texture")
    material = node.node("material")
    if material is None:
        return Appearance(specular=(0.0, 0.0, 0.0), is_lit=False, **parts)
    return lower_plain(Appearance, material, **parts)


def _blends(node: TypedNode, name: str) -> bool:
    """Return whether an ImageTexture is filtered; one without url too, whose surface may be a screen."""
    texture = node.node(name)
    return texture is None or texture.integer("filtering") > 0


def _look_part(node: TypedNode, finder: AssetFinder) -> Any:
    """Return the image of an ImageTexture (one without url is no image), or a TextureTransform."""
    if node.type == "ImageTexture" and not node.strings("url"):
        return None
    return lower_plain(object, node, finder=finder)
