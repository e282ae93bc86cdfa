"""Runs Choreonoid's controllers (SimpleController): shared objects, in processes of their own."""

from solidbody.control.simple_controllers.runner import SimpleControllers

__all__ = ["SimpleControllers"]
