"""Mass properties of a link: its own keys and RigidBody nodes, summed as Choreonoid does (rules C5.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.bodies import MassKeys
from solidbody.formats.choreonoid.keys.table import plain_values
from solidbody.formats.link_trees.node_transforms import NodeTransform
from solidbody.model.mass import MassProperties, Tensor, combined

_UNIT: Final[Tensor] = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
_NONE: Final[Tensor] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


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
    values = plain_values(keys, MassKeys)
    for field, default in (("mass", mass), ("inertia", inertia)):
        if values[field] is None:
            values[field] = default
    return MassProperties(**values)
