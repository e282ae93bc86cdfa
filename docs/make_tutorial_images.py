"""Makes the pictures of `docs/tutorials` from the files and programs that the pages show.

python docs/make_tutorial_images.py [NAME...]
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from PIL import Image

import solidbody as sb
from solidbody.base.transforms import Pose, quat_multiply
from solidbody.record.viewing import ViewpointCamera
from tools.page_blocks import blocks

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs/tutorials"
IMAGES = ROOT / "docs/images"

SIZE = 1280, 800
"""[pixels] Taken; half of it is kept, so that edges are smooth. Curves are kept as they are."""

COLORS = 128
"""Of a picture: plain scenes need no more."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of what a tutorial builds.

    Attributes:
        page: Its page, which has the files.
        scene: Files of the scene with their places.
        time: Simulated time [s].
        drive: Speeds of joints.
    """

    page: str
    scene: tuple[tuple[str, tuple[float, float, float] | None], ...]
    time: float = 0.0
    drive: tuple[tuple[str, float], ...] = ()


PICTURES = {
    "tutorial_first": Picture("first-robot", (("worlds/first.wbt", None),), 0.1),
    "tutorial_sensors": Picture("sensors", (("worlds/yard.wbt", None),), 0.1),
    "tutorial_slide": Picture("simulation-test", (("worlds/slide.wbt", None),), 0.5),
    "tutorial_training": Picture("training", (("balance.wbt", None),), 0.3, (("cart motor", 0.6),)),
    "tutorial_choreonoid": Picture("choreonoid-arm", (("arm.cnoid", None),), 0.01),
    "tutorial_mixed": Picture(
        "mixed-scene",
        (
            ("yard.wbt", None),
            ("cart.urdf", (-1.0, 0.0, 0.2)),
            ("pendulum.xml", (-0.2, 0.0, 0.0)),
            ("crate.body", (1.0, 0.0, 0.4)),
        ),
        1.7,
        tuple(
            (f"{end} {side} joint", 6.0) for end in ("front", "rear") for side in ("left", "right")
        ),
    ),
}

VIEWS = {"tutorial_choreonoid": ((1.5, -1.3, 1.25), (0.3, 0.0, 0.4))}
"""Of scenes whose files have no view: eye and what it looks at [m]."""

CURVES = {
    "tutorial_sensors_plot": (
        "sensors",
        "solidbody run worlds/yard.wbt --headless --duration 20 --record run.csv",
        'solidbody plot run.csv "*feeler" -o picture.png --size 1200x520',
    ),
    "tutorial_sweep": (
        "many-runs",
        "solidbody sweep slope.toml --out results && mv results/summary.png picture.png",
    ),
}


def looking(
    scene: sb.Scene, eye: tuple[float, float, float], at: tuple[float, float, float]
) -> sb.Scene:
    """Return the scene with another view; the camera looks along its +x axis."""
    x, y, z = (b - a for a, b in zip(eye, at, strict=True))
    yaw, pitch = math.atan2(y, x), -math.atan2(z, math.hypot(x, y))
    turn = quat_multiply(
        (math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)),
        (math.cos(pitch / 2), 0.0, math.sin(pitch / 2), 0.0),
    )
    return replace(scene, viewpoint=replace(scene.viewpoint, pose=Pose(eye, turn)))


def write_files(page: str, folder: Path) -> None:
    """Write the files of a page."""
    for block in blocks(PAGES / f"{page}.md"):
        if block.title:
            (folder / block.title).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.title).write_text(block.text, encoding="utf-8")


def save(picture: Image.Image, name: str) -> None:
    """Keep a picture, large ones at half their size."""
    kept = picture.convert("RGB")
    if picture.width >= SIZE[0]:
        kept = kept.resize((picture.width // 2, picture.height // 2), Image.Resampling.LANCZOS)
    kept.quantize(COLORS, dither=Image.Dither.NONE).save(IMAGES / f"{name}.png", optimize=True)


def take(name: str, picture: Picture, folder: Path) -> None:
    """Take a picture from the viewpoint of the scene."""
    (first, _), *others = picture.scene
    scene = sb.load(folder / first)
    for file, place in others:
        scene = scene.add(folder / file, at=place)
    if name in VIEWS:
        scene = looking(scene, *VIEWS[name])
    sim = sb.Sim(scene)
    for joint, speed in picture.drive:
        sim.joint(joint).target_velocity = speed
    sim.run(picture.time)
    save(Image.fromarray(ViewpointCamera(sim, SIZE).picture()), name)


def main(names: list[str]) -> None:
    """Make all pictures, or some."""
    scripts = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for name in names or [*PICTURES, *CURVES]:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            if name in PICTURES:
                write_files(PICTURES[name].page, folder)
                take(name, PICTURES[name], folder)
                continue
            page, *commands = CURVES[name]
            write_files(page, folder)
            for command in commands:
                subprocess.run(
                    ["bash", "-c", command],
                    cwd=folder,
                    env={**os.environ, "PATH": scripts},
                    check=True,
                )
            save(Image.open(folder / "picture.png"), name)


if __name__ == "__main__":
    main(sys.argv[1:])
