"""Supervisors: pictures, movies and animations."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.control.projects import Project
from tests.control.supervision import supervise

WORLD = """
Background { skyColor [ 0 0 1 ] }
DirectionalLight { direction 1 0 0 }
DEF WALL Solid { name "wall" translation 0 0 2 linearVelocity 0 1 0 children [
  Shape { appearance PBRAppearance { baseColor 1 0 0 roughness 1 metalness 0 }
    geometry Box { size 1 1 1 } } ] }
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.slow
def test_a_picture_shows_what_the_view_sees(project: Project) -> None:
    """A red wall in the middle of a blue sky; PNG and JPEG, nothing else."""
    supervise(
        project,
        """
        sup.exportImage("view.png", 100)
        sup.exportImage("view.jpg", 80)
        sup.exportImage("view.bmp", 80)
        sup.exportImage("view.png", 101)
        sup.exportImage("nowhere/view.png", 80)
        """,
        nodes=WORLD,
    )
    folder = project.folder / "controllers" / "sup"
    for name in ("view.png", "view.jpg"):
        pixels = np.asarray(Image.open(folder / name).convert("RGB")).astype(int)
        assert pixels.shape == (480, 640, 3)
        red, _, blue = pixels[240, 320]
        assert red > blue + 50
        red, _, blue = pixels[20, 20]
        assert blue > red + 50
    errors = project.errors("sup")
    assert errors[0] == (
        'Error: exportImage(): the name must end with .png, .jpg, .jpeg, got "view.bmp"'
    )
    assert errors[1] == "Error: exportImage(): quality must be between 1 and 100, got 101"
    assert errors[2].startswith("Error: exportImage(): there is no folder ")


def test_movies_have_a_frame_each_40_ms(project: Project) -> None:
    """As GIF, or MP4 where an encoder is installed; failures are said."""
    out = supervise(
        project,
        """
        out["start"] = [sup.movieIsReady(), sup.movieFailed()]
        sup.movieStartRecording("film.gif", 64, 48)
        sup.movieStartRecording("second.gif", 64, 48)
        sup.movieStopRecording()
        sup.movieStartRecording("film.gif", 64, 48)
        out["running"] = [sup.movieIsReady(), sup.movieFailed()]
        for _ in range(25):
            sup.step(8)
        sup.movieStopRecording()
        out["stopped"] = [sup.movieIsReady(), sup.movieFailed()]
        sup.step(8)
        out["end"] = [sup.movieIsReady(), sup.movieFailed()]
        sup.movieStartRecording("film.mov")
        out["failed"] = sup.movieFailed()
        sup.movieStartRecording("film.gif", quality=0)
        sup.movieStartRecording("film.gif", acceleration=0.0)
        sup.movieStartRecording("film.gif", 100000, 100)
        sup.movieStopRecording()
        sup.step(8)
        """,
        nodes=WORLD,
    )
    assert out["start"] == [True, False]
    assert out["running"] == [False, False]
    assert out["stopped"] == [False, False], "Webots writes it in the steps that follow"
    assert out["end"] == [True, False]
    assert out["failed"] is True
    film = Image.open(project.folder / "controllers" / "sup" / "film.gif")
    assert film.size == (64, 48)
    assert getattr(film, "n_frames", 1) == 5  # 25 steps of 8 ms
    assert project.errors("sup") == [
        "Error: movieStartRecording(): a movie is being recorded already",
        "Error: movieStopRecording(): nothing was recorded",
        'Error: movieStartRecording(): the name must end with .gif, .mp4, got "film.mov"',
        "Error: movieStartRecording(): quality must be between 1 and 100, got 0",
        "Error: movieStartRecording(): acceleration must be above 0, got 0",
        "Error: movieStartRecording(): 100000x100 pixels are too many; at most 2073600 in all",
        "Error: movieStopRecording(): no movie is being recorded",
    ]


def test_mp4_needs_an_encoder(project: Project) -> None:
    """With it a file is written, without it the movie fails with a message."""
    has_encoder = importlib.util.find_spec("imageio_ffmpeg") is not None
    out = supervise(
        project,
        """
        sup.movieStartRecording("film.mp4", 64, 48)
        for _ in range(10):
            sup.step(8)
        sup.movieStopRecording()
        out["failed"] = sup.movieFailed()
        """,
        nodes=WORLD,
    )
    film = project.folder / "controllers" / "sup" / "film.mp4"
    if has_encoder:
        assert out["failed"] is False
        assert film.read_bytes()[4:8] == b"ftyp"
        return
    assert out["failed"] is True
    assert not film.exists()
    assert project.errors("sup")[0] == (
        'Error: movieStartRecording(): MP4 needs imageio_ffmpeg: pip install "solidbody[video]" '
        "(GIF works without)"
    )


def test_animations_note_what_moves(project: Project) -> None:
    """Where what has moved was at first, afterwards each change, at the rate of the world's pictures."""
    out = supervise(
        project,
        """
        out["went"] = [sup.animationStartRecording("moves.html"), sup.animationStartRecording("moves.html")]
        for _ in range(6):
            sup.step(8)
        out["went"] += [sup.animationStopRecording(), sup.animationStopRecording()]
        out["went"].append(sup.animationStartRecording("moves.txt"))
        sup.step(8)
        out["wall"] = sup.getFromDef("WALL").getId()
        """,
        nodes=WORLD.replace(
            "children [", 'children [ DEF TOP Pose { children [ Solid { name "top" } ] }'
        ),
    )
    assert out["went"] == [True, False, True, False, False]
    text = (project.folder / "controllers" / "sup" / "moves.json").read_text()
    found = json.loads(text)
    # 60 pictures a second in steps of 8 ms: every third one
    assert found["basicTimeStep"] == 24
    assert found["ids"] == str(out["wall"])
    assert [frame["time"] for frame in found["frames"]] == [0, 24, 48]
    # what goes along with the wall has not moved in it
    assert [frame["updates"] for frame in found["frames"]] == [
        [{"id": out["wall"], "translation": place, "rotation": "0 0 1 0"}]
        for place in ("0 0 2", "0 0.024 2", "0 0.048 2")
    ]
    assert project.errors("sup") == [
        "Error: animationStartRecording(): an animation is being recorded already",
        "Error: animationStopRecording(): no animation is being recorded",
        'Error: animationStartRecording(): the name must end with .json, .html, got "moves.txt"',
    ]


def test_animations_count_steps_of_any_length(project: Project) -> None:
    """Steps of 10/3 ms have no whole milliseconds: five of them make a picture of 1/60 s, not fewer."""
    supervise(
        project,
        """
        sup.animationStartRecording("moves.json")
        for _ in range(20):
            sup.step(10 / 3)
        sup.animationStopRecording()
        """,
        nodes=WORLD,
        step_ms=10 / 3,
    )
    found = json.loads((project.folder / "controllers" / "sup" / "moves.json").read_text())
    assert [frame["time"] for frame in found["frames"]] == [0, 17, 33, 50, 67]
