"""Episodes of a policy as files."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from solidbody import rl
from solidbody.record.base import RecordError
from solidbody.rl.tasks.goal import Goal
from solidbody.rl.tasks.pole import Pole
from solidbody.viewer import replay_file
from solidbody.viewer.page_files import PageFile
from tests.rl.pushing import Pushed

Maker = Callable[..., Pushed]


@pytest.fixture
def small_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our page is a small one here, which need not be built."""
    text = b"<!doctype html><html><head></head><body></body></html>\n"
    page = {"/": PageFile(text, b"", "", is_hashed=False)}
    monkeypatch.setattr(replay_file, "load_page", lambda: page)


def push(rows: np.ndarray) -> np.ndarray:
    return np.ones((len(rows), 1))


@pytest.mark.usefixtures("small_page")
def test_replay_has_a_frame_for_each_action(pushed: Maker, tmp_path: Path) -> None:
    """From the start of the episode to its end, where the ball was then; worth what the episode was."""
    path = tmp_path / "run.html"
    task = partial(pushed, start=0.5)
    worth = rl.record_episode(task, push, path, seed=3)
    data = json.loads(path.read_text("utf-8").split('id="replay">')[1].split("</script>")[0])
    frames = np.frombuffer(gzip.decompress(base64.b64decode(data["poses"])), dtype="<f4")
    places = frames.reshape(len(data["times"]), -1, 7)[:, -1, 0]
    # one step of 10 ms to settle, then actions of 20 ms until the ball is beyond 1 m
    assert np.allclose(np.diff(data["times"]), 0.02)
    assert places[0] == pytest.approx(0.5, abs=0.02) and places[-2] <= 1.0 < places[-1]
    assert worth == pytest.approx(places[1:].sum(), abs=1e-3)
    assert worth == pytest.approx(rl.evaluate(task, push, episodes=1, seed=3)[0])


@pytest.mark.usefixtures("small_page")
def test_replay_shows_the_goal_of_its_episode(tmp_path: Path) -> None:
    """The marker stands where the episode's goal is, not where the file has it."""
    places = set()
    for seed in (0, 1):
        path = tmp_path / f"{seed}.html"
        rl.record_episode(Goal, lambda rows: np.zeros((1, 2)), path, seed=seed, max_episode_steps=2)
        data = json.loads(path.read_text("utf-8").split('id="replay">')[1].split("</script>")[0])
        (goal,) = (link for link in data["scene"]["links"] if link["name"] == "goal")
        places.add(tuple(np.round(goal["position"], 3)))
    assert len(places) == 2 and (2.3, 2.3, 0.005) not in places


def test_film_shows_the_episode(tmp_path: Path) -> None:
    """A picture of the start and one for each action: the cart is seen to move."""
    path = tmp_path / "run.gif"
    rl.record_episode(Pole, push, path, max_episode_steps=5)
    with Image.open(path) as film:
        assert film.n_frames == 6  # type: ignore[attr-defined]


def test_slips_are_told(pushed: Maker, tmp_path: Path) -> None:
    """Episodes without an end, files of no known kind."""
    with pytest.raises(ValueError, match="max_episode_steps"):
        rl.record_episode(pushed, push, tmp_path / "a.gif", max_episode_steps=None)
    with pytest.raises(RecordError, match=r"a\.xyz"):
        rl.record_episode(pushed, push, tmp_path / "a.xyz")
