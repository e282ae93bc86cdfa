"""Writes shapes as <visual> and <collision>, and their meshes as files beside the robot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose
from solidbody.formats.geometry.forms import mesh_of
from solidbody.formats.geometry.obj_text import obj_text
from solidbody.formats.urdf.write.elements import element, origin
from solidbody.model.appearance import Appearance
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryLines,
    GeometryMesh,
    GeometryPlane,
    GeometryPoints,
    GeometrySphere,
)
from solidbody.model.shapes import Shape, ShapeRole

LOST: Final = "lost-in-urdf"

PLANE: Final = 1.0
"""[m] Thickness of the box that stands for an unbounded plane."""

_ONE: Final = (1.0, 1.0, 1.0)


@dataclass(slots=True)
class ShapeElements:
    """Makes the elements of shapes.

    Attributes:
        log: Told what is lost.
        folder: Of the mesh files, relative to the robot.
        meshes: Contents of mesh files, by their paths.
    """

    log: DiagnosticLog
    folder: str
    meshes: dict[str, bytes] = field(default_factory=dict[str, bytes])
    _files: dict[int, tuple[str, GeometryMesh]] = field(
        default_factory=dict[int, tuple[str, GeometryMesh]]
    )
    _materials: dict[tuple[float, ...], str] = field(default_factory=dict[tuple[float, ...], str])
    _lost: dict[str, Shape] = field(default_factory=dict[str, Shape])

    def of_shape(self, shape: Shape, frame: Pose) -> Iterator[str]:
        """Yield the elements of a shape; `frame` is the link frame in the link that is written."""
        tags = {
            ShapeRole.VISUAL: ("visual",),
            ShapeRole.COLLISION: ("collision",),
            ShapeRole.BOTH: ("visual", "collision"),
        }[shape.role]
        for tag in tags:
            look = (
                [self._material(shape.appearance)] if tag == "visual" and shape.appearance else []
            )
            for pose, form in self._forms(shape):
                place = origin(frame * shape.pose * pose)
                yield element(tag, {}, [*place, element("geometry", {}, [form]), *look])

    def report(self) -> None:
        """Write one warning for each kind of what is lost."""
        for what, shape in self._lost.items():
            self.log.warning(LOST, shape.span, what)

    def _forms(self, shape: Shape) -> Iterator[tuple[Pose, str]]:
        geometry = shape.geometry
        match geometry:
            case GeometryBox(size) if shape.scale == _ONE:
                yield Pose(), element("box", {"size": size})
            case GeometrySphere(radius) if shape.scale == _ONE:
                yield Pose(), element("sphere", {"radius": radius})
            case GeometryCylinder(radius, height) if shape.scale == _ONE:
                yield Pose(), element("cylinder", {"radius": radius, "length": height})
            case GeometryCapsule(radius, height) if shape.scale == _ONE:
                yield Pose(), element("cylinder", {"radius": radius, "length": height})
                for end in (-height / 2, height / 2):
                    yield Pose((0.0, 0.0, end)), element("sphere", {"radius": radius})
            case GeometryPlane(size):
                what = "URDF has no unbounded plane; a box takes its place."
                self._lost.setdefault(what, shape)
                yield Pose((0.0, 0.0, -PLANE / 2)), element("box", {"size": (*size, PLANE)})
            case GeometryLines() | GeometryPoints():
                self._lost.setdefault("URDF has no lines and points; they are left out.", shape)
            case _:
                path = self._file(geometry)
                if path is not None:
                    scale = {} if shape.scale == _ONE else {"scale": shape.scale}
                    yield Pose(), element("mesh", {"filename": path, **scale})

    def _file(self, geometry: Geometry) -> str | None:
        """Return the mesh file of a form; forms that are used often share one."""
        known = self._files.get(id(geometry))
        if known is not None:
            return known[0]
        mesh = mesh_of(geometry, 48)
        if mesh is None or not mesh.triangles:
            return None
        path = f"{self.folder}/mesh_{len(self._files)}.obj"
        if not isinstance(geometry, GeometryMesh):
            mesh = replace(mesh, normals=())
        self._files[id(geometry)] = path, mesh
        self.meshes[path] = obj_text(mesh).encode("utf-8")
        return path

    def _material(self, look: Appearance) -> str:
        rgba = (*look.base_color, 1.0 - look.transparency)
        if look.texture is not None:
            what = "textures stay behind: URDF has colours, and pictures only for some programs."
            self._lost.setdefault(what, Shape(GeometrySphere(1.0)))
        known = self._materials.get(rgba)
        name = known or f"material_{len(self._materials)}"
        self._materials[rgba] = name
        return element("material", {"name": name}, [element("color", {"rgba": rgba})])
