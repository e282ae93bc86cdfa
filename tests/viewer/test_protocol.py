"""Frames and commands survive the wire; nonsense is refused with a reason."""

from __future__ import annotations

import contextlib
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from solidbody.viewer.protocol import (
    COMMAND_BYTES_LIMIT,
    HEADER_BYTES,
    Command,
    CommandPause,
    CommandPlay,
    CommandReady,
    CommandReset,
    CommandSpeed,
    CommandStep,
    PlayState,
    decode_frame,
    encode_frame,
    parse_command,
)
from solidbody.viewer.scene_encoding import to_json

numbers = st.floats(-1e6, 1e6, width=32)


@given(
    poses=st.integers(0, 5).flatmap(lambda n: arrays(np.float64, (n, 7), elements=numbers)),
    state=st.sampled_from(PlayState),
    time=st.floats(0, 1e9),
    step_count=st.integers(0, 2**32 - 1),
    speed=st.sampled_from([0.25, 1.0, math.inf]),
)
def test_frames_round_trip(
    poses: np.ndarray, state: PlayState, time: float, step_count: int, speed: float
) -> None:
    """What is encoded is decoded, at float32 precision for poses."""
    message = encode_frame(
        poses, [0.5, -2.0], sequence=7, epoch=2, state=state, time=time, clock=3.5, real_time_factor=0.5,
        speed=speed, step_count=step_count, not_converged=3,
    )  # fmt: skip
    header, decoded, travels = decode_frame(message)
    assert travels.tolist() == [0.5, -2.0]
    np.testing.assert_array_equal(decoded, poses.astype(np.float32))
    assert (header.sequence, header.epoch, header.state) == (7, 2, state)
    assert (header.time, header.clock, header.step_count) == (time, 3.5, step_count)
    assert (header.real_time_factor, header.speed, header.not_converged) == (0.5, speed, 3)


def test_poses_start_at_a_multiple_of_four() -> None:
    """The page lays a float32 array over the message, which must be aligned."""
    assert HEADER_BYTES % 4 == 0


def test_long_runs_wrap_their_counters_instead_of_failing() -> None:
    """A counter past 32 bits starts again from 0."""
    message = encode_frame(
        np.zeros((0, 7)), sequence=2**32 + 5, epoch=0, state=PlayState.RUNNING, time=0.0, clock=0.0,
        real_time_factor=1.0, speed=1.0, step_count=2**40 + 1, not_converged=2**33,
    )  # fmt: skip
    header, _, _ = decode_frame(message)
    assert (header.sequence, header.step_count, header.not_converged) == (5, 1, 2**32 - 1)


@pytest.mark.parametrize("cut", [0, 10, HEADER_BYTES, HEADER_BYTES + 27])
def test_a_cut_frame_is_refused(cut: int) -> None:
    """A frame that is not whole is never half read."""
    message = encode_frame(
        np.zeros((1, 7)), sequence=1, epoch=0, state=PlayState.PAUSED, time=0.0, clock=0.0,
        real_time_factor=0.0, speed=1.0, step_count=0, not_converged=0,
    )  # fmt: skip
    with pytest.raises(ValueError):
        decode_frame(message[:cut])


@pytest.mark.parametrize(
    "command",
    [CommandPlay(), CommandPause(), CommandReset(), CommandReady(), CommandStep(3), CommandSpeed(0.5),
     CommandSpeed(None)],
)  # fmt: skip
def test_commands_round_trip(command: Command) -> None:
    """The JSON that the page sends means the same here."""
    assert parse_command(to_json(command).decode()) == command


@pytest.mark.parametrize(
    "text",
    [
        "", "nonsense", "[]", "null", "{}", '{"command": "explode"}', '{"command": "step"}',
        '{"command": "step", "count": 0}', '{"command": "step", "count": true}',
        '{"command": "step", "count": 1e3}', '{"command": "step", "count": 99999999}',
        '{"command": "speed", "factor": -1}', '{"command": "speed", "factor": NaN}',
        '{"command": "speed", "factor": Infinity}', '{"command": "speed", "factor": true}',
        '{"command": "speed", "factor": 1' + 400 * "0" + "}", "[" * 2000,
        json.dumps({"command": "play", "more": "x" * COMMAND_BYTES_LIMIT}),
    ],
)  # fmt: skip
def test_nonsense_is_refused(text: str) -> None:
    """Whatever a page sends, the answer is a ValueError with a text."""
    with pytest.raises(ValueError, match=r"\w"):
        parse_command(text)


@pytest.mark.slow
@given(st.text(max_size=200))
def test_any_text_is_a_command_or_refused(text: str) -> None:
    """No text gives any other error."""
    with contextlib.suppress(ValueError):
        parse_command(text)
