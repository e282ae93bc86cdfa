"""Webots' rules: from contact properties and two friction directions to dSurfaceParameters.

Written from rules W5.2 to W5.5 of docs/behaviour alone, apart from the product's own code, so that the two
can be compared. Directions are world vectors; the normal is ODE's, pointing into the first geom.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from solidbody.base.transforms import (
    Pose,
    Quat,
    Vec3,
    dot,
    norm,
    quat_conjugate,
    quat_from_axis_angle,
    quat_rotate,
)
from solidbody.model.contacts import ContactProperties
from solidbody.model.scene import RollingRule
from solidbody.model.shapes import FrictionAxes
from tests.ode import library as ode

UNIT: tuple[Vec3, Vec3, Vec3] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Side:
    """What one geom brings to a contact: its material, orientation and friction axes."""

    material: str
    rotation: Quat
    friction_axes: FrictionAxes | None

    def direction(self, normal: Vec3) -> Vec3 | None:
        """Return the first friction direction [world] of the face that `normal` hits."""
        if self.friction_axes is None:
            return None
        local = [abs(x) for x in quat_rotate(quat_conjugate(self.rotation), normal)]
        cap = self.friction_axes.cap.value
        is_cap = all(local[cap] > local[other] for other in range(3) if other != cap)
        axis = self.friction_axes.on_cap if is_cap else self.friction_axes.on_side
        return quat_rotate(self.rotation, UNIT[axis.value])


def surface_parameters(
    properties: ContactProperties,
    first: Side,
    second: Side,
    normal: Vec3,
    rolling_rule: RollingRule,
) -> tuple[ode.SurfaceParameters, Vec3 | None]:
    """Return (surface, fdir1) of one contact point, as Webots fills them.

    Args:
        properties: The matching entry of the contact table.
        first: Side of ODE's first geom, the one that the normal points into.
        second: Side of the other geom.
        normal: Contact normal [world].
        rolling_rule: What mu2 is under axis-dependent rolling friction with symmetric friction.
    """
    friction, slip = list(properties.friction), list(properties.slip)
    direction: Vec3 | None = None
    cosine = sine = 0.0
    if len(friction) > 1 or len(slip) > 1:
        # "first" data come from the second geom when the second material names the first geom
        one, two = first, second
        if properties.materials[1] == first.material:
            one, two = second, first
        d1, d2 = one.direction(normal), two.direction(normal)
        if d1 is None or d2 is None:
            friction, slip = friction[:1], slip[:1]
        else:
            a, b = properties.friction_rotation
            d1 = quat_rotate(quat_from_axis_angle(normal, -a), d1)
            d2 = quat_rotate(quat_from_axis_angle(normal, -b), d2)
            theta = math.acos(max(-1.0, min(1.0, dot(d1, d2) / (norm(d1) * norm(d2)))))
            cosine, sine = abs(math.cos(theta)), abs(math.sin(theta))
            direction = d1

    surface = ode.SurfaceParameters()
    surface.mode = ode.SOFT_ERP | ode.SOFT_CFM | ode.APPROX1
    surface.soft_erp, surface.soft_cfm = properties.soft_erp, properties.soft_cfm
    if properties.bounce != 0.0:
        surface.mode |= ode.BOUNCE
        surface.bounce, surface.bounce_vel = properties.bounce, properties.bounce_velocity
    if direction is not None:
        surface.mode |= ode.FDIR1

    surface.mu, surface.mu2 = combine(friction, cosine, sine)
    if len(friction) > 1:
        surface.mode |= ode.MU2
    slip1, slip2 = combine_slip(slip, cosine, sine)
    surface.slip1, surface.slip2 = slip1, slip2
    surface.mode |= (ode.SLIP1 if slip1 != 0.0 else 0) | (ode.SLIP2 if slip2 != 0.0 else 0)

    rho, rho2, rho_n = properties.rolling_friction
    if max(rho, rho2, rho_n) > 0.0:
        surface.mode |= ode.ROLLING
        surface.rho, surface.rho2, surface.rhoN = rho, rho2, rho_n
        if max(rho2, rho_n) > 0.0:
            if len(friction) == 1 and rolling_rule is RollingRule.SECOND_ZERO:
                surface.mu2 = 0.0
            surface.mode |= ode.MU2  # the same bit as dContactAxisDep
    return surface, direction


def combine(values: list[float], c: float, s: float) -> tuple[float, float]:
    """Return the sums of both surfaces along fdir1 and across, c, s = |cos|, |sin| of their angle."""
    match values:
        case [f]:
            return f, f
        case [f, g]:
            return f + f * c + g * s, g + f * s + g * c
        case [f, g, k]:
            return f + k, g + k
        case [f, g, k, m]:
            return f + k * c + m * s, g + k * s + m * c
        case _:
            raise ValueError("1 to 4 values")


def combine_slip(values: list[float], c: float, s: float) -> tuple[float, float]:
    """Return slip along and across fdir1; two values of which one is zero are not doubled."""
    if len(values) == 2 and 0.0 in values:
        return values[0], values[1]
    return combine(values, c, s)


def side_of(material: str, pose: Pose, axes: FrictionAxes | None) -> Side:
    """Return the side of a shape whose frame is at `pose` in the world."""
    return Side(material, pose.rotation, axes)
