"""Runs the program "braitenberg", which has a row for the Koala."""

import runpy
from pathlib import Path

runpy.run_path(str(Path(__file__).parents[1] / "braitenberg" / "braitenberg.py"))
