"""Contact properties of pairs of materials as those of geoms, and of pairs of geoms where those do not do.

MuJoCo takes the greater friction of two geoms, or that of the one with the higher priority. The commonest
material has priority 0 and what holds between two of its own; each other one has priority 1 and what holds
against the commonest. Pairs for which that is not so are written one by one (`pair`), as long as there are
not too many.

Softness: with x = ERP/(1 - ERP), the step h of the scene and the mass m that contacts typically hold,

    solref = (h/(2 x), 1),  solimp = d with 1 - d = CFM h m/(ERP t^2),  t = solref[0]

so that depth goes away at the same rate and the mass rests as deep. It is the inverse of what reading does.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from statistics import median
from typing import Any, Final

import mujoco

from solidbody.compiler.bodies import SpecBuilder
from solidbody.compiler.mjcf_export.losses import Losses
from solidbody.model.contacts import DEFAULT_MATERIAL, ContactProperties
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape

MOST_FRICTION: Final = 100.0
"""Stands in for friction without bound."""

MOST_PAIRS: Final = 2000
"""Pairs of geoms that are written one by one."""

_LEAST, _MOST = 0.1, 0.9999


@dataclass(frozen=True, slots=True)
class GeomNumbers:
    """What a geom or a pair says of its contacts."""

    dimension: int
    friction: tuple[float, float, float]
    solref: tuple[float, float]
    solimp: tuple[float, float, float, float, float]


def describe_contacts(
    builder: SpecBuilder, scene: Scene, model: mujoco.MjModel, losses: Losses
) -> None:
    """Give all geoms that collide their friction and softness, and write the pairs that need their own."""
    mass = _typical_mass(model)
    colliding = [(shape, geom) for shape, geom in builder.geoms if geom.contype or geom.conaffinity]
    counts = Counter(shape.contact_material for shape, _ in colliding)
    if not counts:
        return
    main = DEFAULT_MATERIAL if DEFAULT_MATERIAL in counts else max(counts, key=lambda k: counts[k])
    numbers: dict[tuple[str, str], GeomNumbers] = {}
    for one, two in combinations_with_replacement(sorted(counts), 2):
        entry = scene.contacts.find(one, two)
        losses.note_contact(entry)
        numbers[one, two] = numbers[two, one] = numbers_of(entry, scene.physics.time_step, mass)
    is_alone = {name: name == main for name in counts}
    for name in counts:  # what says the same as the main one needs no priority
        if numbers[name, main] == numbers[main, main]:
            is_alone[name] = True
    for shape, geom in colliding:
        name = shape.contact_material
        _write(geom, numbers[main, main] if is_alone[name] else numbers[name, main])
        geom.priority = 0 if is_alone[name] else 1
    _write_pairs(builder, model, colliding, numbers, (main, is_alone))


def numbers_of(entry: ContactProperties, step: float, mass: float) -> GeomNumbers:
    """Return contact properties in MuJoCo's numbers."""
    slide = min(entry.friction[0], MOST_FRICTION)
    roll = max(entry.rolling_friction[:2])
    spin = entry.rolling_friction[2]
    dimension = 6 if roll > 0.0 else 4 if spin > 0.0 else 3 if slide > 0.0 else 1
    erp = min(max(entry.soft_erp, 1e-3), 0.99)
    time = step * (1.0 - erp) / (2.0 * erp)
    give = entry.soft_cfm * step * mass / (erp * time * time)
    impedance = min(max(1.0 - give, _LEAST), _MOST)
    return GeomNumbers(
        dimension,
        (slide, spin, roll),
        (time, 1.0),
        (impedance, impedance, 0.001, 0.5, 2.0),
    )


def _write(element: Any, numbers: GeomNumbers) -> None:
    element.condim = numbers.dimension
    slide, spin, roll = numbers.friction
    if len(element.friction) == 5:
        element.friction = (slide, slide, spin, roll, roll)
    else:
        element.friction = (slide, spin, roll)
    element.solref[:2] = numbers.solref
    element.solimp[:5] = numbers.solimp


def _write_pairs(
    builder: SpecBuilder,
    model: mujoco.MjModel,
    colliding: list[tuple[Shape, Any]],
    numbers: dict[tuple[str, str], GeomNumbers],
    ranks: tuple[str, dict[str, bool]],
) -> None:
    """Write those pairs of geoms that come out otherwise by friction and priority of the two."""
    main, is_alone = ranks
    wrong = [
        (one, two)
        for one, two in combinations_with_replacement(sorted(is_alone), 2)
        if _mixed(one, two, main, numbers, is_alone) != numbers[one, two]
    ]
    of_material: dict[str, list[Any]] = {}
    for shape, geom in colliding:
        of_material.setdefault(shape.contact_material, []).append(geom)
    excluded = {int(mark) for mark in model.exclude_signature}
    pairs: list[tuple[Any, Any, GeomNumbers]] = []
    for one, two in wrong:
        for a, b in product(of_material[one], of_material[two]):
            if (one != two or a.id < b.id) and _can_meet(model, a.id, b.id, excluded):
                pairs.append((a, b, numbers[one, two]))
                if len(pairs) > MOST_PAIRS:
                    builder.log.warning(
                        "lost-in-mjcf",
                        scene_start(builder),
                        f"friction of more than {MOST_PAIRS} pairs of shapes would have to be "
                        "written one by one; those of the rarer materials are taken for all.",
                    )
                    return
    for a, b, _ in pairs:
        for geom in (a, b):
            geom.name = geom.name or f"geom {geom.id}"
    for number, (a, b, what) in enumerate(pairs):
        pair = builder.spec.add_pair(name=f"pair {number}", geomname1=a.name, geomname2=b.name)
        _write(pair, what)


def scene_start(builder: SpecBuilder) -> Any:
    """Return the place of the first link, for what is said of the whole."""
    return builder.parts[0].link.span


def _mixed(
    one: str,
    two: str,
    main: str,
    numbers: dict[tuple[str, str], GeomNumbers],
    is_alone: dict[str, bool],
) -> GeomNumbers:
    """Return what MuJoCo makes of geoms of two materials."""
    a, b = (numbers[main, main] if is_alone[k] else numbers[k, main] for k in (one, two))
    if is_alone[one] != is_alone[two]:
        return b if is_alone[one] else a
    return GeomNumbers(
        max(a.dimension, b.dimension),
        tuple(max(x, y) for x, y in zip(a.friction, b.friction, strict=True)),  # type: ignore[arg-type]
        a.solref if a.solref == b.solref else (math.nan, 1.0),
        a.solimp if a.solimp == b.solimp else (math.nan, 0.0, 0.0, 0.0, 0.0),
    )


def _can_meet(model: mujoco.MjModel, a: int, b: int, excluded: set[int]) -> bool:
    kinds, wants = model.geom_contype, model.geom_conaffinity
    if not (kinds[a] & wants[b] or kinds[b] & wants[a]):
        return False
    one, two = sorted((int(model.geom_bodyid[a]), int(model.geom_bodyid[b])))
    if model.body_weldid[one] == model.body_weldid[two]:
        return False
    return (one << 16) + two not in excluded


def _typical_mass(model: mujoco.MjModel) -> float:
    """Return the middle mass of what moves, as reading takes it."""
    found = [
        float(model.body_subtreemass[k])
        for k in range(1, model.nbody)
        if model.body_parentid[k] == 0 and model.body_treeid[k] >= 0
    ]
    found = [mass for mass in found if mass > 0.0]
    return min(max(median(found), 1e-3), 1e3) if found else 1.0
