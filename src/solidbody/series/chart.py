"""Lays out curves over time: one panel for each unit, its scale at the left, names at the right.

What is drawn on is a `ChartCanvas`: a picture or SVG (`canvases.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import SolidbodyError
from solidbody.series.run_series import Series

Color = tuple[int, int, int]
Points = NDArray[np.float64]

COLORS: Final[tuple[Color, ...]] = (
    (31, 105, 190),
    (217, 95, 2),
    (27, 140, 90),
    (200, 40, 80),
    (117, 90, 180),
    (140, 100, 20),
    (20, 150, 170),
    (210, 110, 170),
    (90, 90, 90),
    (120, 160, 20),
)
"""Told apart on white, also where red and green look alike, as far as ten can be."""

INK: Final = (40, 44, 52)
FAINT: Final = (226, 229, 233)
WHITE: Final = (255, 255, 255)

MOST_CURVES: Final = 60
"""In one plot: more cannot be told apart, and want a narrower pattern."""

MOST_PANELS: Final = 8

FONT: Final = 13
"""[pixels]"""

LEFT, RIGHT, TOP, BOTTOM, GAP = 78, 20, 50, 44, 26
LEGEND: Final = 250
"""[pixels] Most that names at the right take."""

LETTER: Final = 0.56
"""Mean width of a letter by the size of the font."""


class PlotError(SolidbodyError):
    """A plot cannot be drawn; the text says why."""


class ChartCanvas(Protocol):
    """Takes lines and texts, in pixels from the upper left corner."""

    def line(self, points: Points, color: Color, width: float) -> None:
        """Draw a line through (n, 2) points."""
        ...

    def text(
        self, at: tuple[float, float], text: str, color: Color, anchor: str, *, bold: bool
    ) -> None:
        """Write a text whose start, middle or end is at that place, on its middle line."""
        ...

    def box(self, corner: tuple[float, float], size: tuple[float, float], color: Color) -> None:
        """Fill a rectangle."""
        ...


@dataclass(frozen=True, slots=True)
class Curve:
    """A line of a panel: what it shows, in which colour, and its points [pixels]."""

    series: Series
    color: Color
    parts: tuple[Points, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """Curves with one unit."""

    label: str
    curves: tuple[Curve, ...]
    top: float
    height: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Chart:
    """Where everything is."""

    size: tuple[int, int]
    title: str
    left: float
    width: float
    start: float
    end: float
    panels: tuple[Panel, ...]


_QUATERNION: Final = "orientation (quaternion)"

LABELS: Final = {
    "position": "position",
    "velocity": "velocity",
    "effort": "effort",
    "q": "position",
    "dq": "velocity",
    **dict.fromkeys(("qw", "qx", "qy", "qz"), _QUATERNION),
    **dict.fromkeys(("x", "y", "z"), "place [m]"),
    **dict.fromkeys(("vx", "vy", "vz"), "speed [m/s]"),
    **dict.fromkeys(("wx", "wy", "wz"), "turning [rad/s]"),
}
"""What numbers of joints and links are, by the ends of their names."""


def label_of(series: Series) -> str:
    """Return what is said above the panel of a series: its quantity and unit."""
    own = "" if series.name.startswith("/") else LABELS.get(series.name.rpartition(".")[2], "")
    if "[" in own or not series.unit:
        return own or "value"
    return f"{own} [{series.unit}]".strip()


def lay_out(
    series: Sequence[Series],
    size: tuple[int, int],
    *,
    start: float | None = None,
    end: float | None = None,
    title: str = "",
) -> Chart:
    """Return where the curves of some series go.

    Raises:
        PlotError: There is nothing to draw, or too much.
    """
    if not series:
        raise PlotError("there is nothing to plot")
    if len(series) > MOST_CURVES:
        raise PlotError(
            f"{len(series)} curves cannot be told apart in one plot, {MOST_CURVES} are allowed;"
            " choose fewer by patterns"
        )
    groups: dict[str, list[Series]] = {}
    for one in series:
        groups.setdefault(label_of(one), []).append(one)
    if len(groups) > MOST_PANELS:
        raise PlotError(
            f"{len(groups)} units want {len(groups)} panels, {MOST_PANELS} are allowed;"
            " choose fewer by patterns"
        )
    first, last = _span(series, start, end)
    longest = max(len(one.alias) for one in series)
    legend = min(LEGEND, 24 + LETTER * FONT * longest)
    width = size[0] - LEFT - RIGHT - legend
    height = (size[1] - TOP - BOTTOM - GAP * (len(groups) - 1)) / len(groups)
    if width < 100 or height < 40:
        raise PlotError(f"{size[0]}x{size[1]} pixels are too few for {len(groups)} panels")
    panels: list[Panel] = []
    number = 0
    for row, (label, members) in enumerate(groups.items()):
        top = TOP + row * (height + GAP)
        low, high = _range(members, first, last)
        curves: list[Curve] = []
        for one in members:
            parts = _parts(one, (first, last), (low, high), (LEFT, top), (width, height))
            curves.append(Curve(one, COLORS[number % len(COLORS)], parts))
            number += 1
        panels.append(Panel(label, tuple(curves), top, height, low, high))
    return Chart(size, title, LEFT, width, first, last, tuple(panels))


def _span(series: Sequence[Series], start: float | None, end: float | None) -> tuple[float, float]:
    times = [one.time for one in series if len(one.time)]
    if not times:
        raise PlotError("there are no samples to plot")
    first = min(float(time.min()) for time in times) if start is None else start
    last = max(float(time.max()) for time in times) if end is None else end
    if not (math.isfinite(first) and math.isfinite(last)) or last < first:
        raise PlotError(f"the time from {first:g} to {last:g} s is empty")
    return first, last if last > first else first + 1.0


def _range(members: Sequence[Series], first: float, last: float) -> tuple[float, float]:
    values = [one.values[(one.time >= first) & (one.time <= last)] for one in members]
    found = np.concatenate(values)
    found = found[np.isfinite(found)]
    if not len(found):
        return 0.0, 1.0
    low, high = float(found.min()), float(found.max())
    if high - low < 1e-9 * max(abs(low), abs(high), 1e-3):  # still: noise is not blown up
        margin = max(abs(low), 1.0) * 0.1
    else:
        margin = 0.06 * (high - low)
    return low - margin, high + margin


def _parts(
    one: Series,
    span: tuple[float, float],
    scale: tuple[float, float],
    corner: tuple[float, float],
    size: tuple[float, float],
) -> tuple[Points, ...]:
    """Return the pieces of a curve; it breaks where there are no numbers and where time begins again."""
    with np.errstate(invalid="ignore"):
        x = corner[0] + (one.time - span[0]) / (span[1] - span[0]) * size[0]
        y = corner[1] + size[1] - (one.values - scale[0]) / (scale[1] - scale[0]) * size[1]
    inside = np.isfinite(x) & np.isfinite(y) & (one.time >= span[0]) & (one.time <= span[1])
    breaks = np.flatnonzero((np.diff(one.runs) != 0) | (inside[1:] != inside[:-1])) + 1
    return tuple(
        _thinned(np.column_stack((x[rows], y[rows])))
        for rows in np.split(np.arange(len(x)), breaks)
        if len(rows) and inside[rows[0]]
    )


def _thinned(points: Points) -> Points:
    """Return first, lowest, highest and last point of each pixel's column: what is seen stays the same."""
    columns = np.floor(points[:, 0])
    starts = np.flatnonzero(np.diff(columns, prepend=np.nan) != 0)
    if len(points) <= 4 * len(starts):
        return points
    ends = np.append(starts[1:], len(points)) - 1
    order = np.lexsort((points[:, 1], columns))
    keep = np.unique(np.concatenate((starts, order[starts], order[ends], ends)))
    return points[keep]


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return round numbers between two, at most so many."""
    raw = (high - low) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(k * power for k in (1.0, 2.0, 5.0, 10.0) if k * power >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def number_text(value: float, step: float) -> str:
    """Return a tick's number with as many digits as its steps need."""
    if value == 0.0 or abs(value) < 1e-9 * step:
        return "0"
    if abs(value) >= 1e6 or step < 1e-4:
        return f"{value:.{max(0, math.ceil(math.log10(abs(value) / step)))}e}"
    return f"{value:.{max(0, -math.floor(math.log10(step) + 1e-9))}f}"


def draw(chart: Chart, canvas: ChartCanvas) -> None:
    """Draw everything."""
    canvas.box((0, 0), chart.size, WHITE)
    if chart.title:
        canvas.text((chart.left, 16), chart.title, INK, "start", bold=True)
    for row, panel in enumerate(chart.panels):
        _draw_panel(chart, panel, canvas, is_last=row == len(chart.panels) - 1)


def _draw_panel(chart: Chart, panel: Panel, canvas: ChartCanvas, *, is_last: bool) -> None:
    left, right = chart.left, chart.left + chart.width
    bottom = panel.top + panel.height
    levels = ticks(panel.low, panel.high, max(2, int(panel.height / 26)))
    step = levels[1] - levels[0] if len(levels) > 1 else abs(levels[0] or 1.0) if levels else 1.0
    for value in levels:
        y = bottom - (value - panel.low) / (panel.high - panel.low) * panel.height
        canvas.line(np.array([[left, y], [right, y]]), FAINT, 1.0)
        canvas.text((left - 8, y), number_text(value, step), INK, "end", bold=False)
    times = ticks(chart.start, chart.end, max(2, int(chart.width / 75)))
    stride = times[1] - times[0] if len(times) > 1 else 1.0
    for value in times:
        x = left + (value - chart.start) / (chart.end - chart.start) * chart.width
        canvas.line(np.array([[x, panel.top], [x, bottom]]), FAINT, 1.0)
        if is_last:
            canvas.text((x, bottom + 14), number_text(value, stride), INK, "middle", bold=False)
    frame = [
        [left, panel.top],
        [left, bottom],
        [right, bottom],
        [right, panel.top],
        [left, panel.top],
    ]
    canvas.line(np.array(frame), (160, 165, 172), 1.0)
    canvas.text((left, panel.top - 10), panel.label, INK, "start", bold=False)
    if is_last:
        canvas.text((right, bottom + 32), "time [s]", INK, "end", bold=False)
    for curve in panel.curves:
        for points in curve.parts:
            canvas.line(points, curve.color, 1.6)
    _draw_names(chart, panel, canvas)


def _draw_names(chart: Chart, panel: Panel, canvas: ChartCanvas) -> None:
    x = chart.left + chart.width + 10
    room = chart.size[0] - x - 22
    letters = max(4, int(room / (LETTER * FONT)))
    rows = max(1, int(panel.height / (FONT + 5)))
    for row, curve in enumerate(panel.curves):
        y = panel.top + 8 + row * (FONT + 5)
        if row == rows - 1 and len(panel.curves) > rows:
            rest = len(panel.curves) - row
            canvas.text((x, y), f"and {rest} more", INK, "start", bold=False)
            return
        name = curve.series.alias
        name = name if len(name) <= letters else f"…{name[1 - letters :]}"
        canvas.line(np.array([[x, y], [x + 14, y]]), curve.color, 3.0)
        canvas.text((x + 20, y), name, INK, "start", bold=False)
