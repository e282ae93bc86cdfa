"""What notebooks show of simulations and recordings, and `Sim.record`."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import solidbody as sb
from solidbody.record import RecordError
from solidbody.viewer import notebook
from solidbody.viewer.notebook import CHOICE, MOST_VIEWS
from tests.viewer.motion import make_scene
from tests.waiting import wait_until


@pytest.fixture(autouse=True)
def closed_views() -> Iterator[None]:
    """Close what notebooks would leave open."""
    yield
    while notebook._shown:
        notebook._shown.popitem()[1].close()


def shown(sim: sb.Sim) -> str:
    return sim._repr_html_()


def address_of(frame: str) -> str:
    found = re.search(r'src="(http://127\.0\.0\.1:\d+/frame/[^"]+/)"', frame)
    assert found, frame
    return found[1]


def test_a_cell_with_a_simulation_shows_the_live_page() -> None:
    """The same page each time; steps of later cells are seen without a call of `sync`."""
    sim = sb.Sim(make_scene(2))
    address = address_of(shown(sim))
    assert address_of(shown(sim)) == address
    assert httpx.get(address + "api/scene").json()["links"]
    player = next(iter(notebook._shown.values())).view._player
    before = player.frame.step_count
    sim.run(0.2)
    wait_until(
        lambda: player.frame.step_count > before
    )  # frames that come too fast are sent a moment later


def test_views_of_a_long_notebook_are_bounded() -> None:
    """Those shown longest ago are closed, and their simulations go on alone."""
    sims = [sb.Sim(make_scene(1)) for _ in range(MOST_VIEWS + 1)]
    addresses = [address_of(shown(sim)) for sim in sims]
    assert len(notebook._shown) == MOST_VIEWS
    assert not sims[0].step_hooks
    with pytest.raises(httpx.ConnectError):
        httpx.get(addresses[0])
    assert httpx.get(addresses[-1]).status_code == 200


def test_without_a_way_to_the_server_a_replay_of_now_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in Colab: the whole page is in the cell, with the present poses, and asks for nothing."""
    monkeypatch.setenv(CHOICE, "replay")
    frame = shown(sb.Sim(make_scene(2)))
    page = html.unescape(re.search(r'srcdoc="([^"]*)"', frame)[1])  # pyright: ignore[reportOptionalSubscript]
    assert 'id="replay"' in page and 'src="' not in page.split("<script", 1)[0]
    assert not notebook._shown
    monkeypatch.setenv(CHOICE, "film")
    with pytest.raises(ValueError, match='must be "live" or "replay"'):
        shown(sb.Sim(make_scene(1)))


@pytest.mark.parametrize("name", ["run.csv", "run.mcap", "run.html", "run.gif"])
def test_a_simulation_is_recorded_by_its_extension(tmp_path: Path, name: str) -> None:
    """From Python as from the command line; afterwards nothing goes along."""
    sim = sb.Sim(make_scene(2))
    with sim.record(tmp_path / name) as recording:
        sim.run(0.1)
        assert "recording" in recording._repr_html_()  # pyright: ignore[reportAttributeAccessIssue]
    assert recording.is_closed and not sim.step_hooks
    assert (tmp_path / name).stat().st_size > 0
    shown_as = recording._repr_html_()  # pyright: ignore[reportAttributeAccessIssue]
    wanted = {"run.html": "<iframe srcdoc=", "run.gif": "data:image/gif;base64,"}
    assert wanted.get(name, f"{name}</code>") in shown_as


def test_what_cannot_be_recorded_is_told(tmp_path: Path) -> None:
    """Extension, folder and period."""
    sim = sb.Sim(make_scene(1))
    with pytest.raises(
        RecordError, match=r"known: \.mcap, \.csv, \.glb, \.gltf, \.html, \.gif, \.mp4"
    ):
        sim.record(tmp_path / "run.xyz")
    with pytest.raises(RecordError):
        sim.record(tmp_path / "nowhere" / "run.csv")
    with pytest.raises(ValueError, match="period must be above 0"):
        sim.record(tmp_path / "run.csv", period=0.0)
    assert not sim.step_hooks
