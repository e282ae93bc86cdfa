"""Surfaces of Gazebo as contact materials: friction, bounce and softness, and what holds between two of them.

Gazebo's ODE takes of two surfaces the smaller friction and bounce, and makes softness of both together: with
the step h, kp = 1/(1/kp1 + 1/kp2) and kd = kd1 + kd2

    ERP = h kp/(h kp + kd),    CFM = 1/(h kp + kd)

`max_vel` limits how fast depth goes away, `min_depth` is left. Torsional friction becomes rolling friction
about the normal: mu * patch radius.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Final

from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.formats.sdf.values import Values
from solidbody.formats.xml_tree import XmlElement
from solidbody.model.contacts import DEFAULT_MATERIAL, ContactProperties, ContactTable

STIFFEST: Final = 1e12
LEAST_CFM: Final = 1e-9
MOST_SURFACES: Final = 100
"""Surfaces that are told apart: each pair of them is a row of the table."""


@dataclass(frozen=True, slots=True)
class GazeboSurface:
    """What a collision says of its contacts; the defaults are Gazebo's.

    Attributes:
        mu: Friction coefficient.
        mu2: Across the first direction.
        slip: Force-dependent slip of both directions.
        torsion: Friction about the normal, as coefficient * patch radius [m].
        bounce: Restitution.
        bounce_velocity: Below which nothing bounces [m/s].
        kp: Stiffness [N/m].
        kd: Damping [N*s/m].
        max_vel: Greatest speed at which depth goes away [m/s].
        min_depth: Depth that is left [m].
    """

    mu: float = 1.0
    mu2: float = 1.0
    slip: tuple[float, float] = (0.0, 0.0)
    torsion: float = 0.0
    bounce: float = 0.0
    bounce_velocity: float = 1e5
    kp: float = STIFFEST
    kd: float = 1.0
    max_vel: float = 0.01
    min_depth: float = 0.0


PLAIN: Final = GazeboSurface()


def read_surface(collision: XmlElement, values: Values) -> GazeboSurface:
    """Return the surface of a <collision>."""
    surface = collision.first("surface")
    if surface is None:
        return PLAIN
    friction = surface.first("friction")
    ode = None if friction is None else friction.first("ode")
    mu = _coefficient(values.number(ode, "mu", 1.0))
    torsional = None if friction is None else friction.first("torsional")
    torsion = 0.0
    if torsional is not None:
        patch = values.number(torsional, "patch_radius", 0.0)
        torsion = max(values.number(torsional, "coefficient", 1.0) * patch, 0.0)
    bounce = surface.first("bounce")
    contact = surface.first("contact")
    soft = None if contact is None else contact.first("ode")
    if ode is not None and ode.first("fdir1") is not None:
        fdir1 = values.vector(ode, "fdir1", (0.0, 0.0, 0.0))
        if any(fdir1) and values.number(ode, "mu2", mu) != mu:
            said = "friction has the same direction everywhere: fdir1 is left out."
            values.spot(ode, "fdir1").warning("no-direction", said)
    return GazeboSurface(
        mu,
        _coefficient(values.number(ode, "mu2", mu)),
        (
            max(values.number(ode, "slip1", 0.0), 0.0),
            max(values.number(ode, "slip2", 0.0), 0.0),
        ),
        torsion,
        min(max(values.number(bounce, "restitution_coefficient", 0.0), 0.0), 1.0),
        max(values.number(bounce, "threshold", 1e5), 0.0),
        max(values.number(soft, "kp", STIFFEST), 1e-3),
        max(values.number(soft, "kd", 1.0), 0.0),
        max(values.number(soft, "max_vel", 0.01), 0.0),
        max(values.number(soft, "min_depth", 0.0), 0.0),
    )


def _coefficient(value: float) -> float:
    """Return a friction coefficient; ODE takes negative ones for infinite."""
    return math.inf if value < 0.0 or value >= 1e9 else value


@dataclass(slots=True)
class SurfaceTable:
    """Names surfaces as contact materials and makes the table of their pairs.

    Attributes:
        step: Time step [s].
    """

    step: float
    _names: dict[GazeboSurface, str] = field(default_factory=lambda: {PLAIN: DEFAULT_MATERIAL})
    _spans: dict[str, SourceSpan] = field(default_factory=dict[str, SourceSpan])
    is_full: bool = False

    def name(self, surface: GazeboSurface, called: str, span: SourceSpan = NOWHERE) -> str:
        """Return the contact material of a surface; the first that has it gives the name."""
        if surface in self._names:
            return self._names[surface]
        if len(self._names) >= MOST_SURFACES:
            self.is_full = True
            return DEFAULT_MATERIAL
        taken = set(self._names.values())
        name, number = called, 1
        while name in taken:
            number += 1
            name = f"{called} {number}"
        self._names[surface] = name
        self._spans[name] = span
        return name

    def table(self) -> ContactTable:
        """Return the contact properties of all pairs."""
        named = {name: surface for surface, name in self._names.items()}
        rows = [
            _between(named, (one, two), self.step, self._spans.get(two, NOWHERE))
            for one, two in combinations_with_replacement(sorted(named), 2)
        ]
        default = next(row for row in rows if row.materials == (DEFAULT_MATERIAL,) * 2)
        return ContactTable(tuple(row for row in rows if row is not default), default)


def between(
    one: GazeboSurface,
    two: GazeboSurface,
    names: tuple[str, str],
    step: float,
    span: SourceSpan = NOWHERE,
) -> ContactProperties:
    """Return what holds between two surfaces; of two coefficients of friction the smaller one."""
    kp, kd = 1.0 / (1.0 / one.kp + 1.0 / two.kp), one.kd + two.kd
    erp = step * kp / (step * kp + kd)
    slip = (max(one.slip[0], two.slip[0]), max(one.slip[1], two.slip[1]))
    fastest = min(one.max_vel, two.max_vel)
    return ContactProperties(
        names,
        friction=(min(one.mu, two.mu, one.mu2, two.mu2),),
        rolling_friction=(0.0, 0.0, min(one.torsion, two.torsion)),
        bounce=min(one.bounce, two.bounce),
        bounce_velocity=min(one.bounce_velocity, two.bounce_velocity),
        slip=(slip[0],) if slip[0] == slip[1] else slip,
        soft_erp=erp,
        soft_cfm=max(1.0 / (step * kp + kd), LEAST_CFM),
        rest_depth=min(one.min_depth, two.min_depth),
        depth_scale=fastest * step / erp if fastest > 0.0 else math.inf,
        span=span,
    )


def _between(
    named: Mapping[str, GazeboSurface], names: tuple[str, str], step: float, span: SourceSpan
) -> ContactProperties:
    return between(named[names[0]], named[names[1]], names, step, span)
