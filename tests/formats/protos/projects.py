"""Small projects on disk: one world and the PROTOs beside it."""

from __future__ import annotations

import os
from pathlib import Path

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.loading import read_scene
from solidbody.formats.options import DEFAULT_OPTIONS, LoadOptions
from solidbody.formats.vrml.parser import parse_text
from solidbody.formats.vrml.syntax import FileSyntax
from solidbody.formats.webots.protos.library import expand_world
from solidbody.formats.webots.releases.release import NEWEST, parse_release
from solidbody.model.scene import Scene

HEADER = "#VRML_SIM R2025a utf8\n"
JAVASCRIPT = HEADER + "# template language: javascript\n"
LUA = "#VRML_SIM R2021b utf8\n"

BALL = """PROTO Blob [
  field SFVec3f translation 0 0 0
  field SFString name "ball"
  field SFFloat radius 0.1
  field SFNode appearance NULL
]
{
  Solid {
    translation IS translation
    name IS name
    children [ DEF SHAPE Shape { appearance IS appearance geometry Sphere { radius IS radius } } ]
    boundingObject USE SHAPE
    physics Physics { }
  }
}
"""


def write_project(
    folder: Path, world: str, protos: dict[str, str], *, release: str = "R2025a"
) -> Path:
    """Write a world and its PROTOs (by name); each is declared unless the release is old."""
    (folder / "worlds").mkdir(exist_ok=True)
    (folder / "protos").mkdir(exist_ok=True)
    for name, text in protos.items():
        whole = text if text.startswith("#") else HEADER + text
        (folder / "protos" / f"{name}.proto").write_text(whole, encoding="utf-8")
    externs = "".join(f'EXTERNPROTO "../protos/{name}.proto"\n' for name in protos)
    if release < "R2022b":
        externs = ""
    path = folder / "worlds" / "world.wbt"
    path.write_text(
        f"#VRML_SIM {release} utf8\n{externs}WorldInfo {{ }}\nViewpoint {{ }}\n{world}\n", "utf-8"
    )
    return path


def read_project(
    folder: Path,
    world: str,
    protos: dict[str, str],
    *,
    release: str = "R2025a",
    options: LoadOptions = DEFAULT_OPTIONS,
) -> tuple[Scene, DiagnosticLog]:
    """Write a project and read its world."""
    scene, log = read_scene(write_project(folder, world, protos, release=release), options=options)
    assert scene is not None
    return scene, log


def read_quietly(folder: Path, world: str, protos: dict[str, str]) -> Scene:
    """Read a project about which there is nothing to say."""
    scene, log = read_project(folder, world, protos)
    assert [str(item) for item in log] == []
    return scene


def expand_project(
    folder: Path, world: str, protos: dict[str, str]
) -> tuple[FileSyntax, DiagnosticLog]:
    """Return the expanded syntax tree of a project's world."""
    path = write_project(folder, world, protos)
    log = DiagnosticLog()
    tree = parse_text(path.read_text("utf-8"), str(path), log)
    assert tree is not None
    release = parse_release(tree.header) or NEWEST
    return expand_world(tree, str(path), release, DEFAULT_OPTIONS, log).tree, log


def computed() -> float:
    """Return the seconds that this process and its ended children have computed."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system
