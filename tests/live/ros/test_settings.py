"""Settings files: what they say, and how their mistakes are told."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from solidbody.cli.app import app
from solidbody.live.ros.settings import Quality, Ros2Settings, SettingsError, parse_settings

FULL = """
domain: 7
interface: 127.0.0.1
rate: 20
ground_truth: true
services: cyclonedds
lock_step: {topics: [/cmd_vel], period: 0.064}
robots:
  rover:
    namespace: /lab
    drive: {left: left wheel, right: [right wheel], wheel_radius: 0.05, timeout: 0.5}
    devices:
      camera: {topic: eye, rate: 10, quality: sensor}
      gps: {quality: {reliability: best_effort, durability: transient_local, depth: 3}}
  other: {drive: false, enabled: false}
"""


def test_a_full_file() -> None:
    """Everything is where it belongs; the rest is by default."""
    found = parse_settings(FULL)
    assert found.domain == 7 and found.rate == 20.0 and found.ground_truth
    assert found.lock_step is not None and found.lock_step.topics == ("/cmd_vel",)
    rover = found.robots["rover"]
    assert rover.drive is not None and rover.drive.left == ("left wheel",)
    assert rover.devices["camera"].quality == Quality(reliable=False, depth=5)
    assert rover.devices["gps"].quality == Quality(reliable=False, keeps=True, depth=3)
    assert found.robots["other"].drive is None
    assert parse_settings("") == Ros2Settings() == parse_settings("# nothing")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: [", "b.yaml:1: this is no YAML"),
        ("- a", "b.yaml:1: this must be a mapping"),
        ("rate: 1\nrat: 2", 'b.yaml:2: unknown setting "rat"; did you mean "rate"?'),
        ("rate: 1\nrate: 2", 'b.yaml:2: "rate" is said twice'),
        ("rate: 0", '"rate" must be a number above 0'),
        ("rate: .inf", '"rate" must be a number above 0'),
        ("rate: yes", '"rate" must be a number above 0'),
        ("domain: 233", '"domain" must be a whole number from 0 to 232'),
        ("domain: 1.5", '"domain" must be a whole number'),
        ("ground_truth: 1", '"ground_truth" must be true or false'),
        ("services: zenoh", '"services" must be one of fastdds, cyclonedds, none'),
        ("interface: [lo]", '"interface" must be a text'),
        ("lock_step: {period: 1}", '"lock_step" needs a topic'),
        ("robots:\n  a:\n    drive: {left: x}", 'b.yaml:3: "left" and "right" belong together'),
        ("robots:\n  a:\n    drive: true", "b.yaml:3: this must be a mapping"),
        ("robots: {a: {devices: {b: {quality: best}}}}", '"quality" must be one of default'),
        ("robots: {a: {devices: {b: {quality: {depth: 0}}}}}", '"depth" must be a whole number'),
        ("robots: {a: {devices: {b: {rat: 1}}}}", 'unknown setting "rat"'),
        ("? [a]\n: b", "must have names as keys"),
    ],
)
def test_mistakes_are_told_with_their_line(text: str, says: str) -> None:
    """And what is allowed."""
    with pytest.raises(SettingsError) as error:
        parse_settings(text, "b.yaml")
    assert says in str(error.value)


def test_the_command_line_refuses_a_wrong_file(world: Path, tmp_path: Path) -> None:
    """Before it reads the world."""
    wrong = tmp_path / "bridge.yaml"
    wrong.write_text("rat: 1", encoding="utf-8")
    for path in (wrong, tmp_path / "none.yaml"):
        result = CliRunner().invoke(app, ["run", str(world), "--headless", "--ros2", str(path)])
        assert result.exit_code == 2
