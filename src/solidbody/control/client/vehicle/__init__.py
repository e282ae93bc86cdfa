"""Webots' vehicle library in plain Python: cars and their drivers."""

from .car import Car
from .driver import Driver

__all__ = ["Car", "Driver"]
