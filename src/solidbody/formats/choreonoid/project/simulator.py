"""Simulator settings of Choreonoid, and the mapping of its contact law to ours (docs/behaviour, C13.5).

The AIST simulator pushes a contact of depth d out at the speed V (d0: correction depth, r: correction
velocity ratio, e = d - d0) and makes friction a cone:

    V = r e                     e <= 0: a shallow contact sinks in to d0
    V = r e/(1 + e/(4 d0))      e > 0:  never faster than 4 r d0
    |tangential force| <= mu * normal force, mu static below a sliding speed of 1e-4 m/s

In the words of our law (`contact/native/base/sb_law.h`, `model/contacts.py`):

| AIST                                  | here                                                          |
|---------------------------------------|---------------------------------------------------------------|
| r                                     | `soft_erp` = r * time step                                    |
| d0                                    | `rest_depth` = d0, `depth_scale` = 4 d0                       |
| friction cone of relaxed tangents     | `follows_sliding`: the first tangent is where they end        |
| static and dynamic coefficient        | `static_friction`, `friction`, clamped to the item's range    |
| restitution above max(2|a|h, 1e-4)    | `bounce` above `bounce_velocity` = max(2|g|h, 1e-4)           |
| only triangles that cut each other    | `min_depth` = 0.1 um: what only touches is no contact         |
| culling depth                         | `max_depth`: deeper points are left out                       |
| at most n points, far from each other | `max_contacts` = n, `keeps_spread`                            |
| a point is as deep as what is near it | `shares_depth`: as deep as the deepest of its pair of forms   |
| friction <= mu * force of the sweeps  | `remembers_loads`: what the last step's loads become          |
| hard rows, 10 sweeps of its solver    | `soft_cfm` and `slip` as small as pays, solved exactly        |
| loops drawn together at 1/s           | `Physics.erp` = time step * 1/s                               |

Each of the original's two tangents, fixed in the world, is relaxed by its own response a to an impulse before
the pair is shortened to the cone. Against a sliding u that ends in a force along -(u1/a1, u2/a2); our first
tangent points there (`sb_sliding_tangent`): long bodies are braked a little aside. Joints whose position or
velocity is given do not give way (`sb_contact_response.c`). What sticks is shortened to the cone as well
(`sb_shorten_friction`).

Where more points carry a body than needed, its sweeps decide how they share the load, and by that how it
slides and turns: they start from the forces of the last step, in the order of the list of contacts
(`sb_contact_loads.c`). How the original's list is ordered is not known; ours goes by pairs of shapes
and, for a box, around its corners. With it a tank on two tracks ends 4 mm from where the original's does
after 2.25 m; with other orders, or equal loads, up to 0.6 m.

A project whose simulator is ODE gets ODE's own law instead (`OdeContacts`): one friction for all, as a
pyramid, ERP and CFM of the item, and a push-out that has a greatest speed. A CFM of 1e-10 is raised to ours.

What differs: |a| is the acceleration that the contact would have without forces, g is our constant for it; a
bounce replaces V instead of being added to it (5 mm/s at most); the culling distance, which the original uses
only when n = 0, is not read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from statistics import median
from typing import Final

from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.base.transforms import norm
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.kinds import FLAG
from solidbody.formats.choreonoid.keys.projects import (
    AISTSimulatorItemKeys,
    ODESimulatorItemKeys,
    SimulatorItemKeys,
)
from solidbody.formats.choreonoid.keys.settings import DynamicsMode, OdeContacts, SimulatorSettings
from solidbody.formats.choreonoid.keys.table import plain_values
from solidbody.model.contacts import ContactProperties
from solidbody.model.links import Body, Motion
from solidbody.model.scene import Physics

TOUCH: Final = 1e-7
"""[m] Shapes that only touch give no contact, since no triangle of one cuts a triangle of the other. The
original's corners are rounded to 7 digits; a tank written to stand on the floor is 3e-9 m deep here."""

CFM: Final = 1e-8
"""[velocity per force] Softness of loops and motors; the original's rows are hard."""

NORMAL_CFM: Final = 1e-7
FRICTION_CFM: Final = 1e-6
"""[m/(s*N)] Softness of contacts between bodies of 1 kg, less for heavier ones: a cube sinks 0.05 micrometres
below its rest depth (NORMAL_CFM*f/r) and creeps at 2.5 micrometres a second at most; the original's
unfinished sweeps do more. With 1e-8 for both, a pile of 100 such cubes takes eight times as long (60 against
7.6 ms a step) and one step in 25 does not converge."""

MASS_RANGE: Final = (0.01, 100.0)
"""[kg] Typical masses that softness follows; beyond them a row would be too soft, or too hard to solve."""

LOOP_RATE: Final = 1.0
"""[1/s] Rate at which the original closes a gap of a loop: 0.1*(1 - exp(-20 e)), e half of a small gap."""

SMALLEST_BOUNCE: Final = 1e-4
"""[m/s] Approach speed below which nothing bounces, whatever the time step."""

MAX_POINTS: Final = 64
"""Points of a pair where the item asks for no limit: more than any pair of shapes has."""

FORWARD: Final = "Forward dynamics"
KINEMATICS: Final = "Kinematics"

ODE_LAYER: Final = 1e-4
"""[m] How deep contacts of the ODE simulator may be before they are pushed out."""


AIST_DEFAULTS: Final = SimulatorSettings()
"""What holds for a body file by itself, and for a project without simulator item."""

ENGINES: Final = {
    "AISTSimulatorItem": "AIST",
    "ODESimulatorItem": "ODE",
    "BulletSimulatorItem": "Bullet",
    "PhysXSimulatorItem": "PhysX",
    "MuJoCoSimulatorItem": "MuJoCo",
    "AGXSimulatorItem": "AGX Dynamics",
    "RokiSimulatorItem": "Roki",
    "SpringheadSimulatorItem": "Springhead",
    "BCSimulatorItem": "Better Contact",
    "SPSimulatorItem": "Siconos",
    "KinematicSimulatorItem": "kinematic",
}
"""Simulator items, in the order in which they are preferred."""


def read_settings(
    keys: Keys, class_name: str, *, bar_rate: float | None = None
) -> SimulatorSettings:
    """Return the settings of a simulator item.

    Args:
        keys: Its data.
        class_name: Its class; of other engines than AIST and ODE only time step, gravity and mode mean the
            same.
        bar_rate: Frames per second of the project's time bar, which holds where the item says nothing.
    """
    settings = replace(
        AIST_DEFAULTS,
        time_step=_time_step(keys, bar_rate),
        mode=_dynamics_mode(keys, class_name),
        **plain_values(keys, SimulatorItemKeys),
    )
    if class_name == "KinematicSimulatorItem":
        return settings
    if class_name == "ODESimulatorItem":
        return replace(settings, ode=_ode_contacts(keys))
    if class_name != "AISTSimulatorItem":
        keys.info(
            "other-engine",
            "",
            f"the simulator is {ENGINES.get(class_name, class_name)}: its time step and gravity are "
            "used, contacts follow the AIST simulator's defaults.",
        )
        return settings
    keys.pass_over(AISTSimulatorItemKeys)
    _report_modes(keys)
    settings = replace(settings, **plain_values(keys, AISTSimulatorItemKeys))
    low, high = settings.friction_range
    return replace(settings, friction_range=(min(low, high), max(low, high)))


def _ode_contacts(keys: Keys) -> OdeContacts:
    """Return the contacts of an ODE item."""
    found = OdeContacts(**plain_values(keys, ODESimulatorItemKeys))
    found = replace(found, erp=min(found.erp, 1.0))
    keys.info(
        "ode-contacts",
        "",
        f"the simulator is ODE: contacts follow its law, with a friction of {found.friction:g} "
        "whatever the materials are.",
    )
    is_limited = keys.read(ODESimulatorItemKeys.limit_correcting_vel)
    return found if is_limited else replace(found, max_speed=math.inf)


def _time_step(keys: Keys, bar_rate: float | None) -> float:
    step, rate = keys.read(SimulatorItemKeys.time_step), keys.read(SimulatorItemKeys.frame_rate)
    rate = bar_rate if rate is None else rate
    if step is None:
        step = 1.0 / rate if rate is not None and rate > 0.0 else AIST_DEFAULTS.time_step
    if 1e-6 <= step <= 1.0:
        return step
    keys.error(
        "out-of-range",
        keys.written(SimulatorItemKeys.time_step),
        f"expected a time step from 1e-6 to 1 s, got {step:g}; 0.001 is used.",
    )
    return AIST_DEFAULTS.time_step


def _dynamics_mode(keys: Keys, class_name: str) -> DynamicsMode:
    is_flat = keys.read(SimulatorItemKeys.use_2d_mode)
    found = keys.read(SimulatorItemKeys.dynamics_mode)
    place = keys.written(SimulatorItemKeys.dynamics_mode)
    if found == KINEMATICS or class_name == "KinematicSimulatorItem":
        text = "bodies are moved by commands alone: nothing falls, and nothing is pushed away."
        keys.info("kinematic-mode", place, text)
        return DynamicsMode.COMMANDS
    if found != FORWARD:
        keys.info(
            "mode-ignored",
            place,
            f'Choreonoid takes "{found}" for "{FORWARD}"; the other mode is written "{KINEMATICS}".',
        )
    return DynamicsMode.PLANE if is_flat else DynamicsMode.SPACE


def _report_modes(keys: Keys) -> None:
    """Say which modes of the item are not there."""
    for row in AISTSimulatorItemKeys.rows.values():
        if not row.unsupported:
            continue
        if row.kind is FLAG:
            if keys.read(row):
                keys.warning("mode-ignored", keys.written(row), f"{row.unsupported}.")
        elif keys.node(row) is not None:
            text = f"Choreonoid no longer reads this key; {row.unsupported}."
            keys.info("not-read", row, text)


def physics_of(settings: SimulatorSettings) -> Physics:
    """Return the numbers that hold for the whole simulation."""
    ode = settings.ode
    return Physics(
        time_step=settings.time_step,
        gravity=settings.gravity,
        erp=min(LOOP_RATE * settings.time_step, 1.0) if ode is None else ode.erp,
        cfm=CFM if ode is None else max(ode.cfm, CFM),
        integration=settings.integration,
    )


def contact_of(
    settings: SimulatorSettings,
    materials: tuple[str, str],
    *,
    friction: float,
    static_friction: float | None = None,
    restitution: float = 0.0,
    culling_depth: float | None = None,
    max_points: int | None = None,
    span: SourceSpan = NOWHERE,
) -> ContactProperties:
    """Return the contact properties of a pair of materials under the simulator's settings."""
    if settings.ode is not None:
        return _ode_contact(settings, settings.ode, materials)
    low, high = settings.friction_range
    dynamic = min(max(friction, low), high)
    static = dynamic if static_friction is None else min(max(static_friction, low), high)
    points = settings.max_points if max_points is None else max_points
    depth = settings.culling_depth if culling_depth is None else culling_depth
    return ContactProperties(
        materials=materials,
        friction=(dynamic,),
        static_friction=None if static == dynamic else static,
        follows_sliding=True,
        remembers_loads=True,
        bounce=min(max(restitution, 0.0), 1.0),
        bounce_velocity=bounce_velocity(settings),
        soft_erp=min(settings.correction_ratio * settings.time_step, 1.0),
        soft_cfm=NORMAL_CFM / settings.typical_mass,
        slip=(FRICTION_CFM / settings.typical_mass,),
        rest_depth=settings.correction_depth,
        depth_scale=4.0 * settings.correction_depth,
        min_depth=TOUCH,
        max_depth=depth if depth > 0.0 else math.inf,
        max_contacts=points if points > 0 else MAX_POINTS,
        keeps_spread=True,
        shares_depth=True,
        span=span,
    )


def _ode_contact(
    settings: SimulatorSettings, ode: OdeContacts, materials: tuple[str, str]
) -> ContactProperties:
    return ContactProperties(
        materials=materials,
        friction=(ode.friction,),
        bounce=0.0,
        soft_erp=ode.erp,
        soft_cfm=max(ode.cfm, NORMAL_CFM / settings.typical_mass),
        slip=(FRICTION_CFM / settings.typical_mass,),
        rest_depth=ODE_LAYER,
        depth_scale=ode.max_speed * settings.time_step / ode.erp if ode.erp > 0.0 else math.inf,
        max_contacts=MAX_POINTS,
    )


def typical_mass(bodies: Iterable[Body]) -> float:
    """Return the median mass of the bodies that move [kg], within limits; 1 where nothing does."""
    masses = [
        sum(link.mass.mass for link in body.links if link.mass and link.motion is Motion.DYNAMIC)
        for body in bodies
    ]
    moving = [mass for mass in masses if mass > 0.0]
    return min(max(median(moving), MASS_RANGE[0]), MASS_RANGE[1]) if moving else 1.0


def bounce_velocity(settings: SimulatorSettings) -> float:
    """Return the approach speed from which contacts bounce [m/s]: what gravity gives in two steps."""
    return max(2.0 * norm(settings.gravity) * settings.time_step, SMALLEST_BOUNCE)
