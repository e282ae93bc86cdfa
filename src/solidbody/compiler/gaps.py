"""What a scene describes but nothing moves yet: said, never skipped in silence."""

from __future__ import annotations

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.compiler.axes import acts
from solidbody.model.joints import JointBall, LoopGeneral
from solidbody.model.scene import Scene


def report_gaps(scene: Scene, log: DiagnosticLog) -> None:
    """Add a warning for each part of the scene that has no effect on motion."""
    for loop in (loop for body in scene.bodies for loop in body.loops):
        if not isinstance(loop, LoopGeneral) or not isinstance(loop.joint, JointBall):
            continue
        axes = (loop.joint.axis1, loop.joint.axis2, loop.joint.axis3)
        if any(acts(axis) for axis in axes):
            log.warning(
                "loop-axis",
                loop.span,
                "motors, stops, springs and friction of a ball joint that closes a loop do not act",
                node=loop.name,
            )
