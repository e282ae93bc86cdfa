"""Lights of a scene as MuJoCo's, and from where a viewer looks at it."""

from __future__ import annotations

import math
from typing import Any, Final

import mujoco

from solidbody.base.transforms import norm, quat_rotate
from solidbody.compiler.bodies import SpecBuilder
from solidbody.model.environment import LightDirectional, LightSpot
from solidbody.model.scene import Scene

BRIGHTEST: Final = 1.0
"""Sum of intensities that is written as full light: MuJoCo adds lights up and cuts at white."""


def add_lights(builder: SpecBuilder, scene: Scene) -> None:
    """Add all lights; MuJoCo's light at the eye stays where a scene has none."""
    if not scene.lights:
        return
    builder.spec.visual.headlight.active = 0
    bodies = {part.link.path: part.body for part in builder.parts}
    total = sum(light.intensity for light in scene.lights if light.is_on)
    share = min(1.0, BRIGHTEST / total) if total > 0.0 else 1.0
    for number, light in enumerate(scene.lights):
        home = builder.spec.worldbody
        if not isinstance(light, LightDirectional):
            home = bodies.get(light.link or "", home)
        element: Any = home.add_light(name=f"light {number}")
        strength = light.intensity * share
        element.diffuse = [channel * strength for channel in light.color]
        element.ambient = [channel * light.ambient for channel in light.color]
        element.active = light.is_on
        element.castshadow = light.casts_shadows
        if isinstance(light, LightDirectional):
            element.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
            if norm(light.direction) > 0.0:
                element.dir = light.direction
            continue
        element.pos = light.position
        element.attenuation = light.attenuation
        element.range = light.radius
        element.type = mujoco.mjtLightType.mjLIGHT_POINT
        if isinstance(light, LightSpot):
            element.type = mujoco.mjtLightType.mjLIGHT_SPOT
            if norm(light.direction) > 0.0:
                element.dir = light.direction
            element.cutoff = math.degrees(light.cut_off_angle)
            element.exponent = light.cut_off_exponent


def look_from(spec: Any, scene: Scene) -> None:
    """Let a viewer look the way that the scene's does."""
    x, y, z = quat_rotate(scene.viewpoint.pose.rotation, (1.0, 0.0, 0.0))
    spec.visual.global_.azimuth = math.degrees(math.atan2(y, x))
    spec.visual.global_.elevation = math.degrees(math.asin(max(-1.0, min(1.0, z))))
