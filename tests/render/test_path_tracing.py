"""Path tracing against closed forms: light of lamps and sky, soft shadows, light from wall to floor.

Referees: Lambert's law (albedo/pi times the irradiance), the angle of the sun, pictures with many more paths.
"""

from __future__ import annotations

import math
import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import solidbody as sb
from solidbody.record.photo import PhotoMoment, eye_of, save_photo, take_photo
from solidbody.render.path_tracing import (
    MOST_LIGHT,
    SUN_RADIUS,
    PathTracer,
    lamp_level,
    page_colors,
    photo_scene,
)
from solidbody.render.ray_engine import RayEngine
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

Singles = NDArray[np.float32]

WHITE = "PBRAppearance { baseColor 1 1 1 roughness 1 metalness 0 }"
FLOOR = f"Solid {{ children [ Shape {{ appearance {WHITE} geometry Plane {{ size 20 20 }} }} ] }}"
NIGHT = "Background { skyColor [ 0 0 0 ] luminosity 0 }"
SIZE = (48, 32)


def _sim(folder: Path, text: str) -> sb.Sim:
    path = folder / "world.wbt"
    view = "Viewpoint { position 0 0 4 orientation 0 1 0 1.5707963 }"  # down, the upper edge to +x
    path.write_text(f"#VRML_SIM R2025a utf8\nWorldInfo {{ }}\n{view}\n{text}", encoding="utf-8")
    return sb.Sim(sb.load(str(path)))


def _tracer(sim: sb.Sim, passes: int) -> PathTracer:
    poses = sim.poses()
    level = lamp_level(sim.scene, poses)
    rays = RayEngine(photo_scene(sim.scene, level))
    if rays.is_plain:
        pytest.skip("no Warp here")
    rays.update(poses)
    tracer = PathTracer(rays, eye_of(sim, SIZE), SIZE, level)
    for _ in range(passes):
        tracer.add_pass()
    return tracer


def _light(sim: sb.Sim, passes: int = 32, *, smooth: bool = False) -> Singles:
    return _tracer(sim, passes).light(smooth=smooth)


def test_a_white_floor_throws_back_what_lambert_says(tmp_path: Path) -> None:
    """Sun of 2 at 60 degrees, all diffuse but what the surface mirrors; the black sky adds its least."""
    sun = "DirectionalLight { direction 0.5 0 -0.8660254 intensity 2 }"
    light = _light(_sim(tmp_path, f"{NIGHT} {sun} {FLOOR}"))
    lambert = MOST_LIGHT * math.cos(math.radians(30)) / math.pi
    # 0.6 of 0.45 from all around at night, a tenth of it as the least, and 4 % mirrored
    assert float(light.mean()) == pytest.approx(lambert, rel=0.12)
    assert float(light.std()) < 0.1 * lambert


def test_shadows_are_soft_by_the_angle_of_the_sun(tmp_path: Path) -> None:
    """A plate at 2 m under the sun in the zenith: half-shadow is as wide as the sun's disc is from there."""
    sun = "DirectionalLight { direction 0 0 -1 intensity 2 castShadows TRUE }"
    plate = (
        "Solid { translation 2 0 2 children [ Shape { "
        f"appearance {WHITE} geometry Box {{ size 4 30 0.01 }} }} ] }}"
    )
    sim = _sim(tmp_path, f"{NIGHT} {sun} {FLOOR} {plate}")
    view = "Viewpoint { position 0 0 0.2 orientation 0 1 0 1.5707963 fieldOfView 1.2 }"
    text = (tmp_path / "world.wbt").read_text("utf-8")
    start, end = text.index("Viewpoint"), text.index("\n", text.index("Viewpoint"))
    (tmp_path / "world.wbt").write_text(text[:start] + view + text[end:], encoding="utf-8")
    sim = sb.Sim(sb.load(str(tmp_path / "world.wbt")))
    light = _light(sim, 256).mean(axis=2)
    rows = light.mean(axis=1)  # the upper edge is towards +x: dark
    across = 2 * 0.2 * math.tan(0.6) * SIZE[1] / SIZE[0] / SIZE[1]  # [m] per row
    lit = (rows - rows.min()) / (rows.max() - rows.min())
    # an edge of a disc: from 10 to 90 % in 0.69 of its diameter... of the half-shadow's width
    width = float(np.count_nonzero((lit > 0.1) & (lit < 0.9))) * across
    assert width == pytest.approx(0.69 * 2 * 2.0 * SUN_RADIUS, abs=2.5 * across)


def test_a_red_wall_reddens_the_floor(tmp_path: Path) -> None:
    """Light goes from one thing to the next: the floor beside a red wall is redder than far from it."""
    sun = "DirectionalLight { direction 0.7 0 -0.7 intensity 2 }"
    red = "PBRAppearance { baseColor 1 0 0 roughness 1 metalness 0 }"
    wall = (
        "Solid { translation 0.8 0 0.2 children [ Shape { "
        f"appearance {red} geometry Box {{ size 0.1 6 0.4 }} }} ] }}"
    )
    light = _light(_sim(tmp_path, f"{NIGHT} {sun} {FLOOR} {wall}"), 64)
    shares = light[..., 0] / light[..., 1]
    foot = round(SIZE[1] / 2 - 0.6 / (4 * math.tan(0.3927)) * SIZE[0] / 2)
    assert float(shares[foot + 1 : foot + 3].mean()) > 1.1
    assert float(shares[-3:].mean()) < 1.05


def test_smoothing_takes_noise_and_leaves_light(tmp_path: Path) -> None:
    """Few paths smoothed are closer to many paths than they were, edges stay, and no light is lost."""
    lamp = "PointLight { location 1 1 1.5 attenuation 0 0 1 castShadows TRUE }"
    box = (
        "Solid { translation 0 0 0.3 children [ Shape { "
        "appearance PBRAppearance { baseColor 0.2 0.4 0.9 roughness 1 metalness 0 } "
        "geometry Box { size 0.8 0.8 0.6 } } ] }"
    )
    sim = _sim(tmp_path, f"{lamp} {FLOOR} {box}")
    few = _tracer(sim, 8)
    truth = _light(sim, 512)
    rough, smooth = few.light(smooth=False), few.light()
    before, after = (float(np.abs(x - truth).mean()) for x in (rough, smooth))
    assert after < 0.6 * before
    assert float(smooth.mean()) == pytest.approx(float(truth.mean()), rel=0.03)


def test_the_same_photo_twice_and_one_that_is_stopped(tmp_path: Path) -> None:
    """Paths are drawn from numbers that are always the same; whoever is asked to stop gets no picture."""
    sim = _sim(tmp_path, FLOOR)
    moment, eye = PhotoMoment.of(sim), eye_of(sim, SIZE)
    first, again = (take_photo(moment, eye, SIZE, samples=4) for _ in range(2))
    assert first is not None and again is not None
    assert first.shape == (SIZE[1], SIZE[0], 3)
    np.testing.assert_array_equal(first, again)
    assert take_photo(moment, eye, SIZE, samples=4, go_on=lambda share, _: share < 0.4) is None
    late = take_photo(moment, eye, SIZE, samples=4096, seconds=0.0)
    assert late is not None  # one pass is always made


def test_a_photo_can_be_looked_at_while_it_is_made(tmp_path: Path) -> None:
    """Another thread adds paths: each look shows light that is finite and about as bright as at the end."""
    tracer = _tracer(_sim(tmp_path, FLOOR), 1)
    is_over = threading.Event()

    def work() -> None:
        while not is_over.is_set():
            tracer.add_pass()

    worker = threading.Thread(target=work)
    worker.start()
    try:
        looks: list[float] = []
        wait_until(lambda: looks.append(float(tracer.light().mean())) or tracer.passes > 8)
    finally:
        is_over.set()
        worker.join()
    end = float(tracer.light().mean())
    for seen in looks:
        assert seen == pytest.approx(end, rel=0.15)


def test_sizes_that_nobody_can_hold_are_refused(tmp_path: Path) -> None:
    sim = _sim(tmp_path, FLOOR)
    with pytest.raises(sb.SolidbodyError, match="100000x100000 pixels cannot be made"):
        save_photo(sim, tmp_path / "x.png", size=(100_000, 100_000))
    with pytest.raises(sb.SolidbodyError, match="1 to 4096 samples"):
        save_photo(sim, tmp_path / "x.png", samples=0)


def test_colours_are_those_of_the_page() -> None:
    """Dim light as it is (sRGB), bright light towards white with its hue, and never beyond it."""
    light = np.array([[0.5, 0.25, 0.05], [4.0, 2.0, 0.4], [1e6, 1e6, 1e6]], dtype=np.float32)
    dim, bright, sun = page_colors(light, 1.0).tolist()
    assert dim == [188, 137, 63]
    assert bright[0] > 245 and bright[0] > bright[1] > bright[2] > dim[2]
    assert sun == [255, 255, 255] or min(sun) >= 254
