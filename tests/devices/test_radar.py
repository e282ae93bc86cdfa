"""Radars: the radar equation, speeds, angles, ranges, cells; speakers as events."""

from __future__ import annotations

import math

import pytest

import solidbody as sb
from solidbody.devices.actuators.speakers import Speakers
from solidbody.devices.radio.radar import RadarEcho, Radars, merged
from tests.devices.worlds import sim_of


def _ball(at: str, *, velocity: str = "0 0 0", name: str = "t") -> str:
    return (
        f'Solid {{ name "{name}" translation {at} radarCrossSection 2 linearVelocity {velocity} '
        "boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 1 } }"
    )


def _targets(nodes: str, fields: str = "") -> tuple[RadarEcho, ...]:
    sim = sim_of(f"{nodes} Robot {{ children [ Radar {{ {fields} }} ] }}", world="gravity 0")
    sim.device("radar").enable()
    sim.step()
    group, row = sim.devices.group_of(sim.devices.names["radar"])
    assert isinstance(group, Radars)
    assert sim.device("radar").value == len(group.targets(row))
    return group.targets(row)


def test_an_echo_obeys_the_radar_equation() -> None:
    """10 m ahead, 2 m^2, 20 dBi, 24 GHz, 20 dBm: everything in decibels.

    20 + 2*20 + 20 log(c/f) + 10 log(2) - 30 log(4 pi) - 40 log(10).
    """
    (echo,) = _targets(_ball("10 0 0"))
    wave = 20.0 * math.log10(299_792_458.0 / 24e9)
    expected = 20 + 40 + wave + 10 * math.log10(2) - 30 * math.log10(4 * math.pi) - 40
    assert echo.power_dbm == pytest.approx(expected, abs=1e-9)
    assert echo.distance == pytest.approx(10.0)
    assert echo.azimuth == pytest.approx(0.0)


def test_speed_is_positive_when_a_target_moves_away() -> None:
    """Only the part along the line of sight counts."""
    (echo,) = _targets(_ball("10 0 0", velocity="3 4 0"))
    # after one step of 8 ms the line of sight has turned by 4*0.008/10 rad
    assert echo.speed == pytest.approx(3.0, abs=0.02)


def test_azimuth_is_positive_to_the_right() -> None:
    """At 10 m ahead, 1 m to the left."""
    (echo,) = _targets(_ball("10 1 0"))
    assert echo.azimuth == pytest.approx(-math.atan(0.1))


@pytest.mark.parametrize(
    ("at", "fields", "count"),
    [
        ("10 0 0", "maxRange 9", 0),
        ("0.5 0 0", "", 0),  # minRange 1
        ("10 5 0", "", 0),  # 0.46 rad, half the field is 0.39
        ("10 0 2", "", 0),  # 0.2 rad, half of the vertical field is 0.05
        ("10 0 0", "minDetectableSignal -40", 0),  # it is -48 dBm
        ("10 0 0", "minAbsoluteRadialSpeed 1", 0),
        ("10 0 0", "minRadialSpeed -1 maxRadialSpeed 1", 1),
        ("10 0 0", "minRadialSpeed 1 maxRadialSpeed 2", 0),
    ],
)
def test_what_a_radar_does_not_see(at: str, fields: str, count: int) -> None:
    """Out of range or view, too weak, too slow."""
    assert len(_targets(_ball(at), fields)) == count


def test_a_target_straight_ahead_of_a_turned_radar_is_at_no_angle() -> None:
    """Rounding of its frame is no angle."""
    turn = "rotation 0.3 0.4 0.5 1.234"
    (echo,) = _targets(f"Pose {{ {turn} children [ {_ball('7 0 0')} ] }}", turn)
    assert echo.azimuth == 0.0


def test_a_part_in_range_is_enough() -> None:
    """Its middle is 5 cm too far, its radius 10 cm: it counts, at the end of the range."""
    (echo,) = _targets(_ball("10 0 0"), "maxRange 9.95")
    assert echo.distance == 9.95
    assert not _targets(_ball("10 0 0"), "maxRange 9.85")


def test_the_angle_is_that_of_the_origin_of_the_target() -> None:
    """Its bounding object is 1 m to the left of it: that only counts for the distance."""
    aside = (
        "Solid { translation 10 0 0 radarCrossSection 2 boundingObject "
        "Pose { translation 0 1 0 children [ Sphere { radius 0.1 } ] } }"
    )
    (echo,) = _targets(aside)
    assert echo.azimuth == pytest.approx(0.0)
    assert echo.distance == pytest.approx(math.hypot(10.0, 1.0))


def test_a_target_that_a_program_moves_has_a_speed() -> None:
    """0.08 m away within 8 ms: 10 m/s, though nothing has a velocity."""
    sim = sim_of(
        'Solid { name "t" translation 10 0 0 radarCrossSection 2 boundingObject Sphere { } } '
        "Robot { children [ Radar { } ] }"
    )
    sim.device("radar").enable()
    group, row = sim.devices.group_of(sim.devices.names["radar"])
    assert isinstance(group, Radars)
    sim.step()
    assert group.targets(row)[0].speed == 0.0
    sim.link("t").set_pose((10.08, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    sim.step()
    assert group.targets(row)[0].speed == pytest.approx(10.0)


@pytest.mark.parametrize(("occlusion", "count"), [("FALSE", 1), ("TRUE", 0)])
def test_a_wall_hides_a_target_if_the_radar_cares(occlusion: str, count: int) -> None:
    """One ray to the middle."""
    wall = 'Solid { name "w" translation 5 0 0 boundingObject Box { size 0.1 3 3 } }'
    assert len(_targets(_ball("10 0 0") + wall, f"occlusion {occlusion}")) == count


def test_targets_of_one_cell_become_one() -> None:
    """Powers add up, the rest is weighted by them; another speed is another cell."""
    near, far = RadarEcho(10.0, 3.0, 1.0, 0.2), RadarEcho(12.0, 1.0, 5.0, -0.2)
    (one,) = merged([near, far], 3.0, 0.0)
    assert (one.distance, one.power, one.speed) == pytest.approx((10.5, 4.0, 2.0))
    assert one.azimuth == pytest.approx(0.1)
    assert len(merged([near, far], 3.0, 1.0)) == 2
    assert len(merged([near, far], 1.0, 0.0)) == 2


def test_range_noise_has_the_deviation_of_the_field() -> None:
    """400 samples: the deviation is within 15 % (four sigmas of its own)."""
    sim = sim_of(
        f"{_ball('10 0 0')} Robot {{ children [ Radar {{ rangeNoise 0.1 }} ] }}", world="gravity 0"
    )
    sim.device("radar").enable()
    group, row = sim.devices.group_of(sim.devices.names["radar"])
    assert isinstance(group, Radars)
    found: list[float] = []
    for _ in range(400):
        sim.step()
        found.append(group.targets(row)[0].distance)
    mean = sum(found) / 400
    deviation = math.sqrt(sum((x - mean) ** 2 for x in found) / 399)
    assert mean == pytest.approx(10.0, abs=0.02)
    assert deviation == pytest.approx(0.1, rel=0.15)


def _speakers() -> tuple[sb.Sim, Speakers]:
    sim = sim_of("Robot { children [ Speaker { } ] }")
    group, _ = sim.devices.group_of(sim.devices.names["speaker"])
    assert isinstance(group, Speakers)
    return sim, group


def test_a_speaker_tells_what_it_plays() -> None:
    """Playing again changes the values but not the beginning."""
    sim, speakers = _speakers()
    speakers.play(0, "a.wav", volume=0.5, loops=True)
    sim.step(10)
    speakers.play(0, "a.wav", volume=0.7, loops=True)
    speakers.speak(0, "hello", 1.0)
    first, second = speakers.playing(0)
    assert (first.sound, first.volume, first.since) == ("a.wav", 0.7, 0.0)
    assert second.is_speech
    assert second.since == pytest.approx(0.08)
    speakers.stop(0, "a.wav")
    assert not speakers.is_playing(0, "a.wav")
    speakers.stop(0)
    assert speakers.playing(0) == ()
