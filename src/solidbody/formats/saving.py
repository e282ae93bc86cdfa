"""Writers of the formats that are made from the model alone, by file extension."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.errors import NameLookupError, SaveError
from solidbody.base.written_files import WrittenFiles
from solidbody.formats.choreonoid.write.body import body_text
from solidbody.formats.gltf.scene import gltf_files
from solidbody.formats.urdf.write.robot import robot_files
from solidbody.formats.usd.scene import usd_files
from solidbody.formats.webots.export.files import proto_name, proto_text, world_text
from solidbody.model.links import Body, Motion
from solidbody.model.scene import Scene

Writer = Callable[[Scene, str, str | None, DiagnosticLog], WrittenFiles]
"""Takes the scene, the file, the robot that was asked for and the log."""


def scene_text(scene: Scene, path: str, log: DiagnosticLog, *, robot: str | None = None) -> str:
    """Return the text of a file by its extension; addresses in it are relative to `path`."""
    writer = WRITERS[PurePath(path).suffix.lower()]
    return writer(scene, path, robot, log).content.decode("utf-8")


def choose_robot(scene: Scene, name: str | None) -> Body:
    """Return the body that a robot's file is about.

    Without a name it is the only one with a robot, else the only one that moves, else the only one.

    Raises:
        SaveError: It is not clear which one is meant.
        NameLookupError: There is no robot of that name.
    """
    if name is not None:
        for body in scene.bodies:
            if name in _names(body):
                return body
        known = [item for body in scene.bodies for item in sorted(_names(body))]
        raise NameLookupError("robot", name, known)
    for candidates in (
        [body for body in scene.bodies if body.robots],
        [body for body in scene.bodies if _moves(body)],
        list(scene.bodies),
    ):
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            known = ", ".join(f'"{_main_name(body)}"' for body in candidates[:12])
            more = ", ..." if len(candidates) > 12 else ""
            raise SaveError(
                f"{scene.source} has {len(candidates)} robots or bodies to choose from; "
                f"say which one is meant: {known}{more}"
            )
    raise SaveError(f"{scene.source} has no bodies")


def _names(body: Body) -> set[str]:
    roots = {link.name for link in body.links if link.parent is None}
    return {body.name, *roots, *(robot.name for robot in body.robots)}


def _main_name(body: Body) -> str:
    return body.robots[0].name if body.robots else body.name


def _moves(body: Body) -> bool:
    return any(link.motion is Motion.DYNAMIC for link in body.links)


def _write_world(scene: Scene, path: str, robot: str | None, log: DiagnosticLog) -> WrittenFiles:
    if robot is not None:
        scene = replace(scene, bodies=(choose_robot(scene, robot),))
    return WrittenFiles.of_text(world_text(scene, log, target=path))


def _write_proto(scene: Scene, path: str, robot: str | None, log: DiagnosticLog) -> WrittenFiles:
    stem = PurePath(path).stem
    name = proto_name(stem)
    if name != stem:
        raise SaveError(
            f'"{stem}" cannot be the name of a PROTO, which is that of its file; '
            f'write "{name}.proto"'
        )
    text = proto_text(scene, choose_robot(scene, robot), name, log, target=path)
    return WrittenFiles.of_text(text)


def _write_body(scene: Scene, path: str, robot: str | None, log: DiagnosticLog) -> WrittenFiles:
    text = body_text(scene, choose_robot(scene, robot), log, target=path)
    return WrittenFiles.of_text(text)


def _write_urdf(scene: Scene, path: str, robot: str | None, log: DiagnosticLog) -> WrittenFiles:
    return robot_files(scene, choose_robot(scene, robot), log, target=path)


def _write_gltf(scene: Scene, path: str, robot: str | None, log: DiagnosticLog) -> WrittenFiles:
    if robot is not None:
        scene = replace(scene, bodies=(choose_robot(scene, robot),))
    return gltf_files(scene, log, target=path)


def _write_usd(scene: Scene, path: str, robot: str | None, log: DiagnosticLog) -> WrittenFiles:
    if robot is not None:
        scene = replace(scene, bodies=(choose_robot(scene, robot),))
    return usd_files(scene, log, target=path)


WRITERS: Final[dict[str, Writer]] = {
    ".wbt": _write_world,
    ".proto": _write_proto,
    ".body": _write_body,
    ".urdf": _write_urdf,
    ".glb": _write_gltf,
    ".gltf": _write_gltf,
    ".usda": _write_usd,
    ".usd": _write_usd,
    ".usdc": _write_usd,
}
"""Writers by file extension, in lower case."""
