"""Carries the state over when the scene of a simulation is replaced.

Not kept are the forces that the contact solver starts from, and how long a body has been at rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final

import mujoco
import numpy as np

from solidbody.base.span import SourceSpan
from solidbody.compiler import Compiled
from solidbody.contact.layout import COMMAND, LoopKind
from solidbody.devices import DeviceEngine
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.errors import DeviceError
from solidbody.model.scene import Scene
from solidbody.sim.core import PLACES

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

_POSES: Final = PLACES[:2]
_JOINTS: Final = PLACES[2:]
_WIDTHS: Final = {
    int(mujoco.mjtJoint.mjJNT_FREE): (7, 6),
    int(mujoco.mjtJoint.mjJNT_BALL): (4, 3),
}
"""Positions and velocities of joints with more than one of each."""


class KeptState:
    """The state of a simulation, by link and axis, for the same links in another scene.

    Args:
        sim: The simulation as it is.
        devices: Its devices, if they were asked for.
        scene: What its links were; None = as they are.
    """

    def __init__(self, sim: Sim, devices: DeviceEngine | None, scene: Scene | None = None) -> None:
        self.compiled, self.model, self.data = sim.compiled, sim.model, sim.data
        self.state, self.start = sim.state, sim.core.start
        self.axis_links = sim.axis_links
        self.time = sim.time
        self.devices = devices
        self._links = _link_keys(scene or sim.scene)

    def give_to(self, sim: Sim) -> DeviceEngine | None:
        """Put everything that is still there into the state in which it was; returns the devices."""
        pairs = self.pairs(sim.scene)
        for old, new in pairs.items():
            self._give_link(sim, old, new)
        self._give_axes(sim, pairs)
        self._give_grips(sim, pairs)
        if sim.core.owns_model and sim.model.njnt:
            mujoco.mj_setConst(sim.model, mujoco.MjData(sim.model))
        sim.core.step_count = round(self.time / sim.time_step)
        sim.data.time = sim.time
        return self.devices_for(sim)

    def pairs(self, scene: Scene) -> dict[int, int]:
        """Return the new row of each old link that is still there.

        It has the same path and place in the file; or the same path, and the file is another one; or the
        same place, and another name.
        """
        new = _link_keys(scene)
        pairs: dict[int, int] = {}
        for part in (slice(0, 3), slice(0, 1), slice(1, 2)):
            taken = set(pairs.values())
            before = _single(self._links, part, pairs)
            after = _single(new, part, taken)
            pairs |= {before[key]: after[key] for key in before.keys() & after.keys()}
        return dict(sorted(pairs.items()))

    # ------------------------------------------------------------------ links

    def _give_link(self, sim: Sim, old: int, new: int) -> None:
        a, b = int(self.compiled.binding.body[old]), int(sim.compiled.binding.body[new])
        m, d = sim.model, sim.data
        at, to = int(self.model.body_mocapid[a]), int(m.body_mocapid[b])
        if at >= 0 and to >= 0:
            d.mocap_pos[to], d.mocap_quat[to] = self.data.mocap_pos[at], self.data.mocap_quat[at]
        self._give_changes(_POSES, a, sim, b)
        self._give_joints(sim, a, b)
        d.xfrc_applied[b] = self.data.xfrc_applied[a]
        if d.xfrc_applied[b].any():
            sim.forces_changed(new)
        for row in self.state.moving:
            if int(row["body"]) == a:
                mover = sim.core.mover_row(new)
                mover["linear"], mover["angular"] = row["linear"], row["angular"]
        self._give_kinematics(sim, a, b)

    def _give_changes(self, names: Sequence[str], a: int, sim: Sim, b: int) -> None:
        """Carry over what was changed since the start; the rest is as the new scene says."""
        for name in names:
            now = getattr(self.model, name)[a]
            if not np.array_equal(now, getattr(self.compiled.model, name)[a]):
                getattr(sim.core.own_model(), name)[b] = now

    def _give_joints(self, sim: Sim, a: int, b: int) -> None:
        """Positions and velocities of a body's joints, if they are of the same kinds."""
        m = sim.model
        old, new = _joints(self.model, a), _joints(m, b)
        if self.model.jnt_type[old].tolist() != m.jnt_type[new].tolist():
            return
        for i, k in zip(old, new, strict=True):
            self._give_changes(_JOINTS, i, sim, k)
            positions, velocities = _WIDTHS.get(int(m.jnt_type[k]), (1, 1))
            start, to = int(self.model.jnt_qposadr[i]), int(m.jnt_qposadr[k])
            sim.data.qpos[to : to + positions] = self.data.qpos[start : start + positions]
            start, to = int(self.model.jnt_dofadr[i]), int(m.jnt_dofadr[k])
            sim.data.qvel[to : to + velocities] = self.data.qvel[start : start + velocities]
            # the step takes Coriolis forces at a velocity that the last acceleration foretells
            sim.data.qacc[to : to + velocities] = self.data.qacc[start : start + velocities]

    def _give_kinematics(self, sim: Sim, a: int, b: int) -> None:
        """Poses at joint position 0 of kinematic joints that were moved from outside."""
        old, new = self.compiled.tables, sim.compiled.tables
        for k in np.flatnonzero(old.kinematics["body"][: len(self.state.kinematics)] == a).tolist():
            now, start = self.state.kinematics[k], self.start.kinematics[k]
            changed = [n for n in ("pos", "quat") if not np.array_equal(now[n], start[n])]
            for row, target in zip(new.kinematics, sim.state.kinematics, strict=False):
                if int(row["body"]) == b:
                    for name in changed:
                        target[name] = now[name]

    # ------------------------------------------------------------------ axes and grips

    def _give_axes(self, sim: Sim, pairs: dict[int, int]) -> None:
        """Memory of the motors, and the commands that programs gave them."""
        new_rows = {key: row for row, key in enumerate(_axis_keys(sim.compiled, sim.axis_links))}
        for row, (link, joint, number) in enumerate(_axis_keys(self.compiled, self.axis_links)):
            key = (pairs.get(link, -2), "", number) if link >= 0 else (link, joint, number)
            to = new_rows.get(key)
            if to is None:
                continue
            old, new = self.compiled.tables.axes[row], sim.compiled.tables.axes[to]
            if old["kind"] != new["kind"]:
                continue
            sim.state.motors[to] = self.state.motors[row]
            now, start = self.state.commands[row], self.start.commands[row]
            target = sim.state.commands[to]
            for name in COMMAND.names or ():
                if now[name] != start[name]:
                    target[name] = now[name]

    def _give_grips(self, sim: Sim, pairs: dict[int, int]) -> None:
        """Links that are held together stay so, by the same number, if both are still there."""
        bodies = {
            int(self.compiled.binding.body[a]): int(sim.compiled.binding.body[b])
            for a, b in pairs.items()
        }
        for row, target in zip(self.state.grips, sim.state.grips, strict=False):
            pair = [bodies.get(int(body)) for body in row["body"]]
            if row["kind"] != LoopKind.NONE and None not in pair:
                target[...] = row
                target["body"] = pair

    # ------------------------------------------------------------------ devices

    def devices_for(self, sim: Sim) -> DeviceEngine | None:
        """Return devices for the new scene, those that are still there as they were; None if not needed."""
        if self.devices is None:
            return None
        engine = DeviceEngine(sim)
        engine.random.bit_generator.state = self.devices.random.bit_generator.state
        pairs = self.pairs(sim.scene)
        new: dict[_DeviceKey, list[BoundDevice]] = {}
        for bound in engine.devices:
            new.setdefault(_device_key(bound, bound.link), []).append(bound)
        for bound in self.devices.devices:
            twins = new.get(_device_key(bound, pairs.get(bound.link, -1)))
            if twins:
                twin = next((twin for twin in twins if twin.robot == bound.robot), twins[0])
                twins.remove(twin)
                _give_device(self.devices, bound, engine, twin)
        engine.resume(self.devices)
        engine.world.take_rays_of(self.devices.world)
        return engine


def _give_device(
    old: DeviceEngine, bound: BoundDevice, new: DeviceEngine, twin: BoundDevice
) -> None:
    try:
        source, row = old.group_of(bound)
        target, to = new.group_of(twin)
    except DeviceError:
        return  # nothing to read, so nothing is remembered
    period = float(old.clock.asked[bound.index])
    if period > 0.0:
        new.enable(twin, period)
        new.clock.last[twin.index] = old.clock.last[bound.index]
    target.inherit(to, source, row)


_DeviceKey = tuple[int, str, type, int]


def _device_key(bound: BoundDevice, link: int) -> _DeviceKey:
    """Return what tells devices apart, but for those of several robots on one link."""
    return link, bound.name, type(bound.device), bound.axis_number


def _link_keys(scene: Scene) -> list[tuple[str, SourceSpan, int]]:
    """Return path, place and number (for links that share both) of each link."""
    seen: Counter[tuple[str, SourceSpan]] = Counter()
    keys: list[tuple[str, SourceSpan, int]] = []
    for link in scene.links():
        key = (link.path, link.span)
        keys.append((*key, seen[key]))
        seen[key] += 1
    return keys


def _single(
    keys: Sequence[tuple[str, SourceSpan, int]], part: slice, without: Collection[int]
) -> dict[tuple[object, ...], int]:
    """Return rows by a part of their keys, where it tells them from all others that are left."""
    left = [(key[part], row) for row, key in enumerate(keys) if row not in without]
    counts = Counter(key for key, _ in left)
    return {key: row for key, row in left if counts[key] == 1}


def _axis_keys(compiled: Compiled, links: Sequence[int]) -> list[tuple[int, str, int]]:
    """Return link, joint and number of each axis; the joint tells apart those that move no link."""
    rows = compiled.binding.axes
    return [
        (link, "" if link >= 0 else row.joint, row.axis)
        for row, link in zip(rows, links, strict=True)
    ]


def _joints(model: mujoco.MjModel, body: int) -> list[int]:
    first = int(model.body_jntadr[body])
    return list(range(first, first + int(model.body_jntnum[body])))
