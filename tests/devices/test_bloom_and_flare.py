"""Bloom and lens flares: where their light is, and that dark pictures stay as they are."""

from __future__ import annotations

import numpy as np
import pytest

from solidbody.devices.imaging.bloom_and_flare import with_bloom, with_flare
from solidbody.model.devices import LensFlare
from tests.devices.worlds import sim_of


def _spot(row: int, column: int, *, strength: float = 8.0) -> np.ndarray:
    out = np.full((64, 96, 3), 0.1, dtype=np.float32)
    out[row : row + 8, column : column + 8] = strength
    return out


def test_nothing_bright_nothing_added() -> None:
    """Below the threshold, and below minus the bias."""
    dim = _spot(10, 10, strength=0.5)
    assert with_bloom(dim, 0.9) is dim
    assert with_flare(dim, LensFlare()) is dim


def test_bloom_spreads_around_a_bright_place_and_keeps_its_light() -> None:
    """The same amount as is bright, added beside and fading with the distance."""
    light = np.zeros((160, 160, 3), dtype=np.float32)
    light[76:84, 76:84] = 8.0
    added = with_bloom(light, 1.0) - light
    assert added.sum() == pytest.approx(8.0 * 64 * 3, rel=1e-4)
    assert added[80, 80, 0] > added[80, 90, 0] > added[80, 110, 0] > added[80, 130, 0]


def test_ghosts_stand_opposite_of_the_light_through_the_middle() -> None:
    """Without dispersal the one ghost is the mirror image; a transparent flare adds nothing."""
    light = _spot(20, 40)
    flare = LensFlare(
        ghosts=1, dispersal=0.0, halo_width=0.0, chroma_distortion=0.0, blur_iterations=0
    )
    added = with_flare(light, flare) - light
    row, column = np.unravel_index(added[..., 1].argmax(), added.shape[:2])
    assert (row, column) == (pytest.approx(64 - 24, abs=4), pytest.approx(96 - 44, abs=4))
    assert not (with_flare(light, LensFlare(transparency=1.0)) - light).any()


def test_a_camera_with_a_flare_sees_a_lamp_twice() -> None:
    """A glowing ball to the upper left of the axis: more light to the lower right than without."""
    ball = (
        "Solid { translation 3 0.4 0.3 children [ Shape { appearance PBRAppearance { "
        "emissiveColor 1 1 0.9 emissiveIntensity 20 } geometry Sphere { radius 0.1 } } ] }"
    )
    pictures = []
    for flare in ("", "lensFlare LensFlare { transparency 0 bias -2 }"):
        sim = sim_of(ball + f"Robot {{ children [ Camera {{ width 96 height 96 {flare} }} ] }}")
        sim.device("camera").enable()
        sim.step()
        pictures.append(sim.device("camera").value.astype(int))
    plain, flared = pictures
    assert not plain[48:, 48:].any()
    assert flared[48:, 48:].max() > 20
