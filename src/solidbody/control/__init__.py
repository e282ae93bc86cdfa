"""Controllers: programs that drive robots, each in a process of its own, in step with the simulation."""

from solidbody.control.hub import ControllerHub
from solidbody.control.in_process import run_controller

__all__ = ["ControllerHub", "run_controller"]
