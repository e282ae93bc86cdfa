"""Constants that differ from copy to copy, as arrays over all copies: `Batch.vary`.

What a scene edited to the same values is compiled to (`variables.py` edits it) is written here into arrays
with a row per copy: tables of the step, tables of the batch, commands at the start. Only the numbers of
MuJoCo's model lie on the other side (`contact/native/batch/sb_batch_varied.c`), where models share what never
differs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose
from solidbody.compiler.bodies import set_inertia
from solidbody.compiler.compile import free_velocity
from solidbody.contact.batch import NativeBatch
from solidbody.contact.batch_tables import BatchTables
from solidbody.contact.layout import AxisKind, MotorMode, SenseKind, VariedTable
from solidbody.contact.tables import Table
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.model import devices as d
from solidbody.model.joints import JointFree, JointTrack
from solidbody.model.links import Motion
from solidbody.model.mass import MassProperties
from solidbody.model.motors import ControlMode
from solidbody.model.scene import OriginRule, Scene, SpringRule, world_poses
from solidbody.sim.batch.channels import BatchChannel, ItemKind
from solidbody.sim.batch.states import Packed, part_of
from solidbody.sim.batch.variables import NOISE_FIELDS, VARIABLE_OF, Variables, VariedItem, link_of

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

_SURFACE_FIELDS: Final = {
    "contact.friction": "friction",
    "contact.bounce": "bounce",
    "contact.bounce_velocity": "bounce_velocity",
    "contact.rolling_friction": "rolling",
    "contact.soft_cfm": "cfm",
    "contact.soft_erp": "erp",
}
_AXIS_FIELDS: Final = {
    "joint.servo": ("servo_stiffness", "servo_damping"),
    "joint.range": ("range_low", "range_high"),
    "joint.damping": ("damping",),
    "joint.static_friction": ("static_friction",),
    "joint.spring": ("spring",),
}
_COMMAND_FIELDS: Final = {
    "joint.gains": ("p", "i", "d"),
    "joint.max_velocity": ("target_velocity",),
    "joint.max_effort": ("available_effort",),
    "joint.acceleration": ("acceleration",),
}
_SIZE_OF: Final[Mapping[str, Callable[[Floats], Floats]]] = {
    "box.size": lambda v: v / 2,
    "sphere.radius": lambda v: np.concatenate([v, 0 * v, 0 * v], axis=-1),
    "cylinder.size": lambda v: np.stack([v[..., 0], v[..., 1] / 2, 0 * v[..., 0]], axis=-1),
    "capsule.size": lambda v: np.stack([v[..., 0], v[..., 1] / 2, 0 * v[..., 0]], axis=-1),
}
"""Numbers of a form -> MuJoCo's sizes."""

_INNER: Final = {"box.size": 3, "sphere.radius": 1, "cylinder.size": 2, "capsule.size": 1}
"""How many of MuJoCo's sizes bound a form from inside."""

OF_MODEL: Final = frozenset(
    ("link.mass", "link.inertia", "link.center_of_mass", "world.gravity", *_SIZE_OF)
)
"""What is a number of MuJoCo's model."""


class Variations:
    """What differs from copy to copy of one batch.

    Attributes:
        known: What may differ.
        tables: Arrays (copies, rows) of tables that do.
        starts: (copies, bytes) states at the start; None while they are the same.
    """

    def __init__(
        self,
        sim: Sim,
        count: int,
        devices: Sequence[BoundDevice],
        together: NativeBatch | None,
        rows: Table | None,
        start: Packed,
    ) -> None:
        self._sim, self._count, self._devices = sim, count, devices
        self._native, self._rows, self._start = together, rows, start
        self._scene, self._compiled, self._model = sim.scene, sim.compiled, sim.model
        self._links, self._axes = tuple(sim.scene.links()), sim.compiled.axes
        self._owns_model, self._begin = sim.core.owns_model, sim.core.start
        self._has_probes = sim.has_touch_probes
        self.known = Variables(sim, devices)
        self._values: dict[str, Floats] = {}
        self._is_set: dict[str, NDArray[np.bool_]] = {}
        self.tables: dict[VariedTable, Table] = {}
        self.starts: NDArray[np.uint8] | None = None
        self._worlds = [pose for body in sim.scene.bodies for pose in world_poses(body)]

    # ------------------------------------------------------------------ values

    def values(self, name: str) -> Floats:
        """Return (copies, items, numbers): what holds now."""
        found = self._values.get(name)
        if found is None:
            nominal = self.known.nominal[name]
            return np.broadcast_to(nominal, (self._count, *nominal.shape))
        return found

    def is_varied(self, name: str) -> bool:
        """Whether a value differs from what the scene says."""
        found = self._is_set.get(name)
        return found is not None and bool(found.any())

    def differs(self, name: str, place: int) -> bool:
        """Whether an item has other values than those of the scene, in any copy."""
        found = self._is_set.get(name)
        return found is not None and bool(found[:, place].any())

    def is_seen(self, devices: Collection[int]) -> bool:
        """Whether something differs that these devices see or say: sizes of shapes, their own noise."""
        if any(self.is_varied(name) for name in _SIZE_OF):
            return True
        found = self._is_set.get("sensor.noise")
        if found is None:
            return False
        items = self.known.items_of["sensor.noise"]
        return any(items[k].row in devices for k in np.flatnonzero(found.any(axis=0)).tolist())

    def scene_of(self, copy: int) -> Scene:
        """Return the scene of one copy: the common one, edited to its values."""
        scene = self._scene
        for name, found in self._is_set.items():
            row = VARIABLE_OF[name]
            for place in np.flatnonzero(found[copy]).tolist():
                value = tuple(self._values[name][copy, place].tolist())
                scene = row.edit(scene, self.known.items_of[name][place], value)
        return scene

    def set(self, name: str, places: Sequence[int], copies: Ids, values: Floats | None) -> None:
        """Let values hold: (copies, items, numbers); None = those of the scene again."""
        channel, nominal = self.known[name], self.known.nominal[name]
        chosen = (copies[:, None], np.array(places, dtype=np.intp))
        new = np.broadcast_to(nominal[list(places)], (len(copies), len(places), nominal.shape[1]))
        if values is not None:
            new = values
            self._check(name, channel, places, copies, values)
        self._refuse(name, channel, places, new)
        if name not in self._values:
            self._values[name] = np.repeat(nominal[None], self._count, axis=0)
            self._is_set[name] = np.zeros((self._count, len(nominal)), dtype=bool)
        before = self._values[name][chosen]
        self._values[name][chosen] = new
        self._is_set[name][chosen] = values is not None
        if self._native is not None and not self._owns_model:
            self._write(name, channel, places, copies, before, new, is_set=values is not None)

    def _check(
        self, name: str, channel: BatchChannel, places: Sequence[int], copies: Ids, values: Floats
    ) -> None:
        bad = np.argwhere(~VARIABLE_OF[name].is_allowed(values))
        if len(bad):
            copy, item = bad[0].tolist()
            value = values[copy, item].tolist()
            shown = value[0] if len(value) == 1 else value
            raise ValueError(
                f'{name} of "{channel.items[places[item]]}" in copy {copies[copy]} must be '
                f"{VARIABLE_OF[name].allowed}; got {shown}"
            )

    def set_tables(self, name: str, places: Sequence[int], copies: Ids) -> bool:
        """Write what holds now into `tables`; False = the variable is in none of them."""
        for place in places:
            item, value = self.known.items_of[name][place], self.values(name)[copies, place]
            if name in _SURFACE_FIELDS:
                is_set = bool(self._is_set[name][copies, place].all())
                self._write_surface(name, item.row, copies, value, is_set=is_set)
            elif name in _AXIS_FIELDS:
                self._write_axis(name, item.row, copies, value)
            else:
                return False
        return True

    # ------------------------------------------------------------------ what cannot differ

    def _refuse(self, name: str, channel: BatchChannel, places: Sequence[int], new: Floats) -> None:
        """Refuse what would give a copy other arrays than the others have."""
        for k, place in enumerate(places):
            item = self.known.items_of[name][place]
            reason = self._reason(name, item, new[:, k])
            if reason:
                raise ValueError(f'{name} of "{channel.items[place]}" cannot differ: {reason}')

    def _reason(self, name: str, item: VariedItem, new: Floats) -> str:
        """Return why an item cannot have other values; empty = it can."""
        m = self._model
        if name in _SIZE_OF and self._has_probes:
            return "touch sensors without physics feel with forms of their own"
        if name not in OF_MODEL:
            return ""
        if self._owns_model:
            return "steps move bodies that are fixed to others in this scene"
        if item.link < 0:
            return ""
        link, body = link_of(self._scene, item.link), int(self._compiled.binding.body[item.link])
        if link.immersions:
            return "forces of fluids follow from it"
        if name in _SIZE_OF:
            return ""
        if isinstance(link.joint, JointTrack) or any(
            isinstance(self._links[k].joint, JointTrack) for k in self._below(item.link)
        ):
            return "forces of its track follow from it"
        if name == "link.inertia" and m.body_simple[body] and new[:, 3:].any():
            return "this body has its principal axes along those of its link; others need another model"
        if name == "link.center_of_mass":
            return self._reason_of_centre(item.link, body, new)
        return ""

    def _reason_of_centre(self, row: int, body: int, new: Floats) -> str:
        m, compiled = self._model, self._compiled
        if not self._is_centred(row):
            return (
                "this body has it at its origin; elsewhere needs another model"
                if m.body_simple[body] and new.any()
                else ""
            )
        geoms = m.geom_type[m.geom_bodyid == body]
        if (geoms == mujoco.mjtGeom.mjGEOM_MESH).any():
            return "it floats and has a shape of triangles, whose tables count from its centre"
        loops = compiled.tables.scene_loops
        if len(loops) and (loops["body"] == body).any():
            return "it floats and closes a loop"
        propellers = compiled.tables.propellers[: int(compiled.tables.world["propellers"][0])]
        if len(propellers) and (propellers["body"] == body).any():
            return "it floats and has a propeller"
        kinematic = [k for k in self._below(row) if self._links[k].motion is Motion.KINEMATIC]
        if kinematic:
            name = self._compiled.binding.link_names[kinematic[0]]
            return f'it floats and carries "{name}", which has no physics'
        return ""

    def _below(self, row: int) -> list[int]:
        """Return the links that hang directly on a link."""
        return np.flatnonzero(self._compiled.binding.parent == row).tolist()

    def _is_centred(self, row: int) -> bool:
        """Whether the body of a link has its origin at the centre of mass."""
        link = self._links[row]
        is_free = link.motion is Motion.DYNAMIC and isinstance(link.joint, JointFree)
        return is_free and self._scene.physics.origins is OriginRule.CENTER

    # ------------------------------------------------------------------ writing

    def _write(
        self,
        name: str,
        channel: BatchChannel,
        places: Sequence[int],
        copies: Ids,
        before: Floats,
        new: Floats,
        *,
        is_set: bool,
    ) -> None:
        for k, place in enumerate(places):
            item, value = self.known.items_of[name][place], new[:, k]
            if name in _SURFACE_FIELDS:
                self._write_surface(name, item.row, copies, value, is_set=is_set)
            elif name in _AXIS_FIELDS:
                self._write_axis(name, item.row, copies, value)
            elif name in _COMMAND_FIELDS:
                self._write_commands(name, item.row, copies, before[:, k], value)
            elif name in OF_MODEL:
                self._write_model(name, item, copies, value)
        assert self._native is not None and self._rows is not None
        if name in OF_MODEL and name != "world.gravity":
            self._native.work_out(copies)
            if self._native.outcomes[copies].any():
                raise ValueError(f"{name}: MuJoCo refuses these values")
        if channel.kind is not ItemKind.DEVICE:
            self._native.adopt(copies, self.tables)
            self._rows["trees"][copies] = self._begin.trees

    def _own(self, which: VariedTable, table: NDArray[Any]) -> NDArray[Any]:
        """Return the array (copies, rows) of a table, which begins as the common one."""
        if which not in self.tables:
            self.tables[which] = np.repeat(table[None], self._count, axis=0)
        return self.tables[which]

    def _write_surface(
        self, name: str, row: int, copies: Ids, value: Floats, *, is_set: bool
    ) -> None:
        common = self._compiled.tables.surfaces
        table, field = self._own(VariedTable.SURFACES, common), _SURFACE_FIELDS[name]
        if not is_set:
            table[field][copies, row] = common[field][row]
            table["static_friction"][copies, row] = common["static_friction"][row]
        elif name == "contact.friction":
            table[field][copies, row, : common["friction_count"][row]] = value
            entry = (self._scene.contacts.default, *self._scene.contacts.entries)[row]
            if entry.static_friction is None:
                table["static_friction"][copies, row] = value[:, 0]
        else:
            table[field][copies, row] = value if value.shape[1] > 1 else value[:, 0]

    def _write_axis(self, name: str, row: int, copies: Ids, value: Floats) -> None:
        table = self._own(VariedTable.AXES, self._compiled.tables.axes)
        is_joint = table["kind"][0, row] == AxisKind.JOINT
        if (
            name == "joint.spring"
            and is_joint
            and self._scene.physics.springs is SpringRule.EXPLICIT
        ):
            assert self._native is not None
            self._native.own_models(copies, self._model)
            joint = int(self._model.dof_jntid[table["dof"][0, row]])
            self._native.write_model(copies, "jnt_stiffness", joint, value)
            return
        for k, field in enumerate(_AXIS_FIELDS[name]):
            table[field][copies, row] = value[:, k]

    def _write_commands(
        self, name: str, row: int, copies: Ids, before: Floats, value: Floats
    ) -> None:
        """Write what motors are told at the start, and now where nobody has told them otherwise."""
        motor = self._axes[row].motor
        assert motor is not None and self._rows is not None
        start = self._starts_as("state", self._rows.dtype)["commands"]
        now = self._rows["commands"]
        if name == "joint.max_velocity":
            is_position = now["mode"][copies, row] == MotorMode.POSITION
            old = now["target_velocity"][copies, row] == before[:, 0]
            chosen = copies[is_position & old]
            now["target_velocity"][chosen, row] = value[is_position & old, 0]
            if motor.mode is ControlMode.POSITION:
                start["target_velocity"][copies, row] = value[:, 0]
            return
        for k, field in enumerate(_COMMAND_FIELDS[name]):
            same = now[field][copies, row] == start[field][copies, row]
            now[field][copies[same], row] = value[same, k]
            start[field][copies, row] = value[:, k]

    def _starts_as(self, name: str, dtype: Any, shape: tuple[int, ...] = ()) -> Any:
        """Return a part of the states at the start, one row per copy."""
        if self.starts is None:
            self.starts = np.repeat(self._start[None], self._count, axis=0)
        size = self.starts.shape[1]
        offset = part_of(self._sim.core, name)
        return np.ndarray(
            (self._count, *shape),
            dtype=dtype,
            buffer=self.starts.data,
            offset=offset,
            strides=(size, *np.zeros(shape, dtype=dtype).strides),
        )

    # ------------------------------------------------------------------ numbers of MuJoCo's model

    def _write_model(self, name: str, item: VariedItem, copies: Ids, value: Floats) -> None:
        assert self._native is not None
        write = self._native.write_model
        self._native.own_models(copies, self._model)
        if name == "world.gravity":
            self._native.write_gravity(copies, value)
            return
        if name in _SIZE_OF:
            self._write_size(name, item.row, copies, _SIZE_OF[name](value))
            return
        body = int(self._compiled.binding.body[item.link])
        if name == "link.mass":
            write(copies, "body_mass", body, value)
        elif name == "link.inertia":
            moments, quats = principal(value)
            if self._model.body_simple[body]:  # stays so: MuJoCo need not sort its moments
                moments, quats = value[:, :3], np.tile((1.0, 0.0, 0.0, 0.0), (len(value), 1))
            write(copies, "body_inertia", 3 * body, moments)
            write(copies, "body_iquat", 4 * body, quats)
        elif self._is_centred(item.link):
            self._move_origin(item.link, body, copies, value)
        else:
            write(copies, "body_ipos", 3 * body, value)

    def _write_size(self, name: str, geom: int, copies: Ids, size: Floats) -> None:
        assert self._native is not None
        model, write = self._model, self._native.write_model
        a, b, c = size.T
        if name == "box.size":
            bound, box = np.sqrt(a * a + b * b + c * c), size
        elif name == "sphere.radius":
            bound, box = a, np.stack([a, a, a], axis=1)
        elif name == "cylinder.size":
            bound, box = np.sqrt(a * a + b * b), np.stack([a, a, b], axis=1)
        else:
            bound, box = a + b, np.stack([a, a, a + b], axis=1)
        write(copies, "geom_size", 3 * geom, size)
        write(copies, "geom_rbound", geom, bound[:, None])
        write(copies, "geom_aabb", 6 * geom, np.concatenate([0.0 * box, box], axis=1))
        if not model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE):
            self._native.test_all_pairs(copies)
        body = int(model.geom_bodyid[geom])
        sizes = self._compiled.tables.collision.body_sizes
        if len(sizes) and sizes[body] > 0.0:
            self._body_sizes(body, copies)

    def _body_sizes(self, body: int, copies: Ids) -> None:
        """Work out anew how far a body may move in a step: the radius inside its thickest shape."""
        own = self._own(VariedTable.BODY_SIZES, self._compiled.tables.collision.body_sizes)
        inner = np.zeros(len(copies))
        for name, count in _INNER.items():
            if name not in self.known:
                continue
            for place, item in enumerate(self.known.items_of[name]):
                if self._model.geom_bodyid[item.row] == body:
                    sizes = _SIZE_OF[name](self.values(name)[copies, place])
                    inner = np.maximum(inner, sizes[:, :count].min(axis=1))
        own[copies, body] = inner

    def _move_origin(self, row: int, body: int, copies: Ids, centers: Floats) -> None:
        """Put the origin of a floating body where its centre of mass is, as the compiler does."""
        assert self._native is not None
        m, write = self._model, self._native.write_model
        link, world = self._links[row], self._worlds[row]
        offsets = [Pose((-x, -y, -z)) for x, y, z in centers.tolist()]
        frames = np.array([(world * one.inverse()).position for one in offsets])
        write(copies, "body_pos", 3 * body, frames)
        joint = int(m.body_jntadr[body])
        qpos, dof = int(m.jnt_qposadr[joint]), int(m.jnt_dofadr[joint])
        for name in ("qpos0", "qpos_spring"):
            write(copies, name, qpos, frames)
        start = self._starts_as("qpos", np.float64, (m.nq,))
        start[copies, qpos : qpos + 3] = frames
        speeds = self._starts_as("qvel", np.float64, (m.nv,))
        speeds[copies, dof : dof + 6] = [free_velocity(link, world, one) for one in offsets]
        for geom in np.flatnonzero(m.geom_bodyid == body).tolist():
            shape = link.shapes[int(self._compiled.binding.geom_owner[geom, 1])]
            places = [(one * shape.pose).position for one in offsets]
            write(copies, "geom_pos", 3 * geom, np.array(places))
        for below in self._below(row):
            child = int(self._compiled.binding.body[below])
            if m.body_parentid[child] == body:
                places = [(one * self._links[below].pose).position for one in offsets]
                write(copies, "body_pos", 3 * child, np.array(places))

    # ------------------------------------------------------------------ what batches read

    def batch_tables(self, tables: BatchTables) -> dict[VariedTable, Table]:
        """Return arrays (copies, rows) of tables of the batch that differ, made anew from the common ones."""
        made: dict[VariedTable, Table] = {}

        def own(which: VariedTable, table: Table) -> Table:
            if which not in made:
                made[which] = np.repeat(table[None], self._count, axis=0)
            return made[which]

        for name, found in self._is_set.items():
            for place in np.flatnonzero(found.any(axis=0)).tolist():
                copies, item = np.flatnonzero(found[:, place]), self.known.items_of[name][place]
                value = self._values[name][copies, place]
                if name in ("joint.max_velocity", "joint.range") and len(tables.followers):
                    rows = np.flatnonzero(tables.followers["axis"] == item.row)
                    followers = own(VariedTable.FOLLOWERS, tables.followers) if len(rows) else None
                    fields = ("max_velocity",) if name == "joint.max_velocity" else ("low", "high")
                    for k, field in enumerate(fields):
                        if followers is not None:
                            followers[field][copies[:, None], rows] = value[:, k, None]
                elif name == "world.gravity":
                    kinds = (SenseKind.ACCELERATION, SenseKind.BOTH)
                    for row in np.flatnonzero(np.isin(tables.sensors["kind"], kinds)).tolist():
                        own(VariedTable.SENSORS, tables.sensors)["extra"][copies, row] = value
                elif name == "link.center_of_mass" and self._is_centred(item.link):
                    own(VariedTable.LINKS, tables.links)["offset"][copies, item.link] = -value
                    self._move_sensors(item.link, copies, value, tables.sensors, own)
                elif name in _SIZE_OF:
                    self._resize(name, item, copies, value, tables.ray_shapes, own)
                elif name == "sensor.noise":
                    self._make_noise(item, copies, value[:, 0], tables, own)
        return made

    def _move_sensors(
        self,
        link: int,
        copies: Ids,
        centers: Floats,
        sensors: Table,
        own: Callable[[VariedTable, Table], Table],
    ) -> None:
        apart = (SenseKind.FORCE, SenseKind.AXIS)
        here = (sensors["link"] == link) & ~np.isin(sensors["kind"], apart)
        for row in np.flatnonzero(here).tolist():
            device: Any = self._devices[int(sensors["device"][row])]
            at = np.array(device.pose.position)
            if getattr(device.device, "rule", None) is d.AccelerationRule.LINK_ORIGIN:
                at = np.zeros(3)
            own(VariedTable.SENSORS, sensors)["position"][copies, row] = at + -centers

    def _resize(
        self,
        name: str,
        item: VariedItem,
        copies: Ids,
        value: Floats,
        shapes: Table,
        own: Callable[[VariedTable, Table], Table],
    ) -> None:
        here = (shapes["link"] == item.link) & (shapes["shape"] == item.number)
        for row in np.flatnonzero(here).tolist():
            size = _SIZE_OF[name](value)
            if name == "sphere.radius":
                size = np.repeat(value, 3, axis=1)
            elif name != "box.size":
                size = np.stack([size[:, 0], size[:, 0], size[:, 1]], axis=1)
            half = size.copy()
            if name == "capsule.size":
                half[:, 2] += half[:, 0]
            table = own(VariedTable.RAY_SHAPES, shapes)
            table["size"][copies, row] = size
            table["radius"][copies, row] = np.linalg.norm(half, axis=1)

    def _make_noise(
        self,
        item: VariedItem,
        copies: Ids,
        value: Floats,
        tables: BatchTables,
        own: Callable[[VariedTable, Table], Table],
    ) -> None:
        for row in np.flatnonzero(tables.sensors["device"] == item.row).tolist():
            device = self._devices[item.row].device
            if type(device) in NOISE_FIELDS:
                scale = math.pi if isinstance(device, d.DeviceInertialUnit) else 1.0
                own(VariedTable.SENSORS, tables.sensors)["noise"][copies, row] = value * scale
                continue
            first = int(tables.sensors["curve_start"][row])
            rows = np.arange(first, first + int(tables.sensors["curve_count"][row]))
            own(VariedTable.CURVES, tables.curves)["noise"][copies[:, None], rows] = value[:, None]


def principal(tensors: Floats) -> tuple[Floats, Floats]:
    """Return moments (n, 3) and quaternions (n, 4) of tensors, as MuJoCo's compiler finds them."""
    each, which = np.unique(tensors, axis=0, return_inverse=True)
    spec = mujoco.MjSpec()
    spec.compiler.boundmass = spec.compiler.boundinertia = 0.0
    spec.compiler.balanceinertia = False
    for tensor in each.tolist():
        body = spec.worldbody.add_body()
        set_inertia(body, MassProperties(1.0, inertia=tuple(tensor)), Pose())
    model = spec.compile()
    which = which.reshape(-1) + 1
    return model.body_inertia[which], model.body_iquat[which]
