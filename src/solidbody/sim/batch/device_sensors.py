"""Sensors that kernels read: what their descriptions mean for `gpu/native/sb_look.h` and `sb_sight.h`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.base.vectors import matrices
from solidbody.contact.layout import AxisKind, SenseKind
from solidbody.gpu.model_tables import ModelTables
from solidbody.gpu.worlds import Sight, WorldItem
from solidbody.model import devices as d
from solidbody.model.motors import PositionSensor
from solidbody.sim.batch.sensors import SensorMaker, SensorRows, finish_row, ray_tables

if TYPE_CHECKING:
    from solidbody.devices.core.device_binding import BoundDevice
    from solidbody.sim.simulation import Sim

_QPOS, _MOTOR = 0, 2
_MOTOR_WIDTH: Final = 6
_MOTOR_POSITION: Final = 3
"""MO_* of `gpu/native/sb_fields.h`."""
_TOUCH: Final = 17
RAW: Final = 18
_KINDS: Final = {
    SenseKind.ACCELERATION: 7,
    SenseKind.TURN: 8,
    SenseKind.BOTH: 9,
    SenseKind.ATTITUDE: 10,
    SenseKind.DIRECTION: 11,
    SenseKind.HEIGHT: 13,
    SenseKind.DISTANCE: 16,
}
_GPS: Final = {"sensor.gps": 12, "sensor.gps_speed": 14, "sensor.gps_velocity": 15}
"""SB_LOOK_* of `gpu/native/sb_look.h`."""

_FINISHED: Final = {
    SenseKind.ACCELERATION: 3,
    SenseKind.TURN: 3,
    SenseKind.DIRECTION: 3,
    SenseKind.HEIGHT: 1,
    SenseKind.DISTANCE: 1,
}
"""How many numbers go through look-up table and steps."""

_MOTIONS: Final = (SenseKind.ACCELERATION, SenseKind.TURN, SenseKind.BOTH)
"""What is read of velocities."""

_WITHOUT_NOISE: Final = (SenseKind.PLACE,)
"""Sensors whose noise kernels do not have: that of places goes on from reading to reading."""

_IS_SONAR, _GOES_THROUGH_CLEAR = 1, 2


class DeviceSensors:
    """Sensors that are bound, with the rays and look-up tables that they share.

    Args:
        sim: What the worlds are copies of, as at its start.
        tables: Of the kernels.
    """

    def __init__(self, sim: Sim, tables: ModelTables) -> None:
        self._sim, self._tables = sim, tables
        self._maker = SensorMaker(sim, sim.devices.devices)
        self._rows = SensorRows()
        self._felt: list[int] = []
        self._has_bumpers = False
        self._forms: dict[str, Any] | None = None

    def begin(self) -> None:
        """Forget rays and look-up tables: items are made anew."""
        self._rows, self._felt, self._has_bumpers = SensorRows(), [], False

    def item(
        self, channel: str, device: BoundDevice, index: int, array: Any, offset: int
    ) -> WorldItem:
        """Return what is read of a sensor.

        Raises:
            ValueError: Kernels cannot measure it.
        """
        if is_bumper(device):
            return self._bumper(channel, device, array, offset)
        if isinstance(device.device, d.DeviceTouchSensor | d.DeviceForceSensor):
            raise self._refusal(channel, device, "it measures forces between links")
        row = self._maker.row(index, self._rows, on_any_link=channel in _GPS)
        if row is None and isinstance(device.device, PositionSensor):
            return self._driven_axis(channel, device, index, array, offset)
        if row is None:
            raise self._refusal(
                channel, device, "it sees what is drawn, or measures what no link does"
            )
        kind = SenseKind(row["kind"])
        if kind in _WITHOUT_NOISE and row.get("noise"):
            raise self._refusal(channel, device, "it has noise")
        step = row.get(
            "speed_resolution" if channel == "sensor.gps_speed" else "resolution", np.nan
        )
        if kind is SenseKind.AXIS:
            nothing = (0.0, 0.0, 0.0, 1.0, *(0.0,) * 7)
            return WorldItem(
                *(_QPOS, int(row["body"]), nothing, array, offset),
                width=1,
                step=step,
                device=index,
                noise=float(row.get("noise", 0.0)),
            )
        where, position, rotation = self._place(device, row)
        moves = kind in _MOTIONS or channel in ("sensor.gps_speed", "sensor.gps_velocity")
        if moves and where >= 0 and self._tables.rides[where]:
            raise self._refusal(channel, device, "it is on a link without physics that moves")
        reals = (*position, *rotation, *row.get("extra", (0.0,) * 3), row.get("offset", 0.0))
        width = _FINISHED.get(kind, 0)
        if kind is SenseKind.PLACE:
            width = {"sensor.gps": 3, "sensor.gps_speed": 1}.get(channel, 0)
        flags = _IS_SONAR * bool(row.get("is_sonar"))
        flags |= _GOES_THROUGH_CLEAR * bool(row.get("goes_through_clear"))
        is_distance = kind is SenseKind.DISTANCE
        return WorldItem(
            _GPS[channel] if kind is SenseKind.PLACE else _KINDS[kind],
            where,
            tuple(map(float, reals)),
            array,
            offset,
            first=row["first"] if is_distance else 0,
            count=row["count"] if is_distance else 0,
            skip=int(row.get("skip", -1)),
            flags=flags,
            curve=row.get("curve_start", 0),
            curve_rows=row.get("curve_count", 0),
            hidden=row.get("hidden", 0),
            width=width,
            reach=float(row.get("reach", 0.0)),
            step=float(step),
            device=index,
            noise=float(row.get("speed_noise" if channel == "sensor.gps_speed" else "noise", 0.0)),
        )

    def _driven_axis(
        self, channel: str, device: BoundDevice, index: int, array: Any, offset: int
    ) -> WorldItem:
        """Return what is read of an axis that no force moves: what its motor remembers."""
        model: Any = device.device
        axis = -1 if device.axis is None else device.axis
        kinds = (AxisKind.KINEMATIC, AxisKind.TRACK, AxisKind.PROPELLER)
        if axis < 0 or self._sim.compiled.tables.axes[axis]["kind"] not in kinds:
            raise self._refusal(channel, device, "it measures no axis of its own")
        if model.noise:
            raise self._refusal(channel, device, "it has noise on a joint that no force moves")
        nothing = (0.0, 0.0, 0.0, 1.0, *(0.0,) * 7)
        step = np.nan if model.resolution is None else model.resolution
        column = _MOTOR_WIDTH * axis + _MOTOR_POSITION
        return WorldItem(
            *(_MOTOR, column, nothing, array, offset), width=1, step=step, device=index
        )

    def drawn_item(
        self, device: BoundDevice, index: int, column: int, array: Any, offset: int
    ) -> WorldItem:
        """Return how a reading is made of what a sensor sees (`DeviceImages.column`)."""
        model: Any = device.device
        row = finish_row(model.lookup, model.resolution, None, self._rows)
        return WorldItem(
            *(RAW, 0, (0.0, 0.0, 0.0, 1.0, *(0.0,) * 7), array, offset),
            first=column,
            count=len(model.lookup.rows) or not isinstance(model, d.DeviceDistanceSensor),
            curve=row.get("curve_start", 0),
            curve_rows=row.get("curve_count", 0),
            width=1,
            step=float(row.get("resolution", np.nan)),
            device=index,
        )

    def _bumper(self, channel: str, device: BoundDevice, array: Any, offset: int) -> WorldItem:
        shapes: Any = getattr(device.device, "shapes", ())
        if self._sim.has_touch_probes:
            raise self._refusal(
                channel, device, "it feels what the contacts of a step do not cover"
            )
        owner = self._sim.compiled.binding.geom_owner[self._tables.geom]
        mine = (owner[:, 0] == device.link) & np.isin(owner[:, 1], list(shapes))
        self._has_bumpers = True
        first, found = len(self._felt), np.flatnonzero(mine).tolist()
        self._felt += found
        nothing = (0.0, 0.0, 0.0, 1.0, *(0.0,) * 7)
        return WorldItem(_TOUCH, 0, nothing, array, offset, first=first, count=len(found))

    @property
    def feels(self) -> bool:
        """Whether there are bumpers among the items."""
        return self._has_bumpers

    def _refusal(self, channel: str, device: BoundDevice, why: str) -> ValueError:
        place = device.device.span
        return ValueError(
            f'{channel} of "{device.device.name}" cannot be read on a device: {why} ({place})'
        )

    def _place(self, device: BoundDevice, row: dict[str, Any]) -> tuple[int, Any, Any]:
        """Return a body of the kernels and a pose on it; -1 and a pose in the world of what stands still."""
        where = int(self._tables.row_of_body[int(row["body"])])
        if where >= 0:
            return where, row["position"], row["rotation"]
        at, turn = np.zeros(3), np.zeros(4)
        pose, own = self._sim.poses()[device.link], device.pose
        mujoco.mju_rotVecQuat(at, np.array(own.position, dtype=np.float64), pose[3:])
        mujoco.mju_mulQuat(turn, pose[3:], np.array(own.rotation, dtype=np.float64))
        return -1, at + pose[:3], turn

    def sight(self) -> Sight:
        """Return what the rays of all items meet."""
        curves = np.array(self._rows.curves, dtype=np.float64)
        felt: dict[str, NDArray[np.int32]] = {}
        if self._has_bumpers:
            flags = np.zeros(max(1, len(self._tables.geom)), dtype=np.int32)
            flags[self._felt] = 1
            felt = {"felt": flags, "felt_geoms": np.array(self._felt or [0], dtype=np.int32)}
        if not self._rows.rays:
            return Sight(felt, {"curves": curves}, 0)
        if self._forms is None:
            self._forms = self._shapes()
        rays = [(*direction, weight) for direction, weight in self._rows.rays]
        return Sight(
            {**self._forms["ints"], **felt},
            {**self._forms["reals"], "curves": curves, "rays": np.array(rays, dtype=np.float64)},
            self._forms["count"],
        )

    def _shapes(self) -> dict[str, Any]:
        tables, binding = ray_tables(self._maker.forms), self._sim.compiled.binding
        shapes, nodes, links = (
            tables["ray_shapes"],
            tables["ray_nodes"],
            tables["ray_shapes"]["link"],
        )
        where = self._tables.row_of_body[binding.body[links]]
        # of links that stand still the frame is the link's own, not the body's
        offsets = np.where(where[:, None] >= 0, binding.offset_position[links], 0.0)
        poses = self._sim.poses()[links]
        turns = matrices(poses[:, 3:]).reshape(-1, 9)
        names = ("group", "is_clear", "node")
        ints = np.stack([shapes["form"], where, *(shapes[name] for name in names)], axis=1)
        reals = [
            *(shapes["size"], shapes["inverse"].reshape(-1, 9), shapes["origin"] + offsets),
            *(shapes["centre"] + offsets, shapes["radius"][:, None], poses[:, :3], turns),
        ]
        trees = np.stack([nodes["first"], nodes["count"], nodes["right"]], axis=1)
        return {
            "count": len(shapes),
            "ints": {"shape_ints": ints.astype(np.int32), "node_ints": trees.astype(np.int32)},
            "reals": {
                "shape_reals": np.concatenate(reals, axis=1),
                "nodes": np.concatenate([nodes["lo"], nodes["hi"]], axis=1),
                "triangles": tables["ray_triangles"],
                "normals": tables["ray_normals"],
            },
        }


def is_bumper(device: BoundDevice) -> bool:
    """Whether a device feels that it is touched, and no more."""
    found = device.device
    return isinstance(found, d.DeviceTouchSensor) and found.kind is d.TouchKind.BUMPER
