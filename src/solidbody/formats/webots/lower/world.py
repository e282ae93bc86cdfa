"""Lowers what surrounds the bodies: WorldInfo with its contact properties, and lights."""

from __future__ import annotations

from dataclasses import dataclass, replace

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose, Vec3, cross, normalized
from solidbody.formats.webots.lower.plain import lower_plain
from solidbody.formats.webots.lower.world_rules import with_chosen_rules, with_usual_rules
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.releases.release import FIRST_ENU, Release
from solidbody.model.contacts import ContactProperties, ContactSounds, ContactTable
from solidbody.model.environment import Light, LightDirectional, LightPoint, LightSpot
from solidbody.model.links import Damping
from solidbody.model.scene import Geodesy, MoveRule, Physics, Sleeping

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_EAST_NORTH_UP: dict[str, tuple[Vec3, Vec3, Vec3]] = {
    "ENU": (_X, _Y, _Z),
    "NUE": (_Z, _X, _Y),
    "EUN": (_X, _Z, _Y),
}


@dataclass(frozen=True, slots=True)
class WorldSettings:
    """What a WorldInfo node says about physics and places."""

    physics: Physics
    geodesy: Geodesy
    contacts: ContactTable


def lower_world_info(node: TypedNode | None, release: Release, log: DiagnosticLog) -> WorldSettings:
    """Return the settings of a WorldInfo node, or those of a world without one."""
    if node is None:
        contacts = ContactTable(default=_default_contact())
        physics = with_usual_rules(Physics(damping=Damping(), moving=MoveRule.AFTER_CONTACTS))
        return WorldSettings(physics, Geodesy(), contacts)
    system = node.string("coordinateSystem")
    if release < FIRST_ENU and not node.is_written("coordinateSystem"):
        system = "NUE"
    east, north, up = _EAST_NORTH_UP[system]
    gravity = node.number_or_vec3("gravity")
    if isinstance(gravity, tuple):
        down = gravity
    else:
        down = (-gravity * up[0] + 0.0, -gravity * up[1] + 0.0, -gravity * up[2] + 0.0)
    if node.is_written("northDirection"):
        north = normalized(node.vec3("northDirection"), fallback=north)
        east = normalized(cross(north, up), fallback=east)
    # Webots' own code: 0 or less switches sleeping off (the manual says the reverse).
    sleeping = lower_plain(Sleeping, node) if node.number("physicsDisableTime") > 0.0 else None
    physics = lower_plain(
        Physics, node, gravity=down, sleeping=sleeping, moving=MoveRule.AFTER_CONTACTS
    )
    return WorldSettings(
        with_chosen_rules(physics, node, log),
        lower_plain(Geodesy, node, east=east, north=north, up=up),
        lower_plain(ContactTable, node, log, default=_default_contact()),
    )


def _default_contact() -> ContactProperties:
    """Return what holds between materials without a ContactProperties node."""
    fields = NODES.fields("ContactProperties")
    sounds = [str(fields[f"{kind}Sound"].default) for kind in ("bump", "roll", "slide")]
    return ContactProperties(sounds=ContactSounds(*sounds))


def lower_light(node: TypedNode, frame: Pose, link: str | None) -> Light | None:
    """Return a light; `frame` is its place in the link (in the world, without one)."""
    match node.type:
        case "DirectionalLight":
            return lower_plain(LightDirectional, node)
        case "PointLight":
            position = frame.point(node.vec3("location"))
            return lower_plain(LightPoint, node, position=position, link=link)
        case "SpotLight":
            position = frame.point(node.vec3("location"))
            spot = lower_plain(LightSpot, node, position=position, link=link)
            return replace(spot, direction=frame.direction(spot.direction))
        case _:
            return None
