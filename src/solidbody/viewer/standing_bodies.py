"""Bodies and projects of Choreonoid written as they stand now: places of roots and positions of joints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import SolidbodyError
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList
from solidbody.formats.choreonoid.project.bodies import joint_slots
from solidbody.model.joints import JointSlider
from solidbody.model.scene import Scene
from solidbody.viewer.body_parts import type_of
from solidbody.viewer.project_items import items_of
from solidbody.viewer.yaml_editing import YamlEditError, parsed, with_value

if TYPE_CHECKING:
    from solidbody.sim import Sim
    from solidbody.viewer.body_editor import BodyFile

Floats = NDArray[np.float64]

CLOSE: Final = 1e-5
"""[m], [rad] What is read again may differ by this much from what stood there: numbers have nine figures."""

DEGREE: Final = math.degrees(1.0)


def standing_text(file: BodyFile, sim: Sim) -> str:
    """Return the text of a body or project with its bodies as they stand in a simulation of it.

    What has not moved stays as it is written. The text is read again, and must describe what stands there.

    Raises:
        YamlEditError: It cannot be said in this file.
    """
    from solidbody.sim import Sim as Simulation

    write = _project_text if file.path.lower().endswith(".cnoid") else _body_text
    start = Simulation(file.scene)
    for unit in (DEGREE, 1.0):  # bodies say which one they use, in several ways
        text = write(file, sim, start, unit)
        scene, _ = file.read(text)
        if scene is not None and _is_like(scene, sim):
            return text
    raise YamlEditError(
        f"{Path(file.path).name} has no words for how its bodies stand now: it was not saved"
    )


def _is_like(scene: Scene, sim: Sim) -> bool:
    """Whether a scene starts as a simulation stands."""
    from solidbody.sim import Sim

    try:
        start = Sim(scene)
    except SolidbodyError:
        return False
    poses, now = start.poses(), sim.poses()
    if poses.shape != now.shape:
        return False
    turned = np.abs(np.sum(poses[:, 3:] * now[:, 3:], axis=1))
    joints = np.abs(start.joint_states()[:, 0] - sim.joint_states()[:, 0])
    return bool(
        np.all(np.abs(poses[:, :3] - now[:, :3]) < CLOSE)
        and np.all(turned > 1.0 - CLOSE)
        and np.all(joints < CLOSE)
    )


def _joint_positions(sim: Sim) -> dict[int, float]:
    """Return the positions of the joints that carry links."""
    states = sim.joint_states()
    return {link: float(states[row, 0]) for row, link in enumerate(sim.axis_links) if link >= 0}


def _body_text(file: BodyFile, sim: Sim, start: Sim, unit: float) -> str:
    text, links = file.tree, list(sim.scene.links())
    where = {(link.span.line, link.span.column): row for row, link in enumerate(links)}
    poses, starts = sim.poses(), start.poses()
    positions, before = _joint_positions(sim), _joint_positions(start)
    listed = parsed(text, file.path).get("links")
    for number, item in enumerate(listed.items if isinstance(listed, YamlList) else ()):
        row = where.get((item.span.line, item.span.column))
        if row is None:
            continue
        path = f"links.{number}"
        if links[row].parent is None and not np.allclose(poses[row], starts[row], atol=1e-9):
            for key, value in _place(poses[row], unit):
                text = with_value(text, f"{path}.{key}", value, file.path)
        elif row in positions and abs(positions[row] - before[row]) > 1e-9:
            scale = 1.0 if isinstance(links[row].joint, JointSlider) else unit
            text = with_value(
                text, f"{path}.joint_displacement", _number(positions[row] * scale), file.path
            )
    return text


def _project_text(file: BodyFile, sim: Sim, start: Sim, unit: float) -> str:
    text = file.tree
    root = parsed(text, file.path)
    items = [path for path, item in items_of(root) if type_of(item) == "BodyItem"]
    bodies = sim.scene.bodies
    if len(items) != len(bodies):
        raise YamlEditError(
            "bodies of other files stand in this project: they cannot be saved here"
        )
    poses, starts = sim.poses(), start.poses()
    positions, before = _joint_positions(sim), _joint_positions(start)
    first = 0
    for path, body in zip(items, bodies, strict=True):
        if not np.allclose(poses[first], starts[first], atol=1e-9):
            for key, value in _place(poses[first], unit):
                text = with_value(text, f"{path}.data.initial_root_{key}", value, file.path)
        slots = [None if slot is None else first + slot for slot in joint_slots(body)]
        held = [row for row in slots if row is not None and row in positions]
        if any(abs(positions[row] - before[row]) > 1e-9 for row in held):
            values = [_listed(sim, row, positions, unit) for row in slots]
            text = with_value(
                text,
                f"{path}.data.initial_joint_displacements",
                f"[ {', '.join(values)} ]",
                file.path,
            )
        first += len(body.links)
    return text


def _listed(sim: Sim, row: int | None, positions: dict[int, float], unit: float) -> str:
    if row is None or row not in positions:
        return "0"
    slides = isinstance(sim.link_model(row).joint, JointSlider)
    return _number(positions[row] * (1.0 if slides else unit))


def _place(pose: Floats, unit: float) -> Iterator[tuple[str, str]]:
    """Yield the values of a place: translation, and rotation as axis and angle."""
    yield "translation", f"[ {', '.join(_number(x) for x in pose[:3])} ]"
    w, axis = float(pose[3]), pose[4:]
    length = float(np.linalg.norm(axis))
    angle = 2.0 * math.atan2(length, w)
    x, y, z = (axis / length).tolist() if length > 1e-12 else (0.0, 0.0, 1.0)
    numbers = (x, y, z, angle * unit)
    yield "rotation", f"[ {', '.join(_number(number) for number in numbers)} ]"


def _number(value: float) -> str:
    text = f"{value:.9g}"
    return "0" if text in ("-0", "0") else text
