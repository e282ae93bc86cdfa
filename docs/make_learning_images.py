"""Makes the pictures of `docs/learning.md` from the worlds, policies and curves of `examples/learning`.

python docs/make_learning_images.py [tasks] [curves] [film]
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from solidbody import rl
from solidbody.rl.registration import TASKS, task_class

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs/images"
LEARNED = ROOT / "examples/learning"

NAMES = {
    "pole": "Pole",
    "goal": "Goal",
    "four_legs": "FourLegs",
    "reach": "Reach",
    "hover": "Hover",
    "line": "Line",
    "biped": "Biped",
}
"""Files of policies and curves -> tasks."""

WAYS = {
    "search": "random search",
    "ppo": "PPO in torch",
    "sb3": "stable-baselines3",
    "gpu": "PPO on one H200",
}
"""Ends of the names of curves -> who has learned."""

SIZE = 400, 260
"""[pixels] Of a picture of a task."""

PANEL = 300, 210
"""[pixels] Of a curve."""

MOMENTS = {"goal": 40, "four_legs": 80, "line": 60}
"""Actions after which pictures are taken; others after 25."""

INK, PALE, GREY = "#24292f", "#eaeef2", "#57606a"
COLORS = {"random search": "#e0823d", "PPO in torch": "#1f6feb", "stable-baselines3": "#57ab5a"}
COLORS[WAYS["gpu"]] = "#8250df"


def class_of(name: str) -> type[rl.Task]:
    """Return the task of a file."""
    return task_class(TASKS[f"solidbody/{NAMES[name]}-v0"][0])


def policy_of(name: str) -> Any:
    """Return what was learned, or what does nothing."""
    path = LEARNED / f"policies/{name}.json"
    if path.exists():
        return rl.Policy.load(path)
    size = class_of(name).action_space.shape
    assert size is not None
    return lambda rows: np.zeros((len(rows), *size))


def draw_tasks() -> None:
    """Draw all tasks, a moment after the start of an episode, under what was learned."""
    rows, columns = -(-len(NAMES) // 3), 3
    sheet = Image.new("RGB", (columns * (SIZE[0] + 6) - 6, rows * (SIZE[1] + 6) - 6), "white")
    for number, name in enumerate(NAMES):
        env = rl.Env(class_of(name), render_mode="rgb_array", width=2 * SIZE[0], height=2 * SIZE[1])
        observation, _ = env.reset(seed=4)
        policy = policy_of(name)
        for _ in range(MOMENTS.get(name, 25)):
            action = np.asarray(policy(observation.reshape(1, -1)))[0]
            observation, _, terminated, _, _ = env.step(action.astype(np.float32))
            if terminated:
                break
        picture = Image.fromarray(env.render()).resize(SIZE, Image.Resampling.LANCZOS)  # type: ignore[arg-type]
        pen = ImageDraw.Draw(picture)
        pen.text((10, 8), NAMES[name], fill=INK, font=font(18), stroke_width=2, stroke_fill="white")
        row, column = divmod(number, columns)
        sheet.paste(picture, (column * (SIZE[0] + 6), row * (SIZE[1] + 6)))
    sheet.quantize(200).save(IMAGES / "learning_tasks.png", optimize=True)


def font(size: int) -> Any:
    """Return the letters of a height [pixels]."""
    return ImageFont.load_default(size)


def curves() -> dict[str, list[tuple[str, list[tuple[float, float]]]]]:
    """Return the curves (steps, worth) of each task, by who has learned."""
    found: dict[str, list[tuple[str, list[tuple[float, float]]]]] = {}
    for path in sorted((LEARNED / "curves").glob("*.csv")):
        name, _, way = path.stem.partition("-")
        with path.open(newline="", encoding="utf-8") as rows:
            points = [(float(row["steps"]), float(row["worth"])) for row in csv.DictReader(rows)]
        who = WAYS[way]
        found.setdefault(name, []).append((who, points))
    return found


def smoothed(values: list[float], width: int) -> list[float]:
    """Return means over the last `width` values."""
    return [float(np.mean(values[max(0, k - width + 1) : k + 1])) for k in range(len(values))]


def draw_curves() -> None:
    """Draw the worth of an episode over the actions taken, a panel for each task; those of cards apart."""
    found: dict[str, list[tuple[str, list[tuple[float, float]]]]] = {}
    on_cards: dict[str, list[tuple[str, list[tuple[float, float]]]]] = {}
    for name, lines in curves().items():
        found[name] = [line for line in lines if line[0] != WAYS["gpu"]]
        on_cards[name] = [line for line in lines if line[0] == WAYS["gpu"]]
    draw_panels(found, "learning_curves.png")
    draw_panels(on_cards, "learning_gpu.png")


def draw_panels(found: dict[str, list[tuple[str, list[tuple[float, float]]]]], file: str) -> None:
    """Draw the tasks that have curves."""
    shown = [name for name in NAMES if found.get(name)]
    columns = min(4, len(shown))
    rows = -(-len(shown) // columns)
    sheet = Image.new("RGB", (columns * PANEL[0], rows * PANEL[1]), "white")
    pen = ImageDraw.Draw(sheet)
    for number, name in enumerate(shown):
        row, column = divmod(number, columns)
        panel(pen, column * PANEL[0], row * PANEL[1], NAMES[name], found[name])
    sheet.quantize(64).save(IMAGES / file, optimize=True)


def panel(
    pen: Any, x: int, y: int, title: str, lines: list[tuple[str, list[tuple[float, float]]]]
) -> None:
    """Draw the curves of one task in its place."""
    left, right, top, bottom = x + 46, x + PANEL[0] - 14, y + 28, y + PANEL[1] - 34
    # the first iterations of some hold no whole episode
    drawn = [(who, points[1:]) for who, points in lines]
    most = max(step for _, points in drawn for step, _ in points)
    values = [worth for _, points in drawn for _, worth in points]
    low, high = min(0.0, *values), max(values)
    span = (high - low) or 1.0

    def place(step: float, worth: float) -> tuple[float, float]:
        across = left + step / most * (right - left)
        return across, bottom - (worth - low) / span * (bottom - top)

    unit = 10.0 ** np.floor(np.log10(span / 3))
    tick = next(unit * k for k in (1, 2, 5, 10) if unit * k >= span / 4)
    for k in range(int(np.ceil(low / tick)), int(high / tick) + 1):
        _, height = place(0, k * tick)
        pen.line((left, height, right, height), fill=PALE)
        pen.text((left - 5, height), f"{k * tick:g}", fill=GREY, anchor="rm", font=font(11))
    pen.line((left, bottom, right, bottom), fill=GREY)
    pen.text(
        (right, bottom + 4), f"{most / 1000:.0f}k actions", fill=GREY, anchor="ra", font=font(11)
    )
    pen.text((left, y + 6), title, fill=INK, font=font(14))
    for number, (who, points) in enumerate(drawn):
        means = smoothed([worth for _, worth in points], max(1, len(points) // 40))
        line = [place(step, mean) for (step, _), mean in zip(points, means, strict=True)]
        pen.line(line, fill=COLORS[who], width=2)
        pen.text((right, y + 8 + 12 * number), who, fill=COLORS[who], anchor="ra", font=font(11))


def draw_film() -> None:
    """Film the walk that was learned."""
    path = IMAGES / "learning_walk.gif"
    whole = path.with_suffix(".whole.gif")
    rl.record_episode(
        class_of("four_legs"), policy_of("four_legs"), whole, seed=2, max_episode_steps=120
    )
    with Image.open(whole) as film:
        frames = []
        for k in range(0, film.n_frames, 2):  # type: ignore[attr-defined]
            film.seek(k)
            frames.append(film.convert("RGB").resize((320, 240)).quantize(64))
    frames[0].save(
        path, save_all=True, append_images=frames[1:], duration=80, loop=0, optimize=True
    )
    whole.unlink()


DRAWN = {"tasks": draw_tasks, "curves": draw_curves, "film": draw_film}

if __name__ == "__main__":
    for asked in sys.argv[1:] or DRAWN:
        DRAWN[asked]()
