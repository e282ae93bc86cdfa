"""The patterns on our own appearances, made from numbers alone: standins/appearances/textures/*.png.

python tools/make_textures.py

Every pattern is periodic, so that it can be laid side by side, and relative: white leaves the colour of
the appearance as it is, darker takes from it. The same numbers come out on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

FOLDER: Final = Path(__file__).parents[1] / "src/solidbody/standins/appearances/textures"
SIDE: Final = 256
"""Width and height of every pattern [pixels]; a floor tile of 0.5 m then has 2 mm per pixel."""

LEVELS: Final = 32
"""Different greys in a file: more cannot be told apart on a floor, and cost space."""

Floats = NDArray[np.float64]

_ROW, _COLUMN = np.meshgrid(np.arange(SIDE) / SIDE, np.arange(SIDE) / SIDE, indexing="ij")


def noise(cells: tuple[int, int], seed: int) -> Floats:
    """Return smooth periodic noise in 0..1 with that many lumps down and across.

    Corners of a lattice take random values; between them a smooth step blends, so no machine's
    Fourier transform has a say in the last digit.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    lattice = rng.random(cells)
    down, across = _ROW * cells[0], _COLUMN * cells[1]
    i, j = down.astype(int), across.astype(int)
    a, b = down - i, across - j
    a, b = a * a * (3 - 2 * a), b * b * (3 - 2 * b)
    i1, j1 = (i + 1) % cells[0], (j + 1) % cells[1]
    top = lattice[i, j] * (1 - b) + lattice[i, j1] * b
    bottom = lattice[i1, j] * (1 - b) + lattice[i1, j1] * b
    return top * (1 - a) + bottom * a


def layered(cells: tuple[int, int], seed: int, *, octaves: int = 4) -> Floats:
    """Return noise with finer and fainter noise on top, in 0..1."""
    total, weight = np.zeros((SIDE, SIDE)), 0.0
    for k in range(octaves):
        fine = (min(cells[0] << k, SIDE), min(cells[1] << k, SIDE))
        total += noise(fine, seed + k) / 2**k
        weight += 1 / 2**k
    return total / weight


def dark(amount: Floats, strength: float) -> Floats:
    """Return a pattern that takes up to `strength` of the light where `amount` (0..1) is high."""
    return 1.0 - strength * np.clip(amount, 0.0, 1.0)


def grain(seed: int, *, streaks: int = 24, strength: float = 0.35) -> Floats:
    """Wood with its fibres across the picture."""
    wave = layered((streaks, 2), seed, octaves=4)
    rings = 0.5 + 0.5 * np.sin(2 * np.pi * (6 * noise((4, 2), seed + 9) + 3 * _ROW.round(9)))
    return dark(0.75 * wave + 0.25 * rings, strength)


def boards(
    rows: int, columns: int, seed: int, *, shift: float = 0.5, gap: float = 0.012
) -> tuple[Floats, Floats]:
    """Return a shade (0..1) for each board of a floor of boards, and 1 within the gaps between them."""
    rng = np.random.Generator(np.random.PCG64(seed))
    row = (_ROW * rows).astype(int)
    along = (_COLUMN * columns + shift * row) % columns
    shade = rng.random((rows, columns))[row, along.astype(int)]
    across = (_ROW * rows) % 1.0
    edge_down = np.minimum(across, 1 - across) / rows
    edge_across = np.minimum(along % 1.0, 1 - along % 1.0) / columns
    return shade, (np.minimum(edge_down, edge_across) < gap / 2).astype(float)


def planks(rows: int, columns: int, seed: int) -> Floats:
    """A floor of long wooden boards."""
    shade, gap = boards(rows, columns, seed)
    return grain(seed + 1, streaks=64) * dark(shade, 0.25) * dark(gap, 0.5)


def checker_wood() -> Floats:
    """Parquetry: two by two squares of four strips each, the next square turned by a quarter."""
    strip, gap = boards(8, 2, 41, shift=0.0)
    lying = grain(42, streaks=64) * dark(strip, 0.2) * dark(gap, 0.45)
    standing = 0.86 * lying.T
    is_lying = ((2 * _ROW).astype(int) + (2 * _COLUMN).astype(int)) % 2 == 0
    return np.where(is_lying, lying, standing)


def mosaic_wood() -> Floats:
    """Parquetry: four by four small squares of strips, each turned and shaded by chance."""
    strip, gap = boards(16, 4, 43, shift=0.0, gap=0.006)
    shade, _ = boards(4, 4, 44, shift=0.0)
    lying = grain(45, streaks=64) * dark(strip, 0.2) * dark(gap, 0.45)
    is_lying = ((4 * _ROW).astype(int) + (4 * _COLUMN).astype(int)) % 2 == 0
    return np.where(is_lying, lying, lying.T) * dark(shade, 0.15)


def tiles(count: int, seed: int, *, gap: float = 0.015, shade: float = 0.12) -> Floats:
    """Square tiles with joints."""
    own, joint = boards(count, count, seed, shift=0.0, gap=gap)
    return dark(own, shade) * dark(layered((8, 8), seed + 1), 0.2) * dark(joint, 0.45)


def bricks(rows: int, columns: int, seed: int) -> Floats:
    """A wall in running bond."""
    own, joint = boards(rows, columns, seed, gap=0.018)
    return dark(own, 0.3) * dark(layered((16, 16), seed + 1), 0.3) * dark(joint, 0.55)


def stones(seed: int, *, count: int = 40) -> Floats:
    """Irregular stones: cells around random points, dark between them."""
    rng = np.random.Generator(np.random.PCG64(seed))
    points, shades = rng.random((count, 2)), rng.random(count)
    down = np.abs(_ROW[..., None] - points[:, 0])
    across = np.abs(_COLUMN[..., None] - points[:, 1])
    square = np.minimum(down, 1 - down) ** 2 + np.minimum(across, 1 - across) ** 2
    order = np.argsort(square, axis=-1, kind="stable")[..., :2]
    near = np.sqrt(np.take_along_axis(square, order, axis=-1))
    joint = near[..., 1] - near[..., 0] < 0.016
    return (
        dark(shades[order[..., 0]], 0.3)
        * dark(layered((16, 16), seed + 1), 0.25)
        * dark(joint.astype(float), 0.5)
    )


def speckles(cells: int, seed: int, *, strength: float = 0.35) -> Floats:
    """Fine grains with slow changes of shade: sand, asphalt, plaster, rough plastics."""
    fine = noise((cells, cells), seed)
    return dark(0.6 * fine + 0.4 * layered((4, 4), seed + 1), strength)


def blades(seed: int) -> Floats:
    """Grass: short upright streaks in patches."""
    return dark(0.65 * noise((32, 128), seed) + 0.35 * layered((6, 6), seed + 1), 0.6)


def brushed(seed: int, *, strength: float = 0.16) -> Floats:
    """Metal brushed across the picture."""
    return dark(0.7 * noise((SIDE, 4), seed) + 0.3 * noise((64, 3), seed + 1), strength)


def patches(seed: int, *, strength: float = 0.4) -> Floats:
    """Zinc flowers, rust, old paint: patches with sharp edges."""
    lumps = layered((6, 6), seed, octaves=5)
    return dark(
        np.clip(6 * (lumps - 0.42), 0, 1) * (0.6 + 0.4 * noise((64, 64), seed + 7)), strength
    )


def waves(count: int, *, strength: float = 0.5) -> Floats:
    """Corrugated sheets: ridges that run down the picture."""
    phase = (_COLUMN * count) % 1.0
    return dark(np.abs(2 * phase - 1) ** 2, strength)


def studs(*, is_oval: bool) -> Floats:
    """Tread plate: raised ovals, each turned against its neighbours, or raised squares."""
    count = 8
    down, across = (_ROW * count) % 1.0 - 0.5, (_COLUMN * count) % 1.0 - 0.5
    if is_oval:
        turned = ((_ROW * count).astype(int) + (_COLUMN * count).astype(int)) % 2 == 0
        a, b = (across + down) / np.sqrt(2), (across - down) / np.sqrt(2)
        along, aside = np.where(turned, a, b), np.where(turned, b, a)
        inside = (along / 0.42) ** 2 + (aside / 0.13) ** 2
    else:
        inside = np.maximum(np.abs(down), np.abs(across)) ** 2 / 0.3**2
    rim = (np.abs(inside - 1) < 0.3) & (down > -0.1)
    return np.where(rim, 0.55, np.where(inside < 1, 1.0, 0.8)) * brushed(71)


def holes() -> Floats:
    """Round holes in a sheet."""
    down, across = (_ROW * 10) % 1.0 - 0.5, (_COLUMN * 10) % 1.0 - 0.5
    return np.where(down**2 + across**2 < 0.3**2, 0.2, 1.0) * brushed(72)


def dimples(seed: int) -> Floats:
    """Hammered metal, leather: small round dents."""
    return dark(noise((24, 24), seed) ** 2, 0.4)


def veins(seed: int) -> Floats:
    """Marble: thin dark veins through light stone."""
    bend = layered((4, 4), seed, octaves=5)
    vein = 1 - np.abs(np.sin(2 * np.pi * (_ROW + _COLUMN).round(9) + 9 * (bend - 0.5)))
    return dark(vein**5, 0.35) * dark(layered((3, 3), seed + 9), 0.15)


def veined_tiles() -> Floats:
    """Marble in square tiles."""
    return veins(61) * tiles(2, 62, gap=0.01, shade=0.08)


def chevrons() -> Floats:
    """Tiles laid in zigzag."""
    bend = np.abs(((_COLUMN * 4) % 1.0) - 0.5) * 2
    phase = (_ROW * 8 + bend) % 1.0
    joint = (phase < 0.06) | (np.abs(((_COLUMN * 8) % 1.0) - 0.5) > 0.47)
    return dark(joint.astype(float), 0.3) * dark(layered((8, 8), 63), 0.1)


def cracks(seed: int) -> Floats:
    """Dry mud: flat clods between wide cracks."""
    return stones(seed, count=24)


def flakes() -> Floats:
    """Pressed wood chips, light and dark, in all directions."""
    a, b = noise((64, 12), 51), noise((12, 64), 52)
    return dark(np.where(noise((10, 10), 53) > 0.5, a, b), 0.5)


def weave(count: int) -> Floats:
    """Cloth: threads over and under."""
    down, across = np.sin(2 * np.pi * count * _ROW), np.sin(2 * np.pi * count * _COLUMN)
    return dark(0.5 + 0.5 * (down * across).round(9), 0.2) * dark(noise((64, 64), 54), 0.15)


def cells_of_glass() -> Floats:
    """Solar cells: dark squares with thin bright conductors; white is the brightest."""
    down, across = (_ROW * 6) % 1.0, (_COLUMN * 6) % 1.0
    frame = np.minimum(np.minimum(down, 1 - down), np.minimum(across, 1 - across)) < 0.03
    finger = (_COLUMN * 48) % 1.0 < 0.12
    return np.where(frame, 1.0, np.where(finger, 0.75, 0.55))


def traces() -> Floats:
    """A circuit board: conductors in steps."""
    path = (noise((8, 8), 55) * 12) % 1.0
    return np.where(path < 0.25, 1.0, 0.75)


def strip_of_lamps() -> Floats:
    """Lamps in a row on a darker strip."""
    across, down = (_COLUMN * 8) % 1.0 - 0.5, _ROW - 0.5
    return np.where((np.abs(across) < 0.2) & (np.abs(down) < 0.15), 1.0, 0.7)


def mesh_of_wires() -> Floats:
    """A fence of crossed wires, light on dark."""
    a, b = (8 * (_ROW + _COLUMN)) % 1.0, (8 * (_ROW - _COLUMN)) % 1.0
    return np.where((a < 0.15) | (b < 0.15), 1.0, 0.45)


def windows() -> Floats:
    """The front of a building: four floors of four windows."""
    down, across = (_ROW * 4) % 1.0, (_COLUMN * 4) % 1.0
    glass = (np.abs(across - 0.5) < 0.27) & (np.abs(down - 0.48) < 0.3)
    bar = (np.abs(across - 0.5) < 0.02) | (np.abs(down - 0.4) < 0.02)
    frame = (np.abs(across - 0.5) < 0.31) & (np.abs(down - 0.48) < 0.34)
    front = dark(layered((16, 16), 56), 0.15)
    return np.where(glass & ~bar, 0.38, np.where(frame, 1.0, 0.92 * front))


TEXTURES: Final[Mapping[str, Callable[[], Floats]]] = {
    "blades": lambda: blades(1),
    "bricks": lambda: bricks(12, 4, 2),
    "brushed": lambda: brushed(3),
    "checker_wood": checker_wood,
    "chevrons": chevrons,
    "cloth": lambda: weave(32),
    "cracks": lambda: cracks(4),
    "dimples": lambda: dimples(5),
    "flakes": flakes,
    "grain": lambda: grain(6, strength=0.25),
    "holes": holes,
    "lamps": strip_of_lamps,
    "mosaic_wood": mosaic_wood,
    "ovals": lambda: studs(is_oval=True),
    "patches": lambda: patches(7),
    "planks": lambda: planks(8, 2, 8),
    "plaster": lambda: speckles(96, 9, strength=0.18),
    "rust": lambda: patches(10, strength=0.65),
    "solar": cells_of_glass,
    "speckles": lambda: speckles(128, 11),
    "squares": lambda: studs(is_oval=False),
    "stones": lambda: stones(12),
    "tiles": lambda: tiles(4, 13),
    "traces": traces,
    "veined_tiles": veined_tiles,
    "veins": lambda: veins(14),
    "waves": lambda: waves(12),
    "windows": windows,
    "wires": mesh_of_wires,
}
"""File -> its pattern."""


def picture(name: str) -> NDArray[np.uint8]:
    """Return a pattern as greys, brightest where it leaves the colour as it is."""
    greys = TEXTURES[name]()
    steps = np.floor(np.clip(greys / greys.max(), 0.0, 1.0) * (LEVELS - 1) + 0.5)
    return np.floor(steps * 255.0 / (LEVELS - 1) + 0.5).astype(np.uint8)


def main() -> None:
    """Write all patterns."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in TEXTURES:
        Image.fromarray(picture(name)).quantize(LEVELS).save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
