"""Simulation control by supervisors: quit, reset, reload, save, labels, viewpoint."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from solidbody.base.errors import SolidbodyError
from solidbody.control.supervisor import motion
from solidbody.control.supervisor.errors import SupervisorError
from solidbody.control.supervisor.nodes import robot_node
from solidbody.control.supervisor.poses import world_pose
from solidbody.control.supervisor.stage import Stage
from solidbody.control.supervisor.tree import OWN, ROOT

if TYPE_CHECKING:
    from solidbody.control.session import Session

PAUSE: Final = 0
FAST: Final = 2
_MODES: Final = (PAUSE, 1, FAST)
FAR_ENOUGH: Final = 3.0
"""[m] Distance of a viewpoint that was moved to a node."""


def quit_simulation(stage: Stage, status: int) -> None:
    """End the simulation before its next step."""
    stage.hub.quit(status)


def set_mode(stage: Stage, mode: int) -> None:
    """Set the mode: pause, real time or fast."""
    if mode not in _MODES:
        raise SupervisorError(
            f"simulationSetMode(): expected 0 (pause), 1 (real time) or 2 (fast), got {mode}"
        )
    stage.hub.mode = mode


def get_mode(stage: Stage) -> int:
    """Return the mode."""
    return stage.hub.mode


def reset(stage: Stage) -> None:
    """Restore the world as it was loaded."""
    stage.restore()


def reset_physics(stage: Stage) -> None:
    """Stop everything."""
    motion.reset_all_physics(stage)


# ---------------------------------------------------------------------- worlds


def _path(session: Session, file: str) -> Path:
    """Return a file that a controller names: relative to its own folder."""
    return Path(controller_folder(session), os.path.expanduser(file))


def controller_folder(session: Session) -> str:
    """Return the folder in which a robot's controller runs."""
    project = Path(session.sim.scene.source).resolve().parent.parent
    folder = project / "controllers" / session.place.robot.controller
    return str(folder if folder.is_dir() else project)


def save_world(stage: Stage, session: Session, file: str | None) -> bool:
    """Write the world as it is now; returns whether that went well."""
    _write_data(stage)
    stage.settle()
    world = stage.world
    if stage.sim.scene is not world.scene:
        if stage.scene() is not world.scene:
            raise SupervisorError("worldSave(): the scene was put together from several files")
        stage.sim.scene = world.scene
    target = Path(world.path) if file is None else _path(session, file)
    if target.suffix.lower() != ".wbt":
        raise SupervisorError(
            f'worldSave(): the name of a world file ends with ".wbt", got "{target.name}"'
        )
    try:
        world.save(target, sim=stage.sim)
    except OSError as error:
        raise SupervisorError(f'worldSave(): "{target}": {error.strerror or error}') from error
    return True


def _write_data(stage: Stage) -> None:
    """Put into the document what robots have as their customData now."""
    for slot in stage.hub.slots:
        data = slot.custom_data
        if data is None:
            continue
        node = robot_node(stage, slot.place)
        is_shown = stage.tree.field(stage.tree.number(node), OWN, "customData") is not None
        if is_shown and node.string("customData") != data:
            path = stage.path(node)
            kind = "SFString" if node.syntax.origins else None
            stage.change(
                lambda world, at=path, to=data, k=kind: world.set(
                    f"{at}.customData", to, type_name=k
                )
            )


def load_world(stage: Stage, session: Session, file: str) -> None:
    """Go on with another world when all controllers wait; theirs end, those of the world start."""
    path = _path(session, file)
    beside = Path(stage.sim.scene.source).parent / file
    if not path.exists() and beside.exists():  # the name alone of another world of the project
        path = beside
    world = stage.document.read(str(path))
    stage.later(lambda: _change(stage, str(world.path)))


def reload_world(stage: Stage) -> None:
    """Read the world's file again and start everything anew."""
    path = stage.sim.scene.source
    stage.later(lambda: _change(stage, path))


def _change(stage: Stage, path: str) -> None:
    try:
        stage.change_world(stage.read_again(path))
    except (SolidbodyError, ValueError) as error:
        stage.hub.say("error", f"the world cannot be loaded, so the old one stays: {error}")


def restart_controller(stage: Stage, number: int) -> None:
    """End and start the controller of a robot when all controllers wait."""
    node = None if number == ROOT else stage.tree.node(number)
    if node is None or not node.is_a("Robot"):
        label = "the root" if node is None else node.syntax.label
        raise SupervisorError(f"restartController() can only be used with a Robot; {label} is none")
    restart_program(stage, number)


def restart_program(stage: Stage, number: int) -> None:
    """End and start the program of a robot when all controllers wait; nothing if it is no more by then."""

    def restart() -> None:
        node = stage.tree.node(number) if stage.tree.has(number) else None
        link = None if node is None else stage.carrier(node)
        if node is not None and link is not None:
            stage.hub.restart_robot(link, node.string("name"))

    stage.later(restart)


# ---------------------------------------------------------------------- what users see


def set_label(
    stage: Stage,
    number: int,
    text: str,
    x: float,
    y: float,
    size: float,
    color: int,
    transparency: float,
    font: str,
) -> None:
    """Write a text over the view; an empty one takes it away."""
    for name, value, low in (("x", x, 0.0), ("y", y, 0.0), ("size", size, 0.0)):
        if not low <= value <= 1.0:
            raise SupervisorError(f"setLabel(): {name} must be between 0 and 1, got {value:g}")
    if not text:
        stage.labels.pop(number, None)
        return
    stage.labels[number] = (text, x, y, size, color, transparency, font)


def move_viewpoint(stage: Stage, number: int) -> None:
    """Let the view look at a node from nearby, in the direction in which it looks."""
    if number == ROOT:
        raise SupervisorError("moveViewpoint(): the root has no place to look at")
    view = next((node for node in stage.tree.top if node.type == "Viewpoint"), None)
    if view is None:
        raise SupervisorError("moveViewpoint(): the world has no Viewpoint")
    target = world_pose(stage, stage.tree.node(number)).position
    pose = view.pose("position", "orientation")
    forward = pose.direction((1.0, 0.0, 0.0))
    away = FAR_ENOUGH
    position = tuple(a - away * b for a, b in zip(target, forward, strict=True))
    path = stage.path(view)
    stage.change(lambda world: world.set(f"{path}.position", position))


def set_visibility(stage: Stage, number: int, viewer: int, visible: bool) -> None:
    """Show or hide a node for a camera or the view."""
    stage.hiding.change(stage, number, viewer, is_visible=visible)
