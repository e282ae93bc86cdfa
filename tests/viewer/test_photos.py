"""Photos that the page asks for: from its camera, one at a time, stopped, refused."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import solidbody as sb
from solidbody.viewer.photos import Photos
from solidbody.viewer.protocol_photo import CommandPhoto, CommandPhotoStop, EventPhoto
from solidbody.viewer.protocol_work import parse_work
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { }
Viewpoint { }
Background { skyColor [ 0 0 1 ] }
Solid { translation 5 1 0 children [ Shape {
  appearance PBRAppearance { baseColor 1 0 0 roughness 1 metalness 0 } geometry Box { size 1 1 1 } } ] }
"""

# right, up and back of a camera that looks along x with z up: -y, z, -x
AHEAD = (0.5, 0.5, -0.5, -0.5)

PHOTO = CommandPhoto("one", (0.0, 0.0, 0.0), AHEAD, 0.8, 60, 40, 2)


class Desk:
    """Photos of a world, and what was told of them."""

    def __init__(self, sim: sb.Sim) -> None:
        self.told: list[EventPhoto] = []
        self.is_held = threading.Event()
        self.is_held.set()
        self.photos = Photos(sim, self._take)

    def _take(self, event: EventPhoto) -> None:
        self.told.append(event)
        if event.state == "working":
            assert self.is_held.wait(60)

    def end(self) -> EventPhoto:
        """Return the last word about the photo."""
        wait_until(lambda: bool(self.told) and self.told[-1].state != "working")
        return self.told[-1]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    path = tmp_path / "world.wbt"
    path.write_text(WORLD, encoding="utf-8")
    sim = sb.Sim(sb.load(str(path)))
    if sim.devices.world.rays.is_plain:
        pytest.skip("no Warp here")
    made = Desk(sim)
    yield made
    made.is_held.set()
    made.photos.close()


def test_a_photo_is_what_the_camera_of_the_page_sees(desk: Desk) -> None:
    """The red box ahead is left of the middle (y = 1, looking along x), as high as it is wide."""
    assert desk.photos.png() is None
    desk.photos.obey(PHOTO)
    assert desk.end() == EventPhoto("one", 1.0, "done", "")
    data = desk.photos.png()
    assert data is not None
    picture = np.asarray(Image.open(io.BytesIO(data))).astype(int)
    assert picture.shape == (40, 60, 3)
    red = picture[..., 0] > picture[..., 2]
    rows, columns = np.nonzero(red)
    scale = 20 / np.tan(0.4)  # pixels per slope; the front is 4.5 m away
    assert columns.mean() == pytest.approx(29.5 - scale * 1.0 / 4.6, abs=1.0)
    assert rows.mean() == pytest.approx(19.5, abs=1.0)
    assert np.ptp(rows) + 1 == pytest.approx(scale / 4.5, abs=1.5)


def test_one_photo_at_a_time_until_it_is_stopped(desk: Desk) -> None:
    desk.is_held.clear()
    desk.photos.obey(replace(PHOTO, samples=4096))
    wait_until(lambda: bool(desk.told))
    desk.photos.obey(replace(PHOTO, ticket="two"))
    assert desk.told[-1] == EventPhoto("two", 0.0, "failed", "Another photo is being taken.")
    desk.photos.obey(CommandPhotoStop("two"))  # stops nothing
    desk.photos.obey(CommandPhotoStop("one"))
    desk.is_held.set()
    assert desk.end().state in ("stopped", "failed")
    wait_until(lambda: desk.told[-1].ticket == "one" and desk.told[-1].state == "stopped")
    desk.photos.obey(PHOTO)
    wait_until(lambda: desk.told[-1].state == "done")


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"width": 100_000, "height": 100_000}, "100000x100000 pixels cannot be made"),
        ({"samples": 0}, "1 to 4096 samples"),
        ({"rotation": (0.0, 0.0, 0.0, 0.0)}, "a camera with a direction"),
        ({"angle": 4.0}, "an angle below 180 degrees"),
    ],
)
def test_what_cannot_be_is_refused(desk: Desk, wrong: dict[str, object], reason: str) -> None:
    desk.photos.obey(replace(PHOTO, **wrong))
    assert desk.told[-1].state == "failed"
    assert reason in desk.told[-1].text
    assert desk.photos.png() is None


def test_commands_come_as_they_are_meant() -> None:
    values = {"command": "photo", "ticket": "t", "position": [0, 0, 1], "rotation": [1, 0, 0, 0]}
    values |= {"angle": 0.7, "width": 640, "height": 360, "samples": 16}
    assert parse_work(values) == CommandPhoto(
        "t", (0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0), 0.7, 640, 360, 16
    )
    with pytest.raises(ValueError, match="photo: width must be"):
        parse_work(values | {"width": -1})
