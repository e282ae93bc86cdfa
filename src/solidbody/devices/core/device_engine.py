"""The device engine: samples every device of a simulation when it is due."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final, cast

import numpy as np

from solidbody.base import random_streams
from solidbody.base.diagnostics import did_you_mean
from solidbody.devices.actuators import switches
from solidbody.devices.actuators.displays import Displays
from solidbody.devices.core.clock import SamplingClock
from solidbody.devices.core.device_binding import BoundDevice, DeviceNames, bind_devices, bound_anew
from solidbody.devices.core.device_frames import DeviceWorld, MotionSource
from solidbody.devices.core.errors import DeviceError
from solidbody.devices.core.group import Group
from solidbody.devices.core.noise_streams import NoiseStreams
from solidbody.devices.core.power import Power
from solidbody.devices.core.sampling import PlainLane, SamplingPlan
from solidbody.devices.imaging.cameras import Cameras
from solidbody.devices.imaging.lazy_rendering import ImageGroup, own_rate
from solidbody.devices.kinds import GROUPS, KIND_OF
from solidbody.devices.radio import packets
from solidbody.devices.surfaces.belts import Belts
from solidbody.devices.surfaces.muscles import Muscles
from solidbody.devices.surfaces.render_snapshot import Show
from solidbody.model.devices import (
    Device,
    DeviceCharger,
    DeviceConnector,
    DeviceHolder,
    DeviceLight,
    DevicePen,
    DeviceVacuumGripper,
)
from solidbody.model.motors import Motor
from solidbody.model.scene import Scene

MOST_PLANS: Final = 256
"""Sets of devices that are remembered; periods that go together in more ways are planned again."""


def acts_alone(scene: Scene) -> bool:
    """Whether a device of the scene does something though no program asks for it."""
    has_battery = any(robot.battery is not None for body in scene.bodies for robot in body.robots)
    return has_battery or any(
        _starts_acting(device) for link in scene.links() for device in link.devices
    )


def _starts_acting(device: Device) -> bool:
    match device:
        case DevicePen(is_writing=starts):
            return starts
        case DeviceConnector(is_locked=starts):
            return starts
        case DeviceCharger(battery=battery):
            return battery is not None
        case DeviceVacuumGripper(is_on=starts) | DeviceHolder(is_on=starts):
            return starts
        case _:
            return False


class DeviceEngine:
    """All devices of a simulation.

    One generator makes all noise: the same seed gives the same numbers, after a reset as well.
    """

    def __init__(self, source: MotionSource) -> None:
        self.source = source
        self.world = DeviceWorld(source)
        self.devices = bind_devices(source.scene, source)
        self._names: DeviceNames | None = None
        self.clock = SamplingClock(len(self.devices), source.time_step)
        self.random = np.random.Generator(np.random.PCG64(source.scene.physics.random_seed))
        self._start_of_random = self.random.bit_generator.state
        self.streams: NoiseStreams | None = None
        """In copies of a batch."""
        random_streams.load(self.random, source.state.random)
        self.groups: list[Group] = []
        self._group_of: dict[int, tuple[Group, int]] = {}
        self._shows: dict[type[Group], list[Callable[[], Show]]] = {}
        # per group: rows of its devices in the clock
        self._members: list[np.ndarray] = []
        for make in GROUPS:
            self._add_group(make)
        self._feeling = self._force_sensors()
        self._join_radio()
        for group in self.groups:
            if isinstance(group, switches.DigitalIos):
                self._connect(group, group.bound)
        self._watchers: list[tuple[Group, np.ndarray]] = []
        self._lane: PlainLane | None = None
        self._plan_of: np.ndarray | None = None
        self._plan = SamplingPlan.nothing()
        self._plans: dict[bytes, SamplingPlan] = {}
        self.belts = Belts(self.world)
        self.power = Power(self.devices, self.world)
        self._acting = [group for group in self.groups if group.acts]
        self._start_devices()

    def keep_random(self) -> None:
        """Write where the noise stands into the state, for a snapshot."""
        random_streams.store(self.random, self.source.state.random)

    def use_streams(self, streams: NoiseStreams) -> None:
        """Take noise that depends on device and step alone from now on: each device is sampled by itself."""
        self.streams = self.random = streams
        for group in self.groups:
            group.random = streams

    def begin_noise(self, bound: BoundDevice) -> None:
        """Let the noise of a picture that is rendered now be that of its device and step."""
        if self.streams is not None:
            self.streams.begin(bound.index, int(self.clock.last[bound.index]))

    def go_on(self) -> None:
        """The simulation went to the state of a snapshot: noise and sampling go on as they did from there.

        What devices have read and been told stays.
        """
        random_streams.load(self.random, self.source.state.random)
        self.world.forget()
        self.clock.go_back(self.source.step_count)

    def _add_group(self, make: type[Group]) -> None:
        found = [bound for bound in self.devices if KIND_OF[type(bound.device)].group is make]
        if not found:
            return
        group = self._made(make, found)
        self.groups.append(group)
        self._members.append(np.array([bound.index for bound in found], dtype=np.intp))
        for row, bound in enumerate(found):
            self._group_of[bound.index] = (group, row)

    def _force_sensors(self) -> np.ndarray:
        """Return the rows in the clock of all devices that read forces of the last step."""
        pairs = zip(self.groups, self._members, strict=True)
        found = [members for group, members in pairs if group.needs_forces]
        return np.concatenate(found) if found else np.zeros(0, dtype=np.intp)

    def _made(self, make: type[Group], devices: Sequence[BoundDevice]) -> Group:
        """Return a group, and note what it shows in the ray engine."""
        first = len(self.world.showing)
        group = make(devices, self.world, self.random)
        self._shows[make] = self.world.showing[first:]
        return group

    def _join_radio(self) -> None:
        """Let receivers hear emitters."""
        emitters = next((x for x in self.groups if isinstance(x, packets.Emitters)), None)
        for group in self.groups:
            if isinstance(group, packets.Receivers):
                group.emitters = emitters

    def _connect(self, ios: switches.DigitalIos, told: Collection[BoundDevice]) -> None:
        """Let digital lines switch devices of their bodies.

        Say which of them cannot be switched, of the boxes `told`.
        """
        for box, device in zip(ios.bound, ios.devices, strict=True):
            found = {b.name: b for b in self.devices if b.body == box.body}
            for line, name in device.switches:
                bound = found.get(name)
                place = None if bound is None else self._group_of.get(bound.index)
                if bound is not None and place and place[0].is_on(place[1]) is not None:
                    ios.connect(box, line, partial(self.group_of, bound))
                    continue
                if box not in told:
                    continue
                why = "has no switch" if name in found else f"is no device of {box.body}"
                self.world.log.warning(
                    "digital-io",
                    device.span,
                    f'input {line} is to switch "{name}", which {why}; nothing happens.'
                    f"{did_you_mean(name, found) if name not in found else ''}",
                    node=f'DigitalIO "{device.name}"',
                )

    def _start_devices(self) -> None:
        """Turn on what measures by itself; pictures are taken once somebody wants to see them."""
        for bound in self.devices:
            found = self._group_of.get(bound.index)
            if found is not None and not isinstance(found[0], ImageGroup):
                self.wake(bound)

    def wake(self, bound: BoundDevice) -> None:
        """Turn on a device that measures by itself, at its own rate."""
        is_off = bound.index in self._group_of and not self.clock.periods[bound.index]
        works_alone = getattr(bound.device, "samples_itself", False) or own_rate(bound.device)
        if is_off and works_alone:
            self.enable_at_own_rate(bound)

    def enable_at_own_rate(self, bound: BoundDevice) -> None:
        """Sample a device as often as its description says: every step, if it says nothing."""
        rate = own_rate(bound.device)
        period = self.source.time_step if rate is None else 1.0 / rate
        self.enable(bound, period, keeps_rate=rate is not None)

    # ------------------------------------------------------------------ by device

    @property
    def names(self) -> DeviceNames:
        """Finds devices by name."""
        if self._names is None:
            self._names = DeviceNames(self.devices)
        return self._names

    def has_group(self, bound: BoundDevice) -> bool:
        """Whether a device has a value to read."""
        return bound.index in self._group_of

    def group_of(self, bound: BoundDevice) -> tuple[Group, int]:
        """Return the group of a device and its row there."""
        found = self._group_of.get(bound.index)
        if found is None:
            raise DeviceError(
                f'"{bound.name}" ({type(bound.device).__name__}) has no value to read'
            )
        return found

    def enable(self, bound: BoundDevice, period: float, *, keeps_rate: bool = False) -> None:
        """Sample a device every `period` seconds; its first value comes one period from now.

        A period between whole steps is rounded up, or alternates so that the rate is kept.
        """
        group, row = self.group_of(bound)
        was_on = self.clock.periods[bound.index] > 0
        now = self.source.step_count
        self.clock.enable(bound.index, period, now, keeps_rate=keeps_rate)
        self.world.forget()
        if period <= 0.0:
            group.disable(row)
        elif not was_on:
            group.enable(row)
        self._find_watchers()

    def _find_watchers(self) -> None:
        self._watchers = [
            (group, on)
            for group, members in zip(self.groups, self._members, strict=True)
            if group.needs_every_step
            and (on := np.flatnonzero(self.clock.periods[members] > 0)).size
        ]

    # ------------------------------------------------------------------ time

    def steps_until_due(self) -> int | None:
        """Return how many steps may pass before `after_steps` must be called; None = any number."""
        if self._watchers or self.power.is_busy() or any(group.is_busy() for group in self._acting):
            return 1
        return self.clock.steps_until_due(self.source.step_count)

    def after_steps(self) -> None:
        """The simulation has advanced: sample what is due."""
        self.world.forget()
        if self._feeling.size and self.clock.is_due(self._feeling, self.source.step_count).any():
            self.world.note_wrenches()  # before anybody who acts asks for poses
        for group, rows in self._watchers:
            group.watch(rows)
        is_powered = self.power.is_busy()
        if is_powered:  # first: a robot whose battery has just run out senses nothing any more
            self.power.act()
        if self._act(seen_at_once=True) or is_powered:
            self.world.forget(keeps_wrenches=True)  # things look different now
        self._sample_due()
        self._act(seen_at_once=False)

    def _act(self, *, seen_at_once: bool) -> bool:
        """Let devices do what they do by themselves; whether there were any."""
        has_acted = False
        for group in self._acting:
            if group.is_seen_at_once is seen_at_once and group.is_busy():
                group.act()
                has_acted = True
        return has_acted

    def _sample_one_by_one(self, due: np.ndarray, now: int, streams: NoiseStreams) -> None:
        elapsed = self.clock.sampled(due, now)
        found = [
            (*self._group_of[k], k, time) for k, time in zip(due.tolist(), elapsed, strict=True)
        ]
        for group, row, device, time in sorted(found, key=lambda one: not one[0].needs_forces):
            streams.begin(device, now)
            group.sample(np.array([row], dtype=np.intp), np.array([time]))

    def _sample_due(self) -> None:
        now = self.source.step_count
        due = self.clock.due(now)
        if self.streams is not None:
            self._sample_one_by_one(due, now, self.streams)
            return
        if self.power.robots:
            due = due[~self.power.is_dead[due]]
        shown = [device for group in self._acting for device in group.shown_devices()]
        if shown:
            is_shown = np.isin(due, shown)
            first, due = due[is_shown], due[~is_shown]
            if first.size:
                self._plan_for(first).sample(self.clock.sampled(first, now))
                self._act(seen_at_once=False)
                self.world.forget(keeps_wrenches=True)  # displays show something else now
        if due.size:
            if due is not self._plan_of:
                self._plan_of, self._plan = due, self._plan_for(due)
            self._plan.sample(self.clock.sampled(due, now))

    def _plan_for(self, due: np.ndarray) -> SamplingPlan:
        """Return what to do when just these devices are due; made once for each set of them."""
        key = due.tobytes()
        if key not in self._plans:
            if self._lane is None:
                self._lane = PlainLane.of(self.groups, self._members, self.source)
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            self._plans[key] = SamplingPlan(due, self.groups, self._members, self._lane)
        return self._plans[key]

    def rebind(self, scene: Scene, links: Collection[int], *, painted: bool) -> None:
        """Go on with a scene that describes devices of some links otherwise.

        Only devices of their kinds are bound again, with what they have read and been told; all others, and
        when each is due, stay as they are. `painted`: Shapes of the scene look otherwise.
        """
        devices = bound_anew(self.devices, scene, links)
        changed = {
            new.index: new for old, new in zip(self.devices, devices, strict=True) if old is not new
        }
        described = [bound.device for bound in changed.values()]
        lamps = any(isinstance(device, DeviceLight) for device in described)
        self.world.describe_anew(scene, painted=painted or lamps)
        if not changed:
            return
        self.devices, self._names = devices, None
        room, noise = self.world.surfaces.forms(), self.random.bit_generator.state
        drives = any(isinstance(device, Motor) for device in described)
        for k, members in enumerate(self._members):
            shows_drives = drives and isinstance(self.groups[k], Muscles)
            if shows_drives or not changed.keys().isdisjoint(members.tolist()):
                self._renew(k, changed.values())
        self.random.bit_generator.state = noise
        self.world.look_again()
        if self.world.surfaces.forms() != room:
            self.world.drop_rays()
        self.power.describe_anew(devices, scene)
        self._acting = [group for group in self.groups if group.acts]
        self._join_radio()
        self._find_watchers()
        self._lane = self._plan_of = None
        self._plans.clear()

    def _renew(self, number: int, changed: Collection[BoundDevice]) -> None:
        """Make a group anew, and let its devices go on."""
        members, old = self._members[number], self.groups[number]
        old.withdraw()
        for show in self._shows[type(old)]:
            self.world.showing.remove(show)
        group = self._made(type(old), [self.devices[k] for k in members])
        for row, device in enumerate(members.tolist()):
            if self.clock.periods[device] > 0:
                group.enable(row)
            group.inherit(row, old, row)
            self._group_of[device] = group, row
        group.resume(old)
        self.groups[number] = group
        if isinstance(group, switches.DigitalIos):
            self._connect(group, changed)
        for other in self.groups:
            if isinstance(other, Displays) and isinstance(group, Cameras):
                other.exchange_cameras(cast(Cameras, old), group)

    def resume(self, before: DeviceEngine) -> None:
        """Go on from the devices of a scene that was changed; their values and states were copied."""
        groups = {type(group): group for group in before.groups}
        for group in self.groups:
            if type(group) in groups:
                group.resume(groups[type(group)])
        self.power.resume(before.power)

    def reset(self) -> None:
        """Go back to the start: devices that are on stay on and count their periods from now."""
        self.random.bit_generator.state = self._start_of_random
        self.world.forget()
        self.clock.reset()
        for group, members in zip(self.groups, self._members, strict=True):
            group.reset()
            for row in np.flatnonzero(self.clock.periods[members] > 0):
                group.enable(int(row))
        self.power.reset()
        for group in self._acting:
            group.start()
