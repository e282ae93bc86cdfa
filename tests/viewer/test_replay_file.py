"""Pages that replay a run: what is in them, and when they are written."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import solidbody as sb
from solidbody.viewer import replay_file
from solidbody.viewer.page_files import PageFile
from solidbody.viewer.replay_file import ReplayRecorder

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 title "a </script> title" }
Solid { name "floor" boundingObject Plane { size 9 9 } }
Solid { name "ball" translation 0 0 9 linearVelocity 1 0 0
  boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 1 } }
"""


@pytest.fixture
def sim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> sb.Sim:
    """A thrown ball; our page is a small one here, which need not be built."""
    files = {
        "/": '<!doctype html><html><head><link rel="icon" href="/icon.svg" />'
        '<script type="module" src="/a.js"></script><link rel="stylesheet" href="/a.css"></head>'
        '<body><img src="/icon.svg" /><p id="x"></p></body></html>\n',
        "/a.js": 'mark("</script>", "<!--");',
        "/a.css": "p { color: red }",
    }
    page = {url: PageFile(text.encode(), b"", "", is_hashed=False) for url, text in files.items()}
    monkeypatch.setattr(replay_file, "load_page", lambda: page)
    path = tmp_path / "ball.wbt"
    path.write_text(WORLD, encoding="utf-8")
    return sb.Sim(sb.load(str(path)))


def recorded(text: str) -> tuple[dict[str, Any], np.ndarray]:
    """Return the data of a page, and its frames."""
    data = json.loads(text.split('id="replay">')[1].split("</script>")[0])
    frames = np.frombuffer(gzip.decompress(base64.b64decode(data["poses"])), dtype="<f4")
    return data, frames.reshape(len(data["times"]), -1)


def test_page_holds_the_run_and_reaches_nothing_outside(sim: sb.Sim, tmp_path: Path) -> None:
    """Style, code, scene and the poses of what moves, 30 times a second of simulated time."""
    path = tmp_path / "run.html"
    recorder = ReplayRecorder(sim, path)
    sim.attach(recorder)
    sim.run(0.2)
    recorder.close()
    text = path.read_text("utf-8")
    assert "p { color: red }" in text
    assert 'mark("<\\/script>", "<\\!--");' in text
    assert not {"/a.js", "/a.css", "/icon.svg"} & set(text.split('"'))
    assert "default-src 'none'" in text
    data, frames = recorded(text)
    assert data["scene"]["title"] == "a </script> title"
    # steps of 10 ms: every fourth one is the first not to exceed 30 in a second
    assert data["times"] == [0.0, 0.04, 0.08, 0.12, 0.16, 0.2]
    # x = v t, as float32
    np.testing.assert_allclose(frames[:, 0], data["times"], atol=1e-6)
    assert frames.shape == (6, 7)


def test_reset_begins_the_page_anew(sim: sb.Sim, tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    recorder = ReplayRecorder(sim, path, 0.01)
    sim.attach(recorder)
    sim.run(0.2)
    sim.reset()
    sim.run(0.02)
    recorder.close()
    assert recorded(path.read_text("utf-8"))[0]["times"] == [0.0, 0.01, 0.02]


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [("radius 0.1 } ", "radius 0.2 } ", 5), ('name "ball"', 'name "other"', 2)],
    ids=["same things", "others"],
)
def test_page_goes_on_while_the_same_things_move(
    sim: sb.Sim, tmp_path: Path, old: str, new: str, count: int
) -> None:
    """Supervisors change colours and forms; where they add or remove things the page begins anew."""
    recorder = ReplayRecorder(sim, tmp_path / "run.html", 0.01)
    sim.attach(recorder)
    sim.run(0.02)
    assert old in WORLD
    path = tmp_path / "changed.wbt"
    path.write_text(WORLD.replace(old, new), encoding="utf-8")
    sim.replace_scene(sb.load(str(path)))
    sim.run(0.02)
    recorder.close()
    data, frames = recorded((tmp_path / "run.html").read_text("utf-8"))
    assert data["times"] == [0.0, 0.01, 0.02, 0.03, 0.04][-count:]
    assert frames.shape == (count, 7)


def test_file_that_cannot_be_written_is_told_at_once(sim: sb.Sim, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ReplayRecorder(sim, tmp_path / "nowhere" / "run.html")
