"""What the page says of things that can be added: a group, one line of text, and how they look."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from solidbody.formats.loading import read_scene_text
from solidbody.formats.options import LoadOptions
from solidbody.formats.vrml.syntax import FileSyntax
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.protos.standin_protos import FOLDER, find_own
from solidbody.model.scene import Scene, world_poses
from solidbody.viewer.insertion import READY, needed_protos, new_text, project_protos
from solidbody.viewer.protocol_scene import WireScene
from solidbody.viewer.protocol_work import WireSlot, WireThing
from solidbody.viewer.scene_encoding import encode_scene

READY_GROUP: Final = "Ready to use"
PROJECT_GROUP: Final = "Of this project"

WHAT_LIMIT: Final = 120
"""Characters of the line."""

HEAD: Final = 4000
"""Characters of a PROTO within which the line stands."""

READY_WORDS: Final = {
    "box that falls": "a cube of 30 cm with physics",
    "ball that rolls": "a ball of 30 cm with physics",
    "cylinder that falls": "30 cm wide and high, with physics",
    "capsule that falls": "20 cm wide, 40 cm long, with physics",
    "wall": "a wall of 2 m that stays where it is",
    "ramp": "a sloping board that stays where it is",
}

NODE_WORDS: Final = {
    "Solid": "a body: shapes, a form that collides, physics",
    "Robot": "a body with devices and a program",
    "Group": "holds other nodes",
    "Pose": "moves and turns what it holds",
    "Transform": "moves, turns and scales what it holds",
    "Charger": "a place where robots load their batteries",
    "Fluid": "water or air that carries and slows bodies",
    "Shape": "something to see that does not collide",
    "CadShape": "something to see from an .obj or .dae file",
    "Background": "the sky",
    "Fog": "what is far away fades",
    "DirectionalLight": "light like that of the sun",
    "PointLight": "a bulb",
    "SpotLight": "a lamp with a cone of light",
    "Physics": "lets a body move: mass, density, damping",
    "Box": "three edge lengths",
    "Sphere": "a ball",
    "Cylinder": "round, with flat ends",
    "Capsule": "round, with round ends",
    "Cone": "pointed",
    "Plane": "a flat rectangle",
    "ElevationGrid": "ground with hills",
    "Mesh": "triangles of a file",
    "IndexedFaceSet": "faces, written point by point",
    "PBRAppearance": "colour, roughness, metal, pictures",
    "HingeJoint": "turns about an axis",
    "Hinge2Joint": "turns about two axes",
    "BallJoint": "turns every way",
    "SliderJoint": "slides along an axis",
    "RotationalMotor": "turns a hinge",
    "LinearMotor": "moves a slider",
    "PositionSensor": "measures a joint",
    "Brake": "holds a joint",
    "Camera": "takes pictures",
    "RangeFinder": "takes pictures of distances",
    "Lidar": "measures distances all around",
    "DistanceSensor": "measures one distance",
    "TouchSensor": "feels contacts or forces",
    "LightSensor": "measures light",
    "GPS": "knows where it is",
    "Gyro": "measures turning",
    "Accelerometer": "measures acceleration and gravity",
    "InertialUnit": "knows how it is turned",
    "Compass": "knows where north is",
    "Radar": "sees targets by their echo",
    "Receiver": "hears messages of other robots",
    "Emitter": "sends messages to other robots",
    "Display": "a screen that a program draws on",
    "LED": "a small lamp that a program switches",
    "Speaker": "plays sounds and speaks",
    "Microphone": "is there for Webots",
    "Pen": "leaves ink on the ground",
    "Propeller": "pushes through air or water",
    "Connector": "holds on to others of its kind",
    "Track": "a belt around wheels",
    "Muscle": "is seen between two bodies",
    "Skin": "is there for Webots",
}

_NODE_GROUPS: Final = (
    ("Geometry", "Forms"),
    ("Light", "Lights"),
    ("Joint", "Joints"),
    ("JointDevice", "Motors and brakes"),
    ("Motor", "Motors and brakes"),
    ("Device", "Devices"),
)
"""Base node -> group; the first that fits."""

_OWN: Final = re.compile(
    r"# solidbody's own [^:\n]+: (.+(?:\n#(?! *(?:template|license|tags)).+)*)"
)
_COMMENT: Final = re.compile(
    r"^# ?(?!VRML_SIM|license|licence|template|tags|documentation|keywords)(\S.*)$",
    re.MULTILINE | re.IGNORECASE,
)
_HEADER: Final = "#VRML_SIM"


def things_of(slots: Iterable[WireSlot], world: str) -> list[WireThing]:
    """Return what there is to say of all names in some slots, each once."""
    out: dict[str, WireThing] = {}
    project = project_protos(world)
    for slot in slots:
        for name in slot.ready:
            out[name] = WireThing(name, READY_GROUP, READY_WORDS.get(name, ""))
        for name in slot.nodes:
            out[name] = WireThing(name, _node_group(name), NODE_WORDS.get(name, ""))
        for name in slot.protos:
            if name not in out:
                file = project.get(name)
                words = ("", "") if file is not None else _own_words(name)
                out[name] = (
                    WireThing(name, *words)
                    if file is None
                    else WireThing(name, PROJECT_GROUP, _file_words(file))
                )
    return list(out.values())


def _node_group(name: str) -> str:
    found = (group for base, group in _NODE_GROUPS if _is_known(base) and NODES.derives(name, base))
    return next(found, "Nodes")


def _is_known(base: str) -> bool:
    return any(row.name == base for row in NODES)


@cache
def _own_words(name: str) -> tuple[str, str]:
    """Return the group and the line of a PROTO of ours."""
    own = find_own(name)
    if own is None:
        return "", ""
    path = Path(own.file)
    group = path.relative_to(FOLDER).parts[0] if path.is_relative_to(FOLDER) else "appearances"
    return group.removesuffix(".proto").capitalize(), _first_words(own.text)


def _file_words(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return _first_words(file.read(HEAD))
    except OSError:
        return ""


def _first_words(text: str) -> str:
    """Return the first sentence of the comment above a PROTO."""
    own = _OWN.search(text[:HEAD])
    if own is not None:
        words = " ".join(line.lstrip("# ") for line in own.group(1).splitlines())
    else:
        before = text[:HEAD].partition("PROTO")[0].removeprefix(_HEADER)
        found = _COMMENT.search(before.partition("\n")[2])
        words = "" if found is None else found.group(1)
    first = re.split(r"(?<=[a-z)\d])\. |; ", words, maxsplit=1)[0].strip().rstrip(".")
    return first if len(first) <= WHAT_LIMIT else f"{first[: WHAT_LIMIT - 1]}…"


# --------------------------------------------------------------------------- how they look


def thing_scene(what: str, tree: FileSyntax, world: str, options: LoadOptions) -> WireScene | None:
    """Return a scene that holds nothing but a thing of the list; None if it cannot be shown.

    Args:
        what: Its name.
        tree: The file that it could be added to.
        world: Where that file is.
        options: How the file was read.
    """
    protos = "".join(f'EXTERNPROTO "{url}"\n' for url in needed_protos(what, tree, world))
    text = new_text(what, tree, world, None, (0.0, 0.0, 1.0))
    if NODES.find(what) is not None and NODES.derives(what, "Geometry"):
        text = f"Shape {{ appearance PBRAppearance {{ roughness 0.6 metalness 0 }} geometry {what} {{ }} }}"
    page = f"#VRML_SIM R2025a utf8\n{protos}WorldInfo {{ }}\n{text}\n"
    scene, _ = read_scene_text(page, world, options=options)
    return None if scene is None or not _is_seen(scene) else _encoded(scene)


def _is_seen(scene: Scene) -> bool:
    return any(link.shapes for link in scene.links())


def _encoded(scene: Scene) -> WireScene:
    poses = [
        (*pose.position, *pose.rotation) for body in scene.bodies for pose in world_poses(body)
    ]
    return encode_scene(scene, np.array(poses, float).reshape(-1, 7), (), time_step=0.032)


def is_thing(what: str, tree: FileSyntax, world: str) -> bool:
    """Whether a page may ask how something looks: the name of a thing, no text of its own."""
    return (
        what in READY
        or NODES.find(what) is not None
        or what in project_protos(world)
        or bool(needed_protos(what, tree, world))
        or find_own(what) is not None
    )
