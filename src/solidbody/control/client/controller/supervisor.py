"""The supervisor: a robot that may change the world."""

from .robot import Robot


class Supervisor(Robot):
    """A robot with `supervisor TRUE`."""

    def simulationQuit(self, status):
        """End the simulation; `status` becomes the exit status of the simulator."""
        self._commands.append((0, "quit", int(status)))
