"""Depth beside that of `mujoco.Renderer`, where the system has OpenGL: another program, the same scene."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.devices.worlds import sim_of

WIDTH, HEIGHT, ANGLE = 160, 120, 1.0
FOVY = math.degrees(2.0 * math.atan(math.tan(0.5 * ANGLE) * HEIGHT / WIDTH))
MJCF = f"""
<mujoco>
  <visual>
    <map znear="0.01" zfar="40"/> <quality numslices="256" numstacks="256" offsamples="0"/>
  </visual>
  <statistic extent="1"/>
  <worldbody>
    <camera name="eye" pos="0 0 1" xyaxes="0 -1 0 0 0 1" fovy="{FOVY}"/>
    <geom type="plane" size="20 20 1"/>
    <geom type="box" size="0.25 0.5 0.4" pos="4 1 0.4" euler="0 0 30"/>
    <geom type="sphere" size="0.5" pos="3 -0.6 0.8"/>
    <geom type="cylinder" size="0.3 0.5" pos="6 -1.5 1.2" euler="40 0 0"/>
    <geom type="capsule" size="0.2 0.4" pos="5 0.2 1.5" euler="0 60 0"/>
  </worldbody>
</mujoco>
"""
WEBOTS = f"""
Solid {{ children [ Shape {{ geometry Plane {{ size 40 40 }} }} ] }}
Solid {{ name "a" translation 4 1 0.4 rotation 0 0 1 {math.radians(30)}
  children [ Shape {{ geometry Box {{ size 0.5 1 0.8 }} }} ] }}
Solid {{ name "b" translation 3 -0.6 0.8 children [ Shape {{ geometry Sphere {{ radius 0.5 }} }} ] }}
Solid {{ name "c" translation 6 -1.5 1.2 rotation 1 0 0 {math.radians(40)}
  children [ Shape {{ geometry Cylinder {{ radius 0.3 height 1 }} }} ] }}
Solid {{ name "d" translation 5 0.2 1.5 rotation 0 1 0 {math.radians(60)}
  children [ Shape {{ geometry Capsule {{ radius 0.2 height 0.8 }} }} ] }}
Robot {{ translation 0 0 1 children [ RangeFinder {{
  width {WIDTH} height {HEIGHT} fieldOfView {ANGLE} maxRange 15 }} ] }}
"""
DRAW = f"""
import sys, mujoco, numpy
model = mujoco.MjModel.from_xml_string(sys.stdin.read())
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
renderer = mujoco.Renderer(model, {HEIGHT}, {WIDTH})
renderer.enable_depth_rendering()
renderer.update_scene(data, "eye")
numpy.save(sys.argv[1], renderer.render())
"""


def _opengl_depth(path: Path) -> np.ndarray | None:
    """Return MuJoCo's depth, drawn by a process of its own (some drivers end it); None without OpenGL."""
    for kind in ("egl", "osmesa"):
        subprocess.run(
            [sys.executable, "-c", DRAW, str(path)],
            input=MJCF,
            text=True,
            env=os.environ | {"MUJOCO_GL": kind},
            capture_output=True,
            timeout=60,
            check=False,
        )
        if path.is_file():
            return np.load(path)
    return None


def test_depth_is_that_of_mujocos_renderer(tmp_path: Path) -> None:
    """All pixels but those on outlines, which OpenGL's rounding puts on one side or the other."""
    expected = _opengl_depth(tmp_path / "depth.npy")
    if expected is None:
        pytest.skip("this system has no OpenGL (EGL or OSMesa)")
    sim = sim_of(WEBOTS)
    sim.device("range-finder").enable()
    sim.step()
    found = sim.device("range-finder").value
    seen = np.isfinite(found) & (expected < 15.0)
    # the depth buffer has 24 bits between 0.01 and 40 m, and 256 facets go round: 0.3 % at 15 m
    is_same = np.abs(found - expected) <= 0.003 * expected
    outlines = 0.01
    assert (is_same | ~seen).mean() > 1.0 - outlines
    assert (np.isfinite(found) == (expected < 15.0)).mean() > 1.0 - outlines
    assert seen.mean() > 0.4  # the rest is sky
