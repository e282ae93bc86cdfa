"""`Robot` of Webots' controller API: its devices, its steps, and what it knows of the world."""

from __future__ import annotations

import contextlib
import difflib
import struct
import threading
import time as clock
from typing import Any

from . import connection
from .camera import ImageSensor
from .connection import protocol, turns
from .deprecated import DeprecatedGetters
from .device import NAN, Device, complain, set_robot
from .facts import Fact
from .joystick import Joystick
from .keyboard import Keyboard
from .kinds import CLASSES, NODE_TYPES
from .mouse import Mouse

STEP_ANSWER: int = protocol.StepAnswer.number
NUMBERS: int = protocol.ReportNumbers.number

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
        self._sb_commands: list[Any] = []
        self._sb_devices: list[Device] = []
        self._sb_names: dict[str, Any] = {}
        self._sb_motions: list[Any] = []
        self._sb_drawn: dict[int, Any] = {}
        self._sb_inputs: dict[str, list[Any]] = {}
        self._sb_window_texts: list[str] = []
        self._sb_battery, self._sb_battery_period = NAN, 0
        self._sb_is_pending = False
        self._sb_events = 0
        self._sb_link = connection.open_link()
        self._sb_blocks: dict[int, tuple[int, list[Device]]] = {}
        welcome = protocol.parse(self._sb_link.introduce(), protocol.FROM_SIMULATOR)
        self._sb_facts = protocol.Welcome.facts(welcome)
        self._sb_time: float = self._sb_facts["time"]
        self._sb_custom_data: str = self._sb_facts["custom_data"]
        for facts in self._sb_facts["devices"]:
            self._sb_tell_device(facts)
        Robot.created = self
        set_robot(self)
        self.keyboard = Keyboard(0, self)
        self.mouse = Mouse(0, self)
        self.joystick = Joystick(0, self)
        self._sb_step(0.0)
        self._sb_link.before_end(self._sb_leave)

    def _sb_tell_device(self, message: tuple[Any, ...]) -> None:
        """A device is new, or its fields have changed."""
        facts = protocol.KINDS[message[0]].facts(message)
        known = self._sb_by_tag(facts["tag"])
        if known is not None:
            known._tell(facts)
            return
        device = CLASSES.get(NODE_TYPES[facts["type"]], Device)(self, facts)
        self._sb_devices.append(device)
        self._sb_names.setdefault(device.getName(), device)

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
        return self._sb_step(float(time_step))

    def stepBegin(self, time_step: float | None = None) -> int:
        """Begin a step; what is computed until `stepEnd` overlaps with the simulation."""
        if time_step is None:
            time_step = int(self._sb_facts["basic_time_step"])
        if self._sb_is_pending:
            complain("Error: Robot.stepBegin() called twice; call stepEnd() in between")
            return -1
        if self._sb_link is None:
            return -1
        for device in self._sb_devices:
            if isinstance(device, ImageSensor):  # the simulator answers nothing until stepEnd
                device._read_all()
        self._sb_play(time_step)
        said = self._sb_taken()
        said.append(protocol.Step.pack(float(time_step)))
        self._sb_is_pending = True
        try:
            self._sb_link.begin(said)
        except ConnectionError:
            self._sb_link = None
            return -1
        return 0

    def stepEnd(self) -> int:
        """End the step that `stepBegin` began."""
        was_pending, self._sb_is_pending = self._sb_is_pending, False
        if not was_pending:
            complain("Error: Robot.stepEnd() called before stepBegin()")
            return -1
        if self._sb_link is None:
            return -1
        try:
            answer = self._sb_link.finish()
        except ConnectionError:
            self._sb_link = None
            return -1
        return self._sb_heard(answer, -1)

    def _sb_play(self, time_step: float) -> None:
        if time_step > 0:
            for motion in self._sb_motions:
                motion._advance(int(time_step))

    def _sb_taken(self) -> list[Any]:
        """Return the commands since the last exchange; displays show what was drawn."""
        if self._sb_drawn:
            for display in self._sb_drawn.values():
                display._show()
            self._sb_drawn = {}
        commands, self._sb_commands = self._sb_commands, []
        return commands

    def _sb_leave(self) -> None:
        """Send what was ordered after the last step: the program ends."""
        commands = self._sb_taken()
        if commands and self._sb_link is not None and not self._sb_is_pending:
            with contextlib.suppress(ConnectionError):
                self._sb_link.leave(commands)

    def _sb_step(self, milliseconds: float) -> int:
        """Let the simulation advance; return what `step` does."""
        return self._sb_exchange(protocol.Step, (milliseconds,), -1)

    def _sb_ask(self, kind: protocol.Message, *arguments: Any) -> Any:
        """Ask the simulator for something at once; return the answer, None if there is none."""
        return self._sb_exchange(kind, arguments, None)

    def _sb_order(self, kind: protocol.Message, *arguments: Any) -> None:
        """Order something; it is done with the next question or step."""
        try:
            self._sb_commands.append(kind.pack(*arguments))
        except (struct.error, TypeError):
            complain(f"Error: {kind.explain(arguments)}; nothing is sent")

    def _sb_exchange(
        self, kind: protocol.Message, arguments: tuple[Any, ...], otherwise: Any
    ) -> Any:
        """Send what was commanded, and a request; return its result, `otherwise` if there is none.

        Programs read devices in one thread while another one steps: one of them waits.
        """
        with self._sb_lock:
            if self._sb_link is None:
                return otherwise
            if self._sb_is_pending:
                complain(
                    "Error: no call may need the simulator between stepBegin() and stepEnd(): "
                    f"{kind.name}"
                )
                return otherwise
            try:
                request = kind.pack(*arguments)
            except (struct.error, TypeError):
                complain(f"Error: {kind.explain(arguments)}; nothing is asked")
                return otherwise
            said = self._sb_taken()
            said.append(request)
            try:
                answer = self._sb_link.exchange(said)
            except ConnectionError:
                self._sb_link = None
                return otherwise
            return self._sb_heard(answer, otherwise)

    def _sb_heard(self, frame: bytes, otherwise: Any) -> Any:
        """Take in an answer; return its result."""
        quick = turns.only_numbers(frame)
        if quick is not None:
            status, self._sb_time, block, values = quick
            self._sb_spread(block, values)
            return status
        answer = protocol.parse(frame, protocol.FROM_SIMULATOR)
        if answer[0] == STEP_ANSWER:
            _, status, self._sb_time, told = answer
            for message in told:
                if message[0] == NUMBERS:  # of nearly all sensors
                    self._sb_spread(message[1], message[2])
                else:
                    self._sb_hear(message)
            return status
        if answer[0] == protocol.Refusal.number:
            complain(f"Error: the simulator has sent this program away: {answer[1]}")
            self._sb_link = None
            return otherwise
        _, problem, result, notes = answer
        for text in notes:
            complain(text)
        if problem:
            complain(f"Error: {problem}")
        if result is None:
            return otherwise
        return result[1] if len(result) == 2 else result[1:]

    def _sb_spread(self, block: int, values: Any) -> None:
        """Give the numbers of a block to its sensors."""
        width, devices = self._sb_blocks[block]
        if width == 1:
            for device, value in zip(devices, values):
                device._update(value)
        else:
            for k, device in enumerate(devices):
                device._update(values[k * width : (k + 1) * width])

    def _sb_hear(self, message: tuple[Any, ...]) -> None:
        """Something was told with a step."""
        handler = HEARD.get(message[0])
        if handler is not None:
            handler(self, *message[1:])
        else:  # a report of one device
            self._sb_devices[message[1] - 1]._report(message)

    def _sb_set_block(self, block: int, width: int, tags: Any) -> None:
        self._sb_blocks[block] = (width, [self._sb_devices[tag - 1] for tag in tags])

    def _sb_tell_robot(self, model: str, supervisor: bool) -> None:
        self._sb_facts.update(model=model, supervisor=supervisor)

    def _sb_tell_data(self, text: str) -> None:
        self._sb_custom_data = text

    def _sb_tell_charge(self, charge: float) -> None:
        self._sb_battery = charge

    def _sb_tell_events(self, events: int) -> None:
        self._sb_events |= events

    def _sb_reset(self) -> None:
        for device in self._sb_devices:
            device._reset()

    def _sb_update_inputs(self, kind: str, value: Any) -> None:
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
        self._sb_order(protocol.RobotCustomData, self._sb_custom_data)

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
        return self._sb_ask(protocol.RobotUrdf, prefix) or ""

    # its window, its battery, its user

    def wwiSendText(self, text: str) -> None:
        """Send text to the robot's window."""
        self._sb_order(protocol.RobotWindowText, str(text))

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
        self._sb_order(protocol.RobotBattery, self._sb_battery_period)

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
            if self._sb_step(0.0) == -1:
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


HEARD: dict[int, Any] = {
    protocol.Note.number: lambda robot, text: complain(text),
    protocol.ReportBlock.number: Robot._sb_set_block,
    protocol.NewsReset.number: Robot._sb_reset,
    protocol.NewsRobot.number: Robot._sb_tell_robot,
    protocol.NewsCustomData.number: Robot._sb_tell_data,
    protocol.NewsDevice.number: Robot._sb_tell_device,
    protocol.NewsWindowText.number: lambda robot, text: robot._sb_window_texts.append(text),
    protocol.NewsBattery.number: Robot._sb_tell_charge,
    protocol.NewsEvents.number: Robot._sb_tell_events,
    protocol.NewsKeyboard.number: lambda robot, keys: robot._sb_update_inputs("keyboard", keys),
    protocol.NewsMouse.number: lambda robot, *state: robot._sb_update_inputs("mouse", state),
    protocol.NewsJoystick.number: lambda robot, *state: robot._sb_update_inputs("joystick", state),
}
"""What is done with what a program is told beside reports of devices, by the numbers of messages."""
