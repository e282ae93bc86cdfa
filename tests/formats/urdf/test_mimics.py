"""Joints in URDF that follow others: what is read, how they move, what is said of mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

import solidbody as sb
from solidbody.base.diagnostics import Severity
from solidbody.formats.loading import read_scene
from solidbody.model.joints import Coupling
from solidbody.model.summary import summarize_scene
from tests.formats.reading import the

GIVES = 1e-7
"""[rad], [m] A coupling is a row with the law's CFM of 1e-5: it gives by as little under these loads."""

MASS = (
    '<inertial><mass value="{mass}"/>'
    '<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def slider(name: str, parent: str, child: str, mimic: str = "", kind: str = "prismatic") -> str:
    """Return a joint along y that may follow another one."""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="0 1 0"/><limit lower="-9" upper="9" effort="50" velocity="9"/>{mimic}</joint>'
    )


def gripper(*joints: str, masses: tuple[float, float, float] = (0.1, 0.2, 0.3)) -> str:
    """Return a hand that stands, with three links that joints can move."""
    links = "".join(
        f'<link name="{name}">{MASS.format(mass=mass)}</link>'
        for name, mass in zip(("left", "right", "tip"), masses, strict=True)
    )
    return f'<robot name="hand"><link name="world"/>{links}{"".join(joints)}</robot>'


def written(folder: Path, text: str) -> Path:
    """Return a file that holds a robot."""
    path = folder / "hand.urdf"
    path.write_text(text, "utf-8")
    return path


CHAIN = gripper(
    slider("l", "world", "left"),
    slider("r", "world", "right", '<mimic joint="l" multiplier="-2" offset="0.01"/>'),
    slider("t", "right", "tip", '<mimic joint="r" multiplier="3" offset="0.5"/>', "revolute"),
)


def test_a_follower_names_its_leader_and_starts_where_it_belongs(tmp_path: Path) -> None:
    scene = sb.load(written(tmp_path, CHAIN))
    body = scene.bodies[0]
    paths = {link.name: link.path for link in body.links}
    assert [(one.follower, one.leader, one.multiplier, one.offset) for one in body.couplings] == [
        (paths["right"], paths["left"], -2.0, 0.01),
        (paths["tip"], paths["right"], 3.0, 0.5),
    ]
    assert isinstance(body.couplings[0], Coupling) and body.couplings[0].span.line == 1
    assert [link.joint_number for link in body.links] == [None, 0, None, None]
    sim = sb.Sim(scene)
    starts = [sim.joint(name).position for name in ("l", "r", "t")]
    assert starts == [0.0, 0.01, pytest.approx(3 * 0.01 + 0.5)]
    assert summarize_scene(scene)["couplings"][0] == {
        "follower": "right",
        "leader": "left",
        "multiplier": -2.0,
        "offset": 0.01,
    }


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["native", "reference"])
def test_followers_keep_their_ratio_while_the_leader_moves(tmp_path: Path, engine: str) -> None:
    sim = sb.Sim(sb.load(written(tmp_path, CHAIN)), engine=engine)  # type: ignore[arg-type]
    left, right, tip = (sim.joint(name) for name in ("l", "r", "t"))
    left.target_velocity = 0.1
    sim.run(0.5)
    assert left.position == pytest.approx(0.05, abs=1e-6)  # the motor gives as little
    assert right.position == pytest.approx(-2 * left.position + 0.01, abs=GIVES)
    assert tip.position == pytest.approx(3 * right.position + 0.5, abs=GIVES)


def test_gears_feel_the_inertia_of_what_they_drive(tmp_path: Path) -> None:
    """A force f on the leader gives a = f / (m1 + n^2 m2) with a follower at n times its speed."""
    text = gripper(
        slider("l", "world", "left"),
        slider("r", "world", "right", '<mimic joint="l" multiplier="-2"/>'),
        slider("t", "world", "tip"),
    )
    sim = sb.Sim(sb.load(written(tmp_path, text)))
    sim.joint("l").effort = 0.6
    sim.run(0.5)
    assert sim.joint("l").velocity == pytest.approx(0.5 * 0.6 / (0.1 + 4 * 0.2), rel=1e-6)
    assert sim.joint("r").velocity == pytest.approx(-2 * sim.joint("l").velocity, rel=1e-6)


def test_copies_under_new_names_keep_their_own_leaders(tmp_path: Path) -> None:
    path = written(tmp_path, CHAIN)
    scene = sb.load(path)
    scene = scene.add(path, at=(0.0, 0.0, 1.0))
    first, second = scene.bodies
    assert {one.leader for one in first.couplings}.isdisjoint(
        one.leader for one in second.couplings
    )
    sim = sb.Sim(scene)
    sim.joint("l").target_velocity = 0.1
    sim.run(0.1)
    assert sim.joint("r").position == pytest.approx(0.01 - 0.02, abs=1e-6)
    assert [sim.joint(name).position for name in ("l(1)", "r(1)")] == [0.0, pytest.approx(0.01)]


@pytest.mark.parametrize(
    ("mimic", "said"),
    [
        ('<mimic joint="k"/>', 'no joint is named "k"; it moves freely.'),
        ('<mimic joint="r"/>', 'it follows itself by way of "r"; it moves freely.'),
        ('<mimic joint="held"/>', '"held" does not move; it moves freely.'),
    ],
)
def test_followers_of_nobody_move_freely(tmp_path: Path, mimic: str, said: str) -> None:
    held = '<joint name="held" type="fixed"><parent link="world"/><child link="left"/></joint>'
    text = gripper(held, slider("r", "world", "right", mimic), slider("t", "world", "tip"))
    scene, log = read_scene(written(tmp_path, text))
    found = the(log, "mimic-joint")
    assert (found.severity, found.text.split(" Did")[0]) == (Severity.ERROR, said)
    assert found.node == '<joint name="r">' and found.span.line == 1
    assert scene is not None and not scene.bodies[0].couplings
    sim = sb.Sim(scene)
    sim.joint("r").target_velocity = 0.1
    sim.run(0.1)
    assert sim.joint("r").position == pytest.approx(0.01, abs=1e-6)


def test_rings_of_followers_move_freely(tmp_path: Path) -> None:
    text = gripper(
        slider("l", "world", "left", '<mimic joint="r"/>'),
        slider("r", "world", "right", '<mimic joint="l"/>'),
        slider("t", "world", "tip", '<mimic joint="l"/>'),
    )
    scene, log = read_scene(written(tmp_path, text))
    assert [item.text for item in log if item.code == "mimic-joint"] == [
        'it follows itself by way of "r"; it moves freely.',
        'it follows itself by way of "l"; it moves freely.',
    ]
    assert scene is not None and len(scene.bodies[0].couplings) == 1


def test_what_other_formats_lose_is_said(tmp_path: Path) -> None:
    scene = sb.load(written(tmp_path, CHAIN))
    for name in ("out.wbt", "out.body"):
        log = scene.save(tmp_path / name)
        assert sum("coupled like gears" in item.text for item in log) == 2
