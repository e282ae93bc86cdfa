"""The robot: devices, steps, and what the world says of it."""

from . import connection, joints, sensors
from .device import Device, complain

DEVICES = {
    "ACCELEROMETER": sensors.Accelerometer,
    "ALTIMETER": sensors.Altimeter,
    "BRAKE": joints.Brake,
    "COMPASS": sensors.Compass,
    "DISTANCE_SENSOR": sensors.DistanceSensor,
    "GPS": sensors.GPS,
    "GYRO": sensors.Gyro,
    "INERTIAL_UNIT": sensors.InertialUnit,
    "LIGHT_SENSOR": sensors.LightSensor,
    "POSITION_SENSOR": joints.PositionSensor,
    "ROTATIONAL_MOTOR": joints.Motor,
    "LINEAR_MOTOR": joints.Motor,
    "TOUCH_SENSOR": sensors.TouchSensor,
}
"""Class of each kind of device."""


class Robot:
    """The robot that this program drives. There can be one per program."""

    MODE_SIMULATION, MODE_CROSS_COMPILATION, MODE_REMOTE_CONTROL = range(3)
    _only = None

    def __init__(self):
        if Robot._only is not None and Robot._only._link is not None:
            complain("Error: Only one instance of the Robot class should be created.")
            self._link = None
            return
        self._link = connection.open_link()
        self._facts = self._link.introduce()
        self._commands = []
        self._time = self._facts["time"]
        self._custom_data = self._facts["custom_data"]
        self._devices = [self._made(facts) for facts in self._facts["devices"]]
        self._names = {}
        for device in self._devices:
            self._names.setdefault(device.getName(), device)
        self._pending = None
        Robot._only = self
        self._exchange(("step", 0))

    def _made(self, facts):
        return DEVICES.get(facts["class"], Device)(self, facts)

    def _by_tag(self, tag):
        return self._devices[tag - 1]

    # steps

    def step(self, timeStep=None):
        """Let the simulation advance; return 0, or -1 when it is over."""
        self.stepBegin(timeStep)
        return self.stepEnd()

    def stepBegin(self, timeStep=None):
        """Begin a step; what is computed until `stepEnd` overlaps with the simulation."""
        if timeStep is None:
            timeStep = int(self._facts["basic_time_step"])
        self._pending = timeStep
        return 0

    def stepEnd(self):
        """End the step that `stepBegin` began."""
        milliseconds, self._pending = self._pending, None
        if milliseconds is None:
            complain("Error: Robot.stepEnd() called before stepBegin()")
            return -1
        return self._exchange(("step", milliseconds))

    def _exchange(self, request):
        if self._link is None:
            return -1
        commands, self._commands = self._commands, []
        try:
            answer = self._link.exchange(commands, request)
        except ConnectionError:
            self._link = None
            return -1
        for text in answer[2]:
            complain(text)
        if answer[0] != "ok":
            complain(f"Error: {answer[1]}")
            return None
        if request[0] != "step":
            return answer[1]
        status, self._time, values, news = answer[1]
        devices = self._devices
        for tag, value in values:
            devices[tag - 1]._update(value)
        for item in news:
            self._hear(item)
        return status

    def _ask(self, name, *arguments):
        """Ask the simulator for something at once."""
        return self._exchange((name, *arguments))

    def _hear(self, item):
        """Something happened that is not a device's value."""

    # devices

    def getDevice(self, name):
        """Return the device of that name; None, with a message, if there is none."""
        device = self._names.get(name)
        if device is None:
            complain(f'Warning: "{name}" device not found on robot "{self.getName()}"')
        return device

    def getDeviceByIndex(self, index):
        """Return a device by its place in the scene tree."""
        return self._devices[index] if 0 <= index < len(self._devices) else None

    def getNumberOfDevices(self):
        """Return the number of devices."""
        return len(self._devices)

    # the robot itself

    def getName(self):
        """Return the robot's name."""
        return self._facts["name"]

    def getModel(self):
        """Return the text of its model field."""
        return self._facts["model"]

    def getTime(self):
        """Return the simulated time [s]."""
        return self._time

    def getBasicTimeStep(self):
        """Return the time step of the world [ms]."""
        return self._facts["basic_time_step"]

    def getSupervisor(self):
        """Return whether the robot is a supervisor."""
        return self._facts["supervisor"]

    def getSynchronization(self):
        """Return whether the simulation waits for this program."""
        return self._facts["synchronization"]

    def getCustomData(self):
        """Return the text of its customData field."""
        return self._custom_data

    def setCustomData(self, data):
        """Set the text of its customData field."""
        self._custom_data = data
        self._commands.append((0, "custom_data", data))

    def getProjectPath(self):
        """Return the folder of the project."""
        return self._facts["project_path"]

    def getWorldPath(self):
        """Return the world's file."""
        return self._facts["world_path"]

    def getMode(self):
        """Return MODE_SIMULATION."""
        return self.MODE_SIMULATION

    def setMode(self, mode, arg=None):
        """There is no other mode than the simulation."""
        if mode != self.MODE_SIMULATION:
            complain("Error: Robot.setMode(): only the simulation is supported")

    name = property(getName)
    model = property(getModel)
    time = property(getTime)
    basic_time_step = property(getBasicTimeStep)
    supervisor = property(getSupervisor)
    synchronization = property(getSynchronization)
    custom_data = property(getCustomData, setCustomData)
    project_path = property(getProjectPath)
    world_path = property(getWorldPath)
    mode = property(getMode)
    number_of_devices = property(getNumberOfDevices)
