"""`python -m benchmarks.reading`: how fast world files are read, and what memory that takes.

Rows: the largest worlds of a folder of real ones (by default the corpus beside the repository), a
made world of two megabytes, and a made world that is one long list of numbers. Columns: text to
syntax tree, text to scene, and the peak of memory while the scene is made, as multiples of the
file's size. Goals: 2 MB/s for worlds, 10 MB/s for numbers, below 30 times the file.

With `--world FILE` only that world is read, once and with nothing kept from before: seconds of our process,
of the one in which templates run, and by the clock. `WEBOTS_HOME` says whose PROTOs are used.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.gc_pause import collector_paused
from solidbody.formats.loading import read_scene, read_scene_text
from solidbody.formats.vrml.parser import parse_text

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "webots"
LARGEST = 5
ROUNDS = 3
MEGABYTE = 1e6


@dataclass(frozen=True, slots=True)
class Reading:
    """The figures of one file."""

    name: str
    size: int
    parse_rate: float
    read_rate: float
    memory: float

    def row(self) -> str:
        """Return the line of the table."""
        return (
            f"{self.name[:40]:40} {self.size / 1e3:9.0f} kB {self.parse_rate:8.2f} MB/s "
            f"{self.read_rate:8.2f} MB/s {self.memory:6.1f} x"
        )


def made_world(size: int = 2_000_000) -> str:
    """Return a world of about `size` characters: solids with shapes, masses and joints."""
    part = """Solid {{
  translation {0}.5 -1.25 0.75
  rotation 0.267261 0.534522 0.801784 1.0471975511965976
  children [
    Shape {{
      appearance PBRAppearance {{
        baseColor 0.8 0.25 0.125
        roughness 0.5
        metalness 0
      }}
      geometry Box {{
        size 0.5 0.25 0.125
      }}
    }}
    HingeJoint {{
      jointParameters HingeJointParameters {{
        axis 0 1 0
        anchor 0.1 0 0
      }}
      endPoint Solid {{
        translation 0.2 0 0
        name "arm {0}"
        boundingObject Sphere {{
          radius 0.1
        }}
        physics Physics {{
        }}
      }}
    }}
  ]
  name "part {0}"
  boundingObject Box {{
    size 0.5 0.25 0.125
  }}
  physics Physics {{
    density -1
    mass 1.5
  }}
}}
"""
    count = max(1, size // len(part))
    head = "#VRML_SIM R2025a utf8\nWorldInfo {\n}\nViewpoint {\n}\n"
    return head + "".join(part.format(k) for k in range(count))


def made_numbers(count: int = 300_000) -> str:
    """Return a world with a mesh of `count` coordinates and as many indices."""
    points = " ".join(f"{(k * 7919 % 100003) / 1e5:.5f}" for k in range(count))
    faces = " ".join(
        f"{k % (count // 3)} {(k + 1) % (count // 3)} {(k + 2) % (count // 3)} -1"
        for k in range(count // 4)
    )
    return (
        "#VRML_SIM R2025a utf8\nWorldInfo {\n}\nViewpoint {\n}\nShape {\n  geometry IndexedFaceSet"
        f" {{\n coord Coordinate {{\n point [ {points} ]\n }}\n coordIndex [ {faces} ]\n }}\n}}\n"
    )


def measure(name: str, text: str, rounds: int = ROUNDS) -> Reading:
    """Return the figures of a world given as text; `name` is its file."""
    size = len(text.encode())
    parse = _seconds(lambda: _parsed(text, name), rounds)
    read = _seconds(lambda: read_scene_text(text, name), rounds)
    tracemalloc.start()
    read_scene_text(text, name)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return Reading(
        Path(name).name, size, size / parse / MEGABYTE, size / read / MEGABYTE, peak / size
    )


@collector_paused()
def _parsed(text: str, name: str) -> object:
    return parse_text(text, name, DiagnosticLog())


def _seconds(work: Callable[[], object], rounds: int) -> float:
    times: list[float] = []
    for _ in range(rounds):
        start = time.process_time()  # reading uses one processor; others may be busy
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def read_once(path: Path) -> str:
    """Return a line with the seconds that the first reading of a world takes."""
    started, own, others = time.perf_counter(), time.process_time(), _children_seconds()
    read_scene(path)
    return (
        f"{path.name[:40]:40} {time.process_time() - own:6.1f} s here, "
        f"{_children_seconds() - others:.1f} s of templates, "
        f"{time.perf_counter() - started:.1f} s by the clock"
    )


def _children_seconds() -> float:
    spent = os.times()
    return spent.children_user + spent.children_system


def main() -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading", description=__doc__)
    parser.add_argument("--folder", type=Path, default=CORPUS, help="worlds to take the largest of")
    parser.add_argument("--world", type=Path, help="a world to read once, and nothing else")
    options = parser.parse_args()
    if options.world is not None:
        print(read_once(options.world))
        return 0
    print(f"{'file':40} {'size':>12} {'to tree':>13} {'to scene':>13} {'memory':>8}")
    worlds = sorted(options.folder.rglob("*.wbt"), key=lambda path: -path.stat().st_size)
    for path in worlds[:LARGEST]:
        print(measure(str(path), path.read_text(encoding="utf-8")).row())
    print(measure("made world.wbt", made_world()).row())
    print(measure("made numbers.wbt", made_numbers()).row())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
