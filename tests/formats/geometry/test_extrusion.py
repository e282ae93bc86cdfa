"""Extrusions: spine-aligned planes, caps, closed curves, lists of scales and orientations."""

from __future__ import annotations

import math

import pytest

from solidbody.base.transforms import quat_from_axis_angle
from solidbody.formats.geometry.extrusion import Extrusion, ExtrusionError, spine_axes
from tests.formats.geometry.measures import area, normals_agree, open_edges, volume

SQUARE = ((0.5, 0.5), (0.5, -0.5), (-0.5, -0.5), (-0.5, 0.5), (0.5, 0.5))
ROUNDING = 1e-12
"""A few hundred sums of numbers around 1."""


def test_the_default_is_a_box_that_faces_outwards() -> None:
    """2 x 1 x 2, with 8 triangles around and 2 for each cap."""
    mesh = Extrusion().mesh()
    assert volume(mesh) == pytest.approx(4.0, rel=ROUNDING)
    assert len(mesh.triangles) == 12
    assert open_edges(mesh) == 0
    assert normals_agree(mesh)


def test_caps_can_be_left_out() -> None:
    """2 triangles less for each."""
    assert len(Extrusion(begin_cap=False).mesh().triangles) == 10
    assert len(Extrusion(begin_cap=False, end_cap=False).mesh().triangles) == 8
    bottom_open = Extrusion(begin_cap=False).mesh()
    assert max(normal[1] for normal in bottom_open.normals) == pytest.approx(1.0)
    assert min(normal[1] for normal in bottom_open.normals) > -0.5


def test_clockwise_sections_are_turned_over() -> None:
    """`ccw` false says that the section turns the other way."""
    section = SQUARE[::-1]
    assert volume(Extrusion(section).mesh()) == pytest.approx(-1.0, rel=ROUNDING)
    assert volume(Extrusion(section, ccw=False).mesh()) == pytest.approx(1.0, rel=ROUNDING)


def test_an_open_section_is_a_strip() -> None:
    """Two points make one band of two triangles for each piece of the spine."""
    mesh = Extrusion(((0.0, 0.0), (1.0, 0.0)), ((0, 0, 0), (0, 1, 0), (0, 3, 0))).mesh()
    assert len(mesh.triangles) == 4
    assert area(mesh) == pytest.approx(3.0, rel=ROUNDING)


def test_a_concave_section_has_the_area_of_its_polygon() -> None:
    """An L of 3 unit squares, 2 high."""
    section = ((0, 0), (0, 2), (1, 2), (1, 1), (2, 1), (2, 0), (0, 0))
    mesh = Extrusion(section, ((0, 0, 0), (0, 2, 0))).mesh()
    assert volume(mesh) == pytest.approx(6.0, rel=ROUNDING)
    assert open_edges(mesh) == 0


@pytest.mark.parametrize(
    "spine", [((0, 0, 0), (3, 0, 0)), ((1, 1, 1), (1, 1, -2)), ((0, 3, 0), (0, 0, 0))]
)
def test_a_straight_spine_in_any_direction_keeps_the_volume(
    spine: tuple[tuple[float, float, float], ...],
) -> None:
    """The section is turned by the shortest rotation."""
    mesh = Extrusion(SQUARE, spine).mesh()
    assert volume(mesh) == pytest.approx(3.0, rel=ROUNDING)
    assert normals_agree(mesh)


def test_a_straight_spine_turns_the_section_the_shortest_way() -> None:
    """+y onto +x is a quarter turn about -z: section x goes to -y, section z stays."""
    (x, y, z), _ = spine_axes(((0, 0, 0), (1, 0, 0)))
    assert x == pytest.approx((0, -1, 0), abs=ROUNDING)
    assert y == pytest.approx((1, 0, 0), abs=ROUNDING)
    assert z == pytest.approx((0, 0, 1), abs=ROUNDING)


def test_scales_make_a_frustum() -> None:
    """V = h/3 (A1 + A2 + sqrt(A1 A2)) with areas 1 and 4."""
    mesh = Extrusion(SQUARE, ((0, 0, 0), (0, 3, 0)), scales=((1, 1), (2, 2))).mesh()
    assert volume(mesh) == pytest.approx(7.0, rel=ROUNDING)


def test_one_scale_and_one_orientation_hold_for_all_points() -> None:
    """A quarter turn about the spine moves the long side from x to z."""
    quarter = quat_from_axis_angle((0, 1, 0), math.pi / 2)
    mesh = Extrusion(SQUARE, scales=((4, 1),), orientations=(quarter,)).mesh()
    assert volume(mesh) == pytest.approx(4.0, rel=ROUNDING)
    assert max(p[2] for p in mesh.vertices) == pytest.approx(2.0, rel=ROUNDING)
    assert max(p[0] for p in mesh.vertices) == pytest.approx(0.5, rel=ROUNDING)


def test_a_closed_spine_makes_a_ring_without_caps() -> None:
    """A square section around a regular polygon of 24 corners.

    At a corner the section stands across the mean direction, so that each piece is a prism cut
    square to its ends' tangents: V = A n sin(2 pi / n) / 2 * ((R+a/2)^2 - (R-a/2)^2) / a.
    """
    n, big = 24, 3.0
    angles = [2.0 * math.pi * i / n for i in range(n)]
    spine = [(big * math.cos(a), 0.0, big * math.sin(a)) for a in angles]
    mesh = Extrusion(SQUARE, (*spine, spine[0])).mesh()
    assert len(mesh.triangles) == n * 8
    assert open_edges(mesh) == 0
    ring = 0.5 * n * math.sin(2.0 * math.pi / n) * (3.5**2 - 2.5**2)
    assert volume(mesh) == pytest.approx(ring, rel=ROUNDING)


def test_the_plane_does_not_flip_where_the_spine_bends_the_other_way() -> None:
    """An S in the xy plane: z axes stay on one side."""
    axes = spine_axes(((0, 0, 0), (0, 1, 0), (1, 2, 0), (1, 3, 0), (0, 4, 0)))
    assert {round(z[2]) for _, _, z in axes} in ({1}, {-1})


def test_straight_pieces_take_the_plane_of_the_bend_next_to_them() -> None:
    """Points before the first bend use the first one that is known."""
    axes = spine_axes(((0, 0, 0), (0, 1, 0), (0, 2, 0), (0, 3, 1)))
    assert axes[0][2] == axes[1][2] == pytest.approx(axes[2][2])
    assert all(abs(z[0]) == pytest.approx(1.0) for _, _, z in axes)


@pytest.mark.parametrize(
    ("extrusion", "key", "text"),
    [
        (Extrusion(((0, 0),)), "cross_section", "needs 2 points"),
        (Extrusion(spine=((0, 0, 0),)), "spine", "needs 2 points"),
        (
            Extrusion(spine=((0, 0, 0), (0, 1, 0), (0, 2, 0)), scales=((1, 1), (2, 2))),
            "scale",
            "expected 1 entry or one for each of the 3 spine points, got 2",
        ),
        (
            Extrusion(spine=tuple((0.0, float(i), 0.0) for i in range(200_000))),
            "spine",
            "more than 500000 points",
        ),
    ],
)
def test_what_cannot_be_built_says_why(extrusion: Extrusion, key: str, text: str) -> None:
    """The list concerned is named."""
    with pytest.raises(ExtrusionError, match=text) as caught:
        extrusion.mesh()
    assert caught.value.key == key


def test_coinciding_spine_points_do_no_harm() -> None:
    """They take the direction before them."""
    mesh = Extrusion(SQUARE, ((0, 0, 0), (0, 0, 0), (0, 1, 0), (0, 1, 0))).mesh()
    assert volume(mesh) == pytest.approx(1.0, rel=ROUNDING)
