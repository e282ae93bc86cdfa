"""Recordings of every kind by the extension of their file, and what notebooks show of them."""

from __future__ import annotations

import base64
import html
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from solidbody.record import recorder_for
from solidbody.record.choose import RecorderMaker
from solidbody.record.video import FORMATS, VideoRecorder
from solidbody.viewer.notebook_frames import page_frame
from solidbody.viewer.replay_file import ReplayRecorder

if TYPE_CHECKING:
    from solidbody.record.base import Recorder
    from solidbody.sim import Sim

MOST_EMBEDDED: Final = 32 * 2**20
"""[bytes] Of files that a notebook carries along; larger ones are named."""


def replay_recorder(sim: Sim, path: Path, period: float | None = None) -> Recorder:
    """Return what makes a page that replays the run."""
    return ReplayRecorder(sim, path, period)


def film_recorder(sim: Sim, path: Path, period: float | None = None) -> Recorder:
    """Return what films from the viewpoint."""
    return (
        VideoRecorder(sim, path) if period is None else VideoRecorder(sim, path, fps=1.0 / period)
    )


def record(
    sim: Sim,
    path: str | os.PathLike[str],
    period: float | None = None,
    *,
    all_sensors: bool = False,
    others: Mapping[str, RecorderMaker] = MappingProxyType({}),
) -> Recorder:
    """Return a recorder that goes along with `sim`; `others` make those of further extensions.

    Raises:
        RecordError: The extension is unknown, or the file cannot be written.
        ValueError: The period is not above 0.
    """
    if period is not None and not 0.0 < period < float("inf"):
        raise ValueError(f"period must be above 0, got {period}")
    more = {".html": replay_recorder} | dict.fromkeys(FORMATS, film_recorder) | dict(others)
    recorder = recorder_for(sim, Path(path), period=period, all_sensors=all_sensors, more=more)
    recorder.html = recording_html
    return recorder


def recording_html(path: Path) -> str:
    """Return what a notebook shows of a finished recording: a replay or a film, or else its name."""
    name = html.escape(str(path))
    try:
        size = path.stat().st_size
    except OSError:
        return f"<code>{name}</code> does not exist"
    if size > MOST_EMBEDDED or path.suffix not in (".html", *FORMATS):
        return f"<code>{name}</code>, {size:,} bytes"
    if path.suffix == ".html":
        return page_frame(path.read_text(encoding="utf-8"))
    data = base64.b64encode(path.read_bytes()).decode()
    if path.suffix == ".gif":
        return f'<img src="data:image/gif;base64,{data}" alt="{name}">'
    return f'<video controls loop src="data:video/mp4;base64,{data}"></video>'
