"""Projects and bodies in a few words."""

from __future__ import annotations

from pathlib import Path

from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.model.scene import Scene

ARM = """
format: ChoreonoidBody
format_version: 2.0
name: Arm
links:
  - name: BASE
    joint_type: free
    translation: [ 0, 0, 0.5 ]
    mass: 2
    inertia: [ 1, 0, 0, 1, 0, 1 ]
    elements: { Shape: { geometry: { type: Box, size: [ 0.2, 0.2, 0.2 ] } } }
  - name: TURN
    parent: BASE
    joint_type: revolute
    joint_id: 1
    joint_axis: Z
    translation: [ 1, 0, 0 ]
    mass: 1
    inertia: [ 1, 0, 0, 1, 0, 1 ]
  - name: SLIDE
    parent: TURN
    joint_type: prismatic
    joint_id: 0
    joint_axis: X
    translation: [ 1, 0, 0 ]
    mass: 1
    inertia: [ 1, 0, 0, 1, 0, 1 ]
    material: Sole
    elements:
      - { type: Shape, geometry: { type: Sphere, radius: 0.1 } }
      - { type: Camera, name: Eye, format: COLOR }
  - name: LOOSE
    parent: BASE
    joint_type: revolute
    joint_axis: Y
    mass: 1
    inertia: [ 1, 0, 0, 1, 0, 1 ]
"""
"""A robot whose joint ids differ from its order, with one joint that has no id."""

FLOOR = """
format: ChoreonoidBody
format_version: 2.0
name: Floor
links:
  - name: MAIN
    joint_type: fixed
    material: Ground
    elements: { Shape: { geometry: { type: Box, size: [ 10, 10, 0.2 ] } } }
"""


def item(class_name: str, name: str, data: str = "", children: str = "") -> str:
    """Return an item in one-line YAML; `data` without braces, `children` without brackets."""
    parts = [f"class: {class_name}", f'name: "{name}"', "plugin: Body"]
    if data:
        parts.append(f"data: {{{data}}}")
    if children:
        parts.append(f"children: [{children}]")
    return f"{{{', '.join(parts)}}}"


def body(name: str, file: str, data: str = "", children: str = "") -> str:
    """Return a body item."""
    return item("BodyItem", name, f'file: "{file}"' + (f", {data}" if data else ""), children)


def project(*items: str, more: str = "") -> str:
    """Return a project with the given items below its root."""
    root = "{class: RootItem, name: Root, plugin: Base, children: [" + ", ".join(items) + "]}"
    return f"items: {root}\n{more}"


def world(*items: str, data: str = "") -> str:
    """Return a world item with items below it."""
    return item("WorldItem", "World", data, ", ".join(items))


def read_text(
    folder: Path, text: str, *, options: LoadOptions | None = None
) -> tuple[Scene | None, list[str]]:
    """Return the scene of a project and its messages; ARM and FLOOR stand beside it."""
    (folder / "arm.body").write_text(ARM)
    (folder / "floor.body").write_text(FLOOR)
    path = folder / "test.cnoid"
    path.write_text(text)
    scene, log = read_scene(path, options=options or LoadOptions())
    return scene, [str(item).replace(f"{folder}/", "") for item in log]


def read(folder: Path, text: str, *, options: LoadOptions | None = None) -> tuple[Scene, list[str]]:
    """Return the scene of a project that gives one, and its messages."""
    scene, messages = read_text(folder, text, options=options)
    assert scene is not None
    return scene, messages
