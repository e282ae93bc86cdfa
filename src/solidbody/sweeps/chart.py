"""The summary of a study as a picture: each measure over each parameter."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from solidbody.base.output_files import reason_of, write_whole
from solidbody.sweeps.study import StudyError

if TYPE_CHECKING:
    from solidbody.sweeps.results import SweepResults

CHART: Final = "summary.png"

COLORS: Final = (
    *("#1f6feb", "#e0823d", "#57ab5a", "#c93c37", "#8957e5", "#57606a", "#1b9aaa", "#bf8700"),
)
"""Of the values of a second parameter; more than these are not told apart."""

ROWS, COLUMNS = 6, 4
"""Panels at most."""

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 330, 230, 64, 40, 26, 12
"""Of one panel [pixels]: whole size, and the margins of its axes."""


def save_chart(results: SweepResults, folder: Path, title: str) -> Path | None:
    """Write the summary to a folder; None if there are no numbers to show. Raises StudyError."""
    image = draw_chart(results, title)
    if image is None:
        return None
    out = io.BytesIO()
    image.save(out, "PNG")
    try:
        write_whole(folder / CHART, out.getvalue())
    except OSError as error:
        raise StudyError(f"{folder} cannot be written: {reason_of(error)}") from error
    return folder / CHART


def draw_chart(results: SweepResults, title: str) -> Any:
    """Return the summary as a picture: dots are runs, lines the means of equal values."""
    from PIL import Image, ImageDraw

    varied = [name for name in results.parameters if len(set(map(str, results.column(name)))) > 1]
    across = [name for name in varied if _has_numbers(results.column(name))][:COLUMNS] or ["run"]
    down = [name for name in results.measures if _has_numbers(results.column(name))][:ROWS]
    if not down:
        return None
    size = len(across) * WIDTH, len(down) * HEIGHT + 30
    image = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(image)
    done = f"{len(results.rows)} runs, {len(results.failed)} failed"
    pen.text((10, 8), f"{title}: {done}", fill="#24292f")
    for row, measure in enumerate(down):
        for column, parameter in enumerate(across):
            others = [name for name in varied if name != parameter]
            group = next(
                (n for n in others if len(set(map(str, results.column(n)))) <= len(COLORS)), ""
            )
            _Panel(pen, column * WIDTH, 30 + row * HEIGHT).draw(results, parameter, measure, group)
    return image


class _Panel:
    """One pair of axes."""

    def __init__(self, pen: Any, x: int, y: int) -> None:
        self._pen = pen
        self._left, self._right = x + LEFT, x + WIDTH - RIGHT
        self._top, self._bottom = y + TOP, y + HEIGHT - BOTTOM

    def draw(self, results: SweepResults, parameter: str, measure: str, group: str) -> None:
        """Draw a measure over a parameter, in a colour per value of `group`."""
        keys = results.column(group) if group else [None] * len(results.rows)
        found = [
            (float(x), float(y), str(key))
            for x, y, key in zip(
                results.column(parameter), results.column(measure), keys, strict=True
            )
            if _is_shown(x) and _is_shown(y)
        ]
        if not found:
            return
        self._xs = _bounds([x for x, _, _ in found])
        self._ys = _bounds([y for _, y, _ in found])
        self._axes(parameter, measure)
        names = list(dict.fromkeys(key for _, _, key in sorted(found, key=lambda item: item[2])))
        names.sort(key=_as_number)
        for number, name in enumerate(names):
            color = COLORS[number % len(COLORS)]
            points = [(x, y) for x, y, key in found if key == name]
            self._dots(points, color)
            self._line(points, color)
            if group:
                text = f"{group} {name[:16]}" if number == 0 else name[:16]
                self._pen.text((self._left + 6, self._top + 2 + 11 * number), text, fill=color)

    def _place(self, x: float, y: float) -> tuple[float, float]:
        (x0, x1), (y0, y1) = self._xs, self._ys
        return (
            self._left + (x - x0) / (x1 - x0) * (self._right - self._left),
            self._bottom - (y - y0) / (y1 - y0) * (self._bottom - self._top),
        )

    def _axes(self, parameter: str, measure: str) -> None:
        pen = self._pen
        for value in _ticks(*self._xs):
            x, _ = self._place(value, self._ys[0])
            pen.line((x, self._top, x, self._bottom), fill="#eaeef2")
            pen.text((x, self._bottom + 4), f"{value:.4g}", fill="#57606a", anchor="ma")
        for value in _ticks(*self._ys):
            _, y = self._place(self._xs[0], value)
            pen.line((self._left, y, self._right, y), fill="#eaeef2")
            pen.text((self._left - 5, y), f"{value:.4g}", fill="#57606a", anchor="rm")
        pen.line((self._left, self._bottom, self._right, self._bottom), fill="#57606a")
        pen.line((self._left, self._top, self._left, self._bottom), fill="#57606a")
        middle = (self._left + self._right) / 2
        pen.text((middle, self._bottom + 20), parameter[:40], fill="#24292f", anchor="ma")
        pen.text((self._left - 40, self._top - 16), measure[:40], fill="#24292f")

    def _dots(self, points: Sequence[tuple[float, float]], color: str) -> None:
        radius = 2.5 if len(points) <= 400 else 1.2
        for at in points:
            x, y = self._place(*at)
            self._pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=color)

    def _line(self, points: Sequence[tuple[float, float]], color: str) -> None:
        """Join the means of equal x, where there are few of these."""
        by_x: dict[float, list[float]] = {}
        for x, y in points:
            by_x.setdefault(x, []).append(y)
        if 1 < len(by_x) <= 60 and (len(by_x) < len(points) or len(points) <= 60):
            means = [(x, sum(ys) / len(ys)) for x, ys in sorted(by_x.items())]
            self._pen.line([self._place(*at) for at in means], fill=color, width=2)


def _has_numbers(values: Sequence[Any]) -> bool:
    return any(map(_is_shown, values))


def _is_shown(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value) and abs(value) < 1e100


def _as_number(text: str) -> tuple[float, str]:
    try:
        return float(text), text
    except ValueError:
        return math.inf, text


def _bounds(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    room = 0.05 * (high - low) or max(abs(high), 1.0) * 0.05
    return low - room, high + room


def _ticks(low: float, high: float) -> list[float]:
    """Return three to six round numbers between two bounds."""
    raw = (high - low) / 5
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= raw)
    first = math.ceil(low / step)
    return [k * step for k in range(first, math.floor(high / step) + 1)]
