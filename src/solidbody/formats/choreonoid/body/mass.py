"""Mass properties of a link: its own keys and RigidBody nodes, summed as Choreonoid does (rules C5.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.bodies import MassKeys
from solidbody.formats.link_trees.node_transforms import NodeTransform
from solidbody.model.mass import MassProperties, Tensor, combined

_UNIT: Final[Tensor] = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
_NONE: Final[Tensor] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
_ASYMMETRY: Final = 1e-6
"""Share of the largest entry by which opposite entries may differ: six written digits."""


def rigid_body(keys: Keys, place: NodeTransform) -> MassProperties:
    """Return the mass of a RigidBody node in link coordinates; what it does not say is 0.

    The inertia becomes L I L^T with the linear part of the place, scale included; the mass stays.
    """
    own = _read(keys, mass=0.0, inertia=_NONE)
    return _finite(
        keys,
        lambda: MassProperties(own.mass, place.point(own.center), place.tensor(own.inertia)),
    )


def link_mass(keys: Keys, parts: Sequence[MassProperties]) -> MassProperties:
    """Return the mass of a link from its own keys and its RigidBody nodes (in link coordinates).

    Without RigidBody nodes what the link does not say is 1 kg and a unit inertia; with them it is 0.
    """
    if not parts:
        return _read(keys, mass=1.0, inertia=_UNIT)
    has_own = keys.has(*MassKeys.rows.values())
    own = _read(keys, mass=0.0, inertia=_NONE)
    return _finite(keys, lambda: combined((*parts, own) if has_own else parts))


def _finite(keys: Keys, make: Callable[[], MassProperties]) -> MassProperties:
    """Return what `make` gives; numbers like 1e200 overflow in it, and then there is no mass."""
    try:
        return make()
    except (ValueError, OverflowError):
        keys.error(
            "not-finite",
            MassKeys.mass,
            "masses, centres and inertias this large have no sum; 0 is used.",
        )
        return MassProperties(0.0)


def _read(keys: Keys, *, mass: float, inertia: Tensor) -> MassProperties:
    center = keys.read(MassKeys.center_of_mass)
    written = keys.read(MassKeys.mass)
    value = mass if written is None else written
    if value < 0.0:
        keys.error(
            "negative-mass", MassKeys.mass, f"a mass is not negative, got {value:g}; 0 is used."
        )
        value = 0.0
    return MassProperties(value, center, _inertia(keys, inertia))


def _inertia(keys: Keys, default: Tensor) -> Tensor:
    numbers = keys.read(MassKeys.inertia)
    if numbers is None:
        return default
    match numbers:
        case (xx, xy, xz, yy, yz, zz):
            return (xx, yy, zz, xy, xz, yz)
        case (xx, xy, xz, yx, yy, yz, zx, zy, zz):
            largest = max(map(abs, numbers))
            if max(abs(xy - yx), abs(xz - zx), abs(yz - zy)) > _ASYMMETRY * largest:
                keys.warning(
                    "asymmetric-inertia",
                    MassKeys.inertia,
                    "an inertia is symmetric; the mean of opposite entries is used.",
                )
            return (xx, yy, zz, (xy + yx) / 2, (xz + zx) / 2, (yz + zy) / 2)
        case _:
            keys.error(
                "wrong-value",
                MassKeys.inertia,
                "expected 9 numbers (row by row) or 6 (xx, xy, xz, yy, yz, zz), "
                f"got {len(numbers)}.",
            )
            return default
