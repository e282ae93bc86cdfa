"""Poses, velocities, forces and contact points of solids, for supervisors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from solidbody.base.transforms import add, quat_to_matrix, scale
from solidbody.control.supervisor.errors import SupervisorError
from solidbody.control.supervisor.live_fields import (
    joint_handle,
    link_handle,
    put_joint,
    set_velocity,
    velocity,
)
from solidbody.control.supervisor.poses import flat, link_pose, matrix, shown_pose, world_pose
from solidbody.control.supervisor.stage import Stage
from solidbody.control.supervisor.tree import ROOT, nodes_below
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.sim.handles import LinkHandle
from solidbody.sim.moving import below

if TYPE_CHECKING:
    from solidbody.control.adapters.base import Adapter

NAN: Final = math.nan
Numbers = list[float]
Said = tuple[Any, list[str]]
"""A result, and what the controller is told beside it."""


def _posed(stage: Stage, number: int) -> TypedNode | None:
    """Return a node that has a pose."""
    if number == ROOT:
        return None
    node = stage.tree.node(number)
    return node if node.is_a("Pose") else None


def _no_pose(stage: Stage, number: int, function: str) -> str:
    label = "the root" if number == ROOT else stage.tree.node(number).syntax.label
    return f"Warning: {function}() can only be used with a node that has a pose; {label} has none"


def position(stage: Stage, number: int) -> Said:
    """Return the position of a node in the world."""
    node = _posed(stage, number)
    if node is None:
        return [NAN] * 3, [_no_pose(stage, number, "getPosition")]
    return list(world_pose(stage, node).position), []


def orientation(stage: Stage, number: int) -> Said:
    """Return the rotation matrix of a node, row by row."""
    node = _posed(stage, number)
    if node is None:
        return [NAN] * 9, [_no_pose(stage, number, "getOrientation")]
    return flat(quat_to_matrix(shown_pose(stage, node).rotation)), []


def pose(stage: Stage, number: int, other: int | None) -> Said:
    """Return the pose of a node, in the world or in the frame of another node, as a 4 x 4 matrix."""
    node = _posed(stage, number)
    source = None if other is None or other == ROOT else _posed(stage, other)
    if node is None or (other is not None and other != ROOT and source is None):
        return [NAN] * 16, [_no_pose(stage, number if node is None else other or 0, "getPose")]
    found = shown_pose(stage, node)
    if source is not None:
        found = shown_pose(stage, source).inverse() * found
    return matrix(found), []


# ---------------------------------------------------------------------- mass and contacts


def _solid(stage: Stage, number: int, function: str) -> tuple[TypedNode, LinkHandle]:
    node = None if number == ROOT else stage.tree.node(number)
    handle = None if node is None else link_handle(stage, node)
    if node is None or handle is None:
        label = "the root" if node is None else node.syntax.label
        raise SupervisorError(f"{function}() can only be used with a Solid; {label} is none")
    return node, handle


def _rows(stage: Stage, node: TypedNode) -> list[int]:
    """Return the links of a solid and of all solids below it."""
    link = stage.carrier(node)
    return [] if link is None else below(stage.sim, link)


def center_of_mass(stage: Stage, number: int) -> Said:
    """Return the centre of mass of a solid and all solids below it, in the world; its place without mass."""
    node, _ = _solid(stage, number, "getCenterOfMass")
    total, sum_ = 0.0, (0.0, 0.0, 0.0)
    for row in _rows(stage, node):
        mass = stage.sim.link_model(row).mass
        if mass is not None:
            total += mass.mass
            sum_ = add(sum_, scale(link_pose(stage, row).point(mass.center), mass.mass))
    if total == 0.0:
        return list(shown_pose(stage, node).position), [
            f"Warning: getCenterOfMass(): {node.syntax.label} and all below it have no physics"
        ]
    return list(scale(sum_, 1.0 / total)), []


def contact_points(stage: Stage, number: int, include_descendants: bool) -> Said:
    """Return (x, y, z, number of the solid) of the contacts of now."""
    node, _ = _solid(stage, number, "getContactPoints")
    solids = [inner for inner in nodes_below(node) if inner.is_a("Solid")]
    owners = _numbers_of_parts(stage, solids if include_descendants else [node])
    found = stage.sim.touches()
    out: list[tuple[float, float, float, int]] = []
    for links, shapes, point in zip(
        found.link.tolist(), found.shape.tolist(), found.position.tolist(), strict=True
    ):
        for link, shape in zip(links, shapes, strict=True):
            owner = owners.get((link, stage.sim.link_model(link).shapes[shape].frame))
            if owner is not None:
                out.append((*point, owner))
                break
    return out, []


def _numbers_of_parts(stage: Stage, solids: list[TypedNode]) -> dict[tuple[int, int | None], int]:
    """Return the numbers of solids by link and, of those that were merged into one, their frame in it."""
    found: dict[tuple[int, int | None], int] = {}
    for node in solids:
        row, number = stage.carrier(node), stage.tree.number(node)
        if row is None:
            continue
        if stage.link(node) is not None:
            found[row, None] = number
            continue
        for k, frame in enumerate(stage.sim.link_model(row).frames):
            is_same = frame.span == node.span and frame.name == node.string("name")
            if is_same and (row, k) not in found:
                found[row, k] = number
                break
    return found


def static_balance(stage: Stage, number: int) -> Said:
    """Return whether the centre of mass lies above the hull of the contact points."""
    points, _ = contact_points(stage, number, True)
    center, notes = center_of_mass(stage, number)
    if notes:
        return False, notes
    up = stage.sim.scene.geodesy.up
    axes = [i for i in range(3) if abs(up[i]) < 0.5]
    flat_points = [(point[axes[0]], point[axes[1]]) for point in points]
    return _is_inside((center[axes[0]], center[axes[1]]), _hull(flat_points)), []


Point = tuple[float, float]


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _hull(points: list[Point]) -> list[Point]:
    """Return the convex hull, counter-clockwise (Andrew's monotone chain)."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered
    chains: list[list[Point]] = []
    for sequence in (ordered, ordered[::-1]):
        chain: list[Point] = []
        for point in sequence:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0.0:
                chain.pop()
            chain.append(point)
        chains.append(chain[:-1])
    return chains[0] + chains[1]


def _is_inside(point: Point, hull: list[Point]) -> bool:
    if len(hull) < 3:
        return False
    return all(_turn(a, b, point) >= 0.0 for a, b in zip(hull, hull[1:] + hull[:1], strict=True))


# ---------------------------------------------------------------------- velocity and forces


def get_velocity(stage: Stage, number: int) -> Said:
    """Return linear and angular velocity; NaN for nodes that are no solid."""
    node = None if number == ROOT else stage.tree.node(number)
    found = None if node is None else velocity(stage, node)
    if found is None:
        label = "the root" if node is None else node.syntax.label
        return [NAN] * 6, [f"Warning: getVelocity() can only be used with a Solid; {label} is none"]
    return [*found[0], *found[1]], []


def put_velocity(stage: Stage, number: int, values: list[float]) -> None:
    """Set linear and angular velocity of a solid."""
    node, _ = _solid(stage, number, "setVelocity")
    x, y, z, a, b, c = values
    try:
        set_velocity(stage, node, (x, y, z), (a, b, c))
    except ValueError as error:
        raise SupervisorError(f"setVelocity(): {error}") from error


def add_force(stage: Stage, number: int, force: list[float], relative: bool) -> None:
    """Push at the centre of mass during the next step."""
    _, handle = _solid(stage, number, "addForce")
    _push(lambda: handle.add_force(force, relative=relative), "addForce")


def add_force_with_offset(
    stage: Stage, number: int, force: list[float], offset: list[float], relative: bool
) -> None:
    """Push at a point of the solid during the next step."""
    node, handle = _solid(stage, number, "addForceWithOffset")
    at = world_pose(stage, node)
    point = at.point((offset[0], offset[1], offset[2]))
    vector = at.direction((force[0], force[1], force[2])) if relative else force
    _push(lambda: handle.add_force(vector, at=point), "addForceWithOffset")


def add_torque(stage: Stage, number: int, torque: list[float], relative: bool) -> None:
    """Turn during the next step."""
    _, handle = _solid(stage, number, "addTorque")
    _push(lambda: handle.add_torque(torque, relative=relative), "addTorque")


def _push(action: Any, function: str) -> None:
    try:
        action()
    except ValueError as error:
        raise SupervisorError(f"{function}(): {error}") from error


def reset_physics(stage: Stage, number: int) -> None:
    """Stop all solids at and below a node; they stand still during the next step, as in Webots."""
    stage.settle()
    node = None if number == ROOT else stage.tree.node(number)
    is_solid = node is not None and node.is_a("Solid")
    rows = _rows(stage, node) if node is not None and is_solid else _links(stage, number)
    names = stage.sim.link_names
    for row in rows:
        if int(stage.sim.compiled.binding.parent[row]) not in rows:
            stage.sim.link(names[row]).reset_physics()
    stage.held.update(names[row] for row in rows)


def reset_all_physics(stage: Stage) -> None:
    """Stop everything."""
    stage.settle()
    sim = stage.sim
    for row, above in enumerate(sim.compiled.binding.parent.tolist()):
        if above < 0:
            sim.link(sim.link_names[row]).reset_physics()


def joint_position(stage: Stage, number: int, value: float, index: int) -> None:
    """Set the position of an axis of a joint (counted from 1), within its stops."""
    node = None if number == ROOT else stage.tree.node(number)
    if node is None or not node.is_a("Joint"):
        label = "the root" if node is None else node.syntax.label
        raise SupervisorError(f"setJointPosition() can only be used with a joint; {label} is none")
    stops = stage.sim.axis_model(joint_handle(stage, node, index - 1).row).stops
    allowed = value if stops is None else min(max(value, stops.low), stops.high)
    put_joint(stage, node, index - 1, allowed)
    if allowed != value:
        stage.notes.append(
            f"Warning: setJointPosition(): {value:g} is beyond the stops of {node.syntax.label}; "
            f"it goes to {allowed:g}"
        )


# ---------------------------------------------------------------------- states


def save_state(stage: Stage, number: int, name: str) -> None:
    """Note where everything at and below a node is: poses and joint positions."""
    stage.settle()
    sim, axes = stage.sim, _axes(stage)
    poses, positions = sim.poses().tolist(), sim.joint_states()[:, 0].tolist()
    links = {
        sim.link_names[row]: (poses[row], [positions[axis] for axis in axes[row]])
        for row in _links(stage, number)
    }
    stage.states[number, name] = stage.kept(_nodes(stage, number)), links


def load_state(stage: Stage, number: int, name: str) -> None:
    """Put everything at and below a node back, at rest; `__init__` is how the world was loaded."""
    stage.settle()
    saved = None
    if name == "__init__":
        kept = stage.kept(_nodes(stage, number), from_start=True)
    elif (number, name) in stage.states:
        kept, saved = stage.states[number, name]
    else:
        known = [state for node, state in stage.states if node == number]
        listed = ", ".join(f'"{state}"' for state in ("__init__", *known))
        raise SupervisorError(
            f'loadState(): no state "{name}" was saved for the node; there are: {listed}'
        )
    stage.put_back(kept)
    names, rows, axes = stage.sim.link_names, _links(stage, number), _axes(stage)
    if saved is None:
        saved = {names[row]: _start(stage, row, axes[row]) for row in rows}
    devices = _devices_by_axis(stage)
    for row in rows:
        if names[row] in saved:
            _restore(stage, row, saved[names[row]], axes[row], devices)


def _nodes(stage: Stage, number: int) -> list[TypedNode]:
    """Return a node and all below it; for the root all nodes."""
    every = [node for _, node in stage.tree.all()]
    if number == ROOT:
        return every
    node = stage.tree.node(number)
    found: list[TypedNode] = []
    for other in every:
        at: TypedNode | None = other
        while at is not None and at is not node:
            at = at.parent
        if at is node:
            found.append(other)
    return found


def _links(stage: Stage, number: int) -> list[int]:
    """Return the links of all solids at and below a node, parents first."""
    if number == ROOT:
        return list(range(len(stage.sim.link_names)))
    links = (stage.link(node) for node in _nodes(stage, number))
    return sorted(link for link in links if link is not None)


def _axes(stage: Stage) -> list[list[int]]:
    """Return the axes of the joint of each link."""
    found: list[list[int]] = [[] for _ in stage.sim.link_names]
    for axis, link in enumerate(stage.sim.axis_links):
        if link >= 0:
            found[link].append(axis)
    return found


def _start(stage: Stage, row: int, axes: list[int]) -> tuple[Numbers, Numbers]:
    """Return pose and joint positions of a link at the start of the simulation."""
    sim = stage.sim
    link = sim.link_model(row)
    chain, above = link.pose, int(sim.compiled.binding.parent[row])
    while above >= 0:
        chain = sim.link_model(above).pose * chain
        above = int(sim.compiled.binding.parent[above])
    positions = [sim.axis_model(axis).position for axis in axes]
    return [*chain.position, *chain.rotation], positions


def _devices_by_axis(stage: Stage) -> dict[int | None, list[Adapter]]:
    """Return the devices on each axis, as programs use them."""
    found: dict[int | None, list[Adapter]] = {}
    for session in (slot.session for slot in stage.hub.slots):
        for adapter in () if session is None else session.adapters:
            found.setdefault(adapter.bound.axis, []).append(adapter)
    return found


def _restore(
    stage: Stage,
    row: int,
    state: tuple[Numbers, Numbers],
    axes: list[int],
    devices: Mapping[int | None, list[Adapter]],
) -> None:
    sim = stage.sim
    where, positions = state
    handle = sim.link(sim.link_names[row])
    for axis, value in zip(axes, positions, strict=True):
        joint = sim.joint(sim.joint_names[axis])
        joint.position = value
        if joint.has_motor:
            joint.hold()
            for adapter in devices.get(axis, ()):
                adapter.reset()
    if not axes and sim.compiled.binding.parent[row] < 0:
        handle.set_pose(where[:3], where[3:])
    handle.reset_physics()
