"""Reads a world and compiles it, for commands that want every diagnostic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.errors import CompileError
from solidbody.base.span import SourceSpan
from solidbody.cli.status import UsageError

if TYPE_CHECKING:
    from solidbody.formats.options import LoadOptions, MissingProtos


def load_options(
    proto_path: Sequence[Path] | None,
    allow_download: bool,
    missing_protos: MissingProtos,
    share: Path | None = None,
    package_path: Sequence[Path] | None = None,
    packages: Sequence[str] | None = None,
    keyframe: str = "",
    xacro_args: Sequence[str] | None = None,
) -> LoadOptions:
    """Return what the options of a command ask of loading."""
    from solidbody.formats.options import LoadOptions

    return LoadOptions(
        proto_path=tuple(proto_path or ()),
        allow_download=allow_download,
        missing_protos=missing_protos,
        share=share or "",
        package_path=tuple(package_path or ()),
        packages=tuple(map(_package, packages or ())),
        xacro_args=tuple(map(_argument, xacro_args or ())),
        keyframe=keyframe,
    )


def _package(text: str) -> tuple[str, str]:
    name, mark, folder = text.partition("=")
    if not (name and mark and folder):
        raise UsageError(f'expected NAME=FOLDER, got "{text}"', "--package")
    return name, folder


def _argument(text: str) -> tuple[str, str]:
    """Return name and value; ROS' own sign between them is := ."""
    name, mark, value = text.partition("=")
    name = name.removesuffix(":")
    if not (name and mark):
        raise UsageError(f'expected NAME=VALUE, got "{text}"', "--xacro-arg")
    return name, value


def read_and_compile(path: str, reading: LoadOptions) -> DiagnosticLog:
    """Return what reading a world file with its images, and compiling its scene, have to say."""
    from solidbody.formats.loading import read_scene

    scene, log = read_scene(path, options=replace(reading, check_images=True))
    if scene is None:
        return log
    from solidbody.compiler import compile_scene

    try:
        compiled = compile_scene(scene, cut_meshes=False)
    except CompileError as error:
        log.error("not-simulable", SourceSpan(path, 1, 1, 1, 1), str(error))
        return log
    known = set(log.items)
    log.extend(item for item in compiled.diagnostics if item not in known)
    return log
