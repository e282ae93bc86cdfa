"""What a scene describes but nothing moves yet: said, never skipped in silence."""

from __future__ import annotations

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.compiler.axes import acts
from solidbody.model.devices import DeviceTouchSensor, DeviceVacuumGripper
from solidbody.model.geometry import GeometryHeightField, GeometryMesh
from solidbody.model.joints import JointBall, LoopGeneral
from solidbody.model.links import Link
from solidbody.model.scene import Scene
from solidbody.model.shapes import ShapeRole


def report_gaps(scene: Scene, log: DiagnosticLog) -> None:
    """Add a warning for each part of the scene that has no effect on motion."""
    has_triangles = any(
        isinstance(shape.geometry, GeometryMesh | GeometryHeightField)
        for link in scene.links()
        for shape in link.shapes
        if shape.role is not ShapeRole.VISUAL
    )
    for robot in (robot for body in scene.bodies for robot in body.robots if robot.drive):
        if has_triangles:
            log.warning(
                "kinematic-drive",
                robot.span,
                "meshes and grids do not stop a robot without physics that its wheels move yet",
                node=robot.name,
            )
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
    for link in scene.links():
        _report_link(link, log)


def _report_link(link: Link, log: DiagnosticLog) -> None:
    for device in link.devices:
        if isinstance(device, DeviceTouchSensor | DeviceVacuumGripper) and any(
            isinstance(shape.geometry, GeometryMesh | GeometryHeightField)
            for shape in device.feelers
        ):
            log.warning(
                "device-without-physics",
                device.span,
                "a touch sensor or gripper without physics feels nothing with meshes and grids yet",
                node=link.path,
            )
