"""Discs that are thin beside their width, as signs and badges are: rays tell cap and side apart."""

from __future__ import annotations

import numpy as np
import pytest

from tests.devices.worlds import sim_of

DISC = """
Viewpoint {{ }}
Background {{ skyColor [ 0 0 1 ] }}
DirectionalLight {{ direction 1 0.2 -0.3 }}
Solid {{ translation 1.1 0 0 rotation 0 1 0 {tilt} children [ Shape {{
  appearance Appearance {{ material Material {{ diffuseColor 1 0 0 }} }}
  geometry Cylinder {{ radius 0.37 height 0.002 }} }} ] }}
Robot {{ children [ Camera {{ width 64 height 64 fieldOfView 0.3 antiAliasing FALSE }} ] }}
"""


@pytest.mark.slow
def test_a_thin_disc_is_evenly_lit() -> None:
    """Half a height of 1 mm is little more than the error of a 32-bit ray over a metre."""
    for tilt in (1.2, 1.5707963, 2.0):
        sim = sim_of(DISC.format(tilt=tilt))
        sim.device("camera").enable()
        sim.step()
        image = np.asarray(sim.device("camera").value, dtype=int)
        middle = image[16:48, 16:48, :3].reshape(-1, 3)
        assert middle.max(axis=1).min() > 50
        assert np.ptp(middle, axis=0).max() <= 1  # a flat face under one far lamp has one colour
