"""What all devices have."""

import sys


def complain(text):
    """Write a message as Webots' library does."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


class Device:
    """A device of the robot, by name."""

    def __init__(self, robot, facts):
        self._robot = robot
        self._facts = facts
        self._tag = facts["tag"]

    def _command(self, name, *arguments):
        self._robot._commands.append((self._tag, name, *arguments))

    def getName(self):
        """Return its name."""
        return self._facts["name"]

    def getModel(self):
        """Return the text of its model field."""
        return self._facts.get("model", "")

    def getNodeType(self):
        """Return the number of its node type."""
        return self._facts["type"]

    @property
    def tag(self):
        """Its number in the robot."""
        return self._tag

    @property
    def name(self):
        """Its name."""
        return self.getName()

    @property
    def model(self):
        """The text of its model field."""
        return self.getModel()

    @property
    def node_type(self):
        """The number of its node type."""
        return self.getNodeType()

    def _update(self, value):
        """The simulator has reported a new value."""


NAN = float("nan")


class Sensor(Device):
    """A device that is sampled."""

    _blank = NAN

    def __init__(self, robot, facts):
        super().__init__(robot, facts)
        self._period = 0
        self._value = self._blank

    def enable(self, samplingPeriod):
        """Sample every `samplingPeriod` milliseconds; the first value comes one period later."""
        period = int(samplingPeriod)
        if period < 0:
            complain(
                f"Error: {type(self).__name__}.enable(): the sampling period must not be negative"
            )
            return
        self._period = period
        if not period:
            self._value = self._blank
        self._command("enable", period)

    def disable(self):
        """Stop sampling."""
        self.enable(0)

    def getSamplingPeriod(self):
        """Return the sampling period [ms]; 0 = off."""
        return self._period

    @property
    def sampling_period(self):
        """The sampling period [ms]; 0 = off."""
        return self._period

    @sampling_period.setter
    def sampling_period(self, value):
        self.enable(value)

    def _read(self, function):
        if not self._period:
            kind = type(self).__name__
            complain(
                f'Error: {kind}.{function}() called for the disabled device "{self.getName()}"; '
                "call enable() first"
            )
        return self._value

    def _update(self, value):
        self._value = value
