"""Lowers tracks: the joint that moves their surface, and how their belt looks."""

from __future__ import annotations

from dataclasses import replace

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose, Vec3, quat_from_axis_angle
from solidbody.formats.webots.lower.drawing import DrawnFrame
from solidbody.formats.webots.lower.geometries import GeometryReader
from solidbody.formats.webots.lower.joints import with_devices
from solidbody.formats.webots.lower.lowering_context import ONE, slot_content
from solidbody.formats.webots.lower.motors import AxisDevices
from solidbody.formats.webots.lower.plain import lower_plain
from solidbody.formats.webots.lower.shapes import lower_visual_shape
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.model.devices import BeltWheel, DeviceTrackBelt
from solidbody.model.joints import JointAxis, JointTrack
from solidbody.model.shapes import Shape


def lower_track(node: TypedNode, name: str, pose: Pose, devices: AxisDevices) -> JointTrack:
    """Return the joint of a Track; `pose` is its pose in the frame of the parent link."""
    forward = pose.direction((1.0, 0.0, 0.0))
    return JointTrack(
        name,
        with_devices(JointAxis(forward), devices),
        forward,
        pose.direction((0.0, 0.0, 1.0)),
        node.span,
    )


def wheel_pose(node: TypedNode) -> Pose:
    """Return the pose of a TrackWheel in its track: in the xz plane, turned about y."""
    x, z = node.vec2("position")
    ax, ay, az, angle = node.rotation("rotation")
    return Pose((x, 0.0, z), quat_from_axis_angle((ax, ay, az), angle))


def lower_belt(
    node: TypedNode, frame: DrawnFrame, geometries: GeometryReader, log: DiagnosticLog
) -> DeviceTrackBelt:
    """Return the belt of a Track that stands at `frame` in its link."""
    size = frame.scale[0]  # solids of old releases may be scaled, by equal factors
    wheels: list[BeltWheel] = []
    stack = node.children()[::-1]
    while stack:
        item = stack.pop()
        if item.type == "TrackWheel":
            wheel = lower_plain(BeltWheel, item)
            x, z = wheel.position
            wheels.append(replace(wheel, position=(size * x, size * z), radius=size * wheel.radius))
        elif item.is_a("Group") and not item.is_a("Solid"):
            stack.extend(item.children()[::-1])
    element = _element(node, frame.scale, geometries, log)
    return lower_plain(
        DeviceTrackBelt, node, pose=frame.pose, wheels=tuple(wheels), element=element
    )


def _element(
    node: TypedNode, scale: Vec3, geometries: GeometryReader, log: DiagnosticLog
) -> Shape | None:
    """Return the shape that is repeated along the belt: the first below animatedGeometry."""
    start = node.node("animatedGeometry")
    found: list[Shape] = []
    stack = [] if start is None else [(start, DrawnFrame(scale=scale))]
    while stack:
        item, frame = stack.pop()
        if item.type == "Slot":
            content = slot_content(item, log)
            if content is not None:
                stack.append((content, frame))
        elif item.type == "Shape":
            shape = lower_visual_shape(item, frame.pose, frame.scale, geometries)
            if shape is not None:
                found.append(shape)
        elif item.is_a("Group") and not item.is_a("Solid"):
            if item.is_a("Pose"):
                own = item.vec3("scale") if item.type == "Transform" else ONE
                frame = frame.inside(item.pose(), own)
            stack.extend((child, frame) for child in item.children()[::-1])
    if len(found) > 1:
        node.warn(
            log,
            "track-element",
            f"the belt is drawn with the first of the {len(found)} shapes only.",
            field="animatedGeometry",
        )
    return found[0] if found else None
