"""Writes what a scene looks like as glTF 2.0: links as nodes, shapes, materials, lamps, cameras, motion.

glTF has y up: one node turns the scene. Forms that only collide are left out, as is what a viewer adds by
itself (sky, fog).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Final

import numpy as np

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import (
    Pose,
    Quat,
    Vec3,
    cross,
    dot,
    norm,
    normalized,
    quat_from_axis_angle,
)
from solidbody.base.written_files import WrittenFiles
from solidbody.formats.gltf.buffer import GltfDocument, Row
from solidbody.formats.gltf.materials import LOST, GltfMaterials, from_above, moved_coordinates
from solidbody.formats.gltf.motion import LinkMotion, add_animation, set_place
from solidbody.formats.gltf.surfaces import VertexArrays, vertex_arrays
from solidbody.model.appearance import Appearance, TextureTransform
from solidbody.model.devices import (
    DeviceCamera,
    DeviceLight,
    DeviceMuscle,
    DeviceTrackBelt,
    Projection,
)
from solidbody.model.environment import Light, LightDirectional, LightSpot
from solidbody.model.geometry import Geometry
from solidbody.model.links import Link
from solidbody.model.scene import PictureRule, Scene
from solidbody.model.shapes import Shape, ShapeRole

REFERENCE: Final = 3.0
"""[m] Distance at which lamps that do not fade with the square of it are as bright as in the file."""

BRIGHTNESS: Final = 2.0
"""Of a lamp of intensity 1 [lux]: pi would make paper white, and viewers add light of their own."""

WIDE: Final = 16.0 / 9.0
"""Width over height of the viewer's picture."""

EYE: Final[Quat] = (0.5, 0.5, -0.5, -0.5)
"""Frame of a camera of glTF (looks along -z, y up) in one that looks along x with z up."""

_ONE: Final = (1.0, 1.0, 1.0)


def gltf_files(
    scene: Scene, log: DiagnosticLog, *, target: str, motion: LinkMotion | None = None
) -> WrittenFiles:
    """Return a scene as glTF: in one file if the target is a `.glb`, else with its binary part beside it.

    Args:
        scene: The scene.
        log: Told what is lost.
        target: File that is to be written.
        motion: Of all links of the scene; None = it stands still.
    """
    place = PurePath(target)
    document = _Writer(scene, log).document(motion)
    if place.suffix.lower() == ".glb":
        return WrittenFiles(document.glb())
    return document.gltf(place.stem)


@dataclass(slots=True)
class _Writer:
    scene: Scene
    log: DiagnosticLog
    out: GltfDocument = field(default_factory=GltfDocument)
    _forms: dict[Geometry, tuple[int, VertexArrays | None]] = field(
        default_factory=dict[Geometry, "tuple[int, VertexArrays | None]"]
    )
    _accessors: dict[tuple[int, TextureTransform | None, bool], Row] = field(
        default_factory=dict[tuple[int, "TextureTransform | None", bool], Row]
    )
    _meshes: dict[tuple[int, int, TextureTransform | None], int] = field(
        default_factory=dict[tuple[int, int, "TextureTransform | None"], int]
    )
    _said: set[str] = field(default_factory=set[str])

    def document(self, motion: LinkMotion | None) -> GltfDocument:
        """Return the document."""
        scene, out = self.scene, self.out
        looks = GltfMaterials(
            out, scene.source, scene.files, scene.pictures is PictureRule.FILM, self.log
        )
        root: Row = {"name": scene.name or "scene"}
        set_place(root, (0.0, 0.0, 0.0), turn_between(scene.geodesy.up, (0.0, 1.0, 0.0)))
        out.add("scenes", {"name": scene.title or scene.name or "scene", "nodes": [0]})
        out.add("nodes", root)
        nodes: list[int] = []
        parents: list[int | None] = []
        for body in scene.bodies:
            first = len(nodes)
            for link in body.links:
                node = self._node(link.name, link.pose)
                above = None if link.parent is None else first + link.parent
                self._put(0 if above is None else nodes[above], node)
                nodes.append(node)
                parents.append(above)
                self._dress(link, node, looks)
        by_path = {link.path: node for link, node in zip(scene.links(), nodes, strict=True)}
        for light in scene.lights:
            carrier = None if isinstance(light, LightDirectional) else light.link
            self._add_light(light, by_path.get(carrier or "", 0), Pose())
        view = scene.viewpoint
        self._add_camera("viewpoint", view.pose, 0, view.field_of_view, WIDE, view.near, view.far)
        if motion is not None:
            add_animation(out, motion, parents, nodes)
        return out

    # --------------------------------------------------------------------------- nodes

    def _node(self, name: str, pose: Pose) -> int:
        row: Row = {"name": name} if name else {}
        set_place(row, pose.position, pose.rotation)
        return self.out.add("nodes", row)

    def _put(self, parent: int, child: int) -> None:
        self.out.lists["nodes"][parent].setdefault("children", []).append(child)

    def _dress(self, link: Link, node: int, looks: GltfMaterials) -> None:
        """Add what is seen of a link."""
        if link.follows_view:
            self._lose(link, "what follows the view of a viewer is left out")
            return
        for number, shape in enumerate(link.shapes):
            if shape.role is ShapeRole.COLLISION:
                continue
            mesh = self._mesh(shape, looks)
            if mesh is None:
                continue
            name = shape.name or f"{link.name} shape {number}"
            child = self._node(name, shape.pose)
            row = self.out.lists["nodes"][child]
            row["mesh"] = mesh
            if shape.scale != _ONE:
                row["scale"] = list(shape.scale)
            self._put(node, child)
        for device in link.devices:
            match device:
                case DeviceLight():
                    self._add_light(device.light, node, device.pose)
                case DeviceCamera() if device.projection is Projection.PLANAR:
                    self._add_camera(
                        device.name,
                        device.pose * Pose(rotation=device.optical_rotation),
                        node,
                        device.field_of_view,
                        device.width / max(device.height, 1),
                        device.near,
                        device.far,
                    )
                case DeviceMuscle():
                    self._lose(link, "the balls that show muscles are left out")
                case DeviceTrackBelt() if device.element is not None:
                    self._lose(link, "the elements of belts are left out")
                case _:
                    pass

    def _lose(self, link: Link, what: str) -> None:
        if what not in self._said:
            self._said.add(what)
            self.log.warning(LOST, link.span, f"{what}: glTF has no word for them")

    # -------------------------------------------------------------------------- meshes

    def _mesh(self, shape: Shape, looks: GltfMaterials) -> int | None:
        look = shape.appearance
        form, arrays = self._form(shape.geometry)
        if arrays is None:
            return None
        material = looks.number(look, shape.span, is_open=arrays.is_open)
        moved = None if look is None else look.texture_transform
        key = (form, material, moved)
        if key not in self._meshes:
            primitive = self._primitive(form, arrays, moved, look)
            row: Row = {"primitives": [primitive | {"material": material}]}
            self._meshes[key] = self.out.add("meshes", row)
        return self._meshes[key]

    def _form(self, geometry: Geometry) -> tuple[int, VertexArrays | None]:
        known = self._forms.get(geometry)
        if known is None:
            known = self._forms[geometry] = len(self._forms), vertex_arrays(geometry)
        return known

    def _primitive(
        self,
        form: int,
        arrays: VertexArrays,
        moved: TextureTransform | None,
        look: Appearance | None,
    ) -> Row:
        """Return the accessors of a form; those that differ in texture coordinates share the others."""
        has_pictures = look is not None and any(
            (
                look.texture,
                look.normal_map,
                look.roughness_map,
                look.metalness_map,
                look.occlusion_map,
                look.emissive_map,
            )
        )
        plain: Row | None = self._accessors.get((form, None, False))
        if plain is None:
            attributes: Row = {"POSITION": self.out.floats(arrays.positions)}
            if arrays.normals is not None:
                attributes["NORMAL"] = self.out.floats(arrays.normals)
            if arrays.colors is not None:
                attributes["COLOR_0"] = self.out.floats(np.clip(arrays.colors, 0.0, 1.0))
            plain = {"attributes": attributes, "mode": arrays.mode}
            if arrays.indices is not None:
                plain["indices"] = self.out.indices(arrays.indices)
            self._accessors[(form, None, False)] = plain
        uv = arrays.texture_coordinates
        if not has_pictures or uv is None:
            return plain
        key = (form, moved, True)
        if key not in self._accessors:
            coordinates = self.out.floats(from_above(moved_coordinates(uv, moved)))
            known: Row = plain["attributes"]
            attributes = known | {"TEXCOORD_0": coordinates}
            self._accessors[key] = {**plain, "attributes": attributes}
        return self._accessors[key]

    # --------------------------------------------------------------- lamps and cameras

    def _add_light(self, light: Light, node: int, pose: Pose) -> None:
        """Add a lamp that stands at `pose` in the frame of a node."""
        if not light.is_on or light.intensity <= 0.0:
            return
        row: Row = {"color": [max(float(part), 0.0) for part in light.color]}
        place = Pose()
        if isinstance(light, LightDirectional):
            row |= {"type": "directional", "intensity": BRIGHTNESS * light.intensity}
            aim = light.direction
        else:
            a, b, c = light.attenuation
            fades = max(a + b * REFERENCE + c * REFERENCE**2, 1.0)
            row["intensity"] = BRIGHTNESS * light.intensity * REFERENCE**2 / fades
            if 0.0 < light.radius < math.inf:
                row["range"] = light.radius
            place = Pose(light.position)
            aim = (0.0, 0.0, -1.0)
            row["type"] = "point"
            if isinstance(light, LightSpot):
                outer = min(max(light.cut_off_angle, 1e-3), math.pi / 2.0)
                row["type"] = "spot"
                row["spot"] = {
                    "innerConeAngle": min(max(light.beam_width, 0.0), 0.99 * outer),
                    "outerConeAngle": outer,
                }
                aim = light.direction
        if norm(aim) == 0.0:
            return
        turn = turn_between((0.0, 0.0, -1.0), aim)
        child = self._node(f"{row['type']} light", pose * Pose(place.position, turn))
        number = self.out.add("lights", row)
        self.out.lists["nodes"][child]["extensions"] = {"KHR_lights_punctual": {"light": number}}
        self.out.extensions.add("KHR_lights_punctual")
        self._put(node, child)

    def _add_camera(
        self,
        name: str,
        pose: Pose,
        node: int,
        field_of_view: float,
        aspect: float,
        near: float,
        far: float,
    ) -> None:
        """Add a camera; the angle is that across the picture [rad]."""
        if not 0.0 < field_of_view < math.pi:
            return
        up = 2.0 * math.atan(math.tan(field_of_view / 2.0) / aspect)
        lens: Row = {"aspectRatio": aspect, "yfov": up, "znear": max(near, 1e-4)}
        if lens["znear"] < far < math.inf:
            lens["zfar"] = far
        number = self.out.add("cameras", {"type": "perspective", "name": name, "perspective": lens})
        child = self._node(name, pose * Pose(rotation=EYE))
        self.out.lists["nodes"][child]["camera"] = number
        self._put(node, child)


def turn_between(start: Vec3, end: Vec3) -> Quat:
    """Return the shortest rotation of one direction into another."""
    a, b = normalized(start), normalized(end)
    axis, cosine = cross(a, b), max(-1.0, min(1.0, dot(a, b)))
    if norm(axis) < 1e-9:
        if cosine > 0.0:
            return (1.0, 0.0, 0.0, 0.0)
        axis = cross(a, (1.0, 0.0, 0.0) if abs(a[0]) < 0.9 else (0.0, 1.0, 0.0))
        return quat_from_axis_angle(axis, math.pi)
    return quat_from_axis_angle(axis, math.acos(cosine))
