"""The robot: devices, steps, and what the world says of it."""

from __future__ import annotations

import contextlib
import difflib
import threading
import time as clock
from typing import Any

from . import connection
from .camera import ImageSensor
from .deprecated import DeprecatedGetters
from .device import NAN, Device, complain, set_robot
from .facts import Fact
from .joystick import Joystick
from .keyboard import Keyboard
from .kinds import CLASSES
from .mouse import Mouse

POLL = 0.01
"""[s] How often the simulator is asked for events while the robot waits for one."""


class Robot(DeprecatedGetters):
    """The robot that this program drives. There can be one per program.

    Programs derive classes from it and from the others that do, and give them attributes as they like:
    names of our own begin with `_sb_` there, and what can be read as an attribute can be covered (`Fact`).
    """

    MODE_SIMULATION, MODE_CROSS_COMPILATION, MODE_REMOTE_CONTROL = range(3)
    EVENT_QUIT, EVENT_NO_EVENT = -1, 0
    EVENT_MOUSE_CLICK, EVENT_MOUSE_MOVE, EVENT_KEYBOARD = 1, 2, 4
    EVENT_JOYSTICK_BUTTON, EVENT_JOYSTICK_AXIS, EVENT_JOYSTICK_POV = 8, 16, 32
    _sb_event_kinds = (
        (EVENT_MOUSE_CLICK | EVENT_MOUSE_MOVE, "mouse"),
        (EVENT_KEYBOARD, "keyboard"),
        (EVENT_JOYSTICK_BUTTON | EVENT_JOYSTICK_AXIS | EVENT_JOYSTICK_POV, "joystick"),
    )
    """Which events come from what."""

    created: Any = None
    """The robot of this program."""

    def __init__(self) -> None:
        if Robot.created is not None and not connection.is_over(Robot.created._sb_link):
            complain("Error: Only one instance of the Robot class should be created.")
            # as in Webots, whose library knows one robot: this object is a second name for it
            shared = Robot.created.__dict__
            for name, value in self.__dict__.items():
                shared.setdefault(name, value)
            self.__dict__ = shared
            return
        self._sb_link: Any = None
        self._sb_lock = threading.RLock()
        self._sb_commands: list[tuple[Any, ...]] = []
        self._sb_devices: list[Device] = []
        self._sb_names: dict[str, Any] = {}
        self._sb_motions: list[Any] = []
        self._sb_drawn: dict[int, Any] = {}
        self._sb_inputs: dict[str, list[Any]] = {}
        self._sb_window_texts: list[str] = []
        self._sb_battery, self._sb_battery_period = NAN, 0
        self._sb_pending: tuple[Any, ...] | None = None
        self._sb_events = 0
        self._sb_link = connection.open_link()
        self._sb_facts: dict[str, Any] = self._sb_link.introduce()
        self._sb_time: float = self._sb_facts["time"]
        self._sb_custom_data: str = self._sb_facts["custom_data"]
        self._sb_devices = [self._sb_made(facts) for facts in self._sb_facts["devices"]]
        for device in self._sb_devices:
            self._sb_names.setdefault(device.getName(), device)
        Robot.created = self
        set_robot(self)
        self.keyboard = Keyboard(0, self)
        self.mouse = Mouse(0, self)
        self.joystick = Joystick(0, self)
        self._sb_exchange(("step", 0))
        self._sb_link.before_end(self._sb_leave)

    def _sb_made(self, facts: dict[str, Any]) -> Device:
        return CLASSES.get(facts["class"], Device)(self, facts)

    def _sb_by_tag(self, tag: int) -> Any:
        return self._sb_devices[tag - 1] if 0 < tag <= len(self._sb_devices) else None

    # steps

    def step(self, time_step: float | None = None) -> int:
        """Let the simulation advance; return 0, or -1 when it is over.

        An asynchronous robot gets the delay [ms] by which its commands came late.
        """
        if time_step is None:
            time_step = int(self._sb_facts["basic_time_step"])
        if self._sb_motions:
            self._sb_play(time_step)
        return self._sb_exchange(("step", float(time_step)))

    def stepBegin(self, time_step: float | None = None) -> int:
        """Begin a step; what is computed until `stepEnd` overlaps with the simulation."""
        if time_step is None:
            time_step = int(self._sb_facts["basic_time_step"])
        if self._sb_pending is not None:
            complain("Error: Robot.stepBegin() called twice; call stepEnd() in between")
            return -1
        if self._sb_link is None:
            return -1
        for device in self._sb_devices:
            if isinstance(device, ImageSensor):  # the simulator answers nothing until stepEnd
                device._read_all()
        self._sb_play(time_step)
        commands = self._sb_taken()
        self._sb_pending = ("step", float(time_step))
        try:
            self._sb_link.begin(commands, self._sb_pending)
        except ConnectionError:
            self._sb_link = None
            return -1
        return 0

    def stepEnd(self) -> int:
        """End the step that `stepBegin` began."""
        request, self._sb_pending = self._sb_pending, None
        if request is None:
            complain("Error: Robot.stepEnd() called before stepBegin()")
            return -1
        if self._sb_link is None:
            return -1
        try:
            answer = self._sb_link.finish()
        except ConnectionError:
            self._sb_link = None
            return -1
        return self._sb_heard(answer, request)

    def _sb_play(self, time_step: float) -> None:
        if time_step > 0:
            for motion in self._sb_motions:
                motion._advance(int(time_step))

    def _sb_taken(self) -> list[tuple[Any, ...]]:
        """Return the commands since the last exchange; displays show what was drawn."""
        if self._sb_drawn:
            for display in self._sb_drawn.values():
                display._show()
            self._sb_drawn = {}
        commands = self._sb_commands
        if commands:
            self._sb_commands = []
        return commands

    def _sb_leave(self) -> None:
        """Send what was ordered after the last step: the program ends."""
        commands = self._sb_taken()
        if commands and self._sb_link is not None and self._sb_pending is None:
            with contextlib.suppress(ConnectionError):
                self._sb_link.leave(commands)

    def _sb_exchange(self, request: tuple[Any, ...]) -> Any:
        """Send what was commanded, and a request; return its result (of a step: the status).

        Programs read devices in one thread while another one steps: one of them waits.
        """
        with self._sb_lock:
            return self._sb_exchange_alone(request)

    def _sb_exchange_alone(self, request: tuple[Any, ...]) -> Any:
        if self._sb_link is None:
            return -1 if request[0] == "step" else None
        if self._sb_pending is not None:
            complain(
                f"Error: no call may need the simulator between stepBegin() and stepEnd(): {request[0]}"
            )
            return -1 if request[0] == "step" else None
        commands = self._sb_taken()
        try:
            answer = self._sb_link.exchange(commands, request)
        except ConnectionError:
            self._sb_link = None
            return -1 if request[0] == "step" else None
        return self._sb_heard(answer, request)

    def _sb_heard(self, answer: Any, request: tuple[Any, ...]) -> Any:
        state, result, notes = answer
        for text in notes:
            complain(text)
        if state != "ok":
            complain(f"Error: {result}")
            return None
        if request[0] != "step":
            return result
        status, self._sb_time, values, news = result
        for item in news:
            self._sb_hear(item)
        devices = self._sb_devices
        for tag, value in values:
            devices[tag - 1]._update(value)
        return status

    def _sb_ask(self, name: str, *arguments: Any) -> Any:
        """Ask the simulator for something at once."""
        return self._sb_exchange((name, *arguments))

    def _sb_hear(self, item: tuple[Any, ...]) -> None:
        """Something happened that is not a device's value."""
        kind, value = item[0], item[1]
        if kind == "window":
            self._sb_window_texts.append(value)
        elif kind == "battery":
            self._sb_battery = value
        elif kind == "custom_data":
            self._sb_custom_data = value
        elif kind == "events":
            self._sb_events |= value
        elif kind == "reset":
            for device in self._sb_devices:
                device._reset()
        elif kind == "facts":
            self._sb_facts.update(value)
        elif kind == "device facts":
            for tag, facts in value.items():
                self._sb_devices[tag - 1]._facts.update(facts)
        elif kind == "devices":
            for facts in value:
                device = self._sb_made(facts)
                self._sb_devices.append(device)
                self._sb_names.setdefault(device.getName(), device)
        else:
            for handled in self._sb_inputs.get(kind, ()):
                handled._update(value)

    # devices

    def getDevice(self, name: str) -> Any:
        """Return the device of that name; None, with a message, if there is none."""
        device = self._sb_names.get(name)
        if device is None:
            near = difflib.get_close_matches(str(name), self._sb_names, 1)
            hint = f'; did you mean "{near[0]}"?' if near else ""
            complain(
                f'Warning: "{name}" device not found on robot "{self._sb_facts["name"]}"{hint}'
            )
        return device

    def getDeviceByIndex(self, index: int) -> Any:
        """Return a device by its place in the scene tree; None, with a message, if there is none."""
        device = self._sb_by_tag(index + 1)
        if device is None:
            complain(
                f"Error: Robot.getDeviceByIndex({index}): the robot has"
                f" {len(self._sb_devices)} devices, counted from 0"
            )
        return device

    def getNumberOfDevices(self) -> int:
        """Return the number of devices."""
        return len(self._sb_devices)

    def getKeyboard(self) -> Keyboard:
        """Return the keyboard."""
        return self.keyboard

    def getMouse(self) -> Mouse:
        """Return the mouse."""
        return self.mouse

    def getJoystick(self) -> Joystick:
        """Return the joystick."""
        return self.joystick

    # the robot itself

    def getName(self) -> str:
        """Return the robot's name."""
        return self._sb_facts["name"]

    def getModel(self) -> str:
        """Return the text of its model field."""
        return self._sb_facts["model"]

    def getTime(self) -> float:
        """Return the simulated time [s]."""
        return self._sb_time

    def getBasicTimeStep(self) -> float:
        """Return the time step of the world [ms]."""
        return self._sb_facts["basic_time_step"]

    def getSupervisor(self) -> bool:
        """Return whether the robot is a supervisor."""
        return self._sb_facts["supervisor"]

    def getSynchronization(self) -> bool:
        """Return whether the simulation waits for this program."""
        return self._sb_facts["synchronization"]

    def getCustomData(self) -> str:
        """Return the text of its customData field."""
        return self._sb_custom_data

    def setCustomData(self, data: str) -> None:
        """Set the text of its customData field."""
        self._sb_custom_data = str(data)
        self._sb_commands.append((0, "custom_data", self._sb_custom_data))

    def getProjectPath(self) -> str:
        """Return the folder of the project."""
        return self._sb_facts["project_path"]

    def getWorldPath(self) -> str:
        """Return the world's file."""
        return self._sb_facts["world_path"]

    def getMode(self) -> int:
        """Return MODE_SIMULATION."""
        return self.MODE_SIMULATION

    def setMode(self, mode: int, arg: str | None = None) -> None:
        """There is no other mode than the simulation."""
        if mode != self.MODE_SIMULATION:
            complain("Error: Robot.setMode(): only the simulation is supported")

    def getUrdf(self, prefix: str = "") -> str:
        """Return the robot as URDF; `prefix` is put before all names."""
        return self._sb_ask("urdf", prefix) or ""

    # its window, its battery, its user

    def wwiSendText(self, text: str) -> None:
        """Send text to the robot's window."""
        self._sb_commands.append((0, "window", str(text)))

    def wwiReceiveText(self) -> str | None:
        """Return the next text that the robot's window has sent; None, until R2022a "", = no more."""
        if self._sb_window_texts:
            return self._sb_window_texts.pop(0)
        return "" if self._sb_facts["is_old"] else None

    def batterySensorEnable(self, samplingPeriod: int) -> None:
        """Measure the battery every `samplingPeriod` milliseconds; 0 = not."""
        self._sb_battery_period = int(samplingPeriod)
        if not self._sb_battery_period:
            self._sb_battery = NAN
        self._sb_commands.append((0, "battery", self._sb_battery_period))

    def batterySensorDisable(self) -> None:
        """Measure the battery no more."""
        self.batterySensorEnable(0)

    def batterySensorGetSamplingPeriod(self) -> int:
        """Return the period [ms]; 0 = off."""
        return self._sb_battery_period

    def batterySensorGetValue(self) -> float:
        """Return the energy in the battery [J]; -1 without one."""
        if not self._sb_battery_period:
            complain("Error: Robot.batterySensorGetValue(): call batterySensorEnable() first")
        return self._sb_battery

    def waitForUserInputEvent(self, event_type: int, timeout: int) -> int:
        """Wait until the user does one of `event_type`, at most `timeout` milliseconds; return what.

        The simulation stands still meanwhile. Without a page that sends events the time passes. What is
        not enabled sends no events: if there is nothing else to wait for, nothing is waited for.
        """
        wanted = [kind for bits, kind in self._sb_event_kinds if event_type & bits]
        off = [kind for kind in wanted if not self._sb_is_on(kind)]
        for kind in off:
            complain(
                f"Error: Robot.waitForUserInputEvent(): the {kind} is not enabled; call its enable()"
            )
        if off and off == wanted:
            return self.EVENT_NO_EVENT
        deadline = clock.monotonic() + timeout / 1000.0
        self._sb_events &= ~event_type
        while True:
            if self._sb_exchange(("step", 0)) == -1:
                return self.EVENT_QUIT
            happened = self._sb_events & event_type
            if happened:
                self._sb_events &= ~happened
                return happened
            left = deadline - clock.monotonic()
            if left <= 0.0:
                return self.EVENT_NO_EVENT
            clock.sleep(min(POLL, left))

    def _sb_is_on(self, kind: str) -> bool:
        """Whether some object samples the keyboard, the mouse or the joystick."""
        return any(one.getSamplingPeriod() > 0 for one in self._sb_inputs.get(kind, ()))

    devices = Fact(lambda robot: robot._sb_names)
    name = Fact(getName)
    model = Fact(getModel)
    time = Fact(getTime)
    basic_time_step = Fact(getBasicTimeStep)
    supervisor = Fact(getSupervisor)
    synchronization = Fact(getSynchronization)
    custom_data = property(getCustomData, setCustomData)
    project_path = Fact(getProjectPath)
    world_path = Fact(getWorldPath)
    mode = Fact(getMode)
    number_of_devices = Fact(getNumberOfDevices)
    battery_sensor_sampling_period = property(batterySensorGetSamplingPeriod, batterySensorEnable)
    battery_value = Fact(batterySensorGetValue)
