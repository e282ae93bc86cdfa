"""Joysticks of Choreonoid's controllers: a file of events, the page's, or none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from solidbody.control.simple_controllers.joystick import (
    JoystickFileError,
    page_state,
    read_script,
)


def written(folder: Path, content: object) -> Path:
    path = folder / "stick.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


EVENTS = [
    {"t0": 0.5, "t1": 2.0, "axis": 1, "value": -0.8},
    {"t0": 1.0, "t1": 1.5, "button": 2, "value": 1},
]


@pytest.mark.parametrize("wrapped", [EVENTS, {"events": EVENTS}, {"joystick": {"events": EVENTS}}])
def test_events_hold_from_their_start_to_their_end(tmp_path: Path, wrapped: object) -> None:
    script = read_script(written(tmp_path, wrapped))
    times = (0.0, 0.499, 0.5, 1.0, 1.499, 1.5, 1.999, 2.0, 9.0)
    axis = [float(script.state(time)[1]) for time in times]
    assert axis == [0.0, 0.0, -0.8, -0.8, -0.8, -0.8, -0.8, 0.0, 0.0]
    assert script.state(0.0)[1] == 0.0  # anew
    assert [float(script.state(time)[8 + 2]) for time in (0.9, 1.0, 1.5)] == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "Expecting"),
        ({"event": []}, "expected a list"),
        ([3], "event 0: expected an object"),
        ([{"t0": "x", "t1": 1, "axis": 0, "value": 1}], "t0 must be a number"),
        ([{"t0": 0, "t1": 1, "axis": 8, "value": 1}], "axis is from 0 to 7, got 8"),
        ([{"t0": 0, "t1": 1, "value": 1}], "neither an axis nor a button"),
    ],
)
def test_what_is_no_list_of_events_is_said(tmp_path: Path, content: object, said: str) -> None:
    with pytest.raises(JoystickFileError, match=said):
        read_script(written(tmp_path, content))


def test_the_pages_joystick_has_choreonoids_layout() -> None:
    """The page tells the pad as a hat; browsers number triggers before SELECT."""
    state = page_state((32767, 0, 0, -32767), (0, 6, 8), (0x101,))
    assert state[:8].tolist() == pytest.approx([1.0, 0.0, 0.0, -1.0, 1.0, -1.0, 1.0, 0.0])
    assert state[8:].nonzero()[0].tolist() == [0, 6]
    assert page_state((), (), (0x1010,))[4:6].tolist() == [-1.0, 1.0]
    assert not page_state((), (), ()).any()
