"""Makes scenes of SDF: a world with its models, lights and settings, or a model by itself.

Source: sdformat.org, specification of SDF 1.6 to 1.11.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose, Vec3
from solidbody.formats.choreonoid.project.surroundings import LIGHTS, framed
from solidbody.formats.gc_pause import collector_paused
from solidbody.formats.link_trees.mesh_files import BodyMeshes
from solidbody.formats.link_trees.messages import Messages
from solidbody.formats.link_trees.uris import BodyFiles
from solidbody.formats.options import LoadOptions
from solidbody.formats.sdf.frames import FrameScope
from solidbody.formats.sdf.including import Includes
from solidbody.formats.sdf.models import ModelReader
from solidbody.formats.sdf.shapes import SdfShapes, color_of
from solidbody.formats.sdf.surfaces import SurfaceTable
from solidbody.formats.sdf.values import Values
from solidbody.formats.xml_tree import XmlElement, parse_xml
from solidbody.model.environment import (
    Background,
    Light,
    LightDirectional,
    LightPoint,
    LightSpot,
    Viewpoint,
)
from solidbody.model.links import Body
from solidbody.model.scene import Physics, RotationRule, Scene

VERSIONS: Final = ("1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11", "1.12")
"""Versions that are read without a word; what the last ones have is described for 1.11."""

STEP: Final = 0.001
"""[s] What holds without <physics>."""

_GREY: Final = (0.7, 0.7, 0.7, 1.0)

_WORLD_PARTS: Final = (
    *("model", "light", "physics", "gravity", "scene", "gui", "frame", "include", "joint"),
    *("wind", "atmosphere", "magnetic_field", "spherical_coordinates", "audio", "state"),
)
_SILENT: Final = ("wind", "atmosphere", "magnetic_field", "spherical_coordinates", "audio")


@collector_paused()
def read_sdf(text: str, name: str, options: LoadOptions, log: DiagnosticLog) -> Scene | None:
    """Return the scene of a text in SDF, or None after a message.

    Args:
        text: What the file holds.
        name: Its name; what it names is relative to it.
        options: Where other files come from.
        log: Takes all messages.
    """
    root = parse_xml(text, name, log)
    if root is None:
        return None
    if root.tag != "sdf":
        said = f"the outermost element of SDF is <sdf>, got <{root.tag}>."
        log.error("wrong-format", root.span, said)
        return None
    files = BodyFiles(name, options)
    messages = Messages(log)
    values = Values(messages)
    version = root.attributes.get("version", "")
    if version not in VERSIONS:
        said = f'version "{version}" is not known; it is read as 1.11.'
        values.spot(root, "version").warning("unknown-version", said)
    includes = Includes(files, values)
    includes.begin(name)
    whole = includes.resolved(root)
    world = whole.first("world")
    if world is None:
        world = whole
    elif len(list(whole.all("world"))) > 1:
        values.spot(root).warning("more-worlds", "only the first world is read.")
    return _SceneReader(values, files, log, name, options).scene(world)


@dataclass(slots=True)
class _SceneReader:
    values: Values
    files: BodyFiles
    log: DiagnosticLog
    name: str
    options: LoadOptions

    def scene(self, world: XmlElement) -> Scene | None:
        """Return the scene of a world, or of the models of a file without one."""
        physics = self._physics(world)
        surfaces = SurfaceTable(physics.time_step)
        meshes = BodyMeshes(self.files, self.log)
        reader = ModelReader(self.values, SdfShapes(meshes, self.values), surfaces)
        scope = FrameScope(world, self.values)
        bodies: list[Body] = []
        for name, element in scope.elements.items():
            if element.tag != "model":
                continue
            pose = scope.pose(name) or Pose()
            body = reader.body(element, scope.nested[name], pose)
            if body is not None:
                bodies.append(body)
        is_world = world.tag == "world"
        if not bodies and not is_world:
            self.values.spot(world).error("no-body", "the file holds neither a world nor a model.")
            return None
        self._note_unread(world, is_world)
        if surfaces.is_full:
            said = "more surfaces than are told apart; the last ones are taken for plain ones."
            self.values.spot(world).warning("many-contacts", said)
        lights = [light for element in world.all("light") for light in self._light(element, None)]
        lights += [light for element, path in reader.lights for light in self._light(element, path)]
        called = world.attributes.get("name") if is_world else bodies[0].name
        return Scene(
            name=called or PurePath(self.name).stem,
            source=self.name,
            physics=physics,
            bodies=tuple(bodies),
            contacts=surfaces.table(),
            lights=tuple(lights) if is_world else (*LIGHTS, *lights),
            background=self._background(world),
            viewpoint=self._viewpoint(world, bodies),
            diagnostics=tuple(self.log),
            files=self.files.access,
        )

    def _note_unread(self, world: XmlElement, is_world: bool) -> None:
        for tag in dict.fromkeys(child.tag for child in world.children):
            if is_world and tag not in _WORLD_PARTS:
                first = next(world.all(tag))
                guess = self.values.messages.guess(tag, _WORLD_PARTS)
                said = f"<{tag}> in <world> is not read.{guess}"
                self.values.spot(first).info("unread-element", said)
            elif (
                tag in _SILENT
                and tag == "wind"
                and any(self.values.vector(world.first(tag), "linear_velocity", (0.0, 0.0, 0.0)))
            ):
                self.values.spot(next(world.all(tag))).warning("no-wind", "there is no wind here.")
        for joint in world.all("joint"):
            said = "joints between models are left out."
            self.values.spot(joint).warning("world-joint", said)

    # --------------------------------------------------------------------------------------- settings

    def _physics(self, world: XmlElement) -> Physics:
        values = self.values
        chosen = [p for p in world.all("physics") if p.attributes.get("default") in ("1", "true")]
        physics = chosen[0] if chosen else world.first("physics")
        step = values.number(physics, "max_step_size", STEP)
        if not 1e-6 <= step <= 1.0:
            said = f"expected a time from 1e-6 to 1 s, got {step:g}; {STEP:g} is used."
            values.spot(physics or world, "max_step_size").error("wrong-value", said)
            step = STEP
        usual = (0.0, 0.0, -9.8)
        gravity = values.vector(physics, "gravity", usual)
        if world.first("gravity") is not None:
            gravity = values.vector(world, "gravity", usual)
        ode = None if physics is None else physics.first("ode")
        constraints = None if ode is None else ode.first("constraints")
        erp = values.number(constraints, "erp", 0.2)
        cfm = values.number(constraints, "cfm", 0.0)
        return Physics(
            time_step=step,
            gravity=gravity,
            erp=min(max(erp, 0.0), 1.0),
            cfm=max(cfm, 1e-10),
            rotation=RotationRule.EXACT,
        )

    def _background(self, world: XmlElement) -> Background:
        scene = world.first("scene")
        color = color_of(scene, "background", _GREY, self.values)
        return Background(color[:3])

    def _viewpoint(self, world: XmlElement, bodies: list[Body]) -> Viewpoint:
        gui = world.first("gui")
        camera = None if gui is None else gui.first("camera")
        pose = None if camera is None else camera.first("pose")
        if pose is None:
            return framed(bodies)
        return Viewpoint(self.values.pose(pose))

    # ----------------------------------------------------------------------------------------- lights

    def _light(self, element: XmlElement, link: str | None) -> list[Light]:
        values = self.values
        pose = values.pose(element.first("pose"))
        color = color_of(element, "diffuse", (1.0, 1.0, 1.0, 1.0), values)[:3]
        direction: Vec3 = values.direction(element, "direction", (0.0, 0.0, -1.0))
        fading = element.first("attenuation")
        shadows = values.flag(
            element, "cast_shadows", element.attributes.get("type") == "directional"
        )
        intensity = max(values.number(element, "intensity", 1.0), 0.0)
        is_on = values.flag(element, "light_on", True)
        kind = element.attributes.get("type", "point")
        if kind == "directional":
            made: Light = LightDirectional(
                pose.direction(direction),
                color,
                intensity,
                is_on=is_on,
                casts_shadows=shadows,
                span=element.span,
            )
            return [made]
        attenuation = (
            max(values.number(fading, "constant", 1.0), 0.0),
            max(values.number(fading, "linear", 0.0), 0.0),
            max(values.number(fading, "quadratic", 0.0), 0.0),
        )
        radius = min(max(values.number(fading, "range", 10.0), 1e-3), 1e6)
        if kind == "point":
            return [
                LightPoint(
                    pose.position,
                    link,
                    color,
                    intensity,
                    attenuation=attenuation,
                    radius=radius,
                    is_on=is_on,
                    casts_shadows=shadows,
                    span=element.span,
                )
            ]
        if kind == "spot":
            spot = element.first("spot")
            inner = values.number(spot, "inner_angle", 0.6) / 2.0
            outer = values.number(spot, "outer_angle", 1.0) / 2.0
            outer = min(max(outer, 0.01), math.pi / 2.0)
            return [
                LightSpot(
                    pose.position,
                    pose.direction(direction),
                    link,
                    color,
                    intensity,
                    attenuation=attenuation,
                    radius=radius,
                    beam_width=min(max(inner, 0.01), outer),
                    cut_off_angle=outer,
                    cut_off_exponent=max(values.number(spot, "falloff", 1.0), 0.0),
                    is_on=is_on,
                    casts_shadows=shadows,
                    span=element.span,
                )
            ]
        said = f'expected point, spot or directional, got "{kind}"; the light is left out.'
        values.spot(element, "type").error("light-type", said)
        return []
