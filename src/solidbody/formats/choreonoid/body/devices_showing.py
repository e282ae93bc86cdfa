"""Devices that are there to be seen: lamps, markers, particles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from solidbody.base.transforms import ZERO, Pose
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.checks import (
    DeviceStart,
    not_negative,
    positive,
    share,
    unit_vector,
)
from solidbody.model.devices import (
    DeviceEffect,
    DeviceLight,
    DeviceMarker,
    EffectKind,
    MarkerKind,
)
from solidbody.model.environment import LightPoint, LightSpot

_MARKERS: Final = {
    "cross": MarkerKind.CROSS,
    "sphere": MarkerKind.SPHERE,
    "axes": MarkerKind.AXES,
}


def _point_light(keys: Keys, start: DeviceStart) -> DeviceLight:
    light = LightPoint(
        position=ZERO,
        color=keys.vec3("color", default=(1.0, 1.0, 1.0)),
        intensity=not_negative(keys, "intensity", default=1.0),
        attenuation=keys.vec3("attenuation", default=(1.0, 0.0, 0.0)),
        radius=math.inf,
        is_on=keys.flag("on", default=True),
        span=start["span"],
    )
    return DeviceLight(**start, light=light)


def _spot_light(keys: Keys, start: DeviceStart) -> DeviceLight:
    light = LightSpot(
        position=ZERO,
        direction=unit_vector(keys, "direction", default=(0.0, 0.0, -1.0)),
        color=keys.vec3("color", default=(1.0, 1.0, 1.0)),
        intensity=not_negative(keys, "intensity", default=1.0),
        attenuation=keys.vec3("attenuation", default=(1.0, 0.0, 0.0)),
        radius=math.inf,
        beam_width=keys.angle("beam_width", "beamWidth", default=math.pi / 2),
        cut_off_angle=keys.angle("cut_off_angle", "cutOffAngle", default=math.pi / 4),
        cut_off_exponent=keys.number("cut_off_exponent", "cutOffExponent", default=1.0),
        is_on=keys.flag("on", default=True),
        span=start["span"],
    )
    return DeviceLight(**start, light=light)


def _marker(keys: Keys, start: DeviceStart) -> DeviceMarker:
    offset = Pose(
        keys.translation("offset_translation", "offsetTranslation"),
        keys.rotation("offset_rotation", "offsetRotation"),
    )
    return DeviceMarker(
        **start,
        kind=keys.choice("marker_type", "markerType", table=_MARKERS, default=MarkerKind.SPHERE),
        size=positive(keys, "size", default=0.01),
        color=keys.vec3("color", default=(1.0, 1.0, 1.0)),
        emission=share(keys, "emission", default=0.5),
        transparency=share(keys, "transparency", default=0.7),
        offset=offset,
        is_on=keys.flag("on", default=True),
    )


def _effect(kind: EffectKind) -> Callable[[Keys, DeviceStart], DeviceEffect]:
    def build(keys: Keys, start: DeviceStart) -> DeviceEffect:
        return DeviceEffect(
            **start,
            kind=kind,
            particle_count=keys.integer("num_particles", "numParticles", default=None),
            particle_size=keys.number("particle_size", "particleSize", default=None),
            life_time=keys.number("life_time", "lifeTime", default=None),
            offset_time=keys.number("offset_time", "offsetTime", default=0.0),
            speed=keys.number("initial_speed_average", "initialSpeedAverage", default=None),
            speed_variation=keys.number(
                "initial_speed_variation", "initialSpeedVariation", default=None
            ),
            emission_angle=keys.angle("emission_range", "emissionRange", default=None),
            acceleration=keys.vec3("acceleration", default=None),
            tint=keys.vec3("tint_color", default=(1.0, 1.0, 1.0)),
            is_on=keys.flag("on", default=True),
        )

    return build


SHOWING = {
    "PointLight": _point_light,
    "SpotLight": _spot_light,
    "MarkerDevice": _marker,
    "SmokeDevice": _effect(EffectKind.SMOKE),
    "FireDevice": _effect(EffectKind.FIRE),
    "FountainDevice": _effect(EffectKind.FOUNTAIN),
    "RainDevice": _effect(EffectKind.RAIN),
    "SnowDevice": _effect(EffectKind.SNOW),
}
