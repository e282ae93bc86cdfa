"""Table of all supervisor messages and the functions that carry them out."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

from solidbody.base.errors import SolidbodyError
from solidbody.control import protocol as p
from solidbody.control.supervisor import fields, motion, nodes, recording, run_control
from solidbody.control.supervisor.errors import WRONG_ARGUMENTS
from solidbody.control.supervisor.stage import Stage

if TYPE_CHECKING:
    from solidbody.control.session import Session

Operation = Callable[..., Any]


def _said(function: Operation) -> Operation:
    """Take the messages of an answer to where all are collected."""

    @wraps(function)
    def with_notes(stage: Stage, *arguments: Any) -> Any:
        value, notes = function(stage, *arguments)
        stage.notes += notes
        return value

    return with_notes


GENERAL: Final[dict[type[p.Message], Operation]] = {
    p.NodeRoot: lambda stage: nodes.facts(stage, 0),
    p.NodeFromDef: nodes.from_def,
    p.NodeFromId: nodes.from_id,
    p.NodeSelected: nodes.selected,
    p.NodeFromProtoDef: nodes.from_proto_def,
    p.NodeFind: nodes.facts,
    p.NodePresent: nodes.present_id,
    p.NodeParent: nodes.parent,
    p.NodeProto: nodes.proto,
    p.NodeExport: nodes.export_text,
    p.NodePosition: _said(motion.position),
    p.NodeOrientation: _said(motion.orientation),
    p.NodePose: _said(motion.pose),
    p.NodeCenterOfMass: _said(motion.center_of_mass),
    p.NodeContactPoints: _said(motion.contact_points),
    p.NodeStaticBalance: _said(motion.static_balance),
    p.NodeVelocity: _said(motion.get_velocity),
    p.NodeRemove: fields.remove_node,
    p.NodeSetVelocity: motion.put_velocity,
    p.NodeAddForce: motion.add_force,
    p.NodeAddForceAt: motion.add_force_with_offset,
    p.NodeAddTorque: motion.add_torque,
    p.NodeResetPhysics: motion.reset_physics,
    p.NodeJointPosition: motion.joint_position,
    p.NodeSaveState: motion.save_state,
    p.NodeLoadState: motion.load_state,
    p.NodeRestartController: run_control.restart_controller,
    p.NodeMoveViewpoint: run_control.move_viewpoint,
    p.NodeSetVisibility: run_control.set_visibility,
    p.FieldFind: fields.find,
    p.FieldByIndex: fields.by_index,
    p.FieldNumber: fields.count_fields,
    p.FieldActual: fields.actual,
    p.FieldLength: fields.count,
    p.FieldGet: fields.get,
    p.FieldSet: fields.put,
    p.FieldInsert: fields.insert,
    p.FieldRemoveItem: fields.remove_item,
    p.FieldRemoveNode: fields.remove_single,
    p.FieldImportItem: fields.import_list,
    p.FieldImportNode: fields.import_single,
    p.LabelSet: run_control.set_label,
    p.SimulationMode: run_control.get_mode,
    p.SimulationSetMode: run_control.set_mode,
    p.SimulationQuit: run_control.quit_simulation,
    p.SimulationReset: run_control.reset,
    p.SimulationResetPhysics: run_control.reset_physics,
    p.WorldReload: run_control.reload_world,
    p.WorldSettle: Stage.settle,
    p.MovieStop: recording.stop_movie,
    p.MovieReady: recording.is_ready,
    p.MovieFailed: recording.has_failed,
    p.AnimationStop: recording.stop_animation,
}
"""Orders and questions: (stage, fields) to an answer."""

PERSONAL: Final[dict[type[p.Message], Operation]] = {
    p.NodeSelf: nodes.self_node,
    p.NodeFromDevice: nodes.from_device,
    p.FieldImportFile: fields.import_file,
    p.WorldLoad: run_control.load_world,
    p.WorldSave: run_control.save_world,
    p.ImageExport: recording.export_image,
    p.MovieStart: recording.start_movie,
    p.AnimationStart: recording.start_animation,
}
"""Those that depend on who gives or asks them: (stage, session, fields) to an answer."""

_GENERAL: Final = {kind.NUMBER: operation for kind, operation in GENERAL.items()}
_PERSONAL: Final = {kind.NUMBER: operation for kind, operation in PERSONAL.items()}


def obey(session: Session, message: tuple[Any, ...]) -> str | None:
    """Carry out an order; returns what there is to say, or None."""
    _, notes = answer(session, message)
    return "\n".join(notes) or None


def answer(session: Session, message: tuple[Any, ...]) -> tuple[Any, list[str]]:
    """Answer a question; returns the answer and what there is to say beside it."""
    if not session.place.robot.is_supervisor:
        return None, [
            f'Error: "{session.place.name}" is no supervisor: set its field "supervisor" to TRUE '
            "to use functions of the Supervisor"
        ]
    stage = session.hub.stage
    stage.welcome(session)
    stage.notes = []
    number, *arguments = message
    value = None
    try:
        if number in _PERSONAL:
            value = _PERSONAL[number](stage, session, *arguments)
        else:
            value = _GENERAL[number](stage, *arguments)
    except SolidbodyError as error:
        stage.notes.append(f"Error: {error}")
    except WRONG_ARGUMENTS as error:
        name = p.MESSAGES[number].__name__
        stage.notes.append(f"Error: {name}: wrong arguments: {error}")
    return value, stage.notes
