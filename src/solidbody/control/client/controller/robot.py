"""The robot: devices, steps, and what the world says of it."""

from __future__ import annotations

import difflib
import time as clock
from typing import Any

from . import connection, joints, sensors
from .camera import Camera, ImageSensor
from .connector import Connector
from .deprecated import DeprecatedGetters
from .device import NAN, Device, complain, set_robot
from .display import Display
from .emitter import Emitter
from .facts import Fact
from .joystick import Joystick
from .keyboard import Keyboard
from .led import LED
from .lidar import Lidar
from .mouse import Mouse
from .pen import Pen
from .radar import Radar
from .range_finder import RangeFinder
from .receiver import Receiver
from .skin import Skin
from .speaker import Speaker
from .vacuum_gripper import VacuumGripper

DEVICES = {
    "ACCELEROMETER": sensors.Accelerometer,
    "ALTIMETER": sensors.Altimeter,
    "BRAKE": joints.Brake,
    "CAMERA": Camera,
    "COMPASS": sensors.Compass,
    "CONNECTOR": Connector,
    "DISPLAY": Display,
    "DISTANCE_SENSOR": sensors.DistanceSensor,
    "EMITTER": Emitter,
    "GPS": sensors.GPS,
    "GYRO": sensors.Gyro,
    "INERTIAL_UNIT": sensors.InertialUnit,
    "LED": LED,
    "LIDAR": Lidar,
    "LIGHT_SENSOR": sensors.LightSensor,
    "LINEAR_MOTOR": joints.Motor,
    "PEN": Pen,
    "POSITION_SENSOR": joints.PositionSensor,
    "RADAR": Radar,
    "RANGE_FINDER": RangeFinder,
    "RECEIVER": Receiver,
    "ROTATIONAL_MOTOR": joints.Motor,
    "SKIN": Skin,
    "SPEAKER": Speaker,
    "TOUCH_SENSOR": sensors.TouchSensor,
    "VACUUM_GRIPPER": VacuumGripper,
}
"""Class of each kind of device."""

POLL = 0.01
"""[s] How often the simulator is asked for events while the robot waits for one."""


class Robot(DeprecatedGetters):
    """The robot that this program drives. There can be one per program."""

    MODE_SIMULATION, MODE_CROSS_COMPILATION, MODE_REMOTE_CONTROL = range(3)
    EVENT_QUIT, EVENT_NO_EVENT = -1, 0
    EVENT_MOUSE_CLICK, EVENT_MOUSE_MOVE, EVENT_KEYBOARD = 1, 2, 4
    EVENT_JOYSTICK_BUTTON, EVENT_JOYSTICK_AXIS, EVENT_JOYSTICK_POV = 8, 16, 32

    created: Any = None
    """The robot of this program."""

    def __init__(self) -> None:
        if Robot.created is not None and not connection.is_over(Robot.created._link):
            complain("Error: Only one instance of the Robot class should be created.")
            # as in Webots, whose library knows one robot: this object is a second name for it
            shared = Robot.created.__dict__
            for name, value in self.__dict__.items():
                shared.setdefault(name, value)
            self.__dict__ = shared
            return
        self._link: Any = None
        self._commands: list[tuple[Any, ...]] = []
        self._devices: list[Device] = []
        self._names: dict[str, Any] = {}
        self._motions: list[Any] = []
        self._drawn: dict[int, Any] = {}
        self._inputs: dict[str, list[Any]] = {}
        self._window_texts: list[str] = []
        self._battery, self._battery_period = NAN, 0
        self._pending: tuple[Any, ...] | None = None
        self._events = 0
        self._link = connection.open_link()
        self._facts: dict[str, Any] = self._link.introduce()
        self._time: float = self._facts["time"]
        self._custom_data: str = self._facts["custom_data"]
        self._devices = [self._made(facts) for facts in self._facts["devices"]]
        for device in self._devices:
            self._names.setdefault(device.getName(), device)
        Robot.created = self
        set_robot(self)
        self.keyboard = Keyboard(0, self)
        self.mouse = Mouse(0, self)
        self.joystick = Joystick(0, self)
        self._exchange(("step", 0))

    def _made(self, facts: dict[str, Any]) -> Device:
        return DEVICES.get(facts["class"], Device)(self, facts)

    def _by_tag(self, tag: int) -> Any:
        return self._devices[tag - 1] if 0 < tag <= len(self._devices) else None

    @property
    def devices(self) -> dict[str, Any]:
        """The devices by name."""
        return self._names

    # steps

    def step(self, timeStep: float | None = None) -> int:
        """Let the simulation advance; return 0, or -1 when it is over.

        An asynchronous robot gets the delay [ms] by which its commands came late.
        """
        if timeStep is None:
            timeStep = int(self._facts["basic_time_step"])
        if self._motions:
            self._play(timeStep)
        return self._exchange(("step", timeStep))

    def stepBegin(self, timeStep: float | None = None) -> int:
        """Begin a step; what is computed until `stepEnd` overlaps with the simulation."""
        if timeStep is None:
            timeStep = int(self._facts["basic_time_step"])
        if self._pending is not None:
            complain("Error: Robot.stepBegin() called twice; call stepEnd() in between")
            return -1
        if self._link is None:
            return -1
        for device in self._devices:
            if isinstance(device, ImageSensor):  # the simulator answers nothing until stepEnd
                device._read_all()
        self._play(timeStep)
        commands = self._taken()
        self._pending = ("step", timeStep)
        try:
            self._link.begin(commands, self._pending)
        except ConnectionError:
            self._link = None
            return -1
        return 0

    def stepEnd(self) -> int:
        """End the step that `stepBegin` began."""
        request, self._pending = self._pending, None
        if request is None:
            complain("Error: Robot.stepEnd() called before stepBegin()")
            return -1
        if self._link is None:
            return -1
        try:
            answer = self._link.finish()
        except ConnectionError:
            self._link = None
            return -1
        return self._heard(answer, request)

    def _play(self, timeStep: float) -> None:
        if timeStep > 0:
            for motion in self._motions:
                motion._advance(int(timeStep))

    def _taken(self) -> list[tuple[Any, ...]]:
        """Return the commands since the last exchange; displays show what was drawn."""
        if self._drawn:
            for display in self._drawn.values():
                display._show()
            self._drawn = {}
        commands = self._commands
        if commands:
            self._commands = []
        return commands

    def _exchange(self, request: tuple[Any, ...]) -> Any:
        """Send what was commanded, and a request; return its result (of a step: the status)."""
        if self._link is None:
            return -1 if request[0] == "step" else None
        if self._pending is not None:
            complain(
                f"Error: no call may need the simulator between stepBegin() and stepEnd(): {request[0]}"
            )
            return -1 if request[0] == "step" else None
        commands = self._taken()
        try:
            answer = self._link.exchange(commands, request)
        except ConnectionError:
            self._link = None
            return -1 if request[0] == "step" else None
        return self._heard(answer, request)

    def _heard(self, answer: Any, request: tuple[Any, ...]) -> Any:
        state, result, notes = answer
        for text in notes:
            complain(text)
        if state != "ok":
            complain(f"Error: {result}")
            return None
        if request[0] != "step":
            return result
        status, self._time, values, news = result
        for item in news:
            self._hear(item)
        devices = self._devices
        for tag, value in values:
            devices[tag - 1]._update(value)
        return status

    def _ask(self, name: str, *arguments: Any) -> Any:
        """Ask the simulator for something at once."""
        return self._exchange((name, *arguments))

    def _hear(self, item: tuple[Any, ...]) -> None:
        """Something happened that is not a device's value."""
        kind, value = item[0], item[1]
        if kind == "window":
            self._window_texts.append(value)
        elif kind == "battery":
            self._battery = value
        elif kind == "custom_data":
            self._custom_data = value
        elif kind == "events":
            self._events |= value
        elif kind == "reset":
            self._custom_data = value
            for device in self._devices:
                device._reset()
        elif kind == "devices":
            for facts in value:
                device = self._made(facts)
                self._devices.append(device)
                self._names.setdefault(device.getName(), device)
        else:
            for handled in self._inputs.get(kind, ()):
                handled._update(value)

    # devices

    def getDevice(self, name: str) -> Any:
        """Return the device of that name; None, with a message, if there is none."""
        device = self._names.get(name)
        if device is None:
            near = difflib.get_close_matches(str(name), self._names, 1)
            hint = f'; did you mean "{near[0]}"?' if near else ""
            complain(f'Warning: "{name}" device not found on robot "{self.getName()}"{hint}')
        return device

    def getDeviceByIndex(self, index: int) -> Any:
        """Return a device by its place in the scene tree; None, with a message, if there is none."""
        device = self._by_tag(index + 1)
        if device is None:
            complain(
                f"Error: Robot.getDeviceByIndex({index}): the robot has"
                f" {len(self._devices)} devices, counted from 0"
            )
        return device

    def getNumberOfDevices(self) -> int:
        """Return the number of devices."""
        return len(self._devices)

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
        return self._facts["name"]

    def getModel(self) -> str:
        """Return the text of its model field."""
        return self._facts["model"]

    def getTime(self) -> float:
        """Return the simulated time [s]."""
        return self._time

    def getBasicTimeStep(self) -> float:
        """Return the time step of the world [ms]."""
        return self._facts["basic_time_step"]

    def getSupervisor(self) -> bool:
        """Return whether the robot is a supervisor."""
        return self._facts["supervisor"]

    def getSynchronization(self) -> bool:
        """Return whether the simulation waits for this program."""
        return self._facts["synchronization"]

    def getCustomData(self) -> str:
        """Return the text of its customData field."""
        return self._custom_data

    def setCustomData(self, data: str) -> None:
        """Set the text of its customData field."""
        self._custom_data = str(data)
        self._commands.append((0, "custom_data", self._custom_data))

    def getProjectPath(self) -> str:
        """Return the folder of the project."""
        return self._facts["project_path"]

    def getWorldPath(self) -> str:
        """Return the world's file."""
        return self._facts["world_path"]

    def getMode(self) -> int:
        """Return MODE_SIMULATION."""
        return self.MODE_SIMULATION

    def setMode(self, mode: int, arg: str | None = None) -> None:
        """There is no other mode than the simulation."""
        if mode != self.MODE_SIMULATION:
            complain("Error: Robot.setMode(): only the simulation is supported")

    def getUrdf(self, prefix: str = "") -> str:
        """Return the robot as URDF; `prefix` is put before all names."""
        return self._ask("urdf", prefix) or ""

    # its window, its battery, its user

    def wwiSendText(self, text: str) -> None:
        """Send text to the robot's window."""
        self._commands.append((0, "window", str(text)))

    def wwiReceiveText(self) -> str | None:
        """Return the next text that the robot's window has sent; None = no more."""
        return self._window_texts.pop(0) if self._window_texts else None

    def batterySensorEnable(self, samplingPeriod: int) -> None:
        """Measure the battery every `samplingPeriod` milliseconds; 0 = not."""
        self._battery_period = int(samplingPeriod)
        if not self._battery_period:
            self._battery = NAN
        self._commands.append((0, "battery", self._battery_period))

    def batterySensorDisable(self) -> None:
        """Measure the battery no more."""
        self.batterySensorEnable(0)

    def batterySensorGetSamplingPeriod(self) -> int:
        """Return the period [ms]; 0 = off."""
        return self._battery_period

    def batterySensorGetValue(self) -> float:
        """Return the energy in the battery [J]; not a number without one."""
        if not self._battery_period:
            complain("Error: Robot.batterySensorGetValue(): call batterySensorEnable() first")
        return self._battery

    def waitForUserInputEvent(self, event_type: int, timeout: int) -> int:
        """Wait until the user does one of `event_type`, at most `timeout` milliseconds; return what.

        The simulation stands still meanwhile. Without a page that sends events the time passes.
        """
        deadline = clock.monotonic() + timeout / 1000.0
        self._events &= ~event_type
        while True:
            if self._exchange(("step", 0)) == -1:
                return self.EVENT_QUIT
            happened = self._events & event_type
            if happened:
                self._events &= ~happened
                return happened
            left = deadline - clock.monotonic()
            if left <= 0.0:
                return self.EVENT_NO_EVENT
            clock.sleep(min(POLL, left))

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
