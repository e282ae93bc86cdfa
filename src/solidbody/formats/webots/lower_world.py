"""What surrounds the bodies: WorldInfo, contact properties, lights, sky and viewpoint."""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose, Vec3, normalized
from solidbody.formats.assets import AssetFinder
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.release import FIRST_ENU, Release
from solidbody.formats.webots.typed import TypedNode
from solidbody.formats.webots.world_rules import with_chosen_rules, with_usual_rules
from solidbody.model.contacts import ContactProperties, ContactSounds, ContactTable
from solidbody.model.environment import (
    Background,
    Fog,
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
    damping_node = node.node("defaultDamping")
    disable_time = node.number("physicsDisableTime")
    seed = node.integer("randomSeed")
    physics = Physics(
        time_step=node.number("basicTimeStep") / 1000.0,
        gravity=down,
        erp=node.number("ERP"),
        cfm=node.number("CFM"),
        damping=lower_damping(damping_node) if damping_node else Damping(),
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
    entries = tuple(lower_contact(item, log) for item in node.children("contactProperties"))
    return WorldSettings(physics, geodesy, ContactTable(entries, _default_contact()))


def _seed_of_the_moment() -> int:
    """Return the seed that `randomSeed -1` asks for: another one at every load."""
    return (int(time.time() * 1000) + os.getpid()) % 2**31


def lower_damping(node: TypedNode) -> Damping:
    """Return the values of a Damping node."""
    return Damping(node.number("linear"), node.number("angular"))


def _default_contact() -> ContactProperties:
    """Return what holds between materials without a ContactProperties node."""
    fields = NODES.fields("ContactProperties")
    sounds = [str(fields[f"{kind}Sound"].default) for kind in ("bump", "roll", "slide")]
    return ContactProperties(sounds=ContactSounds(*sounds))


def lower_contact(node: TypedNode, log: DiagnosticLog) -> ContactProperties:
    """Return the values of a ContactProperties node; -1 becomes infinite friction."""
    rho = [math.inf if x == -1.0 else x for x in node.vec3("rollingFriction")]
    return ContactProperties(
        materials=(node.string("material1"), node.string("material2")),
        friction=tuple(
            math.inf if x == -1.0 else x for x in _one_to_four(node, "coulombFriction", log)
        ),
        friction_rotation=node.vec2("frictionRotation"),
        rolling_friction=(rho[0], rho[1], rho[2]),
        bounce=node.number("bounce"),
        bounce_velocity=node.number("bounceVelocity"),
        slip=_one_to_four(node, "forceDependentSlip", log),
        soft_erp=node.number("softERP"),
        soft_cfm=node.number("softCFM"),
        max_contacts=node.integer("maxContactJoints"),
        sounds=ContactSounds(
            node.string("bumpSound"), node.string("rollSound"), node.string("slideSound")
        ),
        span=node.span,
    )


def _one_to_four(node: TypedNode, field: str, log: DiagnosticLog) -> tuple[float, ...]:
    values = node.numbers(field)
    if 1 <= len(values) <= 4:
        return values
    default = NODES.fields(node.type)[field].default
    assert isinstance(default, tuple)
    node.warn(
        log,
        "value-reset",
        f"takes 1 to 4 values, got {len(values)}; "
        + ("the first 4 are used." if values else "the default is used."),
        field=field,
    )
    return values[:4] or tuple(float(x) for x in default if isinstance(x, int | float))


def lower_light(node: TypedNode, frame: Pose, link: str | None) -> Light | None:
    """Return a light; `frame` is its place in the link (in the world, without one)."""
    match node.type:
        case "DirectionalLight":
            return LightDirectional(
                normalized(node.vec3("direction"), fallback=(0.0, 0.0, -1.0)),
                node.color("color"),
                node.number("intensity"),
                node.number("ambientIntensity"),
                node.boolean("on"),
                node.boolean("castShadows"),
                node.span,
            )
        case "PointLight":
            return LightPoint(
                frame.point(node.vec3("location")),
                link,
                node.color("color"),
                node.number("intensity"),
                node.number("ambientIntensity"),
                node.vec3("attenuation"),
                node.number("radius"),
                node.boolean("on"),
                node.boolean("castShadows"),
                node.span,
            )
        case "SpotLight":
            direction = normalized(node.vec3("direction"), fallback=(0.0, 0.0, -1.0))
            return LightSpot(
                frame.point(node.vec3("location")),
                frame.direction(direction),
                link,
                node.color("color"),
                node.number("intensity"),
                node.number("ambientIntensity"),
                node.vec3("attenuation"),
                node.number("radius"),
                beam_width=node.number("beamWidth"),
                cut_off_angle=node.number("cutOffAngle"),
                is_on=node.boolean("on"),
                casts_shadows=node.boolean("castShadows"),
                span=node.span,
            )
        case _:
            return None


def lower_background(node: TypedNode, finder: AssetFinder) -> Background:
    """Return the sky of a Background node; images count only if all six sides have one."""
    colors = node.colors("skyColor")
    images = _cube(node, "Url", finder)
    return Background(
        colors[0] if colors else (0.0, 0.0, 0.0),
        node.number("luminosity"),
        images,
        _cube(node, "IrradianceUrl", finder),
        node.span,
    )


def _cube(node: TypedNode, suffix: str, finder: AssetFinder) -> tuple[str, ...]:
    """Return the addresses of the six sides, as they would be written in the world itself."""
    names = [side + suffix for side in _SIDES]
    if not all(node.strings(name) for name in names):
        return ()
    places = [(node.strings(name), node.place(name).file) for name in names]
    return tuple(finder.address(finder.first(urls, base), base) for urls, base in places)


def lower_fog(node: TypedNode) -> Fog:
    """Return the values of a Fog node."""
    return Fog(
        node.color("color"), node.string("fogType"), node.number("visibilityRange"), node.span
    )
