"""The table as a picture: bars of microseconds per step (the best round) on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from benchmarks.timing import Timing

COLORS = ("#1f6feb", "#57ab5a", "#c93c37", "#e0823d", "#8957e5")
BAR, GAP, LEFT, WIDTH, TOP = 12, 14, 170, 760, 40


def draw(path: Path, results: Sequence[Timing]) -> None:
    """Write a PNG with one group of bars per scene."""
    from PIL import Image, ImageDraw

    timed = [timing for timing in results if timing.rounds]
    scenes = list(dict.fromkeys(timing.scene for timing in timed))
    engines = list(dict.fromkeys(timing.engine for timing in timed))
    height = TOP + len(scenes) * (len(engines) * BAR + GAP) + 30
    image = Image.new("RGB", (LEFT + WIDTH + 110, height), "white")
    pen = ImageDraw.Draw(image)
    most = max(timing.best for timing in timed)
    decades = max(math.ceil(math.log10(most)), 1)

    def place(value: float) -> float:
        return LEFT + WIDTH * max(math.log10(max(value, 1.0)), 0.0) / decades

    for k in range(decades + 1):
        x = place(10.0**k)
        pen.line((x, TOP - 6, x, height - 24), fill="#dddddd")
        pen.text((x + 2, height - 20), f"{10**k:,} us", fill="#555555")
    for number, engine in enumerate(engines):
        x = LEFT + number * 150
        pen.rectangle((x, 12, x + 12, 24), fill=COLORS[number % len(COLORS)])
        pen.text((x + 18, 12), engine, fill="black")
    y = TOP
    for scene in scenes:
        pen.text((8, y + 2), scene, fill="black")
        for number, engine in enumerate(engines):
            found = [t for t in timed if t.scene == scene and t.engine == engine]
            if found:
                end = place(found[0].best)
                color = COLORS[number % len(COLORS)]
                pen.rectangle((LEFT, y, max(end, LEFT + 1), y + BAR - 3), fill=color)
                pen.text((end + 4, y - 1), f"{found[0].best:,.1f}", fill="#333333")
            y += BAR
        y += GAP
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)
