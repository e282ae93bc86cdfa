"""Runs the program "tiago", which serves all TIAGos."""

import runpy
from pathlib import Path

runpy.run_path(str(Path(__file__).parents[1] / "tiago" / "tiago.py"))
