"""What the kernels cannot do: found before anything runs, and named with its place in the file.

Nothing that a scene has is left out in silence: a scene with anything below is refused as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import mujoco
import numpy as np

from solidbody.base.errors import SolidbodyError
from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.compiler import Compiled
from solidbody.contact.layout import AxisKind, LoopKind
from solidbody.gpu.driven_tables import driven_bodies, kinematic_rows, movers, propellers
from solidbody.gpu.ground_tables import ground_pairs, hull_of, solid_room
from solidbody.gpu.model_tables import FORMS, collidable_pairs

MOST_PAIRS: Final = 1 << 16
"""Pairs of shapes that may touch; all are looked at in every step."""

PAIRS: Final = frozenset(
    {(0, 2), (0, 3), (0, 4), (0, 5), (2, 2), (2, 3), (2, 4), (2, 5), (3, 3), (3, 5), (4, 5), (5, 5)}
)
"""Pairs of forms (`model_tables.FORMS`) that have a collider."""

NAMES: Final = {0: "plane", 2: "sphere", 3: "capsule", 4: "cylinder", 5: "box", 6: "mesh"}

MOST_CORNERS: Final = 2048
"""Numbers that corners (3) and planes (4) of a convex mesh on terrain may be: a thread keeps them."""

_WORLD: Final = {
    "runge_kutta": "integration by Runge and Kutta's rule",
    "implicit_gyro": "gyroscopic torques of the end of the step",
    "immersions": "fluids",
}
"""Field of WORLD -> what it stands for."""

_SURFACE: Final = {
    "follows_sliding": "friction whose direction follows the sliding",
    "remembers_loads": "friction bounded by loads of the last step",
    "keeps_spread": "contact points chosen by their distance",
    "shares_depth": "forms of few faces whose points are all as deep as the deepest",
}


FIELDS: Final = {
    "SURFACE": (
        *("friction", "slip", "rotation", "rolling", "bounce", "bounce_velocity", "erp", "cfm"),
        *("rest_depth", "depth_scale", "min_depth", "max_depth", "friction_count", "slip_count"),
        *("max_contacts", "second_zero", "static_friction", *_SURFACE),
    ),
    "PAIR": ("surface", "first"),
    "GEOM": ("material", "cap", "on_cap", "on_side"),
    "AXIS": (
        *("kind", "dof", "qpos", "rigid", "range_low", "range_high", "static_friction", "spring"),
        *("spring_rest", "damping", "servo_stiffness", "servo_damping", "stop_low", "stop_high"),
        *("stop_erp", "stop_cfm", "stop_bounce"),
    ),
    "BALL": ("axis", "loop", "first", "second", "third", "start"),
    "LOOP": ("kind", "body", "axis", "pos", "quat", "start", "second", "turned"),
    "TRACK": ("body", "axis", "around", "forward", "up", "mass"),
    "DAMPER": ("body", "free_dof", "linear", "angular"),
    "TREE": ("stays_awake",),
    "KINEMATIC": ("body", "axis", "axes", "slides", "anchor", "direction", "start"),
    "MOVER": ("mocap", "body", "linear", "angular"),
    "PROPELLER": (
        *("body", "axis", "point", "direction", "local", "thrust", "torque", "max_torque"),
    ),
    "MOTOR_STATE": ("velocity", "integral", "error", "position", "effort", "reaction"),
    "COMMAND": (
        *("mode", "asked", "target_position", "target_velocity", "target_effort", "acceleration"),
        *("available_effort", "p", "i", "d", "brake"),
    ),
    "WORLD": (
        *("erp", "cfm", "sleep_time", "sleep_linear", "sleep_angular", "ode_rotation", "materials"),
        *("axes", "dampers", "ode_caps", "follows_sliding", "middle_coriolis", "balls", "loops"),
        *("grips", "tracks", "moves_late", "kinematics", "propellers"),
        *_WORLD,
    ),
}
"""Table of contact/layout.py -> the fields that kernels read, that are refused, or that only those need.

A test holds it to the layout, so that nothing new is left out in silence.
"""


class Refusal:
    """One thing that a scene has and the kernels have not: its place, its field, what it is."""

    def __init__(self, span: SourceSpan, field: str, what: str) -> None:
        self.span, self.field, self.what = span, field, what

    def __str__(self) -> str:
        place = "" if self.span is NOWHERE else f"{self.span}: "
        return f"{place}{self.field}: {self.what}"


class NotOnDevice(SolidbodyError):
    """A scene has something that kernels cannot do; `refusals` names all of it."""

    def __init__(self, source: str, refusals: list[Refusal]) -> None:
        self.refusals = tuple(refusals)
        shown = "\n".join(f"  {item}" for item in refusals[:20])
        more = f"\n  ... and {len(refusals) - 20} more" if len(refusals) > 20 else ""
        super().__init__(
            f"{source}: {len(refusals)} thing(s) that only a batch on the processor can do"
            f" (Sim.batch without a device):\n{shown}{more}"
        )


def refusals(compiled: Compiled) -> list[Refusal]:
    """Return everything of a model that the kernels do not have."""
    return [
        *_of_world(compiled),
        *_of_shapes(compiled),
        *_of_surfaces(compiled),
        *_of_joints(compiled),
    ]


def check(compiled: Compiled) -> None:
    """Refuse a model that the kernels cannot step as the law says.

    Raises:
        NotOnDevice: What it has beyond them.
    """
    found = refusals(compiled)
    if found:
        raise NotOnDevice(compiled.scene.source, found)


def _of_world(compiled: Compiled) -> Iterator[Refusal]:
    world, m = compiled.tables.world[0], compiled.model
    for field, what in _WORLD.items():
        if world[field]:
            yield Refusal(NOWHERE, field, what)
    if len(compiled.start.grips):
        yield Refusal(NOWHERE, "grips", "connectors and other holds that are made at run time")
    yield from _of_driven(compiled)
    for count, what in ((m.neq, "equalities"), (m.ntendon, "tendons"), (m.nu, "actuators")):
        if count:
            yield Refusal(NOWHERE, what, f"{count} of MuJoCo's own {what}")


def _of_driven(compiled: Compiled) -> Iterator[Refusal]:
    """Links without physics that move, and propellers."""
    m, joints, moving = compiled.model, kinematic_rows(compiled), movers(compiled)
    driven = set(joints["body"].tolist())
    if compiled.tables.world["moves_late"][0] and len(joints) + len(moving):
        yield from _of_late(compiled)
    for row in moving:
        body = int(row["body"])
        if row["mocap"] < 0 or body in driven:
            what = "a velocity of a link without physics that another link or a joint carries"
            yield Refusal(NOWHERE, m.body(body).name, what)
    for row in propellers(compiled):
        if row["axis"] < 0:
            yield Refusal(NOWHERE, m.body(int(row["body"])).name, "a rotor that a program drives")


def _of_late(compiled: Compiled) -> Iterator[Refusal]:
    """What would have to be worked out anew when links move after contacts have been found."""
    m, driven = compiled.model, driven_bodies(compiled)
    what = "moves_late: a link that moves without physics after contacts are found and "
    for body in range(1, m.nbody):
        name = m.body(body).name
        if m.body_jntnum[body] and driven[m.body_parentid[body]]:
            yield Refusal(NOWHERE, name, f"{what}carries one with physics")
        if driven[body] and m.body_treeid[body] >= 0 and m.body_mass[body] > 0:
            yield Refusal(NOWHERE, name, f"{what}has a mass on one with physics")
    for loop in compiled.tables.scene_loops:
        for body in loop["body"].tolist():
            if driven[body]:
                yield Refusal(NOWHERE, m.body(body).name, f"{what}closes a loop")


def _shape_of(compiled: Compiled, geom: int) -> tuple[SourceSpan, str]:
    """Return the place and the name of the shape that a geom stands for."""
    link, shape = compiled.binding.geom_owner[geom].tolist()
    links = list(compiled.scene.links())
    if not 0 <= link < len(links):
        return NOWHERE, compiled.model.geom(geom).name
    shapes: Any = links[link].shapes
    span = shapes[shape].span if 0 <= shape < len(shapes) else links[link].span
    return span, f'boundingObject of "{links[link].name}"'


def _of_shapes(compiled: Compiled) -> Iterator[Refusal]:
    m = compiled.model
    yield from _of_ground(compiled)
    pairs = collidable_pairs(compiled)
    if len(pairs) > MOST_PAIRS:
        yield Refusal(NOWHERE, "bodies", f"{len(pairs)} pairs of shapes, more than {MOST_PAIRS}")
        return
    forms = np.array([FORMS.get(mujoco.mjtGeom(int(kind)), -1) for kind in m.geom_type])
    for geom in np.unique(pairs[forms[pairs] < 0]).tolist() if len(pairs) else []:
        kind = mujoco.mjtGeom(int(m.geom_type[geom])).name.removeprefix("mjGEOM_").lower()
        yield Refusal(*_shape_of(compiled, geom), f"contacts of a {kind}")
    seen: set[tuple[int, int]] = set()
    for one, two in pairs.tolist():
        pair = (int(forms[one]), int(forms[two]))
        if -1 in pair or pair in PAIRS or pair in seen:
            continue
        seen.add(pair)
        other = _shape_of(compiled, two)[1]
        what = f"contacts of a {NAMES[pair[0]]} and a {NAMES[pair[1]]} ({other})"
        yield Refusal(*_shape_of(compiled, one), what)


def _of_ground(compiled: Compiled) -> Iterator[Refusal]:
    """What meets triangles."""
    tables, m = compiled.tables.collision, compiled.model
    pairs = ground_pairs(compiled)
    if len(pairs) > MOST_PAIRS:
        yield Refusal(NOWHERE, "terrain", f"{len(pairs)} pairs, more than {MOST_PAIRS}")
        return
    hull, groups = hull_of(tables, m.ngeom), tables.groups
    for geom in np.unique(pairs[:, 1]).tolist():
        place = _shape_of(compiled, geom)
        if len(tables.hollow) and tables.hollow[geom]:
            yield Refusal(*place, "a hollow mesh that moves on triangles")
        elif len(groups) and groups[geom] >= 0 and (groups == groups[geom]).sum() > 1:
            yield Refusal(*place, "a mesh of several convex parts on triangles")
        elif hull[geom] >= 0 and solid_room(tables, hull[geom]) > MOST_CORNERS:
            yield Refusal(*place, "a convex mesh of very many corners on triangles")


def _of_surfaces(compiled: Compiled) -> Iterator[Refusal]:
    t = compiled.tables
    for row in np.unique(t.pairs["surface"]).tolist():
        for field, what in _SURFACE.items():
            if t.surfaces[row][field]:
                yield Refusal(NOWHERE, f"ContactProperties.{field}", what)


def _of_joints(compiled: Compiled) -> Iterator[Refusal]:
    t, m = compiled.tables, compiled.model
    links = list(compiled.scene.links())
    places = {row: links[link].span for link, row in compiled.binding.axis_of_link.items()}
    dofs: dict[int, int] = {}
    for row, axis in enumerate(t.axes[: int(t.world["axes"][0])]):
        dof = int(axis["dof"])
        if axis["kind"] == AxisKind.JOINT and dofs.setdefault(dof, row) != row:
            name = m.joint(int(m.dof_jntid[dof])).name
            yield Refusal(places.get(row, NOWHERE), name, "two axes on one degree of freedom")
    for loop in t.scene_loops:
        if loop["kind"] == LoopKind.GRIP:
            yield Refusal(NOWHERE, "loops", "holds that are made at run time")
