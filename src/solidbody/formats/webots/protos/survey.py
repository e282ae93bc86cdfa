"""Lists which PROTOs a world uses, and where each of them comes from."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.assets import AssetFinder
from solidbody.formats.options import LoadOptions
from solidbody.formats.text_files import read_text
from solidbody.formats.vrml.expansion import expand_file
from solidbody.formats.vrml.parser import parse_text
from solidbody.formats.webots.protos.library import WorldProtos
from solidbody.formats.webots.protos.standin_protos import is_own
from solidbody.formats.webots.releases.release import NEWEST, parse_release

MAX_WORLD_BYTES = 200_000_000
"""Larger worlds are not looked into."""


class ProtoOrigin(Enum):
    """Where the file of a PROTO is."""

    WORLD = "world"
    PROJECT = "project"
    FOLDER = "proto path"
    INSTALLATION = "webots"
    DOWNLOAD = "download"
    OWN = "solidbody"
    MISSING = "missing"


class ProtoUse(NamedTuple):
    """A PROTO that a world uses, itself or inside other PROTOs.

    Attributes:
        name: Of the PROTO.
        instances: How many there are.
        origin: Where its file is.
        file: Its file; empty if it is missing.
        reason: Why it is missing; else empty.
    """

    name: str
    instances: int
    origin: ProtoOrigin
    file: str
    reason: str


def proto_uses(path: str, options: LoadOptions, log: DiagnosticLog) -> list[ProtoUse] | None:
    """Return the PROTOs of a world by origin and name, or None if it cannot be read.

    Args:
        path: The world file.
        options: Where PROTOs come from.
        log: Takes what reading the world has to say.
    """
    text = read_text(path, log, max_bytes=MAX_WORLD_BYTES)
    tree = None if text is None else parse_text(text, path, log)
    if tree is None:
        return None
    finder = AssetFinder(path, options)
    release = parse_release(tree.header) or NEWEST
    library = WorldProtos(tree, path, release, options, finder, log)
    try:
        expand_file(tree, library, log)
    finally:
        library.close()
    uses = [
        ProtoUse(name, count, _origin(file, path, finder), file, reason)
        for (name, file, reason), count in library.uses.items()
    ]
    order = list(ProtoOrigin)
    return sorted(uses, key=lambda use: (order.index(use.origin), use.name.lower()))


def _origin(file: str, world: str, finder: AssetFinder) -> ProtoOrigin:
    if not file:
        return ProtoOrigin.MISSING
    if is_own(file):
        return ProtoOrigin.OWN
    if file == world:
        return ProtoOrigin.WORLD
    path = Path(os.path.abspath(file))
    if finder.is_of_webots(file):
        return ProtoOrigin.INSTALLATION
    if finder.is_shipped(file):
        return ProtoOrigin.DOWNLOAD
    if any(path.is_relative_to(folder) for folder in finder.folders):
        return ProtoOrigin.FOLDER
    return ProtoOrigin.PROJECT
