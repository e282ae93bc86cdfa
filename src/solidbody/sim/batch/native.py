"""Copies that native code commands, advances and reads: the tables of what is bound, and placing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.contact import layout
from solidbody.contact.batch_tables import BatchTables
from solidbody.contact.layout import AxisKind, MotorMode, PlaceKind, ReadKind
from solidbody.contact.tables import Table
from solidbody.model.joints import JointFree
from solidbody.model.links import Motion
from solidbody.sim import moving
from solidbody.sim.batch.channels import SENSOR_OF, STATE_OF, BatchChannel, Bound, ItemKind
from solidbody.sim.batch.sensors import NativeSensors

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

READ_AS: Final = {
    "joint.position": ReadKind.POSITION,
    "joint.velocity": ReadKind.VELOCITY,
    "joint.effort": ReadKind.EFFORT,
    "joint.reaction": ReadKind.REACTION,
    "joint.target_velocity": ReadKind.TARGET_VELOCITY,
    "joint.target_position": ReadKind.TARGET_POSITION,
    "joint.target_effort": ReadKind.TARGET_EFFORT,
    "link.pose": ReadKind.POSE,
    "link.twist": ReadKind.TWIST,
    "link.com": ReadKind.CENTRE,
    "link.contact_force": ReadKind.CONTACT_FORCE,
}
"""Channel -> what the library calls it."""

_OF_POSITIONS: Final = frozenset({"joint.position", "joint.velocity", "joint.target_position"})

PLACE_AS: Final = {
    "joint.position": PlaceKind.POSITION,
    "joint.velocity": PlaceKind.VELOCITY,
    "link.pose": PlaceKind.POSE,
    "link.twist": PlaceKind.TWIST,
}


def can_read(sim: Sim, channel: BatchChannel) -> bool:
    """Whether the library reads such a channel of the state: axes of loops follow from others, in Python."""
    if channel.kind is not ItemKind.AXIS or channel.name not in _OF_POSITIONS:
        return True
    return not (sim.compiled.tables.axes["kind"][list(channel.rows)] == AxisKind.LOOP).any()


def tables_for(
    sim: Sim, bounds: Iterable[Bound], sensors: NativeSensors, rays: dict[str, Any]
) -> tuple[BatchTables, tuple[Any, ...]]:
    """Return what the library is to command, sense and read, and the arrays that it points into.

    Args:
        sim: One of the copies.
        bounds: What is bound, in the order of binding.
        sensors: What is sampled.
        rays: What rays meet (`sensors.ray_tables`).
    """
    orders: list[Any] = []
    followers: list[Any] = []
    trees: list[int] = []
    outputs: list[Table] = []
    targets: list[Table] = []
    arrays: list[NDArray[Any]] = []
    for bound in bounds:
        arrays.append(bound.array)
        rows = _outputs(bound, sensors)
        if not bound.channel.writable:
            outputs.append(rows)
            continue
        targets.append(rows)
        mode = STATE_OF[bound.channel.name].mode
        assert mode is not None
        for place, row in enumerate(bound.rows):
            _add_order(sim, orders, followers, trees, row, mode, bound, place)
    binding = sim.compiled.binding
    links = np.zeros(max(len(binding.body), 1), dtype=layout.LINK)
    count = len(binding.body)
    links["body"][:count], links["parent"][:count] = binding.body, binding.parent
    links["offset"][:count] = binding.offset_position
    tables = BatchTables(
        orders=_table(orders, layout.ORDER),
        followers=_table(followers, layout.FOLLOWER),
        trees=np.array(trees, dtype=np.int32),
        links=links,
        geom_links=np.ascontiguousarray(binding.geom_owner[:, 0], dtype=np.int32),
        outputs=_joined(outputs),
        targets=_joined(targets),
        sensors=sensors.sensors,
        curves=sensors.curves,
        felt=sensors.felt,
        geom_shapes=np.ascontiguousarray(binding.geom_owner[:, 1], dtype=np.int32),
        rays=sensors.rays,
        **rays,
    )
    return tables, tuple(arrays)


def _table(rows: Sequence[Any], dtype: np.dtype[Any]) -> Table:
    return np.array(rows, dtype=dtype) if rows else np.zeros(0, dtype=dtype)


def _joined(parts: Sequence[Table]) -> Table:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=layout.OUTPUT)


def _outputs(bound: Bound, sensors: NativeSensors) -> Table:
    rows = np.zeros(len(bound.places), dtype=layout.OUTPUT)
    array, name, held = bound.array, bound.channel.name, np.ones(len(rows), dtype=bool)
    if bound.channel.kind is ItemKind.DEVICE:
        if name not in SENSOR_OF:
            return rows[:0]
        start = SENSOR_OF[name].columns.start or 0
        # others are watched (`watching.py`)
        held = np.array([row in sensors.place_of for row in bound.rows])
        places = [sensors.place_of.get(row, 0) + start for row in bound.rows]
        rows["kind"], rows["row"] = ReadKind.SENSOR, places
        rows["width"] = int(np.prod(bound.channel.each))
    else:
        rows["kind"], rows["row"] = READ_AS[name], bound.rows
    rows["stride"] = array.strides[0] // array.itemsize
    rows["to"] = array.ctypes.data + np.arange(len(rows), dtype=np.uint64) * array.strides[1]
    return rows[held]


def _add_order(
    sim: Sim,
    orders: list[Any],
    followers: list[Any],
    trees: list[int],
    row: int,
    mode: MotorMode,
    bound: Bound,
    place: int,
) -> None:
    group = sim.motors.group(row)
    start, strides = bound.array.ctypes.data, bound.array.strides
    orders.append(
        (mode, len(followers), len(group), 0, start + place * strides[1], strides[0] // 8)
    )
    for one in group:
        low, high = one.motor.range or (-np.inf, np.inf)
        speed = one.motor.max_velocity
        first, count = len(trees), len(one.trees)
        followers.append((one.row, first, count, 0, one.motor.multiplier, speed, low, high))
        trees += one.trees


def placing(sim: Sim, name: str, row: int) -> tuple[Table, NDArray[np.int32]] | None:
    """Return how the library puts an axis or link elsewhere; None = Python must."""
    kind = PLACE_AS[name]
    out, stops = np.zeros(1, dtype=layout.PLACING), [np.zeros(0, dtype=np.int32)]
    m, binding = sim.model, sim.compiled.binding
    link = row
    if kind in (PlaceKind.POSITION, PlaceKind.VELOCITY):
        if sim.compiled.tables.axes[row]["kind"] != AxisKind.JOINT:
            return None
        link = sim.axis_links[row]
        if kind is PlaceKind.POSITION and link >= 0:
            chosen = moving.below(sim, link)
            if any(sim.link_model(k).motion is Motion.KINEMATIC for k in chosen):
                return None
            bodies = np.array([binding.body[k] for k in chosen], dtype=np.int32)
            dofs = [
                np.arange(m.body_dofadr[b], m.body_dofadr[b] + m.body_dofnum[b]) for b in bodies
            ]
            axes = [k for k, owner in enumerate(sim.axis_links) if owner in set(chosen)]
            stops = [np.concatenate(dofs), bodies, np.array(axes, dtype=np.int32)]
            out["dofs"], out["bodies"], out["axes"] = (len(part) for part in stops)
    else:
        model = sim.link_model(row)
        if model.motion is not Motion.DYNAMIC or not isinstance(model.joint, JointFree):
            return None
    out["kind"], out["row"] = kind, row
    out["tree"] = m.body_treeid[binding.body[link]] if link >= 0 else -1
    return out, np.concatenate(stops).astype(np.int32)
