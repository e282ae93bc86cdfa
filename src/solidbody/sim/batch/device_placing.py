"""Putting joints and links of worlds on a device elsewhere: what is written into rows of their states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import NameLookupError
from solidbody.contact.layout import AxisKind
from solidbody.sim.batch import native
from solidbody.sim.batch.channels import BatchChannel

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

Floats = NDArray[np.float64]

MOTOR_WIDTH: Final = 6
"""Numbers of each motor in a state."""


class DevicePlacing:
    """Writes where things are into states of worlds.

    Args:
        sim: What the worlds are copies of.
        name: Of the channel. ValueError: it is none that can be placed.
    """

    def __init__(self, sim: Sim, name: str) -> None:
        self._sim = sim
        writers: dict[str, Callable[..., None]] = {
            "joint.position": self._place_position,
            "joint.velocity": self._place_velocity,
            "link.pose": self._place_pose,
            "link.twist": self._place_twist,
        }
        if name not in writers:
            raise ValueError(f"{name} cannot be placed; {', '.join(writers)} can")
        self._write = writers[name]

    def place(
        self, channel: BatchChannel, place: int, values: Floats, rows: Mapping[str, Floats]
    ) -> None:
        """Put one item elsewhere: `values` has a row for each row of the states."""
        self._write(channel, place, values, rows["QPOS"], rows["QVEL"])
        self._stop(channel.name, channel.rows[place], rows)

    def _stop(self, name: str, row: int, rows: Mapping[str, Floats]) -> None:
        """Let what hangs on a joint that was put elsewhere stop, and wake its tree."""
        how = native.placing(self._sim, name, row)
        if how is None:
            return
        what, stops = how[0][0], how[1]
        tree = int(what["tree"])
        if tree >= 0:
            rows["REST"][:, 2 * tree : 2 * tree + 2] = 0.0
        dofs, axes = stops[: what["dofs"]], stops[len(stops) - what["axes"] :]
        rows["QVEL"][:, dofs] = 0.0
        rows["MOTOR"][:, MOTOR_WIDTH * axes] = 0.0

    def _joint(self, channel: BatchChannel, place: int) -> Any:
        axis = self._sim.compiled.tables.axes[channel.rows[place]]
        if axis["kind"] != AxisKind.JOINT:
            raise ValueError(f'"{channel.items[place]}" is no joint of one degree of freedom')
        return axis

    def _place_position(
        self, channel: BatchChannel, place: int, values: Floats, qpos: Floats, qvel: Floats
    ) -> None:
        axis = self._joint(channel, place)
        qpos[:, axis["qpos"]] = values
        qvel[:, axis["dof"]] = 0.0

    def _place_velocity(
        self, channel: BatchChannel, place: int, values: Floats, qpos: Floats, qvel: Floats
    ) -> None:
        qvel[:, self._joint(channel, place)["dof"]] = values

    def _root(self, channel: BatchChannel, place: int) -> tuple[int, int, int]:
        row, m = channel.rows[place], self._sim.model
        body = int(self._sim.compiled.binding.body[row])
        joint = int(m.body_jntadr[body])
        if joint < 0 or m.jnt_type[joint] != 0:
            raise NameLookupError("floating link", channel.items[place], self._floating())
        return row, int(m.jnt_qposadr[joint]), int(m.jnt_dofadr[joint])

    def _floating(self) -> list[str]:
        m, binding = self._sim.model, self._sim.compiled.binding
        joints = [int(m.body_jntadr[body]) for body in binding.body]
        return [
            name
            for name, joint in zip(binding.link_names, joints, strict=True)
            if joint >= 0 and m.jnt_type[joint] == 0
        ]

    def _place_pose(
        self, channel: BatchChannel, place: int, values: Floats, qpos: Floats, qvel: Floats
    ) -> None:
        row, q, v = self._root(channel, place)
        size = np.linalg.norm(values[:, 3:], axis=1, keepdims=True)
        if not size.all():
            raise ValueError("an orientation must not be a null quaternion")
        old, new = _matrices(qpos[:, q + 3 : q + 7]), _matrices(values[:, 3:] / size)
        offset = self._sim.compiled.binding.offset_position[row]
        qpos[:, q : q + 3] = values[:, :3] - new @ offset
        qpos[:, q + 3 : q + 7] = values[:, 3:] / size
        # the angular velocity stays as it is in the world
        spin = np.einsum("nij,nj->ni", old, qvel[:, v + 3 : v + 6])
        qvel[:, v + 3 : v + 6] = np.einsum("nji,nj->ni", new, spin)

    def _place_twist(
        self, channel: BatchChannel, place: int, values: Floats, qpos: Floats, qvel: Floats
    ) -> None:
        row, q, v = self._root(channel, place)
        mat = _matrices(qpos[:, q + 3 : q + 7])
        arm = mat @ self._sim.compiled.binding.offset_position[row]
        qvel[:, v : v + 3] = values[:, :3] - np.cross(values[:, 3:], arm)
        qvel[:, v + 3 : v + 6] = np.einsum("nji,nj->ni", mat, values[:, 3:])


def _matrices(q: Floats) -> Floats:
    """Return the rotation matrices of quaternions w x y z."""
    w, x, y, z = q.T
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.moveaxis(np.array(rows), 2, 0)
