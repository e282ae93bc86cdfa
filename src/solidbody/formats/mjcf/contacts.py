"""MuJoCo's contact parameters in the words of our law, and which links it tests against each other.

MuJoCo's contact acts on the acceleration along the normal: with the penetration r, its rate r', an
acceleration a0 without contact and the impedance d (`solimp`, at its greatest, dmax),

    r'' = -d (b r' + k r) + (1 - d) a0
    k = 1/(d t^2 z^2), b = 2/(d t)                for solref = (t, z) > 0
    k = -solref[0]/d, b = -solref[1]/d            for two negative numbers

Our law removes a share ERP of the depth in a step and gives way by CFM. Two things are kept: how fast depth
goes away, and how deep something of the typical mass m of the scene rests:

    ERP = h k/(h k + b)                 the same rate k/b
    CFM = ERP (1 - d)/(d k h m)         the same rest depth g (1 - d)/(d k)

| MuJoCo                                | here                                                        |
|---------------------------------------|-------------------------------------------------------------|
| friction[0], greater of the two geoms | `friction`; none for condim 1                               |
| friction[1], condim 4 and 6           | `rolling_friction`[2], about the normal [m]                 |
| friction[2], condim 6                 | `rolling_friction`[0, 1], about the tangents [m]            |
| cone="elliptic"                       | `follows_sliding`: a cone                                   |
| cone="pyramidal"                      | two bounds, one for each tangent                            |
| priority, solmix                      | as in MuJoCo, for each pair of kinds of geoms               |
| contype, conaffinity, exclude         | pairs of links that ignore each other                       |
| pair                                  | the numbers of the pair, for those two geoms                |
| margin, gap, solreffriction           | not carried over                                            |
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, combinations_with_replacement
from statistics import median
from typing import Any, Final

from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.formats.mjcf.compiling import Compilation, Model
from solidbody.model.contacts import DEFAULT_MATERIAL, ContactProperties, ContactTable

LEAST_IMPEDANCE: Final = 1e-4
MOST_IMPEDANCE: Final = 0.9999
"""Limits of impedance, as MuJoCo has them."""

LEAST_CFM: Final = 1e-9
"""Softness that a row has at least [velocity per force]."""

MOST_KINDS: Final = 150
"""Kinds of geoms that are told apart: each pair of them is a row of the table."""

MOST_POINTS: Final = 10


@dataclass(frozen=True, slots=True)
class ContactKind:
    """What geoms say of their contacts."""

    dimension: int
    friction: tuple[float, ...]
    solref: tuple[float, ...]
    solimp: tuple[float, ...]
    solmix: float
    priority: int

    def softness(self, step: float, mass: float) -> tuple[float, float]:
        """Return ERP and CFM."""
        return softness(self.solref, self.solimp, step, mass)


def softness(
    solref: Sequence[float], solimp: Sequence[float], step: float, mass: float
) -> tuple[float, float]:
    """Return (ERP, CFM) for a constraint of MuJoCo that holds a mass [kg or kg*m^2]."""
    d = min(max(float(solimp[1]), LEAST_IMPEDANCE), MOST_IMPEDANCE)
    first, second = float(solref[0]), float(solref[1])
    if first > 0.0:
        first = max(first, 2.0 * step)  # as MuJoCo bounds it
        k, b = 1.0 / (d * (first * max(second, 1e-6)) ** 2), 2.0 / (d * first)
    else:
        k, b = -first / d, -second / d
    if k <= 0.0:
        return 0.0, max((1.0 - d) / (d * max(b * step, 1e-9) * mass) * step, LEAST_CFM)
    erp = min(step * k / (step * k + b), 1.0)
    cfm = erp * (1.0 - d) / (d * k * step * mass)
    return erp, max(cfm, LEAST_CFM)


def kind_of_geom(model: Model, geom: int) -> ContactKind:
    """Return what a geom says of its contacts."""
    return ContactKind(
        int(model.geom_condim[geom]),
        _rounded(model.geom_friction[geom]),
        _rounded(model.geom_solref[geom]),
        _rounded(model.geom_solimp[geom]),
        float(model.geom_solmix[geom]),
        int(model.geom_priority[geom]),
    )


def mixed(one: ContactKind, two: ContactKind) -> ContactKind:
    """Return what holds between two geoms, as MuJoCo combines them."""
    if one.priority != two.priority:
        return one if one.priority > two.priority else two
    total = one.solmix + two.solmix
    share = one.solmix / total if total > 1e-15 else 0.5
    if one.solmix < 1e-15 <= two.solmix:
        share = 0.0
    positive = one.solref[0] > 0.0 and two.solref[0] > 0.0
    solref = (
        _blend(one.solref, two.solref, share)
        if positive
        else tuple(min(a, b) for a, b in zip(one.solref, two.solref, strict=True))
    )
    return ContactKind(
        max(one.dimension, two.dimension),
        tuple(max(a, b) for a, b in zip(one.friction, two.friction, strict=True)),
        solref,
        _blend(one.solimp, two.solimp, share),
        1.0,
        0,
    )


def _blend(one: tuple[float, ...], two: tuple[float, ...], share: float) -> tuple[float, ...]:
    return tuple(share * a + (1.0 - share) * b for a, b in zip(one, two, strict=True))


def _rounded(row: Any) -> tuple[float, ...]:
    return tuple(float(number) for number in row)


@dataclass(slots=True)
class MjcfContacts:
    """Names of contact materials, and the table of their pairs."""

    compilation: Compilation
    mass: float
    names: dict[ContactKind, str] = field(default_factory=dict[ContactKind, str])
    of_geom: dict[int, str] = field(default_factory=dict[int, str])
    _pairs: dict[int, str] = field(default_factory=dict[int, str])
    is_cut: bool = False

    def __post_init__(self) -> None:
        model = self.compilation.model
        counts: dict[ContactKind, int] = {}
        kinds = [kind_of_geom(model, geom) for geom in range(model.ngeom)]
        active = [
            bool(c or a) for c, a in zip(model.geom_contype, model.geom_conaffinity, strict=True)
        ]
        for pair in range(model.npair):
            for geom in (int(model.pair_geom1[pair]), int(model.pair_geom2[pair])):
                active[geom] = True
        for kind, is_active in zip(kinds, active, strict=True):
            if is_active:
                counts[kind] = counts.get(kind, 0) + 1
        ranked = sorted(counts, key=lambda kind: -counts[kind])
        self.is_cut = len(ranked) > MOST_KINDS
        for number, kind in enumerate(ranked[:MOST_KINDS]):
            self.names[kind] = DEFAULT_MATERIAL if number == 0 else f"mjcf {number}"
        for geom, kind in enumerate(kinds):
            self.of_geom[geom] = self.names.get(kind, DEFAULT_MATERIAL)
        for pair in range(model.npair):
            for geom in (int(model.pair_geom1[pair]), int(model.pair_geom2[pair])):
                self._pairs.setdefault(geom, f"mjcf geom {geom}")
        if len(self._pairs) > MOST_KINDS:
            self._pairs, self.is_cut = {}, True
        self.of_geom.update(self._pairs)

    def table(self) -> ContactTable:
        """Return the contact properties of all pairs."""
        model = self.compilation.model
        named = {name: kind for kind, name in self.names.items()}
        for geom, name in self._pairs.items():
            named[name] = kind_of_geom(model, geom)
        rows: dict[tuple[str, str], ContactProperties] = {}
        for number, pair in enumerate(self.compilation.spec.pairs):
            ends = [
                self._pairs.get(int(geom[number])) for geom in (model.pair_geom1, model.pair_geom2)
            ]
            if ends[0] is None or ends[1] is None:
                continue
            names = (min(ends[0], ends[1]), max(ends[0], ends[1]))
            span = self.compilation.span(pair)
            rows[names] = self._of_pair(number, names, span)
        for names in combinations_with_replacement(sorted(named), 2):
            if names not in rows:
                kind = mixed(named[names[0]], named[names[1]])
                rows[names] = self._properties(kind, names)
        default = rows.pop((DEFAULT_MATERIAL, DEFAULT_MATERIAL), None)
        return ContactTable(tuple(rows.values()), default or self._properties(_PLAIN, ()))

    def _properties(
        self, kind: ContactKind, names: tuple[str, ...], span: SourceSpan = NOWHERE
    ) -> ContactProperties:
        import mujoco

        model = self.compilation.model
        erp, cfm = kind.softness(float(model.opt.timestep), self.mass)
        dimension = kind.dimension
        slide, spin, roll = kind.friction[:3]
        return ContactProperties(
            (names[0], names[1]) if names else (DEFAULT_MATERIAL, DEFAULT_MATERIAL),
            friction=(slide if dimension >= 3 else 0.0,),
            rolling_friction=(
                roll if dimension >= 6 else 0.0,
                roll if dimension >= 6 else 0.0,
                spin if dimension >= 4 else 0.0,
            ),
            bounce=0.0,
            soft_erp=erp,
            soft_cfm=cfm,
            max_contacts=MOST_POINTS,
            follows_sliding=int(model.opt.cone) == mujoco.mjtCone.mjCONE_ELLIPTIC
            and dimension >= 3,
            span=span,
        )

    def _of_pair(self, pair: int, names: tuple[str, str], span: SourceSpan) -> ContactProperties:
        model = self.compilation.model
        friction = _rounded(model.pair_friction[pair])
        kind = ContactKind(
            int(model.pair_dim[pair]),
            (
                math.sqrt(friction[0] * friction[1]),
                friction[2],
                math.sqrt(friction[3] * friction[4]),
            ),
            _rounded(model.pair_solref[pair]),
            _rounded(model.pair_solimp[pair]),
            1.0,
            0,
        )
        return self._properties(kind, names, span)


_PLAIN: Final = ContactKind(
    3, (1.0, 0.005, 0.0001), (0.02, 1.0), (0.9, 0.95, 0.001, 0.5, 2.0), 1.0, 0
)
"""A geom that says nothing."""


def typical_mass(masses: Iterable[float]) -> float:
    """Return the mass that softness of contacts is for [kg]: the middle one of the bodies that move."""
    found = [mass for mass in masses if mass > 0.0]
    return min(max(median(found), 1e-3), 1e3) if found else 1.0


# ------------------------------------------------------------------------------------ who meets whom


@dataclass(frozen=True, slots=True)
class Meetings:
    """Which pairs of MuJoCo's bodies are tested.

    Attributes:
        apart: Pairs of bodies (the lower first) of which nothing is tested.
        mixed: Pairs of which only some geoms are, all of which are tested here.
    """

    apart: frozenset[tuple[int, int]]
    mixed: frozenset[tuple[int, int]]


def meetings(model: Model, colliding: Mapping[int, Sequence[int]]) -> Meetings:
    """Return which bodies are tested against each other.

    Args:
        model: MuJoCo's.
        colliding: Geoms that collide, by body.
    """
    import mujoco

    excluded = {(int(mark) >> 16, int(mark) & 0xFFFF) for mark in model.exclude_signature}
    excluded |= {(b, a) for a, b in excluded}
    named = {
        frozenset((int(a), int(b))) for a, b in zip(model.pair_geom1, model.pair_geom2, strict=True)
    }
    weld = [int(k) for k in model.body_weldid]
    above = [weld[int(k)] for k in model.body_parentid]
    filters = not int(model.opt.disableflags) & int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
    masks = {
        body: {(int(model.geom_contype[g]), int(model.geom_conaffinity[g])) for g in geoms}
        for body, geoms in colliding.items()
    }
    in_pairs = {geom for pair in named for geom in pair}
    paired = {body: [g for g in geoms if g in in_pairs] for body, geoms in colliding.items()}
    apart: set[tuple[int, int]] = set()
    partly: set[tuple[int, int]] = set()
    for a, b in combinations(sorted(colliding), 2):
        if weld[a] == weld[b]:
            continue
        by_name = named and any(frozenset((g, h)) in named for g in paired[a] for h in paired[b])
        neighbours = (
            filters
            and weld[a]
            and weld[b]
            and (above[weld[a]] == weld[b] or above[weld[b]] == weld[a])
        )
        if (a, b) in excluded or neighbours:
            meets = [False]
        else:
            meets = [bool(c & y or d & x) for c, x in masks[a] for d, y in masks[b]]
        if not any(meets) and not by_name:
            apart.add((a, b))
        elif not all(meets):
            partly.add((a, b))
    return Meetings(frozenset(apart), frozenset(partly))
