"""Items that can be put into projects of Choreonoid on the page, and where they belong."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from solidbody.formats.choreonoid.keys.yaml_text import word_text
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlMap
from solidbody.viewer.body_parts import Part, type_of
from solidbody.viewer.folder_files import FileFolder
from solidbody.viewer.importing import models_in

BODIES: Final = (".body", ".urdf")
"""Files that become items of bodies."""

WORLD: Final = "WorldItem"


def _item(class_name: str, *data: str, plugin: str = "Body") -> str:
    lines = [f"name: {{name}}\nplugin: {plugin}\nclass: {class_name}"]
    if data:
        lines += ["data:", *(f"  {line}" for line in data)]
    return "\n".join(lines)


def _lamp(kind: str, *data: str) -> str:
    return _item("LightingItem", f"light_type: {kind}", "intensity: 0.8", *data, plugin="Base")


ITEMS: Final = {
    "AIST simulator": Part(
        _item("AISTSimulatorItem", "time_step: 0.002", "gravity: [ 0, 0, -9.80665 ]"),
        "Choreonoid's own laws of contact",
    ),
    "ODE simulator": Part(
        _item("ODESimulatorItem", "time_step: 0.002", "friction: 0.5"), "contacts as ODE has them"
    ),
    "vision simulator": Part(
        _item("GLVisionSimulatorItem", "enabled: true", plugin="GLVisionSimulator"),
        "lets cameras and range sensors see",
    ),
    "directional light": Part(
        _lamp("Directional light", "direction: [ 0.3, 0.2, -1 ]"), "a sun for the whole world"
    ),
    "point light": Part(_lamp("Point light", "translation: [ 0, 0, 2 ]"), "a lamp to all sides"),
    "spot light": Part(
        _lamp("Spot light", "translation: [ 0, 0, 2 ]", "direction: [ 0, 0, -1 ]"),
        "a lamp with a cone of light",
    ),
    "simple controller": Part(
        _item("SimpleControllerItem", "controller: {name}", "base_directory: Project directory"),
        "a program that drives the body: its source has the item's name; it runs once the file is read again",
    ),
    "world": Part(_item(WORLD), "what bodies and simulators stand in"),
}

BELOW: Final = {
    WORLD: (
        "AIST simulator",
        "ODE simulator",
        "directional light",
        "point light",
        "spot light",
    ),
    "BodyItem": ("simple controller",),
    "AISTSimulatorItem": ("vision simulator",),
    "ODESimulatorItem": ("vision simulator",),
    "RootItem": ("world",),
}
"""What can be put below items of each class."""


def items_of(root: YamlMap) -> Iterator[tuple[str, YamlMap]]:
    """Yield all items of a project with their paths, those above first."""
    top = root.get("items")
    stack = [("items", top)] if isinstance(top, YamlMap) else []
    while stack:
        path, item = stack.pop(0)
        yield path, item
        below = item.get("children")
        if isinstance(below, YamlList):
            stack += [
                (f"{path}.children.{k}", node)
                for k, node in enumerate(below.items)
                if isinstance(node, YamlMap)
            ]


def world_of(root: YamlMap) -> str | None:
    """Return the path of the first world of a project; None = it has none."""
    return next((path for path, item in items_of(root) if type_of(item) == WORLD), None)


def holder_of(root: YamlMap, path: str) -> tuple[str, YamlMap] | None:
    """Return the item that takes others at a path, which is its own or leads into it; None = none does.

    An empty path, and the file itself, are the world, or the root of a project without one.
    """
    found = dict(items_of(root))
    if path in ("", "children"):
        path = world_of(root) or "items"
    path = path.removesuffix(".children")
    if path in found and type_of(found[path]) in BELOW:
        return path, found[path]
    return None


def bodies_in(folder: FileFolder | None) -> list[str]:
    """Return the files of a folder that can become bodies of a project."""
    names = [] if folder is None else models_in(folder)
    return [name for name in names if Path(name).suffix.lower() in BODIES]


def body_item(name: str, file: Path, project: Path, at: tuple[float, float, float]) -> str:
    """Return an item for a body, as a block; its file is named from where the project is."""
    where = Path(os.path.relpath(file, project.parent)).as_posix()
    place = ", ".join(f"{x:.4g}" for x in at)
    data = (f"file: {word_text(where)}", f"initial_root_translation: [ {place} ]")
    return _item("BodyItem", *data).replace("{name}", word_text(name))
