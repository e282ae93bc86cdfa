"""LEDs, displays and pens: what they show, and that cameras see it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import solidbody as sb
from solidbody.devices.actuators.canvas import Canvas, pixels_of
from solidbody.devices.actuators.displays import Displays
from solidbody.devices.actuators.lamps import Leds, led_color
from solidbody.devices.actuators.pens import Pens
from solidbody.model.devices import DeviceLed
from tests.devices.worlds import sim_of
from tests.render.seeing import PAPER, shown

BLACK_SKY = "Background { skyColor [ 0 0 0 ] }"
PLAIN = "appearance Appearance { material Material { diffuseColor 0 0 0 } }"


def _led(fields: str) -> sb.Sim:
    """A ball that is an LED, 1 m before a camera in the dark."""
    return sim_of(
        f"{BLACK_SKY} Robot {{ children [ Camera {{ width 9 height 9 }} LED {{ translation 1 0 0 "
        f"{fields} children [ Shape {{ {PLAIN} geometry Sphere {{ radius 0.6 }} }} ] }} ] }}"
    )


def _seen(sim: sb.Sim) -> list[int]:
    sim.device("camera").enable()
    sim.step()
    return sim.device("camera").value[4, 4].tolist()


def _leds(sim: sb.Sim) -> Leds:
    group, _ = sim.devices.group_of(sim.devices.names["led"])
    assert isinstance(group, Leds)
    return group


def test_devices_are_commanded_through_their_groups() -> None:
    """By the row that the handle tells."""
    sim = _led("color [ 1 0 0, 0 1 1 ]")
    led = sim.device("led")
    assert isinstance(led.group, Leds)
    led.group.set(led.row, 1)
    assert _seen(sim) == [PAPER, 0, 0]


def test_an_led_glows_in_the_colour_that_its_value_selects() -> None:
    """Off at first, then the second colour of the list; off again after a reset."""
    sim = _led("color [ 1 0 0, 0 1 1 ]")
    assert _seen(sim) == [0, 0, 0]
    _leds(sim).set(0, 2)
    assert _seen(sim) == [0, PAPER, PAPER]
    sim.reset()
    assert _seen(sim) == [0, 0, 0]


@pytest.mark.parametrize(
    ("colors", "gradual", "value", "shown"),
    [
        (((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), False, 1, (1.0, 0.0, 0.0)),
        (((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), False, 3, (0.0, 1.0, 0.0)),
        (((1.0, 0.0, 0.5),), True, 51, (0.2, 0.0, 0.1)),
        ((), True, 0xFF8000, (1.0, 128 / 255, 0.0)),
        (((1.0, 0.0, 0.0),), False, 0, (0.0, 0.0, 0.0)),
    ],
)
def test_led_values(
    colors: tuple[tuple[float, float, float], ...],
    gradual: bool,
    value: int,
    shown: tuple[float, float, float],
) -> None:
    """By number, by brightness 0..255, or as 0xRRGGBB."""
    led = DeviceLed(name="led", colors=colors, gradual=gradual)
    assert led_color(led, value) == pytest.approx(shown)


def test_a_canvas_blends_by_opacity() -> None:
    """Half of 255 red over opaque black; alpha goes the same way, and all of none clears."""
    canvas = Canvas(4, 3)
    canvas.color, canvas.opacity = (255, 0, 0), 0.5
    canvas.draw_pixel(1, 2)
    assert canvas.pixels[2, 1].tolist() == [128, 0, 0, 255]
    assert canvas.pixels[0, 0].tolist() == [0, 0, 0, 255]
    canvas.alpha = 0.0
    canvas.draw_pixel(0, 0)
    assert canvas.pixels[0, 0].tolist() == [128, 0, 0, 128]
    canvas.opacity = 1.0
    canvas.draw_rectangle(0, 0, 4, 3, fill=True)
    assert not canvas.pixels.any()
    canvas.draw_pixel(9, 9)  # outside: nothing


def test_figures_have_the_pixels_that_their_sizes_say() -> None:
    """A 4 x 3 rectangle has 12 pixels, its outline 10; a horizontal line has both ends."""
    canvas = Canvas(20, 20)
    counts: list[int] = []
    for draw in (
        lambda: canvas.draw_rectangle(2, 3, 4, 3, fill=True),
        lambda: canvas.draw_rectangle(2, 3, 4, 3, fill=False),
        lambda: canvas.draw_line(1, 5, 8, 5),
        lambda: canvas.draw_polygon([(0, 0), (5, 0), (5, 5), (0, 5)], fill=True),
        lambda: canvas.draw_oval(10, 10, 4, 2, fill=True),
    ):
        canvas.clear()
        draw()
        counts.append(int((canvas.pixels[..., 0] > 0).sum()))
    assert counts[:4] == [12, 10, 8, 36]
    # an ellipse of 9 x 5 whole pixels covers about pi/4 of its box
    assert counts[4] == pytest.approx(np.pi / 4 * 45, abs=6)


def test_an_oval_has_the_rows_of_webots() -> None:
    """Half axes 4 and 8: widths that infra-red sensors read in Webots' test display_infrared."""
    canvas = Canvas(11, 21)
    canvas.draw_oval(5, 10, 4, 8, fill=True)
    drawn = canvas.pixels[..., 0] > 0
    widths = [1, 3, 5, 7, 7, 9, 9, 9, 9, 9, 9, 9, 7, 7, 5, 3, 1]
    assert drawn.sum(axis=1).tolist() == [0, 0, *widths, 0, 0]
    assert (drawn == drawn[:, ::-1]).all()
    canvas.clear()
    canvas.draw_oval(5, 10, 4, 8, fill=False)
    outline = canvas.pixels[..., 0] > 0
    assert outline.sum() < drawn.sum() / 2
    assert (outline <= drawn).all() and (outline.any(axis=1) == drawn.any(axis=1)).all()


def test_text_leaves_ink_inside_its_line() -> None:
    """Ten points high at most, somewhere right of its corner; it stands ten pixels below y."""
    canvas = Canvas(60, 30)
    canvas.font_size = 10
    canvas.draw_text("Hi", 5, 8)
    rows, columns = np.nonzero(canvas.pixels[..., 0])
    assert rows.size > 10
    assert rows.min() >= 8
    assert rows.max() == 17
    assert columns.min() >= 5


def test_images_are_copied_pasted_and_read_in_every_order() -> None:
    """One pixel (1, 2, 3, 4) in each order of bytes; copies beyond the edge are clear."""
    for order, data in (
        ("RGB", [1, 2, 3]),
        ("RGBA", [1, 2, 3, 4]),
        ("ARGB", [4, 1, 2, 3]),
        ("BGRA", [3, 2, 1, 4]),
        ("ABGR", [4, 3, 2, 1]),
    ):
        pixel = pixels_of(bytes(data), order, 1, 1)[0, 0].tolist()
        assert pixel == [1, 2, 3, 255 if order == "RGB" else 4]
    canvas = Canvas(4, 4)
    canvas.draw_rectangle(0, 0, 4, 4, fill=True)
    part = canvas.copy(3, 3, 2, 2)
    assert (part[..., 3] > 0).tolist() == [[True, False], [False, False]]
    canvas.clear()
    canvas.paste(part, -1, 2, blend=True)
    assert not canvas.pixels[..., :3].any()  # its only solid pixel is outside
    canvas.paste(part, 1, 1, blend=False)
    assert canvas.pixels[1, 1].tolist() == [255, 255, 255, 255]
    with pytest.raises(ValueError, match="2 x 1 RGB takes 6 bytes, got 3"):
        pixels_of(b"abc", "RGB", 2, 1)


def _display(sim: sb.Sim) -> Displays:
    group, _ = sim.devices.group_of(sim.devices.names["display"])
    assert isinstance(group, Displays)
    return group


SCREEN = (
    f"{BLACK_SKY} Robot {{ children [ Camera {{ width 9 height 9 }} "
    "Display { width 8 height 8 translation 1 0 0 rotation 0 0 1 3.14159265 children [ Shape { "
    "appearance PBRAppearance { metalness 0 roughness 1 baseColorMap ImageTexture { } } "
    "geometry Box { size 0.01 2 2 } } ] } ] } "
    "DirectionalLight { direction 1 0 0 }"
)


def test_a_camera_sees_what_is_drawn_on_a_display() -> None:
    """Green all over, lit from the front."""
    sim = sim_of(SCREEN)
    # black, but for the light that it mirrors
    assert _seen(sim)[1] < 25
    display = _display(sim)
    display.canvas(0).color = (0, 255, 0)
    display.canvas(0).draw_rectangle(0, 0, 8, 8, fill=True)
    display.refresh(0)
    red, green, blue = _seen(sim)
    assert green > 100
    assert red < 25
    assert blue < 25


@pytest.mark.parametrize(("filtering", "blends"), [(0, False), (4, True)])
def test_pixels_of_a_display_run_together_unless_its_texture_is_not_filtered(
    filtering: int, blends: bool
) -> None:
    """Two pixels of the camera for each of the display; every other column of that is green."""
    text = SCREEN.replace("width 9 height 9", "width 16 height 16 fieldOfView 1.58")
    sim = sim_of(text.replace("ImageTexture { }", f"ImageTexture {{ filtering {filtering} }}"))
    display = _display(sim)
    display.canvas(0).color = (0, 255, 0)
    for x in range(0, 8, 2):
        display.canvas(0).draw_rectangle(x, 0, 1, 8, fill=True)
    display.refresh(0)
    camera = sim.device("camera")
    camera.enable()
    sim.step()
    green = camera.value[8, :, 1].astype(int)
    assert green.max() > 100
    assert bool(green.min() > 30) is blends


def test_a_camera_can_be_the_background_of_a_display() -> None:
    """Clear pixels show the camera's picture, opaque ones what is drawn; black ones become clear for it.

    Without the camera they stay so: what is behind the display is seen, not the last picture.
    """
    sim = sim_of(
        "Background { skyColor [ 0 0 1 ] } "
        "Robot { children [ Camera { width 4 height 4 } Display { width 8 height 8 } ] }"
    )
    display = _display(sim)
    cameras, row = sim.devices.group_of(sim.devices.names["camera"])
    display.attach_camera(0, cameras, row)  # pyright: ignore[reportArgumentType]
    display.canvas(0).draw_pixel(0, 0)
    sim.device("camera").enable()
    sim.step()
    picture = display.picture(0)
    assert picture[0, 0].tolist() == [255, 255, 255, 255]
    assert picture[5, 5].tolist() == [0, 0, 255, 255]
    display.detach_camera(0)
    assert display.picture(0)[0, 0].tolist() == [255, 255, 255, 255]
    assert display.picture(0)[5, 5].tolist() == [0, 0, 0, 0]


def test_others_see_the_picture_of_a_camera_behind_a_display_in_the_same_step() -> None:
    """As in Webots, where the display has the camera's own texture: mirrors are not a step late."""
    behind = (
        'Camera { name "behind" translation 0 0 9 width 4 height 4 } '
        "Solid { translation 2 0 9 children [ Shape { appearance PBRAppearance { emissiveColor 0 1 0 } "
        "geometry Box { } } ] } Display {"
    )
    sim = sim_of(SCREEN.replace("Display {", behind))
    cameras, row = sim.devices.group_of(sim.devices.names["behind"])
    _display(sim).attach_camera(0, cameras, row)  # pyright: ignore[reportArgumentType]
    sim.device("behind").enable()
    red, green, blue = _seen(sim)
    assert green > 100
    assert max(red, blue) < 40, "but for the light that the box mirrors"


def test_images_of_displays_go_to_files_and_back(tmp_path: Path) -> None:
    """A PNG keeps every pixel; what is no picture is named with the reason."""
    sim = sim_of("Robot { children [ Display { width 4 height 2 } ] }")
    display = _display(sim)
    display.canvas(0).draw_pixel(3, 1)
    assert display.image_save(0, None, str(tmp_path / "a.png")) == ""
    assert display.image_load(0, 1, str(tmp_path / "a.png")) == ""
    assert display.states[0].images[1].tolist() == display.picture(0).tolist()
    (tmp_path / "bad.png").write_bytes(b"no picture")
    assert "as a PNG or JPEG picture" in display.image_load(0, 2, str(tmp_path / "bad.png"))
    assert display.image_paste(0, 7, 0, 0, blend=False) == "there is no image 7"
    assert display.image_delete(0, 1) == ""


def _writing(folder: Path, *, world: str = "", pen: str = "", sensor: str = "") -> sb.Sim:
    """A pen 0.5 m above the middle of a white floor of 1 m and 100 texels."""
    Image.fromarray(np.full((100, 100, 3), 255, dtype=np.uint8)).save(folder / "white.png")
    text = (
        f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 10 {world} }}\n"
        "Solid { children [ Shape { appearance PBRAppearance { metalness 0 roughness 1 "
        'baseColorMap ImageTexture { url [ "white.png" ] } } geometry Plane { size 1 1 } } ] }\n'
        f"Robot {{ translation 0 0 0.5 children [ {sensor} "
        f"Pen {{ leadSize 0.04 inkDensity 0.5 {pen} }} ] }}"
    )
    (folder / "pen.wbt").write_text(text)
    return sb.Sim(sb.load(folder / "pen.wbt"))


def _pens(sim: sb.Sim) -> Pens:
    group, _ = sim.devices.group_of(sim.devices.names["pen"])
    assert isinstance(group, Pens)
    return group


def test_a_pen_paints_a_spot_below_it(tmp_path: Path) -> None:
    """At (0.2, -0.1) m: column 70, row 60, half covered; clean after a reset.

    The spot is a share of the texture: 100 texels over the radius of the floor, 0.707 m, times 0.04 m are 5
    across, so 2 on each side of the middle: 13 texels in a circle.
    """
    sim = _writing(tmp_path)
    pens = _pens(sim)
    sim["robot"].position = (0.205, -0.105, 0.5)
    sim.step()
    (paper,) = pens.papers.values()
    spot = np.argwhere(paper.density[..., 0])
    assert spot.mean(axis=0).tolist() == [60, 70]
    assert len(spot) == 13
    assert paper.density[60, 70, 0] == 0.5
    sim.reset()
    assert not paper.density.any()


def test_ink_adds_up_until_it_covers_the_paper(tmp_path: Path) -> None:
    """Density 0.1 adds up to 1 in ten steps; later ink mixes with what is there, half and half."""
    sim = _writing(tmp_path)
    pens = _pens(sim)
    pens.set_ink(0, (1.0, 0.0, 0.0), 0.1)
    sim.step()
    (paper,) = pens.papers.values()
    for k in range(1, 13):
        # sums of 32-bit floats
        assert paper.density[50, 50, 0] == pytest.approx(min(k / 10, 1.0), abs=1e-6)
        sim.step()
    assert paper.layer[50, 50].tolist() == [255, 0, 0, 255]
    pens.set_ink(0, (0.0, 1.0, 0.0), 1.0)
    sim.step()
    assert paper.ink[50, 50].tolist() == pytest.approx([127.5, 127.5, 0.0], abs=1e-3)


def test_a_pen_leaves_one_spot_in_a_step(tmp_path: Path) -> None:
    """It moved by 0.3 m in between: Webots leaves a dotted line as well."""
    sim = _writing(tmp_path)
    sim.step()
    sim["robot"].position = (0.305, 0.0, 0.5)
    sim.step()
    (paper,) = _pens(sim).papers.values()
    assert np.flatnonzero(paper.density[50, :, 0]).tolist() == [*range(48, 53), *range(78, 83)]


@pytest.mark.parametrize(
    ("look", "geometry", "columns"),
    [
        ("appearance Appearance { material Material { } }", "Box { size 1 1 1 }", 4),
        ("appearance PBRAppearance { roughness 1 metalness 0 }", "Plane { size 1 1 }", 1),
        (
            'appearance Appearance { material Material { } texture ImageTexture { url "white.png" } '
            "textureTransform TextureTransform { scale 4 4 } }",
            "Cylinder { radius 0.5 height 1 }",
            2,
        ),
    ],
)
def test_paint_shows_once_on_any_shape(
    tmp_path: Path, look: str, geometry: str, columns: int
) -> None:
    """With or without a texture, which may repeat and is the same on all sides: a camera sees one spot."""
    Image.fromarray(np.full((64, 64, 3), 255, dtype=np.uint8)).save(tmp_path / "white.png")
    world = tmp_path / "spot.wbt"
    world.write_text(
        "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 10 }\n"
        "DirectionalLight { direction 0 0 -1 ambientIntensity 1 }\n"
        f"Solid {{ children [ Shape {{ {look} geometry {geometry} }} ] }}\n"
        "Robot { translation 0.1 0.2 2 children [ Pen { leadSize 0.1 inkColor 1 0 0 inkDensity 1 } "
        "Camera { translation -0.1 -0.2 0 rotation 0 1 0 1.5707963 width 64 height 64 "
        "fieldOfView 0.8 } ] }"
    )
    sim = sb.Sim(sb.load(world))
    sim.device("camera").enable()
    sim.step()
    image = sim.device("camera").value.astype(int)
    red = np.argwhere(image[..., 0] - image[..., 1] > 50)
    ((key, paper),) = _pens(sim).papers.items()
    assert key == (0, 0)
    assert paper.density.shape[1] == columns * (64 if "white" in look else 128)
    # at 0.1, 0.2 m, seen from 1.5 or 2 m above by a pinhole of 64 pixels: up is x, right is -y
    away = 1.5 if columns > 1 else 2.0
    focal = 32.0 / np.tan(0.4) / away
    assert red.mean(axis=0) == pytest.approx([31.5 - 0.1 * focal, 31.5 - 0.2 * focal], abs=1.0)
    assert np.ptp(red, axis=0).max() <= 0.15 * focal, "one spot"


@pytest.mark.parametrize(("along", "share"), [(0.1, 0.25 / 3.0), (0.25, (0.5 + 1.0 / 3.0) / 3.0)])
def test_each_cap_of_a_capsule_has_a_third_of_the_paper(along: float, share: float) -> None:
    """0.1 m along its straight half of 0.2 m, and at half the height of a cap: 30 degrees of 90."""
    sim = sim_of(
        "Solid { rotation 0 1 0 1.5707963 children [ Shape { geometry Capsule { height 0.4 radius 0.1 } } "
        "] } "
        f"Robot {{ translation {along} 0 1 children [ Pen {{ leadSize 1e-6 inkDensity 1 }} ] }}"
    )
    sim.step()
    _pens(sim)
    sim.step()
    ((_, paper),) = _pens(sim).papers.items()
    rows = np.flatnonzero(paper.density[..., 0].any(axis=1))
    assert rows.tolist() == [int(paper.density.shape[0] * (0.5 - share))]


def test_ink_out_of_reach_leaves_no_trace_and_ink_dries_up(tmp_path: Path) -> None:
    """maxDistance 0.4 < 0.5 m; with evaporation 2/s half a second leaves exp(-1) of the ink."""
    sim = _writing(tmp_path, pen="maxDistance 0.4")
    sim.devices  # noqa: B018  (devices exist from here on)
    sim.step()
    assert _pens(sim).papers == {}
    sim = _writing(tmp_path, world="inkEvaporation 2")
    pens = _pens(sim)
    sim.step()
    pens.write(0, False)
    (paper,) = pens.papers.values()
    start = float(paper.density[50, 50, 0])
    sim.step(50)
    assert float(paper.density[50, 50, 0]) / start == pytest.approx(np.exp(-1.0), rel=1e-4)


def test_infra_red_sensors_see_ink(tmp_path: Path) -> None:
    """White: f = 0.2 + 0.8·(1 - 0.5·roughness); half black halves the red part; d/f is what is read.

    The floor has roughness 1, the sensor looks down from 0.5 m: 0.5/0.6 on white, 0.5/0.4 under the pen.
    """
    sensor = (
        'DistanceSensor { type "infra-red" rotation 0 1 0 1.5707963267949 '
        "lookupTable [ 0 0 0, 2 2 0 ] aperture 0 }"
    )
    sim = _writing(tmp_path, sensor=sensor)
    pens = _pens(sim)
    pens.write(0, False)
    sim.device("distance sensor").enable()
    sim.step()
    assert sim.device("distance sensor").value == pytest.approx(0.5 / 0.6, rel=1e-5)
    pens.write(0, True)
    sim.step()  # the sensor sees ink of the same step
    expected = 0.5 / (0.2 + 0.4 * (1.0 - 128.0 / 255.0))  # the density is half of 255, rounded
    assert sim.device("distance sensor").value == pytest.approx(expected, rel=1e-5)


def test_what_is_shown_and_painted_outlives_a_change_of_the_scene(tmp_path: Path) -> None:
    """The lamp glows on and the ink stays, though the title of the world is another one now."""
    sim = _led("color [ 1 0 0, 0 1 1 ]")
    _leds(sim).set(0, 2)
    sim.describe_anew(replace(sim.scene, title="another"))
    assert _seen(sim) == [0, PAPER, PAPER]
    sim = _writing(tmp_path)
    sim.step()
    sim.describe_anew(replace(sim.scene, title="another"))
    (paper,) = _pens(sim).papers.values()
    assert paper.density[50, 50, 0] == 0.5


def test_motion_blur_takes_its_time(tmp_path: Path) -> None:
    """A lamp that goes on: after h of a blur of T, 1 - 0.005^(h/T) of the new value has come."""
    sim = sim_of(
        f"{BLACK_SKY} Robot {{ children [ Camera {{ width 9 height 9 motionBlur 40 }} LED {{ translation "
        f"1 0 0 children [ Shape {{ {PLAIN} geometry Sphere {{ radius 0.6 }} }} ] }} ] }}"
    )
    assert _seen(sim)[0] == 0
    _leds(sim).set(0, 1)
    for k in range(1, 6):
        sim.step()
        expected = shown(1.0 - 0.005 ** (8.0 * k / 40.0))
        # bytes
        assert sim.device("camera").value[4, 4, 0] == pytest.approx(expected, abs=0.51)


@pytest.mark.parametrize(("alpha", "shown_red"), [(255, 178.0), (51, 178.0 * 0.2), (0, 0.0)])
def test_a_noise_mask_covers_as_much_as_it_is_opaque(
    tmp_path: Path, alpha: int, shown_red: float
) -> None:
    """A mask of one colour before a black sky: its share of the picture is its alpha."""
    mask = np.full((8, 8, 4), (178, 0, 0, alpha), dtype=np.uint8)
    Image.fromarray(mask).save(tmp_path / "mask.png")
    (tmp_path / "mask.wbt").write_text(
        f"#VRML_SIM R2025a utf8\nWorldInfo {{ }}\n{BLACK_SKY}\n"
        'Robot { children [ Camera { width 4 height 4 noiseMaskUrl "mask.png" } ] }\n'
    )
    sim = sb.Sim(sb.load(tmp_path / "mask.wbt"))
    sim.device("camera").enable()
    sim.step()
    found = sim.device("camera").value
    assert found == pytest.approx(np.tile((shown_red, 0.0, 0.0), (4, 4, 1)), abs=0.51)
