"""Puts robots into a running simulation, from a file beside the world or from a text."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlparse

from solidbody.base.errors import SolidbodyError
from solidbody.base.transforms import IDENTITY, Pose, quat_normalized
from solidbody.live.ros.settings import Ros2Settings
from solidbody.model.links import Body

if TYPE_CHECKING:
    from solidbody.sim import Sim

NAME_TAKEN, NAME_WRONG, FORMAT, NO_RESOURCE, _, WRONG_TEXT = range(101, 107)
"""What is wrong, as `simulation_interfaces` numbers it."""

MOST_TEXT: Final = 8 * 2**20
"""[bytes] Of a robot that comes as a text."""

FORMATS: Final = (
    *(".urdf", ".xacro", ".wbt", ".proto", ".body", ".wrl"),
    *(".xml", ".mjcf", ".sdf", ".world"),
)

TEXTS: Final = {"<robot": ".urdf", "<sdf": ".sdf", "<mujoco": ".xml"}
"""What tells the format of a text."""


class SpawnError(SolidbodyError):
    """A robot cannot be spawned; `code` says what kind of reason the text gives."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def spawn(sim: Sim, settings: Ros2Settings, request: dict[str, Any]) -> str:
    """Add what a request asks for; return its name.

    Raises:
        SpawnError: It cannot be done; nothing has changed then.
    """
    resource = request["entity_resource"]
    pose = _pose(request["initial_pose"]["pose"])
    if resource["uri"]:
        path = _allowed(sim, settings, resource["uri"])
        added = _added(sim, path, pose)
    elif resource["resource_string"]:
        added = _added_text(sim, resource["resource_string"], pose)
    else:
        raise SpawnError(NO_RESOURCE, "neither a uri nor a resource_string is given")
    before = len(sim.scene.bodies)
    bodies = list(added.bodies)
    if len(bodies) == before:
        raise SpawnError(WRONG_TEXT, "there is no robot in it")
    wanted = request["name"]
    new = bodies[before]
    if wanted:
        taken = {body.name for body in sim.scene.bodies}
        if wanted in taken and not request["allow_renaming"]:
            raise SpawnError(NAME_TAKEN, f'the name "{wanted}" is taken')
        bodies[before] = new = _renamed(new, wanted, taken)
    sim.replace_scene(replace(added, bodies=tuple(bodies)))
    return new.name


def _renamed(body: Body, wanted: str, taken: set[str]) -> Body:
    number, name = 1, wanted
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    robots = body.robots
    if robots:
        robots = (replace(robots[0], name=name), *robots[1:])
    return replace(body, name=name, robots=robots)


def _pose(message: dict[str, dict[str, float]]) -> Pose:
    place, turn = message["position"], message["orientation"]
    quaternion = (turn["w"], turn["x"], turn["y"], turn["z"])
    is_given = any(quaternion)
    rotation = quat_normalized(quaternion) if is_given else IDENTITY
    return Pose((place["x"], place["y"], place["z"]), rotation)


def _allowed(sim: Sim, settings: Ros2Settings, uri: str) -> Path:
    """Return the file that an address names, if it is where files may be."""
    parts = urlparse(uri)
    if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost"):
        raise SpawnError(NO_RESOURCE, f'"{uri}" is no file of this machine')
    source = Path(sim.scene.source).parent
    folder = Path(settings.spawn_folder) if settings.spawn_folder else source
    path = folder / unquote(parts.path)
    if not path.resolve().is_relative_to(folder.resolve()):
        raise SpawnError(NO_RESOURCE, f'"{uri}" is outside of the folder for robots to spawn')
    if path.suffix.lower() not in FORMATS:
        raise SpawnError(FORMAT, f'"{uri}": only {", ".join(FORMATS)} can be spawned')
    if not path.is_file():
        raise SpawnError(NO_RESOURCE, f'there is no file "{uri}" in the folder for robots to spawn')
    return path


def _added_text(sim: Sim, text: str, pose: Pose) -> Any:
    if len(text.encode()) > MOST_TEXT:
        raise SpawnError(WRONG_TEXT, f"a robot's text may have {MOST_TEXT} bytes")
    kind = next((kind for mark, kind in TEXTS.items() if mark in text), None)
    if kind is None:
        raise SpawnError(FORMAT, "a resource_string must be URDF, SDF or MJCF")
    with tempfile.TemporaryDirectory(prefix="solidbody-") as folder:
        path = Path(folder) / f"spawned{kind}"
        path.write_text(text, encoding="utf-8")
        return _added(sim, path, pose)


def _added(sim: Sim, path: Path, pose: Pose) -> Any:
    try:
        return sim.scene.add(path, at=pose)
    except SolidbodyError as error:
        raise SpawnError(WRONG_TEXT, f"{path.name}: {error}") from error
