"""Bags of ROS 2: what `rosbags` opens, with the messages that a bridge would send."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

import solidbody as sb
from solidbody.cli.app import app
from solidbody.record.base import RecordError

highlevel = pytest.importorskip("rosbags.highlevel")


def test_a_bag_opens_with_rosbags(sim: sb.Sim, tmp_path: Path) -> None:
    """Topics, types, times and values."""
    sim.joint("head").target_position = 0.3
    with sim.record(tmp_path / "bag", all_sensors=True):
        sim.run(0.5)
    with highlevel.AnyReader([tmp_path / "bag"]) as reader:
        types = {item.topic: item.msgtype for item in reader.connections}
        assert types["/joint_states"] == "sensor_msgs/msg/JointState"
        assert types["/camera/image_raw"] == "sensor_msgs/msg/Image"
        assert types["/imu"] == "sensor_msgs/msg/Imu"
        counts: Counter[str] = Counter()
        heads: list[tuple[int, float]] = []
        for connection, time, data in reader.messages():
            counts[connection.topic] += 1
            message = reader.deserialize(data, connection.msgtype)
            if connection.topic == "/joint_states":
                stamp = message.header.stamp
                assert stamp.sec * 10**9 + stamp.nanosec == time
                heads.append((time, message.position[message.name.index("head")]))
        assert reader.duration >= 500_000_000
    assert counts["/clock"] == 51 and counts["/joint_states"] == 26
    assert counts["/robot_description"] == counts["/tf_static"] == 1
    assert heads[0][1] == pytest.approx(0.4, abs=0.01)
    assert heads[-1] == (500_000_000, pytest.approx(sim.joint("head").position))


def test_the_period_is_the_callers(sim: sb.Sim, tmp_path: Path) -> None:
    """And a bag takes the place of an earlier one, but of nothing else."""
    for _ in range(2):
        with sim.record(tmp_path / "bag", period=0.1):
            sim.run(0.5)
    with highlevel.AnyReader([tmp_path / "bag"]) as reader:
        assert reader.topics["/clock"].msgcount in (5, 6)
    (tmp_path / "bag" / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(RecordError, match=r'holds "notes\.txt" already'):
        sim.record(tmp_path / "bag")
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(RecordError, match="is a file, not a folder"):
        sim.record(tmp_path / "file")


def test_the_command_line_records_bags(world: Path, tmp_path: Path) -> None:
    """`--record FOLDER/`."""
    ask = ["run", str(world), "--headless", "--duration", "0.2", "--no-controllers"]
    result = CliRunner().invoke(app, [*ask, "--record", f"{tmp_path}/run/", "--record-all-sensors"])
    assert result.exit_code == 0, result.stderr
    with highlevel.AnyReader([tmp_path / "run"]) as reader:
        assert reader.topics["/clock"].msgcount == 21


def test_a_bag_that_was_cut_short_is_read_without_metadata(sim: sb.Sim, tmp_path: Path) -> None:
    """As after a power failure: the MCAP file has everything that was written."""
    from mcap.exceptions import EndOfFile
    from mcap.stream_reader import StreamReader

    recording = sim.record(tmp_path / "bag", all_sensors=True)
    sim.run(1.0)
    recording.abandon()
    assert not (tmp_path / "bag" / "metadata.yaml").exists()
    with (tmp_path / "bag" / "bag_0.mcap").open("rb") as stream:
        records = StreamReader(stream).records
        assert next(records).profile == "ros2"
        kinds: list[str] = []
        with suppress(EndOfFile):
            kinds.extend(type(record).__name__ for record in records)
    assert kinds.count("Message") > 100
