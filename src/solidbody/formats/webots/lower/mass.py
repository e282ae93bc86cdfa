"""Mass properties of solids, from the Physics node and the bounding object (docs/behaviour, W4.1).

Source: Webots reference manual R2025a, Physics; the sums follow ODE's dMass functions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import ZERO, Pose, Vec3, quat_from_axis_angle
from solidbody.formats.webots.lower.bounding import BoundingPart
from solidbody.formats.webots.lower.mesh_mass import mesh_mass
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryHeightField,
    GeometryMesh,
    GeometrySphere,
)
from solidbody.model.mass import (
    MassProperties,
    Tensor,
    combined,
    rotate_tensor,
    tensor_scaled,
)

REFERENCE_DENSITY: Final = 1000.0
"""Density [kg/m^3] of the reference mass, which is scaled afterwards."""

UNIT_INERTIA: Final[Tensor] = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
"""Inertia [kg*m^2] of a solid without a usable bounding object."""

DEFAULT_MASS: Final = MassProperties(1.0, ZERO, UNIT_INERTIA)
"""What a mesh that encloses nothing adds to the reference mass."""


def geometry_mass(geometry: Geometry, density: float) -> MassProperties | None:
    """Return the mass properties of a homogeneous form in its frame; None if it has no mass.

    With m = density * volume: box m/12 (b^2 + c^2); sphere 2/5 m r^2; cylinder along z
    m (3 r^2 + h^2)/12 across and m r^2/2 along. A capsule is a cylinder and two half spheres, whose
    centroids lie 3/8 r beyond its ends. A cone has m (12 r^2 + 3 h^2)/80 across and 3/10 m r^2 along about
    its centroid, h/4 above the base. A mesh has the mass of what it encloses.
    """
    match geometry:
        case GeometryBox():
            a, b, c = geometry.size
            m = density * a * b * c
            k = m / 12.0
            return _diagonal(m, k * (b * b + c * c), k * (a * a + c * c), k * (a * a + b * b))
        case GeometrySphere():
            r = geometry.radius
            m = density * 4.0 / 3.0 * math.pi * r * r * r
            i = 0.4 * m * r * r
            return _diagonal(m, i, i, i)
        case GeometryCylinder():
            r, h = geometry.radius, geometry.height
            m = density * math.pi * r * r * h
            across = m * (3.0 * r * r + h * h) / 12.0
            return _diagonal(m, across, across, 0.5 * m * r * r)
        case GeometryCapsule():
            r, h = geometry.radius, geometry.height
            tube = density * math.pi * r * r * h
            caps = density * 4.0 / 3.0 * math.pi * r * r * r
            along = 0.5 * tube * r * r + 0.4 * caps * r * r
            across = tube * (3.0 * r * r + h * h) / 12.0 + caps * (
                0.4 * r * r + 0.25 * h * h + 0.375 * h * r
            )
            return _diagonal(tube + caps, across, across, along)
        case GeometryCone():
            r, h = geometry.radius, geometry.height
            m = density * math.pi * r * r * h / 3.0
            across = m * (12.0 * r * r + 3.0 * h * h) / 80.0
            own = _diagonal(m, across, across, 0.3 * m * r * r)
            return own.placed(Pose((0.0, 0.0, -0.25 * h)))
        case GeometryMesh():
            return mesh_mass(geometry, density)
        case _:
            return None


def scaled_solid(mass: MassProperties, s: float) -> MassProperties:
    """Return the mass properties of a solid whose lengths are multiplied by `s`.

    Masses grow with s^3, distances with s and moments of inertia with s^5.
    """
    x, y, z = mass.center
    return MassProperties(
        mass.mass * s**3, (x * s, y * s, z * s), tensor_scaled(mass.inertia, s**5)
    )


def _diagonal(mass: float, xx: float, yy: float, zz: float) -> MassProperties:
    return MassProperties(mass, ZERO, (xx, yy, zz, 0.0, 0.0, 0.0))


def reference_mass(
    parts: Sequence[BoundingPart], log: DiagnosticLog | None = None
) -> MassProperties | None:
    """Return the mass of a bounding object at 1000 kg/m^3, overlaps counted twice; None if it has none.

    Forms that should have a mass and have none are reported to `log`.
    """
    masses: list[MassProperties] = []
    try:
        for part in parts:
            mass = geometry_mass(part.geometry, REFERENCE_DENSITY)
            if mass is None and log is not None:
                _report_without_mass(part, log)
            if mass is None and isinstance(part.geometry, GeometryMesh):
                mass = DEFAULT_MASS
            if mass is not None:
                masses.append(mass.placed(part.pose))
        total = combined(masses)
    except (ValueError, OverflowError):  # sizes whose mass or inertia is beyond any number
        return None
    return total if total.mass > 0.0 else None


def _report_without_mass(part: BoundingPart, log: DiagnosticLog) -> None:
    if isinstance(part.geometry, GeometryMesh):
        log.warning(
            "mesh-without-mass",
            part.span,
            f"the {part.node_type} encloses no volume (it is open or turned inside out): "
            "1 kg with a unit inertia matrix stands for it.",
        )
    elif isinstance(part.geometry, GeometryHeightField):
        log.warning(
            "grid-without-mass",
            part.span,
            "the inertia of an ElevationGrid cannot be computed: it adds nothing to the mass.",
        )


def solid_mass(
    physics: TypedNode, parts: Sequence[BoundingPart], log: DiagnosticLog
) -> tuple[MassProperties, float]:
    """Return (mass properties in the solid's frame, volume [m^3]) of a solid with physics."""
    density, mass = _density_and_mass(physics, log)
    center = _center(physics, log)
    inertia = _inertia(physics, log)
    reference = reference_mass(parts, log)
    volume = reference.mass / REFERENCE_DENSITY if reference else 0.0

    has_matrix = bool(physics.vec3s("inertiaMatrix"))
    if mass > 0.0 and center is not None and inertia is not None:
        return MassProperties(mass, center, inertia), volume
    if reference is None:
        total = mass if mass > 0.0 else 1.0
        physics.warn(
            log,
            "default-inertia",
            "the solid has no bounding object with a volume: "
            f"mass {total:g} kg and a unit inertia matrix are used.",
        )
        return MassProperties(total, center or ZERO, UNIT_INERTIA), volume
    if has_matrix:
        physics.warn(
            log,
            "invalid-inertia",
            "an inertia matrix needs a mass, one center of mass and a positive definite matrix of "
            "two lines; the mass of the bounding object at 1000 kg/m^3 is used, centred at 0 0 0.",
            field="inertiaMatrix",
        )
        return MassProperties(reference.mass, ZERO, reference.inertia), volume
    factor = mass / reference.mass if mass > 0.0 else density / REFERENCE_DENSITY
    try:
        scaled = reference.scaled(factor)
    except ValueError:
        physics.fail(
            log,
            "non-finite",
            "mass or inertia is too large to be used; 1 kg and a unit inertia are.",
        )
        return MassProperties(1.0, center or ZERO, UNIT_INERTIA), volume
    return MassProperties(scaled.mass, center or scaled.center, scaled.inertia), volume


def _density_and_mass(physics: TypedNode, log: DiagnosticLog) -> tuple[float, float]:
    """Return (density, mass), at least one > 0; -1 marks the one that is not used."""
    density, mass = physics.number("density"), physics.number("mass")
    if mass <= 0.0 and density <= 0.0:
        physics.warn(
            log,
            "value-reset",
            "either density or mass must be > 0; density is reset to 1000 kg/m^3.",
            field="density",
        )
        density = 1000.0
    if density <= 0.0 and density != -1.0:
        physics.warn(
            log,
            "value-reset",
            f"must be > 0 or -1, got {density:g}; reset to 1000.",
            field="density",
        )
        density = 1000.0
    if mass <= 0.0 and mass != -1.0:
        physics.warn(
            log, "value-reset", f"must be > 0 or -1, got {mass:g}; reset to -1.", field="mass"
        )
        mass = -1.0
    if mass > 0.0 and density > 0.0:
        physics.warn(
            log,
            "mass-and-density",
            f"both mass and density are given; mass {mass:g} kg is used (write density -1).",
            field="mass",
        )
    return density, mass


def _center(physics: TypedNode, log: DiagnosticLog) -> Vec3 | None:
    centers = physics.vec3s("centerOfMass")
    if len(centers) > 1:
        physics.warn(
            log,
            "value-reset",
            f"takes one point at most, got {len(centers)}; the first is used.",
            field="centerOfMass",
        )
    return centers[0] if centers else None


def _inertia(physics: TypedNode, log: DiagnosticLog) -> Tensor | None:
    """Return the custom inertia, or None if it is absent or not valid."""
    lines = physics.vec3s("inertiaMatrix")
    if not lines:
        return None
    diagonal = lines[0]
    products = lines[1] if len(lines) > 1 else ZERO
    if len(lines) == 1:
        physics.warn(
            log,
            "value-reset",
            "takes two lines (diagonal, then products), got one; the products are set to 0.",
            field="inertiaMatrix",
        )
    elif len(lines) > 2:
        physics.warn(
            log,
            "value-reset",
            f"takes two lines, got {len(lines)}; the first two are used.",
            field="inertiaMatrix",
        )
    tensor: Tensor = (*diagonal, *products)
    if physics.is_written("orientation"):
        x, y, z, angle = physics.rotation("orientation")
        tensor = rotate_tensor(tensor, Pose(rotation=quat_from_axis_angle((x, y, z), angle)))
    return tensor if is_positive_definite(tensor) else None


def is_positive_definite(t: Tensor) -> bool:
    """Sylvester's criterion on ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), diagonal > 0."""
    xx, yy, zz, xy, xz, yz = t
    minor = xx * yy - xy * xy
    determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    return min(xx, yy, zz) > 0.0 and minor > 0.0 and determinant > 0.0
