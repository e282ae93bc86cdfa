"""The showcase: its programs do for some seconds what its `WorldInfo.info` says."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.control.hub import ControllerHub

WORLD = Path(__file__).parents[1] / "examples" / "showcase" / "worlds" / "showcase.wbt"
ARM, TRAY, CUBE = (4.6, -4.0, 0.728), (0.02, 0.5), 0.06
RING = (-1.6, 0.9, 4.2)


@pytest.mark.native
@pytest.mark.slow
def test_arm_car_walker_and_dominoes_do_their_parts() -> None:
    scene = sb.load(str(WORLD))
    assert {item.code for item in scene.diagnostics} == {"own-proto"}
    sim = sb.Sim(scene)
    hub = ControllerHub(sim)
    hub.start()
    way = 0.0
    try:
        before = sim["Spot"].position
        while sim.time < 11.0:
            sim.run(0.5)
            here = sim["Spot"].position
            way += math.hypot(*(here - before)[:2])
            before = here
            assert here[2] > 0.45  # it has not fallen
            x, y, _ = sim["car"].position
            assert abs(math.hypot(x - RING[0], y - RING[1]) - RING[2]) < 0.3
    finally:
        hub.close()
    assert hub.failures == []
    assert way > 2.0
    # the first cube lies on its tray, upright
    x, y, z = sim["blue cube 1"].position
    assert (x - ARM[0], y - ARM[1]) == pytest.approx(TRAY, abs=0.02)
    assert z - ARM[2] == pytest.approx(CUBE / 2, abs=0.005)
    heights = [sim[f"domino {k}"].position[2] for k in range(1, 45)]
    assert sum(height < 0.12 for height in heights) > 30
    assert sim["domino 44"].position[2] <= 0.18
