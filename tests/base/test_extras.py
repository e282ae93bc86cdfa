"""Worlds run without the optional parts; what needs one says which command brings it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from solidbody.base.extras import EXTRAS, MissingExtraError, command, need
from tests.architecture.sources import ROOT

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 16 } Viewpoint { }
Solid { name "wall" translation 1 0 0.5 children [ DEF W Shape {
  appearance PBRAppearance { baseColor 1 0 0 } geometry Box { size 0.2 4 4 } } ] boundingObject USE W }
Robot { name "robot" controller "<none>" children [
  DistanceSensor { name "distance" lookupTable [ 0 0 0, 5 5 0 ] }
  Lidar { name "lidar" fieldOfView 1 horizontalResolution 16 numberOfLayers 1 }
  RangeFinder { name "depth" width 8 height 8 }
  Camera { name "camera" width 8 height 8 fieldOfView 0.5 } ] }
"""

PROGRAM = """
import json, sys
for name in {absent!r}:
    sys.modules[name] = None
import solidbody as sb
sim = sb.Sim(sb.load({world!r}))
for device in ("distance", "lidar", "depth", "camera"):
    sim.device(device).enable()
sim.step(2)
print(json.dumps({{
    "distance": float(sim.device("distance").value),
    "lidar": float(sim.device("lidar").value.ravel()[8]),
    "depth": float(sim.device("depth").value[4, 4]),
    "camera": sim.device("camera").value[4, 4, :3].tolist(),
    "said": [[item.code, item.text] for item in sim.devices.world.log],
}}))
"""


def run(source: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a Python of its own."""
    return subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=120, check=False
    )


def test_sensors_of_distance_measure_without_warp(tmp_path: Path) -> None:
    """The wall begins at 0.9 m; pictures are plain, and a warning says so with the command."""
    world = tmp_path / "world.wbt"
    world.write_text(WORLD, encoding="utf-8")
    absent = [name for extra in EXTRAS.values() for name in extra.modules]
    done = run(PROGRAM.format(absent=absent, world=str(world)))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for name in ("distance", "lidar", "depth"):
        assert found[name] == pytest.approx(0.9, abs=0.01), name
    assert found["camera"][0] > 50 + max(found["camera"][1:])
    [[code, text]] = found["said"]
    assert code == "plain-pictures" and command("cameras") in text


@pytest.mark.slow  # starts four programs
@pytest.mark.parametrize(
    ("options", "extra"),
    [
        (["--record", "run.mcap"], "foxglove"),
        (["--foxglove", "0"], "foxglove"),
        (["--video", "run.mp4"], "video"),
        (["--ros2"], "ros2"),
    ],
)
def test_commands_name_what_they_need(tmp_path: Path, options: list[str], extra: str) -> None:
    """Status 2 and the one command, before anything is simulated."""
    world = tmp_path / "world.wbt"
    world.write_text("#VRML_SIM R2025a utf8\nWorldInfo { }\nSolid { }\n", encoding="utf-8")
    source = (
        f"import os, sys\nos.chdir({str(tmp_path)!r})\n"
        f"for name in {EXTRAS[extra].modules!r}: sys.modules[name] = None\n"
        f"sys.argv = ['solidbody', 'run', {str(world)!r}, '--headless', '--duration', '0.1', *{options!r}]\n"
        "from solidbody.cli.app import main\nmain()\n"
    )
    done = run(source)
    assert done.returncode == 2, done.stderr
    assert command(extra) in done.stderr and "Traceback" not in done.stderr


def test_what_is_missing_is_an_error_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """For programs: an ImportError, and one of ours."""
    monkeypatch.setitem(sys.modules, "warp", None)
    with pytest.raises(MissingExtraError, match=re.escape(command("cameras"))):
        need("cameras", "a batch on a device")
    assert issubclass(MissingExtraError, ImportError)


def test_extras_are_those_of_the_package() -> None:
    """Each has its packages in pyproject.toml, and `all` brings all of them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert EXTRAS.keys() <= extras.keys()
    named = set(
        re.findall(r"[a-z0-9]+", " ".join(re.findall(r"\[(.*?)\]", " ".join(extras["all"]))))
    )
    assert EXTRAS.keys() <= named
    plain = " ".join(project["dependencies"])
    for large in ("warp", "foxglove", "coacd", "ray", "cyclonedds", "espeak"):
        assert large not in plain
