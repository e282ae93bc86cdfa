"""Writes a scene as USD: a stage in metres and kilograms with the schemas of UsdPhysics.

Each link is an Xform of its own in the world, with rigid body, mass and velocity; joints stand beside them.
Forms that only collide are guides. The text is our own; `.usd` and `.usdc`, its binary form, need usd-core.
"""

from __future__ import annotations

import importlib
import math
import tempfile
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, Final

import numpy as np

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.errors import SaveError
from solidbody.base.span import SourceSpan
from solidbody.base.transforms import Pose, Vec3, norm, quat_from_matrix, scale
from solidbody.base.written_files import WrittenFiles
from solidbody.formats.gltf.materials import moved_coordinates
from solidbody.formats.gltf.scene import BRIGHTNESS, EYE, REFERENCE, turn_between
from solidbody.formats.gltf.surfaces import vertex_arrays
from solidbody.formats.usd.joints import add_joint, add_loop
from solidbody.formats.usd.materials import LOST, UsdMaterials
from solidbody.formats.usd.text import Prim, layer_text, quoted
from solidbody.model.appearance import Appearance, TextureTransform
from solidbody.model.devices import DeviceCamera, DeviceLight, Projection
from solidbody.model.environment import Light, LightDirectional, LightSpot
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryLines,
    GeometryPlane,
    GeometryPoints,
    GeometrySphere,
)
from solidbody.model.joints import JointFree
from solidbody.model.links import Body, Link, Motion
from solidbody.model.mass import MassProperties
from solidbody.model.scene import PictureRule, Scene, world_poses
from solidbody.model.shapes import Shape, ShapeRole

USD_KINDS: Final = (".usda", ".usd", ".usdc")
"""Extensions of USD; the first is text."""

WORLD: Final = "/World"

APERTURE: Final = 20.955
"""[mm] Width of the film of a camera."""

_ONE: Final = (1.0, 1.0, 1.0)


def usd_files(scene: Scene, log: DiagnosticLog, *, target: str) -> WrittenFiles:
    """Return a scene as USD, with its pictures beside it.

    Raises:
        SaveError: The binary form is asked for and usd-core is not installed.
    """
    place = PurePath(target)
    writer = _Writer(scene, log, place.stem)
    text = writer.text()
    beside = writer.materials.beside
    if place.suffix.lower() == ".usda":
        return WrittenFiles(text.encode("utf-8"), beside)
    return WrittenFiles(_binary(text), beside)


def _binary(text: str) -> bytes:
    """Return a layer as binary."""
    try:
        sdf: Any = importlib.import_module("pxr.Sdf")
    except ImportError as error:
        raise SaveError(
            'binary USD needs usd-core: pip install "solidbody[usd]"; ".usda" is written without it'
        ) from error
    layer = sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scene.usdc")
        layer.Export(str(path))
        return path.read_bytes()


@dataclass(slots=True)
class _Writer:
    scene: Scene
    log: DiagnosticLog
    stem: str
    world: Prim = field(default_factory=lambda: Prim("Xform", "World"))
    forms: Prim = field(default_factory=lambda: Prim("", "Forms", is_class=True))
    materials: UsdMaterials = field(init=False)
    _meshes: dict[tuple[Geometry, TextureTransform | None], str] = field(
        default_factory=dict[tuple[Geometry, "TextureTransform | None"], str]
    )
    _paths: dict[str, str] = field(default_factory=dict[str, str])
    _lost: dict[str, tuple[SourceSpan, list[str]]] = field(
        default_factory=dict[str, tuple[SourceSpan, list[str]]]
    )

    def __post_init__(self) -> None:
        looks = self.world.child("Scope", "Looks")
        folder = "".join(c if c.isascii() and c.isalnum() else "_" for c in self.stem)
        self.materials = UsdMaterials(
            looks,
            f"{WORLD}/{looks.name}",
            self.scene.source,
            self.scene.files,
            f"{folder}_textures",
            self.scene.pictures is PictureRule.FILM,
            self.scene.contacts,
            self.log,
        )

    def text(self) -> str:
        """Return the layer."""
        scene = self.scene
        self._add_physics()
        for body in scene.bodies:
            self._add_body(body)
        for light in scene.lights:
            carrier = None if isinstance(light, LightDirectional) else light.link
            self._add_light(self.world, light, self._link_pose(carrier))
        view = scene.viewpoint
        self._add_camera(
            self.world, "viewpoint", view.pose, view.field_of_view, 16.0 / 9.0, view.near, view.far
        )
        for what, (span, names) in self._lost.items():
            shown = ", ".join(f'"{name}"' for name in names[:3])
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            self.log.warning(LOST, span, f"USD cannot say {what} ({shown}{more}).")
        up = scene.geodesy.up
        metadata = {
            "defaultPrim": quoted("World"),
            "doc": quoted(scene.title or scene.name),
            "kilogramsPerUnit": "1",
            "metersPerUnit": "1",
            "upAxis": quoted("Y" if up[1] > max(up[0], up[2]) else "Z"),
        }
        prims = [self.world, self.forms] if self.forms.children else [self.world]
        return layer_text(metadata, prims)

    def _add_physics(self) -> None:
        prim = self.world.child("PhysicsScene", "physics")
        gravity = self.scene.physics.gravity
        size = norm(gravity)
        if size:
            prim.set("vector3f", "physics:gravityDirection", scale(gravity, 1.0 / size))
        prim.set("float", "physics:gravityMagnitude", size)

    def _link_pose(self, path: str | None) -> Pose:
        """Return where the link is that carries a lamp."""
        for body in self.scene.bodies if path is not None else ():
            for link, pose in zip(body.links, world_poses(body), strict=True):
                if link.path == path:
                    return pose
        return Pose()

    # --------------------------------------------------------------------------- bodies

    def _add_body(self, body: Body) -> None:
        prim = self.world.child("Xform", body.name, title=body.name)
        path = f"{WORLD}/{prim.name}"
        links: list[str] = []
        for link, pose in zip(body.links, world_poses(body), strict=True):
            node = self._add_link(prim, path, link, pose)
            links.append(node)
            self._paths[link.path] = node
        joints = Prim("Scope", prim.take("joints"))
        where = dict(zip((link.path for link in body.links), links, strict=True))
        for link, node in zip(body.links, links, strict=True):
            if link.parent is None and (
                link.motion is Motion.KINEMATIC or isinstance(link.joint, JointFree)
            ):
                continue
            above = "" if link.parent is None else links[link.parent]
            for what in add_joint(joints, link, above, node):
                self._lose(what, getattr(link.joint, "name", link.name), link.span)
        for loop in body.loops:
            for what in add_loop(joints, loop, where):
                self._lose(what, loop.name, loop.span)
        for coupling in body.couplings:
            self._lose("couplings of joints", coupling.follower, coupling.span)
        if joints.children:
            prim.children.append(joints)
            prim.schemas = ("PhysicsArticulationRootAPI",)
        if not body.collision.self_collision and len(body.links) > 1:
            group = self.world.child(
                "PhysicsCollisionGroup", f"{body.name} parts", "CollectionAPI:colliders"
            )
            group.relate("collection:colliders:includes", path)
            group.relate("physics:filteredGroups", f"{WORLD}/{group.name}")

    def _add_link(self, parent: Prim, path: str, link: Link, pose: Pose) -> str:
        prim = parent.child("Xform", link.name or "link", title=link.name)
        own = f"{path}/{prim.name}"
        _place(prim, pose)
        moves = link.motion is Motion.DYNAMIC or link.parent is not None
        moves = moves or any((*link.linear_velocity, *link.angular_velocity))
        if moves:
            prim.schemas = ("PhysicsRigidBodyAPI",)
            if link.motion is Motion.KINEMATIC:
                prim.set("bool", "physics:kinematicEnabled", True)
            if any(link.linear_velocity):
                prim.set("vector3f", "physics:velocity", link.linear_velocity)
            if any(link.angular_velocity):
                spin = tuple(math.degrees(part) for part in link.angular_velocity)
                prim.set("vector3f", "physics:angularVelocity", spin)
            if link.mass is not None and link.mass.mass > 0.0:
                prim.schemas = (*prim.schemas, "PhysicsMassAPI")
                _add_mass(prim, link.mass)
        for number, shape in enumerate(link.shapes):
            self._add_shape(prim, own, shape, shape.name or f"shape {number}", moves=moves)
        for device in link.devices:
            match device:
                case DeviceLight():
                    self._add_light(prim, device.light, device.pose)
                case DeviceCamera() if device.projection is Projection.PLANAR:
                    self._add_camera(
                        prim,
                        device.name,
                        device.pose * Pose(rotation=device.optical_rotation),
                        device.field_of_view,
                        device.width / max(device.height, 1),
                        device.near,
                        device.far,
                    )
                case _:
                    word = device.model or type(device).__name__.removeprefix("Device")
                    self._lose(f"what a {word} measures or does", device.name, device.span)
        return own

    # --------------------------------------------------------------------------- shapes

    def _add_shape(self, link: Prim, path: str, shape: Shape, name: str, *, moves: bool) -> None:
        look = shape.appearance
        is_drawn = shape.role is not ShapeRole.COLLISION
        collides = shape.role is not ShapeRole.VISUAL
        made = _plain_form(shape.geometry) if shape.scale == _ONE else None
        is_mesh = made is None or (is_drawn and look is not None and _has_pictures(look))
        if is_mesh and collides and made is not None:  # drawn by its mesh, touched as what it is
            self._collider(link.child(made.kind, f"{name} collision"), made, shape, is_drawn=False)
            collides = False
        if is_mesh:
            kind, source = self._mesh(shape.geometry, look)
            if not source:
                return
            prim = link.child(kind, name)
            prim.references = source
            _place(prim, shape.pose, shape.scale)
            if collides:
                prim.schemas = ("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI")
                form = "convexHull" if moves else "none"
                prim.set("uniform token", "physics:approximation", form)
                if not is_drawn:
                    prim.set("uniform token", "purpose", "guide")
                self._bind_contact(prim, shape)
        else:
            assert made is not None
            prim = link.child(made.kind, name)
            if collides:
                self._collider(prim, made, shape, is_drawn=is_drawn)
            else:
                prim.lines += made.lines
                _place(prim, shape.pose * made.pose, made.scale)
        if is_drawn:
            _bind(prim, "material:binding", self.materials.of_look(look, shape.span))

    def _collider(self, prim: Prim, made: _Form, shape: Shape, *, is_drawn: bool) -> None:
        prim.lines += made.lines
        prim.schemas = ("PhysicsCollisionAPI",)
        _place(prim, shape.pose * made.pose, made.scale)
        if not is_drawn:
            prim.set("uniform token", "purpose", "guide")
        self._bind_contact(prim, shape)

    def _bind_contact(self, prim: Prim, shape: Shape) -> None:
        _bind(prim, "material:binding:physics", self.materials.of_contact(shape.contact_material))

    def _mesh(self, geometry: Geometry, look: Appearance | None) -> tuple[str, str]:
        """Return the type and the path of a mesh that is written once; an empty path if there is none."""
        has_pictures = look is not None and _has_pictures(look)
        moved = look.texture_transform if look is not None and has_pictures else None
        kind = "Mesh"
        if isinstance(geometry, GeometryLines | GeometryPoints):
            kind = "Points" if isinstance(geometry, GeometryPoints) else "BasisCurves"
        key = (geometry, moved)
        if key not in self._meshes:
            self._meshes[key] = self._add_mesh(kind, geometry, moved)
        return kind, self._meshes[key]

    def _add_mesh(self, kind: str, geometry: Geometry, moved: TextureTransform | None) -> str:
        arrays = vertex_arrays(geometry)
        if arrays is None:
            return ""
        prim = self.forms.child(kind, f"form {len(self._meshes)}")
        points = arrays.positions
        bounds = np.array((points.min(axis=0), points.max(axis=0)))
        if kind == "BasisCurves":
            points = points[arrays.indices] if arrays.indices is not None else points
            prim.set("uniform token", "type", "linear")
            prim.set("int[]", "curveVertexCounts", np.full(len(points) // 2, 2))
        prim.set("point3f[]", "points", points)
        prim.set("float3[]", "extent", bounds)
        if kind == "Mesh" and arrays.indices is not None:
            prim.set("int[]", "faceVertexCounts", np.full(len(arrays.indices) // 3, 3))
            prim.set("int[]", "faceVertexIndices", arrays.indices)
            prim.set("uniform token", "subdivisionScheme", "none")
            if arrays.is_open:
                prim.set("uniform bool", "doubleSided", True)
        each = 'interpolation = "vertex"'
        if arrays.normals is not None:
            prim.set("normal3f[]", "normals", arrays.normals, metadata=each)
        if arrays.texture_coordinates is not None:
            st = moved_coordinates(arrays.texture_coordinates, moved)
            prim.set("texCoord2f[]", "primvars:st", st, metadata=each)
        if arrays.colors is not None:
            prim.set("color3f[]", "primvars:displayColor", arrays.colors, metadata=each)
        return f"/{self.forms.name}/{prim.name}"

    # --------------------------------------------------------------- lamps and cameras

    def _add_light(self, parent: Prim, light: Light, pose: Pose) -> None:
        """Add a lamp that stands at `pose` in the frame of a prim."""
        if not light.is_on or light.intensity <= 0.0:
            return
        strength = BRIGHTNESS * light.intensity
        if isinstance(light, LightDirectional):
            prim = parent.child("DistantLight", "directional light")
            place, aim = Pose(), light.direction
        else:
            a, b, c = light.attenuation
            strength *= REFERENCE**2 / max(a + b * REFERENCE + c * REFERENCE**2, 1.0)
            prim = parent.child("SphereLight", "lamp")
            prim.set("float", "inputs:radius", 0.01)
            prim.set("bool", "treatAsPoint", True)
            prim.set("bool", "inputs:normalize", True)
            place, aim = Pose(light.position), (0.0, 0.0, -1.0)
            if isinstance(light, LightSpot):
                prim.schemas = ("ShapingAPI",)
                cone = math.degrees(min(light.cut_off_angle, math.pi))
                prim.set("float", "inputs:shaping:cone:angle", cone)
                aim = light.direction
        prim.set("float", "inputs:intensity", strength)
        prim.set("color3f", "inputs:color", light.color)
        turn = turn_between((0.0, 0.0, -1.0), aim) if norm(aim) else place.rotation
        _place(prim, pose * Pose(place.position, turn))

    def _add_camera(
        self,
        parent: Prim,
        name: str,
        pose: Pose,
        field_of_view: float,
        aspect: float,
        near: float,
        far: float,
    ) -> None:
        """Add a camera; the angle is that across the picture [rad]."""
        if not 0.0 < field_of_view < math.pi:
            return
        prim = parent.child("Camera", name)
        prim.set("float", "horizontalAperture", APERTURE)
        prim.set("float", "verticalAperture", APERTURE / aspect)
        prim.set("float", "focalLength", APERTURE / (2.0 * math.tan(field_of_view / 2.0)))
        near = max(near, 1e-4)
        prim.set("float2", "clippingRange", (near, far if near < far < math.inf else 1e4))
        _place(prim, pose * Pose(rotation=EYE))

    def _lose(self, what: str, name: str, span: SourceSpan) -> None:
        names = self._lost.setdefault(what, (span, []))[1]
        if name not in names:
            names.append(name)


@dataclass(frozen=True, slots=True)
class _Form:
    """A form that USD has a word for.

    Attributes:
        kind: Type of the prim.
        lines: Its attributes.
        scale: Factors that make its size.
        pose: Where it stands in the shape.
    """

    kind: str
    lines: tuple[str, ...]
    scale: Vec3 = _ONE
    pose: Pose = Pose()


def _plain_form(geometry: Geometry) -> _Form | None:
    """Return a form that USD has a word for, or None."""
    attributes = Prim("", "")

    def extent(x: float, y: float, z: float) -> None:
        attributes.set("float3[]", "extent", ((-x, -y, -z), (x, y, z)))

    match geometry:
        case GeometryBox(size):
            attributes.set("double", "size", 1.0)
            extent(0.5, 0.5, 0.5)
            return _Form("Cube", tuple(attributes.lines), size)
        case GeometrySphere(radius):
            attributes.set("double", "radius", radius)
            extent(radius, radius, radius)
            return _Form("Sphere", tuple(attributes.lines))
        case GeometryPlane((width, depth)):
            attributes.set("uniform token", "axis", "Z")
            attributes.set("double", "width", width)
            attributes.set("double", "length", depth)
            extent(width / 2.0, depth / 2.0, 0.0)
            return _Form("Plane", tuple(attributes.lines))
        case GeometryCylinder(radius, height) | GeometryCone(radius, height):
            kind = "Cylinder" if isinstance(geometry, GeometryCylinder) else "Cone"
            if not (geometry.side and geometry.bottom and getattr(geometry, "top", True)):
                return None
            extent(radius, radius, height / 2.0)
        case GeometryCapsule(radius, height) if geometry.top and geometry.side and geometry.bottom:
            kind = "Capsule"
            extent(radius, radius, height / 2.0 + radius)
        case _:
            return None
    attributes.set("uniform token", "axis", "Z")
    attributes.set("double", "radius", radius)
    attributes.set("double", "height", height)
    return _Form(kind, tuple(attributes.lines))


def _has_pictures(look: Appearance) -> bool:
    return any(
        (
            look.texture,
            look.normal_map,
            look.roughness_map,
            look.metalness_map,
            look.occlusion_map,
            look.emissive_map,
        )
    )


def _bind(prim: Prim, name: str, path: str) -> None:
    if "MaterialBindingAPI" not in prim.schemas:
        prim.schemas = (*prim.schemas, "MaterialBindingAPI")
    prim.relate(name, path)


def _place(prim: Prim, pose: Pose, size: Vec3 = _ONE) -> None:
    """Write where a prim stands in its parent."""
    order = ["xformOp:translate", "xformOp:orient"]
    prim.set("double3", order[0], pose.position)
    prim.set("quatd", order[1], pose.rotation)
    if size != _ONE:
        order.append("xformOp:scale")
        prim.set("float3", order[2], size)
    prim.set("uniform token[]", "xformOpOrder", order)


def _add_mass(prim: Prim, mass: MassProperties) -> None:
    """Write mass, centre and principal moments."""
    xx, yy, zz, xy, xz, yz = mass.inertia
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] *= -1.0
    rows: list[Vec3] = [(float(a), float(b), float(c)) for a, b, c in axes.tolist()]
    prim.set("float", "physics:mass", mass.mass)
    prim.set("point3f", "physics:centerOfMass", mass.center)
    prim.set("float3", "physics:diagonalInertia", tuple(max(float(m), 0.0) for m in moments))
    turn = quat_from_matrix((rows[0], rows[1], rows[2]))
    prim.set("quatf", "physics:principalAxes", turn)
