"""Makes the films of `docs/gallery.md` from examples and from the files of tutorials.

python docs/make_gallery_films.py [NAME...]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageSequence

from docs.make_tutorial_images import IMAGES, PICTURES, ROOT, write_files

SHOT = "--video film.gif --video-size 640x400 --video-fps 10"
SIZE = 320, 200
COLORS = 64
"""Of a film: what makes files small."""

MIXED = " ".join(
    file + (f"@{','.join(map(str, place))}" if place else "")
    for file, place in PICTURES["tutorial_mixed"].scene
)
DRIVE = " ".join(f'--drive "{name}={speed}"' for name, speed in PICTURES["tutorial_mixed"].drive)

FILMS = {
    "film_bounce": ("", f"solidbody run {ROOT}/examples/bounce.wbt --headless --duration 3 {SHOT}"),
    "film_rover": (
        "sensors",
        f"solidbody run worlds/yard.wbt --headless --duration 12 {SHOT.replace('10', '4')}",
    ),
    "film_arm": (
        "choreonoid-arm",
        f'solidbody run arm.cnoid --headless --duration 2.5 --body-controller "Arm=swing.py" {SHOT}',
    ),
    "film_mixed": ("mixed-scene", f"solidbody run {MIXED} {DRIVE} --headless --duration 4 {SHOT}"),
}
"""Name -> tutorial with the files, command."""


def shrink(path: Path, out: Path) -> None:
    """Write a film at half its size, with few colours that all its pictures share."""
    with Image.open(path) as film:
        duration = film.info["duration"]
        frames = [
            frame.convert("RGB").resize(SIZE, Image.Resampling.LANCZOS)
            for frame in ImageSequence.Iterator(film)
        ]
    sheet = Image.new("RGB", (SIZE[0], SIZE[1] * len(frames)))
    for number, frame in enumerate(frames):
        sheet.paste(frame, (0, number * SIZE[1]))
    palette = sheet.quantize(COLORS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    kept = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    kept[0].save(
        out,
        save_all=True,
        append_images=kept[1:],
        duration=min(duration, 150),
        loop=0,
        optimize=True,
    )


def main(names: list[str]) -> None:
    """Make all films, or some."""
    scripts = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for name in names or FILMS:
        page, command = FILMS[name]
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            if page:
                write_files(page, folder)
            subprocess.run(
                ["bash", "-c", command], cwd=folder, env={**os.environ, "PATH": scripts}, check=True
            )
            shrink(folder / "film.gif", IMAGES / f"{name}.gif")


if __name__ == "__main__":
    main(sys.argv[1:])
