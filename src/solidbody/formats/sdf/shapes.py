"""Visuals and collisions of SDF as shapes: forms, meshes, height maps, colours and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from solidbody.base.limits import MAX_HEIGHTS
from solidbody.base.transforms import Pose, Quat, Vec3, cross, dot, quat_normalized
from solidbody.formats.assets import AssetError
from solidbody.formats.geometry.ellipsoids import ellipsoid
from solidbody.formats.geometry.trees import TreePart
from solidbody.formats.images import ImageError, check_image
from solidbody.formats.link_trees.mesh_files import BodyMeshes
from solidbody.formats.link_trees.node_transforms import place_from_pose, scaled_place
from solidbody.formats.link_trees.sizes import Primitive, checked_form
from solidbody.formats.sdf.values import Values
from solidbody.formats.xml_tree import XmlElement
from solidbody.model.appearance import Appearance, Color, Texture
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryHeightField,
    GeometryMesh,
    GeometryPlane,
    GeometrySphere,
)
from solidbody.model.shapes import Shape, ShapeRole

FORMS: Final = (
    "box",
    "sphere",
    "cylinder",
    "capsule",
    "cone",
    "ellipsoid",
    "plane",
    "mesh",
    "heightmap",
    "empty",
)
"""Geometries that are read."""

NAMED: Final[dict[str, Color]] = {
    "black": (0.0, 0.0, 0.0),
    "blue": (0.0, 0.0, 1.0),
    "darkgrey": (0.175, 0.175, 0.175),
    "gold": (0.8, 0.65, 0.1),
    "green": (0.0, 1.0, 0.0),
    "grey": (0.7, 0.7, 0.7),
    "orange": (1.0, 0.51, 0.02),
    "purple": (1.0, 0.0, 1.0),
    "red": (1.0, 0.0, 0.0),
    "turquoise": (0.0, 1.0, 1.0),
    "white": (1.0, 1.0, 1.0),
    "wood": (0.6, 0.4, 0.2),
    "yellow": (1.0, 1.0, 0.0),
}
"""Colours of Gazebo's own scripts (`Gazebo/Red`)."""


@dataclass(slots=True)
class SdfShapes:
    """Reads shapes.

    Attributes:
        meshes: Finds and reads other files.
        values: Reads numbers.
    """

    meshes: BodyMeshes
    values: Values
    _fields: dict[str, GeometryHeightField | None] = field(
        default_factory=dict[str, "GeometryHeightField | None"]
    )

    def shapes(self, element: XmlElement, pose: Pose, role: ShapeRole) -> Iterator[Shape]:
        """Yield the shapes of a <visual> or <collision> that stands somewhere on its link."""
        geometry = element.first("geometry")
        form = None if geometry is None else next(iter(geometry.children), None)
        if geometry is None or form is None or form.tag not in FORMS:
            got = "nothing" if form is None else f"<{form.tag}>"
            guess = "" if form is None else self.values.messages.guess(form.tag, FORMS)
            said = f"expected a geometry of {', '.join(FORMS)}, got {got}; it is left out.{guess}"
            spot = self.values.spot(form or geometry or element)
            if form is not None and form.tag in ("polyline", "image"):
                spot.warning("geometry", said)
            else:
                spot.error("geometry", said)
            return
        look = self._look(element) if role is ShapeRole.VISUAL else None
        shadows = self.values.flag(element, "cast_shadows", True)
        for shape in self._formed(form, pose, role):
            own = shape.appearance if look is None or shape.appearance is not None else look
            keeps = element.first("material") is None or own is None
            yield replace(
                shape,
                appearance=own if keeps else look,
                casts_shadows=shadows,
                name=shape.name or element.attributes.get("name", ""),
            )

    def _formed(self, form: XmlElement, pose: Pose, role: ShapeRole) -> Iterator[Shape]:
        spot = self.values.spot(form)
        if form.tag == "mesh":
            yield from self._mesh(form, pose, role)
            return
        if form.tag == "heightmap":
            yield from self._heights(form, pose, role)
            return
        if form.tag == "empty":
            return
        if form.tag == "plane":
            normal = self.values.direction(form, "normal", (0.0, 0.0, 1.0))
            size = form.first("size")
            sizes = (1.0, 1.0) if size is None else self.values.numbers(size, (1.0, 1.0))
            wide = (max(sizes[0], 1e-3), max(sizes[1], 1e-3))
            turn = Pose(rotation=turn_of_z(normal))
            yield Shape(GeometryPlane(wide), pose * turn, role, span=spot.span)
            return
        geometry = self._geometry(form)
        if geometry is None:
            return
        made = self.meshes.shape(spot, TreePart(geometry), place_from_pose(pose), role)
        if made is not None:
            yield made

    def _geometry(self, form: XmlElement) -> Geometry | None:
        values = self.values
        if form.tag == "ellipsoid":
            radii = values.vector(form, "radii", (1.0, 1.0, 1.0))
            if min(radii) > 0.0 and max(radii) < 1e6:
                return ellipsoid(radii)
            values.spot(form, "radii").error(
                "wrong-size", "radii must be above 0; the shape is left out."
            )
            return None
        radius, length = (values.number(form, tag, 1.0) for tag in ("radius", "length"))
        made: Primitive
        match form.tag:
            case "box":
                made = GeometryBox(values.vector(form, "size", (1.0, 1.0, 1.0)))
            case "sphere":
                made = GeometrySphere(radius)
            case "cylinder":
                made = GeometryCylinder(radius, length)
            case "cone":
                made = GeometryCone(radius, length)
            case _:
                made = GeometryCapsule(radius, length)
        return checked_form(made, lambda size: values.spot(form, size))

    def _mesh(self, form: XmlElement, pose: Pose, role: ShapeRole) -> Iterator[Shape]:
        uri = self.values.word(form, "uri")
        spot = self.values.spot(form, "uri")
        if not uri:
            spot.error("missing-key", "a mesh needs a <uri>; it is left out.")
            return
        factors = self.values.vector(form, "scale", (1.0, 1.0, 1.0))
        place = place_from_pose(pose) * scaled_place(
            Pose(), factors, self.values.spot(form, "scale")
        )
        path = self.meshes.path(uri, form.span.file, spot)
        tree = None if path is None else self.meshes.named_tree(path, uri, spot)
        if tree is None:
            return
        submesh = form.first("submesh")
        wanted = self.values.word(submesh, "name")
        made = list(self.meshes.shapes(self.meshes.parts(tree, uri, spot), spot, place, role))
        if wanted:
            chosen = [shape for shape in made if shape.name == wanted]
            if not chosen:
                known = [shape.name for shape in made if shape.name]
                guess = self.values.messages.guess(wanted, known)
                said = f'no part of "{uri}" is named "{wanted}"; all of it is used.{guess}'
                spot.warning("unknown-submesh", said)
            made = chosen or made
            if self.values.flag(submesh, "center"):
                made = list(_centred(made, pose))
        yield from made

    def _heights(self, form: XmlElement, pose: Pose, role: ShapeRole) -> Iterator[Shape]:
        uri = self.values.word(form, "uri")
        key = f"{form.span.file}:{form.span.line}:{uri}"
        if key not in self._fields:
            self._fields[key] = self._height_field(form, uri)
        ground = self._fields[key]
        if ground is None:
            return
        at = self.values.vector(form, "pos", (0.0, 0.0, 0.0))
        x = -(ground.x_count - 1) * ground.x_spacing / 2.0
        y = -(ground.y_count - 1) * ground.y_spacing / 2.0
        corner = Pose((at[0] + x, at[1] + y, at[2]))
        yield Shape(ground, pose * corner, role, span=form.span)

    def _height_field(self, form: XmlElement, uri: str) -> GeometryHeightField | None:
        """Return the heights of a picture: white is as high as `size` says, rows run from +y to -y."""
        from PIL import Image

        spot = self.values.spot(form, "uri")
        size = self.values.vector(form, "size", (1.0, 1.0, 1.0))
        if min(size[0], size[1]) <= 0.0:
            spot.error("wrong-size", "a height map needs a size above 0; it is left out.")
            return None
        try:
            path = self.meshes.find(uri, form.span.file)
            info = check_image(path)
            if info.width * info.height > MAX_HEIGHTS or min(info.width, info.height) < 2:
                said = f"a height map has 2 x 2 to {MAX_HEIGHTS} pixels; it is left out."
                spot.error("wrong-size", said)
                return None
            with Image.open(path) as picture:
                grey = np.asarray(picture.convert("I" if "I" in picture.mode else "L"), dtype=float)
        except (AssetError, ImageError, OSError, ValueError) as error:
            text = error.text if isinstance(error, AssetError) else str(error)
            spot.error("missing-heights", f'the picture "{uri}" cannot be used: {text}; left out.')
            return None
        most = float(grey.max()) or 1.0
        heights = (grey[::-1] / most * size[2]).ravel()
        rows, columns = grey.shape
        return GeometryHeightField(
            columns,
            rows,
            size[0] / (columns - 1),
            size[1] / (rows - 1),
            tuple(heights.tolist()),
        )

    # ------------------------------------------------------------------------------------------ looks

    def _look(self, visual: XmlElement) -> Appearance | None:
        """Return how a visual looks; None where nothing is said."""
        material = visual.first("material")
        clear = min(max(self.values.number(visual, "transparency", 0.0), 0.0), 1.0)
        if material is None:
            return Appearance(transparency=clear) if clear else None
        script = material.first("script")
        named = self.values.word(script, "name").removeprefix("Gazebo/").lower()
        plain = NAMED.get(named, (1.0, 1.0, 1.0) if script is None else (0.7, 0.7, 0.7))
        diffuse = self._color(material, "diffuse", (*plain, 1.0))
        emissive = self._color(material, "emissive", (0.0, 0.0, 0.0, 1.0))
        alpha = diffuse[3] * (1.0 - clear)
        look = Appearance(
            base_color=diffuse[:3], emissive=emissive[:3], transparency=1.0 - alpha, roughness=0.8
        )
        pbr = material.first("pbr")
        metal = None if pbr is None else pbr.first("metal")
        if metal is None:
            specular = self._color(material, "specular", (0.0, 0.0, 0.0, 1.0))
            shine = self.values.number(material, "shininess", 0.0)
            if material.first("specular") is not None:
                shine = min(max(shine / 128.0, 0.01), 1.0)
                return replace(look, specular=specular[:3], shininess=shine, ambient=1.0)
            return look
        rough, shiny = (
            min(max(self.values.number(metal, tag, 0.5), 0.0), 1.0)
            for tag in ("roughness", "metalness")
        )
        return replace(
            look,
            roughness=rough,
            metalness=shiny,
            texture=self._texture(metal, "albedo_map"),
            normal_map=self._texture(metal, "normal_map"),
            roughness_map=self._texture(metal, "roughness_map"),
            metalness_map=self._texture(metal, "metalness_map"),
            emissive_map=self._texture(metal, "emissive_map"),
        )

    def _texture(self, metal: XmlElement, tag: str) -> Texture | None:
        uri = self.values.word(metal, tag)
        address = self.meshes.address(uri, metal.span.file) if uri else ""
        return Texture(address) if address else None

    def _color(
        self, parent: XmlElement, tag: str, default: tuple[float, float, float, float]
    ) -> tuple[float, float, float, float]:
        return color_of(parent, tag, default, self.values)


def color_of(
    parent: XmlElement | None,
    tag: str,
    default: tuple[float, float, float, float],
    values: Values,
) -> tuple[float, float, float, float]:
    """Return a colour with its opacity, which may be left out."""
    found = None if parent is None else parent.first(tag)
    if found is None:
        return default
    three = len(found.text.split()) == 3
    numbers = values.numbers(found, default[:3] if three else default)
    red, green, blue = (min(max(number, 0.0), 1.0) for number in numbers[:3])
    return red, green, blue, 1.0 if three else min(max(numbers[3], 0.0), 1.0)


def turn_of_z(normal: Vec3) -> Quat:
    """Return the shortest turn that brings z to a direction."""
    z = (0.0, 0.0, 1.0)
    if dot(z, normal) < -1.0 + 1e-12:
        return (0.0, 1.0, 0.0, 0.0)
    axis = cross(z, normal)
    return quat_normalized((1.0 + dot(z, normal), *axis))


def _centred(shapes: Sequence[Shape], pose: Pose) -> Iterator[Shape]:
    """Yield shapes moved so that the middle of their box is where the mesh stands."""
    points = [
        shape.pose.point(corner)
        for shape in shapes
        if isinstance(shape.geometry, GeometryMesh)
        for corner in shape.geometry.vertices
    ]
    if not points:
        yield from shapes
        return
    cloud: Any = np.array(points)
    middle = (cloud.min(axis=0) + cloud.max(axis=0)) / 2.0
    x, y, z = (float(p) - float(m) for p, m in zip(pose.position, middle, strict=True))
    for shape in shapes:
        yield replace(shape, pose=Pose((x, y, z)) * shape.pose)
