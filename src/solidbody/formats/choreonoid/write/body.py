"""Writes a body of the model as a body file of format 2.0, as Choreonoid's loader reads it."""

from __future__ import annotations

import os
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import WORLD, Pose
from solidbody.formats.choreonoid.body.collision_rules import DEFAULT_LEVEL
from solidbody.formats.choreonoid.body.header import FORMAT
from solidbody.formats.choreonoid.keys.bodies import (
    LOOPS,
    BodyKeys,
    CollisionRuleKeys,
    ExtraJointKeys,
)
from solidbody.formats.choreonoid.keys.yaml_text import (
    RawYaml,
    YamlPairs,
    rotation_value,
    yaml_text,
)
from solidbody.formats.choreonoid.write.devices import LOST
from solidbody.formats.choreonoid.write.links import LinkWriter, linked
from solidbody.formats.choreonoid.write.shapes import ShapeWriter
from solidbody.model.joints import (
    JointBall,
    JointHinge,
    Loop,
    LoopAttachment,
    LoopGeneral,
    LoopPlane,
)
from solidbody.model.links import Body, Motion
from solidbody.model.scene import Scene, world_poses

VERSION: Final = RawYaml("2.0")

_KINDS: Final = {kind: word for word, kind in LOOPS.items()}
_ENDS: Final = tuple(
    (f"link{number}_name", f"translation_in_link{number}", f"rotation_in_link{number}")
    for number in (1, 2)
)


def body_text(scene: Scene, body: Body, log: DiagnosticLog, *, target: str = "") -> str:
    """Return one body of a scene as a body file.

    Args:
        scene: What the body is part of.
        body: The one.
        log: Told what a body file cannot say.
        target: File that the text is for: addresses of images are relative to it.
    """
    folder = os.path.dirname(os.path.abspath(target)) if target else ""
    source = os.path.dirname(os.path.abspath(scene.source)) if scene.source else ""
    tree = linked(body, log)
    writer = LinkWriter(tree, ShapeWriter(log, folder, source), log)
    pairs = BodyKeys.pairs(
        format=FORMAT,
        format_version=VERSION,
        angle_unit="degree",
        name=body.name,
        root_link=tree.links[0].name,
        collision_detection_rules=_rules(tree, log) or None,
        links=writer.links(),
        extra_joints=_loops(tree, writer.frames, log) or None,
    )
    for key, text in body.metadata:
        pairs.setdefault(key, RawYaml(text))
    _report(scene, body, log)
    return yaml_text(pairs)


def _rules(body: Body, log: DiagnosticLog) -> list[YamlPairs]:
    """Return the collision rules; none where they are those of a file without any."""
    rules = body.collision
    names = {link.path: link.name for link in body.links}
    made: list[YamlPairs] = []
    if rules.disabled_links:
        disabled = [names[path] for path in rules.disabled_links]
        made.append(CollisionRuleKeys.pairs(disabled_links=disabled))
    for first, second in rules.disabled_pairs:
        group = [names[first], names[second]]
        made.append(CollisionRuleKeys.pairs(disabled_link_group=group))
    if made or rules.chain_level != DEFAULT_LEVEL:
        level = CollisionRuleKeys.pairs(disabled_link_chain_level=rules.chain_level)
        made.insert(0, level)
    if any(robot.self_collision for robot in body.robots):
        log.info(
            LOST,
            body.span,
            f'"{body.name}" collides with itself; in Choreonoid that is a switch of the project',
        )
    return made


def _loops(body: Body, frames: list[Pose], log: DiagnosticLog) -> list[YamlPairs]:
    places = {link.path: index for index, link in enumerate(body.links)}
    made: list[YamlPairs] = []
    for coupling in body.couplings:
        joints = (body.links[places[path]].name for path in (coupling.follower, coupling.leader))
        said = "the joints of {} and {} are coupled like gears; they move freely there"
        log.warning(LOST, coupling.span, said.format(*(f'"{name}"' for name in joints)))
    for loop in body.loops:
        kind = _kind(loop, log)
        if kind is None:
            continue
        pairs = ExtraJointKeys.pairs(name=loop.name or None)
        ends: YamlPairs = {}
        for (name, place, rotation), end in zip(_ENDS, loop.ends, strict=True):
            index, pose = _end(end, body, places)
            if index is None:
                log.warning(
                    LOST,
                    loop.span,
                    f'the {kind} loop "{loop.name}" holds to the world, the root does not: left out',
                )
                break
            pose = frames[index] * pose if frames[index] != WORLD else pose
            pairs[name] = body.links[index].name
            ends[place] = pose.position
            ends[rotation] = rotation_value(pose.rotation)
        else:
            axis = (0.0, 0.0, 1.0) if kind in ("hinge", "piston") else None
            made.append(pairs | ExtraJointKeys.pairs(joint_type=kind, axis=axis) | ends)
    return made


def _kind(loop: Loop, log: DiagnosticLog) -> str | None:
    if isinstance(loop, LoopPlane):
        text = (
            f'loop "{loop.name}": that a body moves in a plane is said by projects, not by bodies'
        )
        log.warning(LOST, loop.span, text)
        return None
    if not isinstance(loop, LoopGeneral):
        return _KINDS[type(loop)]
    kind = None
    if isinstance(loop.joint, JointHinge):
        kind = "hinge"
    elif isinstance(loop.joint, JointBall):
        kind = "ball"
    what = "its motors, springs and stops are left out" if kind else "it is left out"
    log.warning(
        LOST, loop.span, f'loop "{loop.name}": Choreonoid closes loops with plain joints; {what}'
    )
    return kind


def _end(end: LoopAttachment, body: Body, places: dict[str, int]) -> tuple[int | None, Pose]:
    """Return the link and the joint frame of an end; the world is a root that stands."""
    if end.link is not None:
        return places.get(end.link), end.pose
    if body.links[0].motion is not Motion.KINEMATIC:
        return None, end.pose
    return 0, world_poses(body)[0].inverse() * end.pose


def _report(scene: Scene, body: Body, log: DiagnosticLog) -> None:
    others = [item.name for item in scene.bodies if item is not body]
    if others:
        shown = ", ".join(f'"{name}"' for name in others[:6]) + (", ..." if len(others) > 6 else "")
        log.info(LOST, body.span, f"a body file holds one body; not written: {shown}")
    for robot in body.robots:
        if robot.controller not in ("", "<none>", "<generic>"):
            log.info(
                LOST,
                robot.span,
                f'controller "{robot.controller}": a body file names none, a project does',
            )
    own = {shape.contact_material for link in body.links for shape in link.shapes}
    rows = [row for row in scene.contacts.entries if own & set(row.materials)]
    if any(not row.follows_sliding for row in rows):
        log.info(
            LOST,
            body.span,
            f'contact properties of "{body.name}" are left out; in Choreonoid a material table of the '
            "project holds friction and restitution",
        )
    parts = sum(len(link.frames) for link in body.links)
    if parts:
        log.info(LOST, body.span, f'"{body.name}": names of {parts} merged parts are left out')
