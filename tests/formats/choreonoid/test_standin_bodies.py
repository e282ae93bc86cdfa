"""Our own bodies for those of Choreonoid's share folder: the figures that programs and projects count on."""

from __future__ import annotations

from pathlib import Path

import pytest

from solidbody.base.diagnostics import Severity
from solidbody.formats.choreonoid.body.standin_bodies import SHARED, own_body
from solidbody.formats.loading import read_scene
from solidbody.model.joints import JointTrack
from solidbody.model.links import Body, Motion

FILES = sorted(SHARED.rglob("*.body"))


def own(address: str) -> Body:
    """Return one of our bodies by its address in the share folder."""
    path = own_body(f"${{SHARE}}/model/{address}")
    assert path is not None
    scene, log = read_scene(path)
    assert scene is not None and not log.has_errors, [str(item) for item in log]
    return scene.bodies[0]


def mass(body: Body) -> float:
    """Return the mass of all that moves [kg]."""
    return sum(link.mass.mass for link in body.links if link.mass and link.motion is Motion.DYNAMIC)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_opens_without_a_slip(path: Path) -> None:
    _, log = read_scene(path)
    assert [str(item) for item in log if item.severity is not Severity.INFO] == []


@pytest.mark.parametrize(
    "address", ["model/misc/floor.body", "${SHARE}/model/../../a.body", "${SHARE}/model/no/no.body"]
)
def test_other_addresses_have_none(address: str) -> None:
    assert own_body(address) is None


def test_robots_have_the_joints_masses_and_devices_of_the_originals() -> None:
    """Figures of the inventory of sample models: links, joints with ids, devices, kilograms."""
    for address, links, joints, devices, kilograms in (
        ("SR1/SR1.body", 30, 29, 7, 130.8),
        ("Tank/Tank.body", 5, 2, 6, 30.0),
    ):
        body = own(address)
        numbers = sorted(link.joint_number for link in body.links if link.joint_number is not None)
        assert (len(body.links), numbers) == (links, list(range(joints)))
        assert sum(len(link.devices) for link in body.links) == devices
        assert mass(body) == pytest.approx(kilograms)


def test_tank_stands_on_its_tracks() -> None:
    """The root is 0.106 m high, the tracks are 0.026 m below it and 0.08 m thick."""
    tracks = [link for link in own("Tank/Tank.body").links if isinstance(link.joint, JointTrack)]
    assert [link.name for link in tracks] == ["TRACK_L", "TRACK_R"]
    assert {0.106 + link.pose.position[2] - 0.08 for link in tracks} == {0.0}


def test_both_rooms_are_the_same_turned_about() -> None:
    one, other = own("Labo1/Labo1v2.body"), own("Labo1/Labo1.body")
    assert [link.name for link in other.links] == ["Root", *(link.name for link in one.links)]
    moving = [link.name for link in other.links if link.motion is Motion.DYNAMIC]
    assert moving == ["Valve1Handle"]
