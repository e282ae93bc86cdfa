"""Logs in memory, and curves of runs as pictures and pages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from typer.testing import CliRunner

import solidbody as sb
from solidbody.base.errors import NameLookupError
from solidbody.cli.app import app
from solidbody.series.chart import COLORS, MOST_CURVES, PlotError, lay_out, number_text, ticks
from solidbody.series.run_series import RunSeries, Series
from tests.viewer.motion import make_scene

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Robot { name "arm" children [
  GPS { name "gps" }
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 }
    device RotationalMotor { name "left motor" }
    endPoint Solid { translation 0.2 0 0 name "hand" boundingObject Box { size 0.4 0.1 0.1 }
      physics Physics { } } }
  SliderJoint { jointParameters JointParameters { axis 1 0 0 }
    device LinearMotor { name "lift" }
    endPoint Solid { translation 0 0.5 0 boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } } } ] }
"""


@pytest.fixture
def sim(tmp_path: Path) -> sb.Sim:
    """Return an arm."""
    (tmp_path / "arm.wbt").write_text(WORLD, encoding="utf-8")
    return sb.Sim(sb.load(tmp_path / "arm.wbt"))


def series(name: str, values: NDArray[np.float64], **more: str) -> Series:
    """Return values every 10 ms."""
    time = np.array([0.01 * k for k in range(len(values))])
    return Series(name, time, values, np.zeros(len(values), dtype=np.int32), **more)


# ---------------------------------------------------------------------- logs in memory


def test_a_log_keeps_what_the_run_says(sim: sb.Sim) -> None:
    """Joints, moving links and sensors, from the start on; nothing goes along afterwards."""
    sim.joint("left motor").target_velocity = 2.0
    positions = [sim.joint("left motor").position]
    heights = [float(sim.link("hand").position[2])]
    with sim.log(all_sensors=True) as log:
        for _ in range(10):
            sim.step()
            positions.append(sim.joint("left motor").position)
            heights.append(float(sim.link("hand").position[2]))
    sim.run(0.1)
    assert len(log) == 11 and not sim.step_hooks
    assert log["left motor.position"].values.tolist() == positions
    assert log["hand.z"].values.tolist() == heights
    assert (log["left motor.effort"].unit, log["lift.effort"].unit) == ("N*m", "N")
    gps = log["/arm/gps[2]"]
    assert gps.alias == "/arm/gps.z" and np.isnan(gps.values[0])
    assert gps.values[-1] == sim.device("gps").value[2]
    table = log.columns("left motor")
    assert list(table) == ["time", *(f"left motor.{x}" for x in ("position", "velocity", "effort"))]
    assert {len(column) for column in table.values()} == {11}
    assert "<svg" in log._repr_html_()  # pyright: ignore[reportAttributeAccessIssue]


def test_a_log_takes_what_is_asked_for(sim: sb.Sim) -> None:
    """By patterns and period; a wrong pattern is told at once and leaves nothing behind."""
    with sim.log("left motor.p*", "hand.?", period=0.02) as log:
        sim.run(0.1)
    assert list(log.names) == ["left motor.position", "hand.x", "hand.y", "hand.z"]
    assert log["hand.x"].time == pytest.approx(0.02 * np.arange(6))
    with pytest.raises(NameLookupError, match="no series is named"):
        sim.log("no such thing")
    with pytest.raises(ValueError, match="period must be above 0"):
        sim.log(period=0.0)
    assert not sim.step_hooks


def test_a_log_does_not_change_the_run() -> None:
    """The same bytes with and without."""
    logged, alone = sb.Sim(make_scene(3)), sb.Sim(make_scene(3))
    with logged.log():
        logged.run(0.5)
    alone.run(0.5)
    assert logged.poses().tobytes() == alone.poses().tobytes()


def test_a_log_follows_a_scene_that_changes(sim: sb.Sim, tmp_path: Path) -> None:
    """Columns stay; what has gone is no number."""
    other = WORLD.replace('name "lift"', 'name "other"')
    (tmp_path / "other.wbt").write_text(other, encoding="utf-8")
    with sim.log("*.position", "/arm/gps", all_sensors=True) as log:
        sim.run(0.05)
        sim.replace_scene(sb.load(tmp_path / "other.wbt"))
        sim.run(0.05)
    assert list(log.names) == ["left motor.position", "lift.position"] + [
        f"/arm/gps[{k}]" for k in range(log_width(log))
    ]
    lift = log["lift.position"].values
    assert not np.isnan(lift[:6]).any() and np.isnan(lift[6:]).all()
    assert not np.isnan(log["left motor.position"].values).any()


def log_width(log: object) -> int:
    return sum("gps" in name for name in log.names)  # type: ignore[attr-defined]


HINGE2 = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Robot { name "arm" children [ Hinge2Joint {
  jointParameters HingeJointParameters { axis 0 0 1
    suspensionSpringConstant 250 suspensionDampingConstant 50 }
  jointParameters2 JointParameters { axis 0 1 0 }
  device RotationalMotor { name "steer" } device2 RotationalMotor { name "wheel" }
  endPoint Solid { name "tyre" boundingObject Cylinder { radius 0.1 height 0.05 } physics Physics { } } } ] }
"""


def test_axes_that_have_no_name_are_left_out(tmp_path: Path) -> None:
    """Mechanisms have more motors' memories than named axes: logs and recordings tell the named ones."""
    (tmp_path / "car.wbt").write_text(HINGE2, encoding="utf-8")
    sim = sb.Sim(sb.load(tmp_path / "car.wbt"))
    assert len(sim.motor_states) > len(sim.joint_names)
    sim.joint("wheel").target_velocity = 1.0
    with sim.log() as log, sim.record(tmp_path / "run.mcap"):
        sim.step(3)
    wheel = sim.joint_names[1]
    assert log[f"{wheel}.effort"].values[-1] == sim.joint("wheel").measured_effort != 0.0
    run = sb.read_recording(tmp_path / "run.mcap")
    assert run[f"{wheel}.effort"].values.tolist() == log[f"{wheel}.effort"].values.tolist()


# ---------------------------------------------------------------------- curves


def colored(path: Path, color: tuple[int, int, int]) -> NDArray[np.intp]:
    """Return (n, 2) rows and columns of the pixels of a colour."""
    pixels = np.asarray(Image.open(path).convert("RGB")).astype(int)
    return np.argwhere((np.abs(pixels - color) < 40).all(axis=2))


def test_a_picture_shows_the_curve(tmp_path: Path) -> None:
    """Where a straight line begins and ends, in its colour; sizes are those asked for."""
    rises = series("a.position", np.linspace(0.0, 1.0, 101), unit="rad")
    chart = lay_out([rises], (640, 400))
    path = RunSeries([rises]).plot(tmp_path / "a.png", size=(640, 400))
    assert Image.open(path).size == (640, 400)
    places = colored(path, COLORS[0])
    inside = places[(places[:, 1] > chart.left) & (places[:, 1] < chart.left + chart.width)]
    first, last = inside[inside[:, 1].argmin()], inside[inside[:, 1].argmax()]
    panel = chart.panels[0]
    for row, value in ((first[0], 0.0), (last[0], 1.0)):
        share = (panel.top + panel.height - row) / panel.height
        shown = panel.low + share * (panel.high - panel.low)
        assert shown == pytest.approx(value, abs=0.02)  # a line is two pixels of 300 wide


def test_thinning_keeps_what_is_seen() -> None:
    """A single spike among a million numbers is drawn, and the line stays short."""
    values = np.zeros(1_000_000)
    values[123_456] = 5.0
    chart = lay_out([series("a", values)], (800, 400))
    points = chart.panels[0].curves[0].parts[0]
    assert len(points) < 4 * 800
    panel = chart.panels[0]
    spike = panel.top + panel.height * (1 - (5.0 - panel.low) / (panel.high - panel.low))
    assert points[:, 1].min() == pytest.approx(spike)


def test_curves_break_where_there_are_no_numbers() -> None:
    """And where time begins again."""
    values = np.array([0.0, 1.0, np.nan, 2.0, 3.0])
    assert len(lay_out([series("a", values)], (640, 400)).panels[0].curves[0].parts) == 2
    twice = Series(
        "a", np.array([0, 1, 0, 1.0]), np.arange(4.0), np.array([0, 0, 1, 1], dtype=np.int32)
    )
    assert len(lay_out([twice], (640, 400)).panels[0].curves[0].parts) == 2


def test_units_have_panels_of_their_own() -> None:
    """What cannot share a scale does not."""
    values = np.linspace(0.0, 1.0, 5)
    chart = lay_out(
        [
            series("a.position", values, unit="rad"),
            series("a.velocity", values, unit="rad/s"),
            series("b.position", values, unit="rad"),
            series("/r/gps[0]", values, unit="m", part="x"),
        ],
        (800, 600),
    )
    shown = {panel.label: [curve.series.alias for curve in panel.curves] for panel in chart.panels}
    assert shown == {
        "position [rad]": ["a.position", "b.position"],
        "velocity [rad/s]": ["a.velocity"],
        "[m]": ["/r/gps.x"],
    }


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.0, 1.0, [0, 0.2, 0.4, 0.6, 0.8, 1.0]), (-3.0, 12.0, [0, 5, 10]), (1e-9, 5e-9, None)],
)
def test_ticks_are_round(low: float, high: float, expected: list[float] | None) -> None:
    """1, 2 or 5 times a power of ten, within the range."""
    found = ticks(low, high, 5)
    assert 2 <= len(found) <= 6 and low <= found[0] and found[-1] <= high * (1 + 1e-9)
    if expected is not None:
        assert found == pytest.approx(expected)
    step = found[1] - found[0]
    assert [float(number_text(value, step)) for value in found] == pytest.approx(found, rel=0.01)


def test_a_page_holds_its_curves_and_asks_for_nothing(tmp_path: Path) -> None:
    """Names of files cannot become script."""
    bad = '</script><img src="http://x/">'
    path = RunSeries([series(bad, np.linspace(0, 1, 9))]).plot(tmp_path / "a.html", title=bad)
    page = path.read_text(encoding="utf-8")
    assert "<img" not in page and page.count("</script>") == 2
    data = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    assert json.loads(data[1])["panels"][0]["curves"][0]["name"] == bad


def test_what_cannot_be_plotted_is_told(tmp_path: Path) -> None:
    """Extension, folder, size, number of curves and of panels, an empty time."""
    run = RunSeries([series("a", np.arange(5.0))])
    for path, says in (
        ("a.bmp", r"known: \.png, \.svg, \.html"),
        ("nowhere/a.png", "there is no folder"),
    ):
        with pytest.raises(PlotError, match=says):
            run.plot(tmp_path / path)
    with pytest.raises(PlotError, match="size must be from"):
        run.plot(tmp_path / "a.png", size=(0, 100))
    with pytest.raises(PlotError, match="pixels are too few"):
        run.plot(tmp_path / "a.png", size=(120, 100))
    with pytest.raises(PlotError, match=r"the time from 9 to 0\.04 s is empty"):
        run.plot(tmp_path / "a.png", start=9.0)
    many = RunSeries(series(f"a{k}", np.arange(2.0)) for k in range(MOST_CURVES + 1))
    with pytest.raises(PlotError, match="choose fewer by patterns"):
        many.plot(tmp_path / "a.png")
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------------- the command


def test_the_command_plots_and_lists(
    sim: sb.Sim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`solidbody plot run.mcap "left motor.*"`."""
    monkeypatch.chdir(tmp_path)
    with sim.record("run.mcap"):
        sim.run(0.2)
    runner = CliRunner()
    result = runner.invoke(app, ["plot", "run.mcap", "left motor.*"])
    assert result.exit_code == 0 and result.stdout.strip() == "run.png"
    assert Image.open("run.png").size == (1200, 800)
    result = runner.invoke(app, ["plot", "run.mcap", "left motor.*", "-o", "p.html", "--json"])
    assert json.loads(result.stdout)["series"] == [
        f"left motor.{x}" for x in ("position", "velocity", "effort")
    ]
    listed = json.loads(runner.invoke(app, ["plot", "run.mcap", "--json"]).stdout)
    rows = {item["name"]: item for item in listed}
    assert rows["left motor.position"]["samples"] == 21
    assert rows["left motor.position"]["end"] == pytest.approx(0.2)
    assert "left motor.velocity" in runner.invoke(app, ["plot", "run.mcap"]).stdout
    for arguments, says in (
        (["plot", "run.mcap", "left mtor"], "Did you mean"),
        (["plot", "gone.mcap"], "cannot be read"),
        (["plot", "run.mcap", "lift", "--size", "big"], "expected a size"),
        (["plot", "run.mcap", "lift", "-o", "nowhere/p.png"], "there is no folder"),
    ):
        result = runner.invoke(app, arguments)
        assert result.exit_code == 2 and says in result.stderr
