"""Files made to hurt: each ends with a clear message within 5 s and 1 GB, in a process so limited."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

resource = pytest.importorskip("resource", reason="no resource limits on this system")

SECONDS = 5.0
"""Of computing: what other programs do on the machine does not count."""
MEMORY = 1_000_000_000
HEAD = "#VRML_SIM R2025a utf8\nWorldInfo { }\nViewpoint { }\n"

# The limit is set in the child itself, after its own libraries are in place: address space also
# counts what is only reserved, so it is given on top of that.
CHILD = f"""
import json, resource, sys, time
from solidbody.formats.loading import read_scene
reserved = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (reserved + {MEMORY}, reserved + {MEMORY}))
start = time.process_time()
scene, log = read_scene(sys.argv[1])
print(json.dumps({{
    "seconds": time.process_time() - start,
    "codes": [item.code for item in log],
    "first": str(log.items[0]) if log.items else "",
    "has_scene": scene is not None,
}}))
"""


def outcome(path: Path) -> dict[str, object]:
    """Read a file in a process of its own; return what it says about it."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def check(path: Path, code: str, text: str) -> None:
    """Check the message about a file and that it came in time."""
    found = outcome(path)
    codes = found["codes"]
    assert isinstance(codes, list) and code in codes, found
    assert text in str(found["first"]), found
    seconds = found["seconds"]
    assert isinstance(seconds, float) and seconds < SECONDS * _slowness(), found


def _slowness() -> float:
    """Return how much slower this machine is than an idle one of today, 1 at least."""
    start = time.process_time()
    sum(k * k for k in range(2_000_000))
    return max(1.0, (time.process_time() - start) / 0.15)


def written(folder: Path, text: str | bytes) -> Path:
    """Return a world file with that content."""
    path = folder / "world.wbt"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


pytestmark = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="needs the size of a process"
)


def test_nesting_of_ten_thousand_levels(tmp_path: Path) -> None:
    deep = "Group { children [ " * 10_000 + "] } " * 10_000
    check(written(tmp_path, HEAD + deep), "too-deep", "levels of nesting")


def test_nesting_that_is_never_closed(tmp_path: Path) -> None:
    deep = "Solid { children [ " * 10_000
    check(written(tmp_path, HEAD + deep), "too-deep", "levels of nesting")


def test_use_that_doubles_forty_times(tmp_path: Path) -> None:
    lines = ["DEF G0 Group { children [ Shape { geometry Box { } } ] }"]
    lines += [f"DEF G{k} Group {{ children [ USE G{k - 1} USE G{k - 1} ] }}" for k in range(1, 41)]
    check(written(tmp_path, HEAD + "\n".join(lines)), "too-many-nodes", "once USE is followed")


def test_use_that_doubles_in_a_bounding_object(tmp_path: Path) -> None:
    lines = ["DEF G0 Group { children [ Box { } ] }"]
    lines += [f"DEF G{k} Group {{ children [ USE G{k - 1} USE G{k - 1} ] }}" for k in range(1, 41)]
    text = "\n".join(
        f'Solid {{ name "{k}" boundingObject {line} }}' for k, line in enumerate(lines)
    )
    found = outcome(written(tmp_path, HEAD + text))
    codes = found["codes"]
    assert isinstance(codes, list) and "illegal-bounding-object" in codes


def test_file_of_a_hundred_megabytes(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD)
    with path.open("ab") as out:
        out.truncate(100_000_000)
    check(path, "file-too-large", "the file has 100000000 bytes")


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "utf-32"])
def test_wrong_encoding(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path, (HEAD + 'Solid { name "Tür" }').encode(encoding))
    check(path, "bad-encoding", "the file is not UTF-8")


@pytest.mark.slow
def test_a_hundred_thousand_errors(tmp_path: Path) -> None:
    check(
        written(tmp_path, HEAD + "} ] " * 100_000 + "Solid { 1 ] } " * 1000), "unexpected-token", ""
    )


@pytest.mark.slow
def test_one_word_of_ten_megabytes(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + "Solid { " + "a" * 10_000_000 + " 1 }")
    check(path, "unknown-field", "has no field")


@pytest.mark.slow
def test_one_string_without_end(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + 'Solid { name "' + "x \\\\" * 2_000_000)
    check(path, "unterminated-string", "no closing quote")


@pytest.mark.slow
def test_ten_megabytes_of_brackets(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + "[" * 5_000_000 + "{" * 5_000_000)
    check(path, "too-many-tokens", "nothing of the file is read")


@pytest.mark.slow
def test_fifty_megabytes_of_small_nodes(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + "Solid { translation 1 2 3 }\n" * 1_700_000)
    check(path, "too-many-tokens", "nothing of the file is read")
