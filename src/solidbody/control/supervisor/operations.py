"""All that a supervisor can ask for and order, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from solidbody.base.errors import SolidbodyError
from solidbody.control.supervisor import fields, motion, nodes, recording, rule
from solidbody.control.supervisor.errors import WRONG_ARGUMENTS
from solidbody.control.supervisor.stage import Stage

if TYPE_CHECKING:
    from solidbody.control.session import Session

Operation = Callable[..., Any]


def _said(function: Operation) -> Operation:
    """Take the messages of an answer to where all are collected."""

    def with_notes(stage: Stage, *arguments: Any) -> Any:
        value, notes = function(stage, *arguments)
        stage.notes += notes
        return value

    return with_notes


ASKED: Final[dict[str, Operation]] = {
    "root": lambda stage: nodes.facts(stage, 0),
    "from_def": nodes.from_def,
    "from_id": nodes.from_id,
    "selected": nodes.selected,
    "from_proto_def": nodes.from_proto_def,
    "node": nodes.facts,
    "id": nodes.present_id,
    "parent": nodes.parent,
    "proto": nodes.proto,
    "export": nodes.export_text,
    "field": fields.find,
    "field_by_index": fields.by_index,
    "fields": fields.count_fields,
    "actual_field": fields.actual,
    "count": fields.count,
    "get": fields.get,
    "position": _said(motion.position),
    "orientation": _said(motion.orientation),
    "pose": _said(motion.pose),
    "center_of_mass": _said(motion.center_of_mass),
    "contact_points": _said(motion.contact_points),
    "static_balance": _said(motion.static_balance),
    "velocity": _said(motion.get_velocity),
    "settle": Stage.settle,
    "mode": rule.get_mode,
    "movie_ready": recording.is_ready,
    "movie_failed": recording.has_failed,
    "stop_animation": recording.stop_animation,
}
"""Requests: (stage, arguments) to an answer."""

ASKED_BY: Final[dict[str, Operation]] = {
    "self": nodes.self_node,
    "from_device": nodes.from_device,
    "save_world": rule.save_world,
    "export_image": recording.export_image,
    "start_animation": recording.start_animation,
}
"""Requests that depend on who asks: (stage, session, arguments) to an answer."""

ORDERED: Final[dict[str, Operation]] = {
    "set": fields.put,
    "insert": fields.insert,
    "remove_item": fields.remove_item,
    "remove_single": fields.remove_single,
    "remove": fields.remove_node,
    "import_list": fields.import_list,
    "import_single": fields.import_single,
    "set_velocity": motion.put_velocity,
    "add_force": motion.add_force,
    "add_force_with_offset": motion.add_force_with_offset,
    "add_torque": motion.add_torque,
    "reset_physics": motion.reset_physics,
    "joint_position": motion.joint_position,
    "save_state": motion.save_state,
    "load_state": motion.load_state,
    "restart_controller": rule.restart_controller,
    "move_viewpoint": rule.move_viewpoint,
    "set_visibility": rule.set_visibility,
    "label": rule.set_label,
    "quit": rule.quit_simulation,
    "set_mode": rule.set_mode,
    "reset": rule.reset,
    "reset_all_physics": rule.reset_physics,
    "reload_world": rule.reload_world,
    "stop_movie": recording.stop_movie,
}
"""Orders: (stage, arguments)."""

ORDERED_BY: Final[dict[str, Operation]] = {
    "load_world": rule.load_world,
    "import_file": fields.import_file,
    "start_movie": recording.start_movie,
}
"""Orders that depend on who gives them: (stage, session, arguments)."""


def ask(session: Session, arguments: tuple[Any, ...]) -> tuple[Any, list[str]]:
    """Answer a request; returns the answer and what there is to say beside it."""
    name, *rest = arguments
    return _carried_out(session, name, rest, ASKED, ASKED_BY)


def command(session: Session, name: str, arguments: tuple[Any, ...]) -> str | None:
    """Carry out an order; returns what there is to say, or None."""
    _, notes = _carried_out(session, name, arguments, ORDERED, ORDERED_BY)
    return "\n".join(notes) or None


def _carried_out(
    session: Session,
    name: str,
    arguments: Any,
    general: dict[str, Operation],
    personal: dict[str, Operation],
) -> tuple[Any, list[str]]:
    if not session.place.robot.is_supervisor:
        return None, [
            f'Error: "{session.place.name}" is no supervisor: set its field "supervisor" to TRUE '
            "to use functions of the Supervisor"
        ]
    stage = session.hub.stage
    stage.welcome(session)
    stage.notes = []
    value = None
    try:
        if name in personal:
            value = personal[name](stage, session, *arguments)
        elif name in general:
            value = general[name](stage, *arguments)
        else:
            stage.notes.append(f"Error: unknown function {name}")
    except SolidbodyError as error:
        stage.notes.append(f"Error: {error}")
    except WRONG_ARGUMENTS as error:
        stage.notes.append(f"Error: {name}: wrong arguments: {error}")
    return value, stage.notes
