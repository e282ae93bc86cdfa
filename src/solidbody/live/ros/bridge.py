"""The bridge to ROS 2: goes along with a simulation, publishes what it does, does what ROS asks for."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from solidbody.base.errors import SolidbodyError
from solidbody.live.ros.commands import (
    TWIST,
    TWIST_STAMPED,
    CommandTopic,
    RobotCommands,
    decoded,
)
from solidbody.live.ros.dds_node import AUTO, DdsNode, DdsReader, DdsWriter, Ros2Error
from solidbody.live.ros.names import joined
from solidbody.live.ros.run_messages import LOG, RosMessages, Topic, log_bytes
from solidbody.live.ros.services import Services
from solidbody.live.ros.settings import MOST_DOMAIN, LockStep, Ros2Settings, SettingsError
from solidbody.live.viewer_commands import ViewerCommands

if TYPE_CHECKING:
    from solidbody.sim import Sim

MOST_SAID: Final = 1000
"""Different complaints that are told; what is wrong in the same way is told once."""


class RosBridge:
    """Publishes, and obeys; a context manager that ends it.

    Args:
        sim: The simulation, stepped by the caller.
        settings: What differs from the defaults.
        holds_time: Whether ROS may pause, step and reset: a pause holds the caller of `sim.step`.
        announce: Is told of each complaint, with its level.

    Attributes:
        interface: Where it listens.
        domain: Number of its DDS domain.
        commands: What ROS has asked for.
        messages: What is published.
    """

    def __init__(
        self,
        sim: Sim,
        settings: Ros2Settings | None = None,
        *,
        holds_time: bool = True,
        announce: Callable[[str, str], None] = lambda level, text: None,
    ) -> None:
        self.sim, self.settings = sim, settings or Ros2Settings()
        self._announce = announce
        self.domain = _domain(self.settings)
        self.interface = self.settings.interface
        self.messages = RosMessages(sim, self.settings)
        self.commands = ViewerCommands(sim, lambda: True)
        self._node = DdsNode(self.domain, self.interface)
        self._scene = sim.scene
        self._writers: dict[str, tuple[Topic, DdsWriter]] = {}
        self._readers: dict[str, tuple[Topic, DdsReader]] = {}
        self._takers: dict[str, CommandTopic] = {}
        self._said: set[str] = set()
        self._heard: set[str] = set()
        self._waiting_since: float | None = None
        self.is_closed = False
        try:
            self._robots: list[RobotCommands] = []
            self._open_all()
            self._lock_step = self._checked_lock_step()
            self._services = self._open_services() if holds_time else None
        except BaseException:
            self._node.close()
            raise
        self._listen()
        self._has_begun = False
        self._node.complain = lambda text: self.say("warning", text)
        self._node.watch(self._see_peer)
        sim.attach(self)

    def _open_all(self) -> None:
        """Open what the scene needs, and tell what stays."""
        self.messages.turn_on_sensors()
        for topic in self.messages.topics.values():
            known = self._writers.get(topic.name)
            if known is None or known[0] != topic:
                self._writers[topic.name] = (topic, self._node.writer(topic))
        for name in set(self._writers) - set(self.messages.topics):
            self._writers.pop(name)[1].close()
        self._robots = [
            RobotCommands(self.sim, robot, self.commands) for robot in self.messages.robots
        ]
        commands = [topic for robot in self._robots for topic in robot.topics()]
        self._takers = {item.topic.name: item for item in commands}
        for item in commands if self.settings.takes_commands else []:
            known = self._readers.get(item.topic.name)
            if known is None or known[0] != item.topic:
                self._readers[item.topic.name] = (item.topic, self._reader(item.topic))
        for name in set(self._readers) - set(self._takers):
            self._readers.pop(name)[1].close()
        for topic, data in self.messages.fixed():
            self._writers[topic][1].write(data)

    def _see_peer(self, name: str, kind: str, writes: bool) -> None:
        """Tell of a topic that somebody has with another type, in a thread of DDS."""
        taken, given = self._readers.get(name), self._writers.get(name)
        known = (taken if writes else given) or taken or given
        if known is None or known[0].message == kind:
            return
        hint = ""
        if {kind, known[0].message} == {TWIST, TWIST_STAMPED}:
            hint = f'; in bridge.yaml "stamped: {str(kind == TWIST_STAMPED).lower()}" takes that'
        self.say(
            "warning",
            f"{name} is {known[0].message} here, and somebody {'writes' if writes else 'reads'} it as"
            f" {kind}: nothing is exchanged{hint}",
        )

    def _reader(self, topic: Topic) -> DdsReader:
        return self._node.reader(topic, lambda data: self._take(topic.name, data))

    def _take(self, name: str, data: bytes) -> None:
        """Obey a message, in a thread of DDS: what is wrong with it is told, and nothing else happens."""
        taker = self._takers.get(name)
        if taker is None:
            return
        try:
            taker.obey(decoded(taker, data))
            self._heard.add(name)
            self.commands.wake()
        except SolidbodyError as error:
            self.say("error", str(error))

    def _open_services(self) -> Any:
        if self.settings.services == "none":
            return None
        services = Services(self.sim, self.settings, self.commands)
        if self.settings.services == "cyclonedds":
            from solidbody.live.ros.dds_services import DdsServices

            return DdsServices(self._node, services.all, self.say)
        from solidbody.live.ros.rtps.service_node import RtpsServices

        return RtpsServices(self.domain, self.interface, services.all, self.say)

    def _checked_lock_step(self) -> LockStep | None:
        lock = self.settings.lock_step
        for name in lock.topics if lock is not None else ():
            if joined(name) not in self._readers:
                raise SettingsError(
                    f'lock_step: "{name}" is no topic that commands come on; '
                    f"there are: {', '.join(self._readers) or 'none'}"
                )
        return lock

    # ------------------------------------------------------------------ log

    def _listen(self) -> None:
        """Pass on what programs print."""
        for hook in self.sim.step_hooks:
            listen = getattr(hook, "listen_to_output", None)
            if listen is not None:
                listen(self._log_output, self._log)

    def _log_output(self, robot: str, line: str, is_error: bool) -> None:
        self._log("error" if is_error else "output", line, source=robot)

    def say(self, level: str, text: str) -> None:
        """Tell a complaint on the log of ROS and to the caller, once."""
        if text in self._said or len(self._said) >= MOST_SAID:
            return
        self._said.add(text)
        self._announce(level, text)
        self._log(level, text)

    def _log(self, level: str, text: str, *, source: str = "solidbody") -> None:
        if not self.is_closed:
            self._writers[LOG][1].write(log_bytes(self.sim, level, source, text))

    # ------------------------------------------------------------------ between steps

    def before_steps(self) -> None:
        """Do what ROS has asked for; a pause holds the caller here, and so does lock-step."""
        if self.is_closed:
            return
        for problem in self.commands.obey():
            self.say("error", problem)
        self._follow_scene()
        self._wait_in_lock_step()
        for robot in self._robots:
            robot.follow()
        if not self._has_begun:
            self._has_begun = True
            self._publish()

    def _wait_in_lock_step(self) -> None:
        lock = self._lock_step
        if lock is None or self.sim.step_count % self._lock_steps(lock):
            return
        end = time.monotonic() + lock.timeout
        wanted = {joined(name) for name in lock.topics}
        while not wanted <= self._heard:
            if time.monotonic() > end:
                missing = ", ".join(sorted(wanted - self._heard))
                raise Ros2Error(
                    f"lock_step: nothing came on {missing} for {lock.timeout:g} s at"
                    f" {self.sim.time:.6g} s; is the program that drives the robot there?"
                )
            self.commands.wait(0.1)
            for problem in self.commands.obey():
                self.say("error", problem)
        self._heard -= wanted

    def _lock_steps(self, lock: LockStep) -> int:
        return max(1, round(lock.period / self.sim.time_step))

    def steps_until_due(self) -> int | None:
        """Return how many steps may pass."""
        if self.is_closed:
            return None
        if self.commands.is_counting or any(robot.is_busy for robot in self._robots):
            return 1
        due = self.messages.steps_until_due()
        if self._lock_step is not None:
            every = self._lock_steps(self._lock_step)
            due = min(due, every - self.sim.step_count % every)
        return due

    def after_steps(self) -> None:
        """Publish what is due."""
        if self.is_closed:
            return
        self._follow_scene()
        self._publish()
        if self.commands.is_counting:
            self.commands.note_step()

    def _publish(self) -> None:
        for topic, data in self.messages.now(self._wants):
            self._writers[topic][1].write(data)

    def _wants(self, topic: str) -> bool:
        return self._writers[topic][1].matched > 0

    def _follow_scene(self) -> None:
        if self.sim.scene is not self._scene:
            self._scene = self.sim.scene
            self.messages.describe()
            self._open_all()

    def reset(self) -> None:
        """Times begin again."""
        self.messages.begin_again()
        self._has_begun = False
        self._heard.clear()
        for robot in self._robots:
            robot.reset()

    # ------------------------------------------------------------------ end

    def close(self) -> None:
        """Leave the network, once; the simulation goes on without it."""
        if self.is_closed:
            return
        self.is_closed = True
        if self in self.sim.step_hooks:
            self.sim.detach(self)
        self.commands.close()
        if self._services is not None:
            self._services.close()
        self._node.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __str__(self) -> str:
        where = "all interfaces that DDS chooses" if self.interface == AUTO else self.interface
        return f"ROS 2: domain {self.domain} on {where}"


def _domain(settings: Ros2Settings) -> int:
    if settings.domain is not None:
        return settings.domain
    text = os.environ.get("ROS_DOMAIN_ID", "").strip() or "0"
    if not text.isdecimal() or int(text) > MOST_DOMAIN:
        raise SettingsError(f'ROS_DOMAIN_ID must be a number from 0 to {MOST_DOMAIN}, got "{text}"')
    return int(text)
