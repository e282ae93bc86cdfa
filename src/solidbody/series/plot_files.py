"""Writes plots: a picture (.png), SVG, or a page on which the pointer reads the values (.html)."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any, Final

import numpy as np

from solidbody.base.output_files import OutputError, check_target, reason_of, write_whole
from solidbody.series.canvases import PictureCanvas, SvgCanvas
from solidbody.series.chart import BOTTOM, GAP, TOP, Chart, PlotError, draw, label_of, lay_out
from solidbody.series.run_series import RunSeries

LARGEST: Final = 8000
"""[pixels] Of a side of a picture."""

NOTEBOOK_WIDTH: Final = 900
NOTEBOOK_PANEL: Final = 150
"""[pixels] Height of a panel in a notebook."""


def write_plot(
    series: RunSeries,
    path: Path,
    *,
    size: tuple[int, int],
    start: float | None,
    end: float | None,
    title: str,
) -> Path:
    """Draw series to a file; return its path.

    Raises:
        PlotError: It cannot be drawn, or not be written.
    """
    ending = path.suffix.lower()
    if ending not in PLOTS:
        raise PlotError(
            f'{path}: cannot plot to files with the extension "{path.suffix}"; '
            f"known: {', '.join(PLOTS)}"
        )
    if not all(0 < side <= LARGEST for side in size):
        raise PlotError(
            f"the size must be from 1x1 to {LARGEST}x{LARGEST}, got {size[0]}x{size[1]}"
        )
    try:
        check_target(path, "plot")
        chart = lay_out(list(series.values()), size, start=start, end=end, title=title)
        write_whole(path, PLOTS[ending](chart))
    except OutputError as error:
        raise PlotError(str(error)) from error
    except OSError as error:
        raise PlotError(f"{path} cannot be written: {reason_of(error)}") from error
    return path


def plot_svg(series: RunSeries) -> str:
    """Return a plot as SVG, for notebooks; what cannot be drawn is told."""
    shown = list(series.values())
    height = TOP + BOTTOM + (NOTEBOOK_PANEL + GAP) * len({label_of(one) for one in shown})
    try:
        return _svg(lay_out(shown, (NOTEBOOK_WIDTH, height))).decode()
    except PlotError as error:
        return f"<code>{html.escape(repr(series))}</code>: {html.escape(str(error))}"


def _png(chart: Chart) -> bytes:
    canvas = PictureCanvas(chart.size)
    draw(chart, canvas)
    return canvas.finish()


def _svg(chart: Chart) -> bytes:
    canvas = SvgCanvas(chart.size)
    draw(chart, canvas)
    return canvas.finish().encode()


def _page(chart: Chart) -> bytes:
    data = json.dumps(_facts(chart), separators=(",", ":")).replace("<", "\\u003c")
    title = html.escape(chart.title or "solidbody")
    return _PAGE.format(title=title, svg=_svg(chart).decode(), data=data, script=_SCRIPT).encode()


def _facts(chart: Chart) -> dict[str, Any]:
    """Return what the page's script needs: curves in pixels, and scales."""
    return {
        "left": chart.left,
        "width": chart.width,
        "start": chart.start,
        "end": chart.end,
        "panels": [
            {
                "top": panel.top,
                "height": panel.height,
                "low": panel.low,
                "high": panel.high,
                "curves": [
                    {
                        "name": curve.series.alias,
                        "unit": curve.series.unit,
                        "color": f"rgb{curve.color}",
                        "points": [np.round(points, 2).ravel().tolist() for points in curve.parts],
                    }
                    for curve in panel.curves
                ],
            }
            for panel in chart.panels
        ],
    }


PLOTS: Final = {".png": _png, ".svg": _svg, ".html": _page}
"""Files of plots by extension."""

_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>
body {{ margin: 0; padding: 12px; font: 13px sans-serif; background: #fff; color: #282c34 }}
#plot {{ position: relative; width: max-content; max-width: 100% }}
#told {{ position: absolute; pointer-events: none; background: #fffe; border: 1px solid #a0a5ac;
  border-radius: 4px; padding: 4px 8px; white-space: pre; display: none }}
</style></head>
<body><div id="plot">{svg}<div id="told"></div></div>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body></html>
"""

_SCRIPT: Final = """
const chart = JSON.parse(document.getElementById("data").textContent);
const plot = document.getElementById("plot"), told = document.getElementById("told");
const svg = plot.querySelector("svg");
const cursor = document.createElementNS("http://www.w3.org/2000/svg", "line");
cursor.setAttribute("stroke", "#a0a5ac");
svg.append(cursor);
// the last point at or before x: values are held between samples
function valueAt(curve, x) {
  let found = null;
  for (const points of curve.points) {
    if (points[0] > x) continue;
    let low = 0, high = points.length / 2 - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (points[2 * middle] <= x) low = middle; else high = middle - 1;
    }
    found = points[2 * low + 1];
  }
  return found;
}
svg.addEventListener("pointermove", (event) => {
  const place = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / place.width;
  const x = (event.clientX - place.left) * scale, share = (x - chart.left) / chart.width;
  if (share < 0 || share > 1) { leave(); return; }
  const lines = [[`${(chart.start + share * (chart.end - chart.start)).toPrecision(6)} s`, ""]];
  for (const panel of chart.panels) for (const curve of panel.curves) {
    const y = valueAt(curve, x);
    if (y === null) continue;
    const value = panel.low + (panel.top + panel.height - y) / panel.height * (panel.high - panel.low);
    lines.push([`${curve.name}  ${value.toPrecision(4)} ${curve.unit}`, curve.color]);
  }
  told.replaceChildren(...lines.slice(0, 40).map(([text, color]) => {
    const line = document.createElement("div");
    line.textContent = text;
    line.style.color = color;
    return line;
  }));
  const last = chart.panels[chart.panels.length - 1];
  cursor.setAttribute("x1", x); cursor.setAttribute("x2", x);
  cursor.setAttribute("y1", chart.panels[0].top); cursor.setAttribute("y2", last.top + last.height);
  cursor.style.display = told.style.display = "block";
  const right = event.clientX - place.left > place.width / 2;
  told.style.left = right ? "" : `${event.clientX - place.left + 14}px`;
  told.style.right = right ? `${place.right - event.clientX + 14}px` : "";
  told.style.top = `${Math.max(0, event.clientY - place.top + 10)}px`;
});
function leave() { cursor.style.display = told.style.display = "none"; }
svg.addEventListener("pointerleave", leave);
"""
