"""Combines scenes of several files, such as a Choreonoid robot in a Webots world.

The first scene gives physics, view and light. What is added keeps its own contact rows; names and paths
that are taken get a number, as everywhere.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Final

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog, Severity
from solidbody.base.errors import LoadError
from solidbody.base.span import SourceSpan
from solidbody.base.transforms import (
    IDENTITY,
    WORLD,
    Pose,
    Quat,
    dot,
    quat_from_axis_angle,
    quat_multiply,
)
from solidbody.formats.file_kinds import BODY_KINDS
from solidbody.formats.loading import load, read_scene
from solidbody.formats.options import DEFAULT_OPTIONS, LoadOptions
from solidbody.formats.renaming import Renaming, with_light_numbers
from solidbody.model.contacts import DEFAULT_MATERIAL, ContactProperties, ContactTable
from solidbody.model.environment import Light, LightDirectional, LightSpot
from solidbody.model.joints import (
    Joint,
    JointAxis,
    JointBall,
    JointFixed,
    JointFree,
    JointHinge,
    JointHinge2,
    JointSlider,
    JointTrack,
    Loop,
    LoopAttachment,
    Suspension,
)
from solidbody.model.links import Body, Link
from solidbody.model.scene import Scene
from solidbody.model.shapes import ShapeRole

ROBOT_FILES: Final = frozenset({".proto", *BODY_KINDS})
"""Extensions of files that hold one robot: its root goes where it is asked to. Others hold worlds."""

PLACE_FORMS: Final = "x,y,z or x,y,z,yaw or x,y,z,roll,pitch,yaw or x,y,z,ax,ay,az,angle"
"""The numbers of a place, in words [m, rad]."""

_SAME_UP: Final = 0.999
"""Cosine between the up directions of two scenes from which on they count as the same."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where something is put: a position [m], and a rotation or None to keep the one it has."""

    position: tuple[float, float, float]
    rotation: Quat | None = None

    def pose(self, kept: Quat = IDENTITY) -> Pose:
        """Return the pose; `kept` is the rotation where none was given."""
        return Pose(self.position, kept if self.rotation is None else self.rotation)


def placement_of(numbers: Sequence[float]) -> Placement:
    """Return the place that 3, 4, 6 or 7 numbers give (see `PLACE_FORMS`).

    Roll, pitch and yaw turn about the fixed x, y and z axes, in this order.

    Raises:
        ValueError: Another count, a number that is not finite, or a null axis.
    """
    values = [float(value) for value in numbers]
    if len(values) not in (3, 4, 6, 7):
        raise ValueError(f"a place is {PLACE_FORMS}, got {len(values)} numbers")
    if not all(map(math.isfinite, values)):
        raise ValueError(f"the numbers of a place must be finite, got {values}")
    position = (values[0], values[1], values[2])
    turn = values[3:]
    if not turn:
        return Placement(position)
    if len(turn) == 4:
        if not any(turn[:3]):
            raise ValueError("the axis of a rotation must not be null")
        return Placement(position, quat_from_axis_angle((turn[0], turn[1], turn[2]), turn[3]))
    roll, pitch, yaw = turn if len(turn) == 3 else (0.0, 0.0, turn[0])
    about_x = quat_from_axis_angle((1.0, 0.0, 0.0), roll)
    about_y = quat_from_axis_angle((0.0, 1.0, 0.0), pitch)
    about_z = quat_from_axis_angle((0.0, 0.0, 1.0), yaw)
    return Placement(position, quat_multiply(about_z, quat_multiply(about_y, about_x)))


@dataclass(frozen=True, slots=True)
class SceneFile:
    """A file and where it goes; None = where the file itself says."""

    path: str
    place: Placement | None = None


def parse_scene_file(text: str) -> SceneFile:
    """Return the part that `FILE` or `FILE@x,y,z...` names.

    Raises:
        ValueError: What stands after the `@` is no place.
    """
    path, mark, numbers = text.rpartition("@")
    if not mark or os.path.exists(text):
        return SceneFile(text)
    try:
        values = [float(word) for word in numbers.split(",")]
    except ValueError:
        if "," not in numbers:
            return SceneFile(text)  # an @ in the name of a file that does not exist
        raise ValueError(f'"{numbers}" is no place; expected {PLACE_FORMS}') from None
    return SceneFile(path, placement_of(values))


def read_scene_files(
    parts: Sequence[SceneFile], *, options: LoadOptions = DEFAULT_OPTIONS
) -> tuple[Scene | None, DiagnosticLog]:
    """Read several files into one scene; return it (None if none could be built) and all messages.

    The first file gives physics and surroundings. A further file that cannot be read is an error, and
    the rest is still put together.
    """
    log = DiagnosticLog()
    scene: Scene | None = None
    for part in parts:
        found, said = read_scene(part.path, options=options)
        log.extend(said)
        if found is None:
            if scene is None:
                return None, log
            continue
        placed = placed_scene(found, part)
        if scene is None:
            scene = placed
        else:
            known = len(scene.diagnostics)
            scene = joined_scenes(scene, placed)
            log.extend(item for item in scene.diagnostics[known:] if item not in set(log.items))
    return scene, log


def add_to_scene(
    scene: Scene,
    what: str | os.PathLike[str] | Scene,
    at: Sequence[float] | Pose | None = None,
    *,
    options: LoadOptions = DEFAULT_OPTIONS,
) -> Scene:
    """Return `scene` with what another file (or scene) describes.

    Args:
        scene: Gives physics, view and light; it is not changed.
        what: A file of any format that is read, or a scene.
        at: Of a robot's file, the place of its root link; of a world, that of its origin. 3, 4, 6 or 7
            numbers (see `PLACE_FORMS`) or a pose; None = where the file itself says.
        options: How the file is read.

    Raises:
        LoadError: No scene could be built from the file.
        ValueError: `at` is no place.
    """
    place: Placement | None = None
    if isinstance(at, Pose):
        place = Placement(at.position, at.rotation)
    elif at is not None:
        place = placement_of(at)
    if isinstance(what, Scene):
        moved = what if place is None else moved_scene(what, place.pose())
        return joined_scenes(scene, moved)
    path = os.fspath(what)
    found = load(path, options=options)
    if not found.bodies:
        span = SourceSpan(path, 1, 1, 1, 1)
        raise LoadError(
            path,
            [
                *found.diagnostics,
                Diagnostic(Severity.ERROR, "nothing-to-add", span, "the file has no bodies."),
            ],
        )
    return joined_scenes(scene, placed_scene(found, SceneFile(path, place)))


def placed_scene(scene: Scene, part: SceneFile) -> Scene:
    """Return the scene of a file at the place that was asked for."""
    place = part.place
    if place is None:
        return scene
    is_robot = PurePath(part.path).suffix.lower() in ROBOT_FILES
    if not is_robot or not scene.bodies or not scene.bodies[0].links:
        return moved_scene(scene, place.pose())
    root = scene.bodies[0].links[0].pose
    return moved_scene(scene, place.pose(root.rotation) * root.inverse())


# moving


def moved_scene(scene: Scene, by: Pose) -> Scene:
    """Return the scene with everything moved: what was at p is at `by` p."""
    if by == WORLD:
        return scene
    return replace(
        scene,
        bodies=tuple(moved_body(body, by) for body in scene.bodies),
        fluids=tuple(
            replace(
                fluid, pose=by * fluid.pose, stream_velocity=by.direction(fluid.stream_velocity)
            )
            for fluid in scene.fluids
        ),
        lights=tuple(_moved_light(light, by) for light in scene.lights),
        viewpoint=replace(scene.viewpoint, pose=by * scene.viewpoint.pose),
    )


def moved_body(body: Body, by: Pose) -> Body:
    """Return the body with the links that stand in the world moved, and with them all others."""
    return replace(
        body,
        links=tuple(_moved_link(link, by) for link in body.links),
        loops=tuple(_moved_loop(loop, by) for loop in body.loops),
    )


def _moved_link(link: Link, by: Pose) -> Link:
    link = replace(
        link,
        linear_velocity=by.direction(link.linear_velocity),
        angular_velocity=by.direction(link.angular_velocity),
    )
    if link.parent is not None:
        return link
    return replace(link, pose=by * link.pose, joint=moved_joint(link.joint, by))


def moved_joint(joint: Joint, by: Pose) -> Joint:
    """Return a joint whose parent frame is expressed in that of `by`."""
    match joint:
        case JointFree() | JointFixed():
            return joint
        case JointHinge():
            return replace(
                joint,
                axis=_turned(joint.axis, by),
                anchor=by.point(joint.anchor),
                suspension=_turned_suspension(joint.suspension, by),
            )
        case JointSlider():
            return replace(joint, axis=_turned(joint.axis, by))
        case JointHinge2():
            return replace(
                joint,
                axis1=_turned(joint.axis1, by),
                axis2=_turned(joint.axis2, by),
                anchor=by.point(joint.anchor),
                suspension=_turned_suspension(joint.suspension, by),
            )
        case JointBall():
            return replace(
                joint,
                axis1=_turned(joint.axis1, by),
                axis2=_turned(joint.axis2, by),
                axis3=_turned(joint.axis3, by),
                anchor=by.point(joint.anchor),
            )
        case JointTrack():
            return replace(
                joint,
                axis=_turned(joint.axis, by),
                direction=by.direction(joint.direction),
                up=by.direction(joint.up),
            )


def _turned(axis: JointAxis, by: Pose) -> JointAxis:
    return replace(axis, direction=by.direction(axis.direction))


def _turned_suspension(suspension: Suspension | None, by: Pose) -> Suspension | None:
    if suspension is None:
        return None
    return replace(suspension, direction=by.direction(suspension.direction))


def _moved_loop(loop: Loop, by: Pose) -> Loop:
    first, second = (
        LoopAttachment(None, by * end.pose) if end.link is None else end for end in loop.ends
    )
    return replace(loop, ends=(first, second))


def _moved_light(light: Light, by: Pose) -> Light:
    if isinstance(light, LightDirectional):
        return replace(light, direction=by.direction(light.direction))
    if light.link is not None:
        return light
    if isinstance(light, LightSpot):
        return replace(
            light, position=by.point(light.position), direction=by.direction(light.direction)
        )
    return replace(light, position=by.point(light.position))


# joining


def joined_scenes(first: Scene, second: Scene) -> Scene:
    """Return one scene with the bodies of both; the first gives physics and surroundings."""
    diagnostics = [*first.diagnostics, *second.diagnostics]
    if dot(first.geodesy.up, second.geodesy.up) < _SAME_UP:
        diagnostics.append(
            Diagnostic(
                Severity.WARNING,
                "mixed-axes",
                SourceSpan(second.source, 1, 1, 1, 1),
                "the file has another up direction than the one it is added to; "
                "it is put there without being turned.",
            )
        )
    renaming = Renaming.beside(first)
    paths: dict[str, str] = {}
    renamed: list[Body] = []
    for body in second.bodies:
        renamed.append(renaming.body(body))
        paths |= {link.path: renaming.path(link.path) for link in body.links}
    lights, numbers = _joined_lights(first, second, paths)
    return replace(
        first,
        bodies=(*first.bodies, *(with_light_numbers(body, numbers) for body in renamed)),
        contacts=_joined_tables(first, second),
        fluids=(*first.fluids, *second.fluids),
        lights=lights,
        background=first.background or second.background,
        diagnostics=tuple(dict.fromkeys(diagnostics)),
        files=first.files.joined(second.files),
    )


def _joined_lights(
    first: Scene, second: Scene, paths: Mapping[str, str]
) -> tuple[tuple[Light, ...], dict[int, int]]:
    """Return the lights of both, and the new number of each of the second's.

    Lamps that links carry come along; the second's sun does only where the first has no light at all.
    """
    lights = list(first.lights)
    numbers: dict[int, int] = {}
    for index, light in enumerate(second.lights):
        if isinstance(light, LightDirectional) or light.link is None:
            if first.lights:
                continue
        else:
            light = replace(light, link=paths.get(light.link, light.link))
        numbers[index] = len(lights)
        lights.append(light)
    return tuple(lights), numbers


def _joined_tables(first: Scene, second: Scene) -> ContactTable:
    """Return the rows of both tables; those of the first come first, so that they win.

    Pairs of the second file's own materials that its default rules keep that default.
    """
    rows = list(first.contacts.entries)
    known = {frozenset(row.materials) for row in rows}
    for row in second.contacts.entries:
        if frozenset(row.materials) not in known and set(row.materials) != {DEFAULT_MATERIAL}:
            known.add(frozenset(row.materials))
            rows.append(row)
    if _without_place(second.contacts.default) != _without_place(first.contacts.default):
        own = sorted(_materials(second) - _materials(first) - {DEFAULT_MATERIAL})
        for index, one in enumerate(own):
            for other in own[index:]:
                if frozenset((one, other)) not in known:
                    rows.append(replace(second.contacts.default, materials=(one, other)))
    return replace(first.contacts, entries=tuple(rows))


def _without_place(row: ContactProperties) -> ContactProperties:
    return replace(row, span=ContactProperties().span)


def _materials(scene: Scene) -> set[str]:
    return {
        shape.contact_material
        for link in scene.links()
        for shape in link.shapes
        if shape.role is not ShapeRole.VISUAL
    }
