"""Saves scenes to files: chooses the writer by file extension and collects what the format cannot say."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Final

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog
from solidbody.base.errors import SaveError
from solidbody.base.written_files import WrittenFiles
from solidbody.formats.saving import WRITERS as PLAIN_WRITERS
from solidbody.formats.saving import Writer, choose_robot
from solidbody.model.links import Body
from solidbody.model.scene import Scene


def save(
    scene: Scene | Body, path: str | os.PathLike[str], *, robot: str | None = None
) -> tuple[Diagnostic, ...]:
    """Write a scene, in the format of the file's extension; return what that format cannot say.

    `.wbt` and `.xml` (MJCF) take a whole scene, `.proto`, `.body` and `.urdf` take one robot of it; the
    meshes of a `.urdf` stand in a folder beside it. `.glb` and `.gltf` take what a scene looks like,
    `.usda`, `.usd` and `.usdc` that and how it moves. A file is replaced in one move: all or nothing.

    Args:
        scene: What is written; a body by itself stands in an empty scene.
        path: The file.
        robot: Which robot, by its own name, that of its body or that of its root link. None = the only robot
            in a format of robots, everything in the others.

    Raises:
        SaveError: Nothing writes such files, or it is not clear which robot is meant.
        NameLookupError: There is no robot of that name.
        CompileError: The scene cannot be simulated, and so not be written as MJCF.
        OSError: The file cannot be written.
    """
    log = DiagnosticLog()
    name = os.fspath(path)
    if isinstance(scene, Body):
        scene = Scene(scene.name, scene.span.file, bodies=(scene,))
    scene_files(scene, name, log, robot=robot).save(Path(name))
    return tuple(log)


def scene_files(
    scene: Scene, path: str, log: DiagnosticLog, *, robot: str | None = None
) -> WrittenFiles:
    """Return what `save` writes: the file, and those beside it that it names."""
    extension = PurePath(path).suffix.lower()
    writer = WRITERS.get(extension)
    if writer is None:
        raise SaveError(f'cannot write "{extension}" files; known: {", ".join(WRITERS)}')
    return writer(scene, path, robot, log)


def _write_mjcf(scene: Scene, path: str, robot: str | None, log: DiagnosticLog) -> WrittenFiles:
    from solidbody.compiler import compile_scene
    from solidbody.compiler.mjcf import mjcf_text

    if robot is not None:
        scene = replace(scene, bodies=(choose_robot(scene, robot),))
    compiled = compile_scene(scene, for_export=True)
    known = {*log.items, *scene.diagnostics}
    log.extend(item for item in compiled.diagnostics if item not in known)
    return WrittenFiles.of_text(mjcf_text(compiled))


WRITERS: Final[dict[str, Writer]] = {".xml": _write_mjcf, **PLAIN_WRITERS}
"""Writers by file extension, in lower case."""
