"""Fields whose current value comes from the simulation: poses, velocities, joint positions.

Each row of `LIVE` says of which nodes a field is live, how it is read and what setting it does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from solidbody.base.transforms import (
    WORLD,
    Pose,
    Vec3,
    cross,
    quat_conjugate,
    quat_from_axis_angle,
    quat_multiply,
    quat_of_matrix,
    quat_to_signed_angle,
)
from solidbody.control import protocol as p
from solidbody.control.supervisor.errors import SupervisorError
from solidbody.control.supervisor.poses import (
    UNMOVED,
    axes_turn,
    distance,
    frame_above,
    link_pose,
    local_pose,
    world_pose,
)
from solidbody.control.supervisor.stage import Stage
from solidbody.control.supervisor.tree import OWN, NodeField, nodes_below
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.releases.rotations import rotation_as_of
from solidbody.formats.webots.releases.turns import axis_angle
from solidbody.model.links import Motion
from solidbody.record.viewing import travel
from solidbody.sim.handles import JointHandle, LinkHandle
from solidbody.sim.moving import hold_contacts

_PARAMETERS: Final = {"jointParameters": 0, "jointParameters2": 1, "jointParameters3": 2}


class LiveField(NamedTuple):
    """A field that lives: whether it does in a node, and how it is read and set."""

    holds: Callable[[Stage, TypedNode], bool]
    read: Callable[[Stage, TypedNode], Any]
    write: Callable[[Stage, TypedNode, Any], None]


def live_field(stage: Stage, place: NodeField) -> LiveField | None:
    """Return how to read and set a field that the simulation knows; None = the file says it all."""
    if place.level >= 0 or not place.node or not stage.tree.has(place.node):
        return None
    node = stage.tree.node(place.node)
    if place.level == OWN and not _reaches_root(node, place.name):
        return _live_inside(stage, node, place.name)
    row = (VIEW if node.type == "Viewpoint" else LIVE).get(place.name)
    return row if row is not None and row.holds(stage, node) else None


def _live_inside(stage: Stage, instance: TypedNode, name: str) -> LiveField | None:
    """Return how to read and set a parameter that is (`IS`) nothing but live fields inside its PROTO."""
    value = instance.syntax.origins[0].parameters[name].value
    found: list[tuple[LiveField, TypedNode]] = []
    for node in nodes_below(instance):
        for part in node.syntax.fields:
            if not part.is_linked or part.value.span != value.span:
                continue
            row = LIVE.get(part.name)
            if row is None or not row.holds(stage, node):
                return None
            found.append((row, node))
    if not found:
        return None

    def read(stage: Stage, _: TypedNode) -> Any:
        row, node = found[0]
        return row.read(stage, node)

    def write(stage: Stage, _: TypedNode, value: Any) -> None:
        for row, node in found:
            row.write(stage, node, value)

    return LiveField(found[0][0].holds, read, write)


def _reaches_root(node: TypedNode, name: str) -> bool:
    """Whether a field that the file shows is that of the node itself, not just one of a PROTO."""
    if not node.syntax.origins:
        return True
    return any(part.name == name and part.is_linked for part in node.syntax.fields)


# ---------------------------------------------------------------------- links and joints


def link_handle(stage: Stage, node: TypedNode) -> LinkHandle | None:
    """Return the link that a solid is or belongs to."""
    link = stage.carrier(node) if node.is_a("Solid") else None
    return None if link is None else stage.sim.link(stage.sim.link_names[link])


def joint_handle(stage: Stage, joint: TypedNode, number: int) -> JointHandle:
    """Return an axis of a joint. Raises SupervisorError if it has none of that number."""
    end = joint.node("endPoint") if joint.has("endPoint") else None
    link = stage.link(end) if end is not None else None
    if link is None:
        raise SupervisorError(f"{joint.syntax.label} moves no solid of its own")
    sim = stage.sim
    axes = [row for row, owner in enumerate(sim.axis_links) if owner == link]
    if not 0 <= number < len(axes):
        raise SupervisorError(
            f"{joint.syntax.label} has {len(axes)} axes: the index must be 1 to {len(axes)}, "
            f"got {number + 1}"
        )
    return sim.joint(sim.joint_names[axes[number]])


def put_joint(stage: Stage, joint: TypedNode, number: int, value: float) -> None:
    """Set the position of an axis; before the first step its motor holds the new one."""
    handle = joint_handle(stage, joint, number)
    hold_contacts(stage.sim, stage.sim.axis_links[handle.row])
    try:
        handle.position = value
        if stage.sim.step_count == 0 and handle.has_motor:
            handle.target_position = value
    except ValueError as error:
        raise SupervisorError(str(error)) from error


def _joint_of(node: TypedNode) -> tuple[TypedNode, int] | None:
    """Return the joint of joint parameters, and which of its axes they describe."""
    if node.is_a("Joint"):  # it has a position of its own where it has no parameters
        return node, 0
    joint = node.parent
    if joint is None or not joint.has("endPoint"):
        return None
    for name, number in _PARAMETERS.items():
        if joint.has(name) and joint.node(name) is node:
            return joint, number
    return None


def _has_joint(stage: Stage, node: TypedNode) -> bool:
    found = _joint_of(node)
    end = found[0].node("endPoint") if found else None
    return end is not None and stage.link(end) is not None


def _read_parameters(stage: Stage, node: TypedNode) -> float:
    found = _joint_of(node)
    assert found is not None
    return joint_handle(stage, *found).position


def _write_parameters(stage: Stage, node: TypedNode, value: float) -> None:
    found = _joint_of(node)
    assert found is not None
    put_joint(stage, *found, value)


# ---------------------------------------------------------------------- poses and velocities


def _is_link(stage: Stage, node: TypedNode) -> bool:
    return not stage.is_new(node) and stage.link(node) is not None


def _read_translation(stage: Stage, node: TypedNode) -> Vec3:
    return local_pose(stage, node).position


def _read_rotation(stage: Stage, node: TypedNode) -> tuple[float, ...]:
    """Return what the file or a program gave as long as it holds; then as Webots tells of what moves.

    There the axis of a solid of the world is that of its quaternion, which does not jump as it turns.
    """
    pose, turn = local_pose(stage, node), axes_turn(stage, node)
    release = stage.document.release
    if turn is None and pose == node.pose():
        return rotation_as_of(release, node.rotation("rotation"))
    told = stage.turns.get(stage.link(node))
    if (
        told is not None
        and distance(Pose(rotation=told[1]), Pose(rotation=pose.rotation)) <= UNMOVED
    ):
        return told[0]
    rotation = pose.rotation if turn is None else quat_multiply(pose.rotation, quat_conjugate(turn))
    found = axis_angle(rotation)
    if node.parent is None and found[3] != 0.0:
        axis, angle = quat_to_signed_angle(rotation)
        found = (*axis, angle)
    row = stage.link(node)
    is_pushed = row is not None and stage.sim.link_model(row).motion is Motion.DYNAMIC
    return rotation_as_of(release, found, node.rotation("rotation") if is_pushed else None)


def _write_translation(stage: Stage, node: TypedNode, value: Vec3) -> None:
    _place(stage, node, Pose(value, local_pose(stage, node).rotation))


def _write_rotation(stage: Stage, node: TypedNode, value: tuple[float, ...]) -> None:
    x, y, z, angle = value
    rotation, turn = quat_from_axis_angle((x, y, z), angle), axes_turn(stage, node)
    if turn is not None:
        rotation = quat_multiply(rotation, turn)
    _place(stage, node, Pose(local_pose(stage, node).position, rotation))
    stage.turns[stage.link(node)] = value, rotation


def _place(stage: Stage, node: TypedNode, pose: Pose) -> None:
    handle, row = link_handle(stage, node), stage.link(node)
    assert handle is not None and row is not None
    wanted = pose if node.parent is None else frame_above(stage, node) * pose
    hold_contacts(stage.sim, row)
    handle.set_pose(wanted.position, quat_of_matrix(wanted.rotation))


def links_in(stage: Stage, node: TypedNode) -> list[tuple[str, Pose]]:
    """Return the uppermost links in a frame of the world, with their poses in it; none for other nodes."""
    if not node.is_a("Pose") or _is_in_solid(node):
        return []
    solids = [x for x in nodes_below(node) if x.is_a("Solid") and not _is_in_solid(x.parent)]
    links = [link for solid in solids if (link := stage.link(solid)) is not None]
    to_frame = world_pose(stage, node).inverse() if links else WORLD
    return [(stage.sim.link_names[link], to_frame * link_pose(stage, link)) for link in links]


def _is_in_solid(node: TypedNode | None) -> bool:
    """Whether a node is a solid or stands in one."""
    while node is not None and not node.is_a("Solid"):
        node = node.parent
    return node is not None


def carry(stage: Stage, node: TypedNode, links: list[tuple[str, Pose]]) -> None:
    """Let links go along with a frame that was moved: the simulation keeps them where they are."""
    stage.settle()
    frame = world_pose(stage, node)
    for name, pose in links:
        wanted = frame * pose
        stage.sim.link(name).set_pose(wanted.position, wanted.rotation)


def velocity(stage: Stage, node: TypedNode) -> tuple[Vec3, Vec3] | None:
    """Return the velocity of a solid's centre of mass and its angular velocity, world axes."""
    handle = link_handle(stage, node)
    if handle is None:
        return None
    linear, angular = handle.linear_velocity.tolist(), handle.angular_velocity.tolist()
    arm = _arm(stage, node, handle)
    return tuple(a + b for a, b in zip(linear, cross(angular, arm), strict=True)), tuple(angular)


def set_velocity(stage: Stage, node: TypedNode, linear: Vec3, angular: Vec3) -> None:
    """Set both; SupervisorError for nodes that are no solid."""
    handle = link_handle(stage, node)
    if handle is None:
        raise SupervisorError(f"{node.syntax.label} is no Solid: it has no velocity")
    turning = cross(angular, _arm(stage, node, handle))
    handle.set_velocity([a - b for a, b in zip(linear, turning, strict=True)], angular)


def _arm(stage: Stage, node: TypedNode, handle: LinkHandle) -> Vec3:
    """Return the way from the origin of a solid's link to its centre of mass; null without physics."""
    mass = handle.model.mass
    if mass is None or not handle.is_dynamic:
        return (0.0, 0.0, 0.0)
    at: TypedNode | None = node
    while at is not None and stage.link(at) is None:
        at = at.parent
    pose = world_pose(stage, at if at is not None else node)
    return pose.direction(mass.center)


def _read_linear(stage: Stage, node: TypedNode) -> Vec3:
    found = velocity(stage, node)
    assert found is not None
    return found[0]


def _read_angular(stage: Stage, node: TypedNode) -> Vec3:
    found = velocity(stage, node)
    assert found is not None
    return found[1]


def _write_linear(stage: Stage, node: TypedNode, value: Vec3) -> None:
    set_velocity(stage, node, value, _read_angular(stage, node))


def _write_angular(stage: Stage, node: TypedNode, value: Vec3) -> None:
    set_velocity(stage, node, _read_linear(stage, node), value)


# ---------------------------------------------------------------------- the viewpoint


def _is_carried(stage: Stage, node: TypedNode) -> bool:
    return stage.scene().viewpoint.follow is not None


def _travel(stage: Stage) -> Pose:
    """Return how far the viewpoint has gone along with the link that it follows."""
    stage.settle()
    return travel(stage.scene(), stage.sim.poses())


def _read_view(stage: Stage, node: TypedNode) -> Pose:
    return _travel(stage) * node.pose("position", "orientation")


def _write_view(stage: Stage, node: TypedNode, name: str, pose: Pose) -> None:
    """Write the pose of the viewpoint as it would be if the link had not moved."""
    start = _travel(stage).inverse() * pose
    value = start.position if name == "position" else axis_angle(start.rotation)
    path = f"{stage.path(node)}.{name}"
    kind = VIEW_TYPES[name] if node.syntax.origins else None
    stage.change(lambda world: world.set(path, value, type_name=kind))


def _write_position(stage: Stage, node: TypedNode, value: Vec3) -> None:
    _write_view(stage, node, "position", Pose(value, _read_view(stage, node).rotation))


def _write_orientation(stage: Stage, node: TypedNode, value: tuple[float, ...]) -> None:
    x, y, z, angle = value
    turn = quat_from_axis_angle((x, y, z), angle)
    _write_view(stage, node, "orientation", Pose(_read_view(stage, node).position, turn))


# ---------------------------------------------------------------------- robots


def _is_driven(stage: Stage, node: TypedNode) -> bool:
    """Whether a robot has a controller or had one, whose customData stays."""
    return node.is_a("Robot") and _data(stage, node) is not None


def _data(stage: Stage, robot: TypedNode) -> str | None:
    session = stage.session(robot)
    if session is not None:
        return session.custom_data
    return next((s.left_data for s in stage.hub.slots if stage.is_at(s.place, robot)), None)


def _read_data(stage: Stage, node: TypedNode) -> str:
    data = _data(stage, node)
    assert data is not None
    return data


def _write_data(stage: Stage, node: TypedNode, value: str) -> None:
    tell_data(stage, node, value)


def tell_data(stage: Stage, robot: TypedNode, value: str) -> None:
    """Tell a robot's controller what its customData is now; without one, keep it for the next."""
    session = stage.session(robot)
    if session is not None:
        session.custom_data = value
        session.news.append(p.NewsCustomData(value))
        return
    for slot in stage.hub.slots:
        if stage.is_at(slot.place, robot):
            slot.left_data = value


LIVE: Final = {
    "translation": LiveField(_is_link, _read_translation, _write_translation),
    "rotation": LiveField(_is_link, _read_rotation, _write_rotation),
    "linearVelocity": LiveField(_is_link, _read_linear, _write_linear),
    "angularVelocity": LiveField(_is_link, _read_angular, _write_angular),
    "position": LiveField(_has_joint, _read_parameters, _write_parameters),
    "customData": LiveField(_is_driven, _read_data, _write_data),
}

VIEW_TYPES: Final = {"position": "SFVec3f", "orientation": "SFRotation"}
VIEW: Final = {
    "position": LiveField(
        _is_carried, lambda stage, node: _read_view(stage, node).position, _write_position
    ),
    "orientation": LiveField(
        _is_carried,
        lambda stage, node: axis_angle(_read_view(stage, node).rotation),
        _write_orientation,
    ),
}
"""Where a viewpoint is that goes along with a solid."""
