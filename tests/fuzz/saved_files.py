"""What is kept between runs or given on the command line: snapshots, caches, settings, arguments."""

from __future__ import annotations

import functools
import hashlib
import json
import random
from pathlib import Path
from typing import Any

import numpy as np

import solidbody as sb
from solidbody.cli.drive import parse_drive
from solidbody.cli.options import parse_speed
from solidbody.cli.recording import size_of
from solidbody.cli.status import UsageError
from solidbody.compiler.convex_decomposition import _parts_file, _read
from solidbody.control.programs import ProgramError, find_program
from solidbody.formats.downloads import DownloadCache, DownloadError
from solidbody.formats.scene_merging import parse_scene_file
from solidbody.sim import Snapshot, load_snapshots
from tests.fuzz.damage import NUMBERS, ODD_TEXT, damaged_bytes, damaged_text, encoded
from tests.fuzz.kind import ACCEPTED, REFUSED, FaultError, Files, Kind, no_nan

# --------------------------------------------------------------------------------- snapshots

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 8 }
Robot { name "r" controller "<none>" translation 0 0 0.05 boundingObject Box { size 0.1 0.1 0.1 }
physics Physics { }
  children [ HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 anchor 0 0 0.1 }
    device [ RotationalMotor { name "m" } PositionSensor { } ]
    endPoint Solid { name "arm" translation 0 0 0.2 boundingObject Sphere { radius 0.05 } physics
    Physics { } } } ] }
Solid { name "floor" boundingObject Plane { } }
Solid { name "ball" translation 1 0 0.0499 boundingObject Sphere { radius 0.05 } physics Physics { } }
"""


@functools.cache
def _sim() -> sb.Sim:
    from solidbody.formats.loading import read_scene_text

    scene, _ = read_scene_text(WORLD)
    assert scene is not None
    return sb.Sim(scene)


@functools.cache
def _snapshots() -> tuple[bytes, ...]:
    sim, out = _sim(), []
    sim.joint(
        "r/HingeJoint" if "r/HingeJoint" in sim.joint_names else sim.joint_names[0]
    ).target_velocity = 1.0
    for steps in (0, 3, 40):
        sim.step(steps)
        out.append(sim.snapshot().to_bytes())
    return tuple(out)


def _snapshot(chance: random.Random) -> Files:
    whole = chance.choice(_snapshots())
    start = whole.index(b"[")
    end = whole.index(b"]", start) + 1
    match chance.randrange(4):
        case 0:  # the table of lengths
            head = damaged_text(
                whole[start:end].decode(), chance, ["-1", "[]", "{}", '"a"', "null", "true"]
            )
            part = head.encode("utf-8", "replace")
            size = len(part).to_bytes(4, "little")
            data = whole[: start - 4] + size + part + whole[end:]
        case 1:  # two of them
            data = whole + damaged_bytes(whole, chance, _snapshots())
        case 2:  # only the content
            data = whole[:end] + damaged_bytes(whole[end:], chance, _snapshots())
        case _:
            data = damaged_bytes(whole, chance, _snapshots())
    return {"a.state": data}


def _read_snapshots(folder: Path) -> str:
    """Read, go on from there, and step: finite poses or an error."""
    path = folder / "a.state"
    found = load_snapshots(path)
    for snapshot in found[-2:]:
        Snapshot.from_bytes(snapshot.to_bytes())
        sim = _sim()
        sim.restore(snapshot)
        sim.step(2)
        no_nan(sim.poses(), "poses", no_infinity=True)
    return ACCEPTED


# --------------------------------------------------------------------------------- caches


@functools.cache
def _parts() -> bytes:
    points = np.arange(24.0).reshape(8, 3)
    return _parts_file([points, points[:5] + 1.0, points[:4]])


def _convex(chance: random.Random) -> Files:
    return {"a.npz": damaged_bytes(_parts(), chance)}


def _read_parts(folder: Path) -> str:
    """None = made anew."""
    found = _read(folder / "a.npz")
    if found is None:
        return REFUSED
    no_nan(found, "parts", no_infinity=True)
    for part in found:
        if part.ndim != 2 or part.shape[1] != 3 or len(part) < 1:
            raise FaultError(f"a part of the shape {part.shape}")
    return ACCEPTED


URL = "https://example.org/a/b.png"


def _download(chance: random.Random) -> Files:
    home = hashlib.sha256(URL.encode()).hexdigest()
    content = b"content"
    record = json.dumps({"url": URL, "sha256": hashlib.sha256(content).hexdigest()}).encode()
    if chance.random() < 0.7:
        words = ["null", "[]", "{}", "true", '"sha256"', "1"]
        record = encoded(damaged_text(record.decode(), chance, words), chance)
    else:
        content = damaged_bytes(content, chance)
    return {f"{home}/b.png": content, f"{home}/record.json": record}


def _read_download(folder: Path) -> str:
    """A copy is used only with the content that was fetched, and nothing is fetched."""
    try:
        path = DownloadCache(folder, {}).get(URL, allow_download=False)
    except DownloadError:
        return REFUSED
    if path.read_bytes() != b"content":
        raise FaultError("a damaged copy is used")
    return ACCEPTED


# --------------------------------------------------------------------------------- settings and arguments

RUNTIME = """; settings
[environment variables with paths]
A = ./lib:$(WEBOTS_HOME)/x
[environment variables]
B = "1" ; one
$HOME = $(A)
[environment variables for Linux]
C = ${A}
[python]
COMMAND = python3
OPTIONS = -O -u
"""
RUNTIME_WORDS = [
    "[",
    "]",
    "=",
    ":",
    "$(A)",
    "$(",
    "${HOME}",
    "\n[python]\n",
    "COMMAND",
    "~/x",
    "\\",
    "%(A)s",
    "COMMAND =",
]


def _runtime(chance: random.Random) -> Files:
    text = damaged_text(RUNTIME, chance, RUNTIME_WORDS)
    return {"c/a/runtime.ini": encoded(text, chance), "c/a/a.py": b""}


def _read_runtime(folder: Path) -> str:
    """What is started has words without null characters, which no system starts."""
    try:
        program = find_program("a", (), (folder / "c",))
    except ProgramError:
        return REFUSED
    for text in (*program.command, *program.environment, *program.environment.values()):
        if not isinstance(text, str) or "\0" in text:
            raise FaultError(f"no program can be started with {text!r}")
    if any("=" in name or not name for name in program.environment):
        raise FaultError("a variable without a name")
    return REFUSED if program.remark else ACCEPTED


ARGUMENTS = (
    *("drive arm=1", "drive a b=c=-2.5:position", "drive arm=1e3:effort", "speed 2", "speed max"),
    *("size 640x480", "part a.wbt@1,2,3", "part a.body@1,2,3,0.5", "part a@b.urdf@0,0,0,0,0,1"),
)


def _argument(chance: random.Random) -> Files:
    words = [
        "=",
        ":",
        "@",
        "x",
        ",",
        "velocity",
        "position",
        "effort",
        "²",
        "1x²",
        *NUMBERS[:20],
        *ODD_TEXT,
    ]
    head, _, rest = chance.choice(ARGUMENTS).partition(" ")
    return {"a.txt": f"{head} {damaged_text(rest, chance, words)}".encode("utf-8", "replace")}


def _read_argument(folder: Path) -> str:
    readers: dict[str, Any] = {
        "drive": parse_drive,
        "speed": parse_speed,
        "size": size_of,
        "part": parse_scene_file,
    }
    name, _, text = (folder / "a.txt").read_bytes().decode("utf-8", "replace").partition(" ")
    try:
        found = readers[name](text)
    except UsageError:
        return REFUSED
    no_nan(found, name, no_infinity=name != "speed")
    return ACCEPTED


KINDS = (
    Kind("snapshot", _snapshot, _read_snapshots, refusals=(ValueError,)),
    Kind("parts", _convex, _read_parts),
    Kind("download", _download, _read_download),
    Kind("runtime", _runtime, _read_runtime),
    Kind("argument", _argument, _read_argument, refusals=(ValueError,)),
)
