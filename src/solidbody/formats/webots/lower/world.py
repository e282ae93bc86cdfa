"""Lowers what surrounds the bodies: WorldInfo, contact properties, lights, sky and viewpoint."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose, Vec3, cross, normalized
from solidbody.formats.assets import AssetFinder
from solidbody.formats.webots.lower.plain import lower_plain
from solidbody.formats.webots.lower.world_rules import with_chosen_rules, with_usual_rules
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.releases.release import FIRST_ENU, Release
from solidbody.model.contacts import ContactProperties, ContactSounds, ContactTable
from solidbody.model.environment import (
    Background,
    Light,
    LightDirectional,
    LightPoint,
    LightSpot,
)
from solidbody.model.links import Damping
from solidbody.model.scene import Geodesy, MoveRule, Physics, Sleeping

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_EAST_NORTH_UP: dict[str, tuple[Vec3, Vec3, Vec3]] = {
    "ENU": (_X, _Y, _Z),
    "NUE": (_Z, _X, _Y),
    "EUN": (_X, _Z, _Y),
}
_SIDES = ("right", "left", "top", "bottom", "front", "back")


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
    damping_node = node.node("defaultDamping")
    disable_time = node.number("physicsDisableTime")
    seed = node.integer("randomSeed")
    physics = Physics(
        time_step=node.number("basicTimeStep") / 1000.0,
        gravity=down,
        erp=node.number("ERP"),
        cfm=node.number("CFM"),
        damping=lower_plain(Damping, damping_node) if damping_node else Damping(),
        # Webots' own code: 0 or less switches sleeping off (the manual says the reverse).
        sleeping=Sleeping(
            disable_time,
            node.number("physicsDisableLinearThreshold"),
            node.number("physicsDisableAngularThreshold"),
        )
        if disable_time > 0.0
        else None,
        moving=MoveRule.AFTER_CONTACTS,
        random_seed=_seed_of_the_moment() if seed == -1 else seed,
    )
    physics = with_chosen_rules(physics, node, log)
    geodesy = Geodesy(
        east, north, up, node.string("gpsCoordinateSystem"), node.vec3("gpsReference")
    )
    nodes = node.children("contactProperties")
    entries = tuple(lower_plain(ContactProperties, item, log) for item in nodes)
    return WorldSettings(physics, geodesy, ContactTable(entries, _default_contact()))


def _seed_of_the_moment() -> int:
    """Return the seed that `randomSeed -1` asks for: another one at every load."""
    return (int(time.time() * 1000) + os.getpid()) % 2**31


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


def lower_background(node: TypedNode, finder: AssetFinder) -> Background:
    """Return the sky of a Background node; images count only if all six sides have one."""
    irradiance = _cube(node, "IrradianceUrl", finder)
    images = _cube(node, "Url", finder)
    return lower_plain(Background, node, images=images, irradiance_images=irradiance)


def _cube(node: TypedNode, suffix: str, finder: AssetFinder) -> tuple[str, ...]:
    """Return the addresses of the six sides, as they would be written in the world itself."""
    names = [side + suffix for side in _SIDES]
    if not all(node.strings(name) for name in names):
        return ()
    places = [(node.strings(name), node.place(name).file) for name in names]
    return tuple(finder.address(finder.first(urls, base), base) for urls, base in places)
