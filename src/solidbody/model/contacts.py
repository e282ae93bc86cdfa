"""Contact properties of pairs of surface materials."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from solidbody.base.span import NOWHERE, SourceSpan

DEFAULT_MATERIAL = "default"


@dataclass(frozen=True, slots=True)
class ContactSounds:
    """Addresses of the sounds of a contact; empty = silent."""

    bump: str = ""
    roll: str = ""
    slide: str = ""


@dataclass(frozen=True, slots=True)
class ContactProperties:
    """The surface law between two materials.

    Attributes:
        materials: The pair, in the order that "first" and "second" below refer to.
        friction: 1 to 4 Coulomb coefficients (inf allowed). 1: isotropic. 2: both surfaces have
            them along their two friction directions. 3: two for the first surface, one for the
            second. 4: two for each. Coefficients of the two surfaces add up.
        friction_rotation: Turn of the friction directions of first and second surface [rad].
        rolling_friction: (rho about the first tangent, about the second, about the normal) [m].
        bounce: Restitution coefficient, 0..1.
        bounce_velocity: Approach speed below which nothing bounces [m/s].
        slip: 1 to 4 force-dependent slip values [m/(s*N)], combined like `friction`.
        soft_erp: Share of the penetration removed in one step, 0..1.
        soft_cfm: Softness of the normal row [m/(s*N)], > 0.
        max_contacts: Points kept per pair of shapes, deepest first; at least 1.
        keeps_spread: Whether the points kept are the deepest and those farthest from each other, so many for
            each pair of links and each direction (normals within 15 degrees); belts are pushed out slowly.
        shares_depth: Whether all points of a pair of boxes, or convex meshes of at most 12 triangles, are as
            deep as the deepest of them (in Choreonoid a point has the depth of all triangles around it): what
            stands askew is not levelled, and the normal is that of the face along which they overlap less.
        follows_sliding: Whether the first tangent of isotropic friction follows the sliding, as far as the
            bodies give way to it, so that its bound acts as Choreonoid's cone; otherwise tangents are ODE's.
        remembers_loads: Whether friction is bounded by what each point carries, with the friction of the last
            step and shared out among the points as it was then (Choreonoid's sweeps do so), by a cone also
            where nothing slides; otherwise by the normal forces of a solution without friction, as in ODE.
        static_friction: Coefficient while nothing slides, where `follows_sliding`; None = the same.
        rest_depth: Depth at which resting bodies are held [m]; `soft_erp` acts on what exceeds it.
        depth_scale: Limit of the push-out speed, as a depth: soft_erp/h*depth_scale [m].
        min_depth: Shallower points are left out [m]; ODE's law takes points that only touch.
        max_depth: Deeper points are left out [m].
        sounds: What the contact sounds like.
    """

    materials: tuple[str, str] = (DEFAULT_MATERIAL, DEFAULT_MATERIAL)
    friction: tuple[float, ...] = (1.0,)
    friction_rotation: tuple[float, float] = (0.0, 0.0)
    rolling_friction: tuple[float, float, float] = (0.0, 0.0, 0.0)
    bounce: float = 0.5
    bounce_velocity: float = 0.01
    slip: tuple[float, ...] = (0.0,)
    soft_erp: float = 0.2
    soft_cfm: float = 0.001
    max_contacts: int = 10
    keeps_spread: bool = False
    shares_depth: bool = False
    follows_sliding: bool = False
    remembers_loads: bool = False
    static_friction: float | None = None
    rest_depth: float = 0.0
    depth_scale: float = inf
    min_depth: float = -inf
    max_depth: float = inf
    sounds: ContactSounds = ContactSounds()
    span: SourceSpan = NOWHERE

    def __post_init__(self) -> None:
        if not 1 <= len(self.friction) <= 4 or not 1 <= len(self.slip) <= 4:
            raise ValueError("friction and slip take 1 to 4 values")
        if self.max_contacts < 1:
            raise ValueError(f"max_contacts must be > 0, got {self.max_contacts}")


@dataclass(frozen=True, slots=True)
class ContactTable:
    """Ordered list of properties, first match wins, and what holds when none matches."""

    entries: tuple[ContactProperties, ...] = ()
    default: ContactProperties = ContactProperties()

    def find(self, first: str, second: str) -> ContactProperties:
        """Return the properties of the pair, in either order."""
        for entry in self.entries:
            if set(entry.materials) == {first, second}:
                return entry
        return self.default
