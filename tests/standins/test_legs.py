"""Our animals with legs go ahead under gaits as public programs drive them: waves of sines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.standins.driving import FLOOR, Drive

WALK = """
import math
spine = [robot.getDevice(f"motor_{i}") for i in range(1, 7)]
legs = [robot.getDevice(f"motor_leg_{i}") for i in range(1, 5)]
while robot.step(step) != -1:
    phase = -2 * math.pi * 1.4 * robot.getTime()
    for motor, share in zip(spine, (-0.7, 1, 1, 0, -1, -1)):
        motor.setPosition(0.6 * share * math.sin(phase))
    for motor, lag in zip(legs, (0, math.pi, math.pi, 0)):
        motor.setPosition(phase + lag)
"""

GALLOP = """
import math
hips = [robot.getDevice(f"hip{i}") for i in range(4)]
while robot.step(step) != -1:
    phase = 2 * math.pi * 1.7 * robot.getTime()
    for i, hip in enumerate(hips):
        hip.setPosition(0.8 * math.sin(phase + 2) - 0.2 if i % 2 else 0.5 * math.sin(phase) + 0.1)
"""

TRIPOD = """
import math
legs = {"RP": (1, -0.6), "RM": (-1, 0), "RA": (1, 0.6), "LP": (-1, 0.6), "LM": (1, 0), "LA": (-1, -0.6)}
waves = []
for name, (sign, aside) in legs.items():
    swing = -0.25 if name.endswith("M") else 0.25
    thigh, shank = (0.2 * sign, 2, 0.8), (-0.05 * sign, 2.5, -2.4)
    for part, wave in zip("CFT", ((swing, 0, aside), thigh, shank)):
        waves.append((robot.getDevice(name + part), *wave))
while robot.step(step) != -1:
    for motor, size, lag, middle in waves:
        motor.setPosition(size * math.sin(math.pi * robot.getTime() + lag) + middle)
"""

# PROTO -> its gait, where its frame is put and must stay above [m], how far it comes in 6 s at least [m]
GAITS = {
    "Salamander": (WALK, 0.06, 0.01, 0.5),
    "GhostDog": (GALLOP, 0.22, 0.15, 2.0),
    "Mantis": (TRIPOD, 1.5, 0.6, 0.5),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", GAITS)
def test_legs_carry_ahead(tmp_path: Path, name: str) -> None:
    """Half of what was measured or less is asked for: how feet slip is not the point here."""
    gait, height, lowest, way = GAITS[name]
    nodes = FLOOR + f'{name} {{ translation 0 0 {height} controller "driver" }}'
    sim = Drive(tmp_path, nodes).run(gait, 6)
    x, _, z = sim[name].position
    assert x > way
    assert z > lowest
