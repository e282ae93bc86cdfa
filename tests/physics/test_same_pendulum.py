"""One two-link pendulum as a body file, converted to a world and to MJCF: equal models, equal motion."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import solidbody as sb
from solidbody.cli.app import app
from solidbody.model.joints import JointHinge
from solidbody.model.scene import CoriolisRule
from tests.formats.comparing import differences

PENDULUM = """format: ChoreonoidBody
format_version: 2.0
name: Pendulum
links:
  - name: BASE
    translation: [0, 0, 2]
  - name: UPPER
    parent: BASE
    joint_type: revolute
    joint_axis: Y
    joint_displacement: 90
    center_of_mass: [0, 0, -0.5]
    mass: 1.5
    inertia: [0.12, 0, 0, 0, 0.13, 0, 0, 0, 0.02]
  - name: LOWER
    parent: UPPER
    translation: [0, 0, -1]
    rotation: [0, 0, 1, 30]
    joint_type: revolute
    joint_axis: [0, 0.6, 0.8]
    joint_displacement: -20
    center_of_mass: [0.1, 0, -0.3]
    mass: 0.8
    inertia: [0.05, 0.01, 0, 0.01, 0.06, 0, 0, 0, 0.04]
"""

DURATION = 2.0
TOLERANCE = 1e-9
"""[rad] Rounding of 2000 steps grows with the motion; one last place of the angles gives 1e-12 here."""


@pytest.fixture
def body(tmp_path: Path) -> Path:
    """The pendulum's own file."""
    path = tmp_path / "pendulum.body"
    path.write_text(PENDULUM, encoding="utf-8")
    return path


def converted(body: Path, name: str) -> Path:
    """Return the pendulum in the format of a file name."""
    target = body.with_name(name)
    result = CliRunner().invoke(app, ["convert", str(body), str(target)])
    assert result.exit_code == 0, result.stderr
    return target


def swing(path: Path) -> tuple[list[float], float]:
    """Return both angles after the run, and the step."""
    sim = sb.Sim(sb.load(path))
    sim.run(DURATION)
    return [float(sim.data.qpos[k]) for k in (0, 1)], sim.time_step


def test_converted_world_has_the_same_model(body: Path) -> None:
    """Moving links, their joints and masses; the base loses the mass that nothing feels."""
    before, after = sb.load(body).bodies[0], sb.load(converted(body, "pendulum.wbt")).bodies[0]
    for one, other in zip(before.links[1:], after.links[1:], strict=True):
        assert list(differences(one.pose, other.pose)) == []
        assert list(differences(one.mass, other.mass)) == []
        assert isinstance(one.joint, JointHinge)
        assert isinstance(other.joint, JointHinge)
        assert list(differences(one.joint.anchor, other.joint.anchor)) == []
        assert list(differences(one.joint.axis.direction, other.joint.axis.direction)) == []


def test_converted_world_moves_alike(body: Path) -> None:
    """The world carries over step and gravity as well."""
    first, step = swing(body)
    second, same_step = swing(converted(body, "pendulum.wbt"))
    assert step == same_step
    assert first == pytest.approx(second, abs=TOLERANCE)
    assert abs(first[0] - np.pi / 2) > 0.1  # it has moved


def test_converted_mjcf_moves_alike_in_plain_mujoco(body: Path) -> None:
    """MuJoCo's semi-implicit Euler integrator, with implicit dampers, is the same law without contacts."""
    import mujoco

    first, step = swing(body)
    model = mujoco.MjModel.from_xml_path(str(converted(body, "pendulum.xml")))
    data = mujoco.MjData(model)
    assert model.opt.timestep == step
    assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    for _ in range(round(DURATION / step)):
        mujoco.mj_step(model, data)
    assert first == pytest.approx([float(x) for x in data.qpos[:2]], abs=TOLERANCE)


@pytest.mark.parametrize("step", [0.001, 0.004])
def test_converted_world_keeps_the_rule_of_its_body(body: Path, step: float) -> None:
    """A line of WorldInfo says it: bodies take the start of any step, worlds the middle of any step."""
    scene = sb.load(body)
    scene = replace(scene, physics=replace(scene.physics, time_step=step))
    world = body.with_name("pendulum.wbt")
    scene.save(world)
    text = world.read_text(encoding="utf-8")
    assert sb.load(world).physics.coriolis is CoriolisRule.START
    assert '"solidbody: coriolis start"' in text
    world.write_text(text.replace('"solidbody: coriolis start"', ""), encoding="utf-8")
    assert sb.load(world).physics.coriolis is CoriolisRule.MIDDLE
