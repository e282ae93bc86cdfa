"""Recordings are read back as they were told, whatever their format and age."""

from __future__ import annotations

import contextlib
import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.records import Schema
from mcap.writer import Writer
from mcap_protobuf.decoder import DecoderFactory

import solidbody as sb
from solidbody.base.errors import NameLookupError
from solidbody.record import RecordError
from solidbody.series.protobuf_messages import protobuf_decoder

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Robot { name "arm" children [
  GPS { name "gps" } Camera { width 4 height 3 }
  HingeJoint { jointParameters HingeJointParameters { axis 0 1 0 }
    device [ RotationalMotor { name "motor" } PositionSensor { name "angle" } ]
    endPoint Solid { translation 0.2 0 0 name "hand" boundingObject Box { size 0.4 0.1 0.1 }
      physics Physics { } } }
  SliderJoint { jointParameters JointParameters { axis 1 0 0 }
    device LinearMotor { name "lift" }
    endPoint Solid { translation 0 0.5 0 boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } } } ] }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record a run in all formats, and keep what it said in `said.npz`."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "arm.wbt").write_text(WORLD, encoding="utf-8")
    sim = sb.Sim(sb.load(folder / "arm.wbt"))
    sim.joint("motor").target_velocity = 1.0
    said: dict[str, list[float]] = {"time": [], "motor": [], "hand": []}
    recorders = [
        sim.record(folder / name, all_sensors=True) for name in ("run.mcap", "run.csv", "bag")
    ]
    for step in range(21):
        sim.step(step > 0)
        said["time"].append(sim.time)
        said["motor"].append(sim.joint("motor").position)
        said["hand"].append(float(sim.link("hand").position[2]))
    for recorder in recorders:
        recorder.close()
    np.savez(folder / "said.npz", **said)  # pyright: ignore[reportArgumentType]
    return folder


def test_a_recording_tells_what_the_run_said(folder: Path) -> None:
    """Joints, links, sensors; with units and names of their numbers, to the bit."""
    said = np.load(folder / "said.npz")
    run = sb.read_recording(folder / "run.mcap")
    motor = run["motor.position"]
    assert motor.time == pytest.approx(said["time"], abs=1e-9)
    assert motor.values.tolist() == said["motor"].tolist()
    assert run["hand.z"].values.tolist() == said["hand"].tolist()
    gps = run["/arm/gps[2]"]
    assert (gps.alias, gps.unit) == ("/arm/gps.z", "m or degrees")
    assert len(gps.values) == 20  # the first sample comes a period after the start
    assert run["/arm/angle"].unit == "rad or m"
    assert {"motor.velocity", "motor.effort", "lift.effort"} <= set(run)
    assert "/arm/camera/optical.x" in run and "/arm/camera" not in run  # its frame, not its picture


def test_tables_are_read(folder: Path) -> None:
    """What was empty is no number."""
    said = np.load(folder / "said.npz")
    run = sb.read_recording(folder / "run.csv")
    assert run["motor.position"].values.tolist() == said["motor"].tolist()
    assert np.isnan(run["/arm/gps[0]"].values[0]) and not np.isnan(run["/arm/gps[0]"].values[1])


def test_bags_are_read(folder: Path) -> None:
    """Joints and frames by their names, all else by its topic."""
    said = np.load(folder / "said.npz")
    run = sb.read_recording(folder / "bag")
    motor = run["motor.position"]
    rows = np.round(motor.time / 0.01).astype(int)
    assert motor.values.tolist() == said["motor"][rows].tolist() and len(rows) == 11
    assert run["/gps.point.x"].values[-1] == pytest.approx(0.0)
    assert "hand.qw" in run


def test_the_motion_log_is_read(folder: Path) -> None:
    """The file of `run --log`."""
    from typer.testing import CliRunner

    from solidbody.cli.app import app

    log = folder / "motion.csv"
    arguments = ["run", str(folder / "arm.wbt"), "--headless", "--duration", "0.1", "--log"]
    assert CliRunner().invoke(app, [*arguments, str(log)]).exit_code == 0
    assert sb.read_recording(log, "hand.z")["hand.z"].values.shape == (11,)


def test_patterns_choose(folder: Path) -> None:
    """By name, by wildcard, by the name of a part; an unknown one is told with what is meant."""
    file = folder / "run.mcap"
    assert set(sb.read_recording(file, "motor")) == {
        "motor.position",
        "motor.velocity",
        "motor.effort",
    }
    assert list(sb.read_recording(file, "*/gps.z", "lift.p*")) == ["lift.position", "/arm/gps[2]"]
    with pytest.raises(
        NameLookupError, match=r'no series is named "motr\.position"\. Did you mean'
    ):
        sb.read_recording(file, "motr.position")
    with pytest.raises(NameLookupError):
        sb.read_recording(file)["motor"]


def test_recordings_of_older_versions_are_read(tmp_path: Path) -> None:
    """Until 2026-11-19 messages were JSON, with joints in columns."""
    file = tmp_path / "old.mcap"
    with file.open("wb") as stream:
        writer = Writer(stream)
        writer.start(profile="", library="solidbody 0.1")

        def channel(topic: str, name: str, **facts: str) -> int:
            schema = writer.register_schema(name, "jsonschema", b'{"type":"object"}')
            return writer.register_channel(topic, "json", schema, facts)

        joints = channel("/joint_states", "solidbody.JointStates")
        frames = channel("/tf", "foxglove.FrameTransforms")
        gps = channel("/bot/gps", "solidbody.Reading", names="x,y,z", units="m,m,m")
        picture = channel("/bot/camera", "foxglove.CompressedImage")
        for k in range(3):
            stamp = {"sec": 0, "nsec": k * 10**8}
            place = {"x": 0.5, "y": 0.0, "z": 1.0 - k}
            turn = {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}
            frame = {"timestamp": stamp, "parent_frame_id": "world", "child_frame_id": "ball"}
            for number, message in (
                (joints, {"timestamp": stamp, "name": ["a b"], "position": [k], "velocity": [0.5]}),
                (frames, {"transforms": [{**frame, "translation": place, "rotation": turn}]}),
                (gps, {"timestamp": stamp, "frame_id": "bot", "values": [1.0, None, 3.0 + k]}),
                (picture, {"timestamp": stamp, "frame_id": "bot", "format": "png", "data": "AAAA"}),
            ):
                data = json.dumps(message).encode()
                writer.add_message(number, k * 10**8, data, k * 10**8)
        writer.finish()
    run = sb.read_recording(file)
    assert run["a b.position"].values.tolist() == [0, 1, 2]
    assert run["a b.velocity"].time.tolist() == pytest.approx([0.0, 0.1, 0.2])
    assert run["ball.z"].values.tolist() == [1.0, 0.0, -1.0]
    assert run["ball.qw"].values.tolist() == [1.0] * 3
    assert run["/bot/gps[2]"].values.tolist() == [3.0, 4.0, 5.0]
    assert run["/bot/gps[2]"].alias == "/bot/gps.z" and np.isnan(run["/bot/gps[1]"].values).all()
    assert not [name for name in run if "camera" in name]


def test_a_reset_begins_another_run(folder: Path, tmp_path: Path) -> None:
    """Times begin again: tables count the runs, and hold no value from one to the next."""
    sim = sb.Sim(sb.load(folder / "arm.wbt"))
    with sim.record(tmp_path / "twice.mcap"), sim.log("motor") as log:
        sim.run(0.05)
        sim.reset()
        sim.run(0.03)
    for run in (sb.read_recording(tmp_path / "twice.mcap", "motor"), log):
        table = run.columns()
        assert table["time"] == pytest.approx([k / 100 for k in (*range(6), *range(4))])
        assert table["run"].tolist() == [0.0] * 6 + [1.0] * 4
        halved = run.columns(period=0.02)
        assert halved["time"] == pytest.approx([0.0, 0.02, 0.04, 0.0, 0.02])
        assert halved["motor.position"][[3, 4]].tolist() == table["motor.position"][[6, 8]].tolist()


def _cut(data: bytes) -> bytes:
    return data[: len(data) * 2 // 3]


def test_a_recording_that_was_cut_short_is_read_as_far_as_it_goes(
    folder: Path, tmp_path: Path
) -> None:
    """As after a power failure, in all formats: MCAP by chunks, tables by rows."""
    whole = {"run.csv": folder / "run.csv", "long.mcap": tmp_path / "long.mcap"}
    sim = sb.Sim(sb.load(folder / "arm.wbt"))
    with sim.record(whole["long.mcap"]):
        sim.run(3.0)
    for name, file in whole.items():
        cut = tmp_path / f"cut_{name}"
        cut.write_bytes(_cut(file.read_bytes()))
        expected = sb.read_recording(file)["motor.position"].values
        found = sb.read_recording(cut)["motor.position"].values
        assert 0 < len(found) < len(expected)
        assert found.tolist() == expected[: len(found)].tolist()


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.mcap", b"", "no MCAP file"),
        ("a.mcap", b"something else entirely", "no MCAP file"),
        ("a.csv", b"x,y\n1,2\n", 'line 1 must begin with the column "time"'),
        ("a.csv", b"time,y\n1,2\n2,no\n3,4\n", 'line 3: expected a number, got "no"'),
        ("a.csv", b"time,y\n1\n2,3\n", "line 2: expected 2 cells, got 1"),
        ("a.csv", b"time,y\n1,\xff\n", "line"),
        ("a.txt", b"", "known: .mcap, .csv, folders of bags"),
    ],
)
def test_what_is_no_recording_is_told(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    """With the file, and the line where there are lines."""
    (tmp_path / "empty").mkdir()
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(RecordError, match=name) as error:
        sb.read_recording(file)
    assert says in str(error.value)
    with pytest.raises(RecordError, match="cannot be read"):
        sb.read_recording(tmp_path / "nowhere.mcap")
    with pytest.raises(RecordError, match=r"without \.mcap files"):
        sb.read_recording(tmp_path / "empty")


def test_damage_is_told(folder: Path, tmp_path: Path) -> None:
    """Whatever byte is wrong, and never by another error."""
    data = bytearray((folder / "run.mcap").read_bytes())
    file = tmp_path / "damaged.mcap"
    random = np.random.default_rng(0)
    refused = 0
    for _ in range(60):
        copy = bytearray(data)
        for place in random.integers(8, len(data), 4):
            copy[place] = random.integers(256)
        file.write_bytes(copy)
        try:
            sb.read_recording(file)
        except RecordError as error:
            refused += str(file) in str(error)
    assert refused > 10


@pytest.mark.parametrize(
    "data", [b'{"values": [1' + b"0" * 400 + b'], "timestamp": 0}', b"[" * 100_000, b"{", b"\xff"]
)
def test_strange_messages_are_told(tmp_path: Path, data: bytes) -> None:
    """With their topic."""
    file = tmp_path / "strange.mcap"
    with file.open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        schema = writer.register_schema("solidbody.Reading", "jsonschema", b"{}")
        writer.add_message(writer.register_channel("/bot/gps", "json", schema), 0, data, 0)
        writer.finish()
    with pytest.raises(RecordError, match="a message on /bot/gps is damaged"):
        sb.read_recording(file)


# ---------------------------------------------------------------------- protobuf


def _described() -> FileDescriptorProto:
    file = FileDescriptorProto(name="a.proto", package="p", syntax="proto3")
    message = file.message_type.add(name="M")
    inner = message.nested_type.add(name="I")
    inner.field.add(name="x", number=1, type=1, label=1)
    kinds = {"d": 1, "f": 2, "i64": 3, "u64": 4, "i32": 5, "f64": 6, "f32": 7, "b": 8, "s": 9}
    kinds |= {"u32": 13, "sf32": 15, "sf64": 16, "s32": 17, "s64": 18}
    for number, (name, kind) in enumerate(kinds.items(), 1):
        message.field.add(name=name, number=number, type=kind, label=1)
        message.field.add(name=f"r{name}", number=number + 100, type=kind, label=3)
    message.field.add(name="m", number=50, type=11, label=1, type_name=".p.M.I")
    message.field.add(name="rm", number=51, type=11, label=3, type_name=".p.M.I")
    return file


_INT32 = st.integers(-(2**31), 2**31 - 1)
_INT64 = st.integers(-(2**63), 2**63 - 1)
_VALUES: dict[str, st.SearchStrategy[object]] = {
    "d": st.floats(allow_nan=False),
    "f": st.floats(width=32, allow_nan=False),
    "i64": _INT64,
    "u64": st.integers(0, 2**64 - 1),
    "i32": _INT32,
    "f64": st.integers(0, 2**64 - 1),
    "f32": st.integers(0, 2**32 - 1),
    "b": st.booleans(),
    "s": st.text(st.characters(codec="utf-8"), max_size=5),
    "u32": st.integers(0, 2**32 - 1),
    "sf32": _INT32,
    "sf64": _INT64,
    "s32": _INT32,
    "s64": _INT64,
}
_FIELDS = st.fixed_dictionaries(
    {},
    optional={
        **_VALUES,
        **{f"r{name}": st.lists(of, max_size=3) for name, of in _VALUES.items()},
        "m": st.fixed_dictionaries({"x": st.floats(allow_nan=False)}),
        "rm": st.lists(st.fixed_dictionaries({"x": st.floats(allow_nan=False)}), max_size=3),
    },
)


def _referee() -> tuple[bytes, Callable[[dict[str, object]], tuple[bytes, dict[str, Any]]]]:
    described = FileDescriptorSet(file=[_described()]).SerializeToString()
    decode = DecoderFactory().decoder_for("protobuf", Schema(1, described, "protobuf", "p.M"))
    assert decode is not None
    kind = type(decode(b""))

    def make(fields: dict[str, object]) -> tuple[bytes, dict[str, Any]]:
        message = kind(**fields)
        return message.SerializeToString(), {
            item.name: getattr(message, item.name) for item in message.DESCRIPTOR.fields
        }

    return described, make


@settings(max_examples=60, deadline=None)
@given(fields=_FIELDS)
def test_protobuf_is_read_as_google_reads_it(fields: dict[str, object]) -> None:
    """All types, alone and in lists; what is left out is zero."""
    described, make = _referee()
    data, wanted = make(fields)
    found = protobuf_decoder("p.M", described)(data)
    for name, value in wanted.items():
        got = found.get(name)
        if name in ("m", "rm"):
            theirs = [one.x for one in value] if name == "rm" else [value.x]
            mine = got if name == "rm" else [got]
            assert [(one or {"x": 0.0})["x"] for one in mine or []] == theirs
        elif name.startswith("r"):
            assert (got or []) == list(value)
        else:
            assert (got or value) == value and (name == "s" or got == value)


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=80))
def test_strange_bytes_are_refused(data: bytes) -> None:
    """As messages and as descriptions, by an error of ours."""
    described, _ = _referee()
    for read in (
        lambda: protobuf_decoder("p.M", described)(data),
        lambda: protobuf_decoder("p.M", data),
    ):
        with contextlib.suppress(RecordError):
            read()


def test_tables_of_pandas(folder: Path) -> None:
    """Columns of one length, as `pandas.DataFrame` takes them."""
    pandas = pytest.importorskip("pandas", reason="no pandas")
    run = sb.read_recording(folder / "run.mcap")
    table = pandas.DataFrame(run.columns("motor", "*/gps")).set_index("time")
    assert table.shape == (21, 3 + 7)  # of the GPS: place, speed, velocity
    assert table["motor.position"].iloc[-1] == run["motor.position"].values[-1]


def test_columns_are_written_by_csv_rules(folder: Path, tmp_path: Path) -> None:
    """`solidbody plot ... -o table.csv` reads back as it was."""
    from typer.testing import CliRunner

    from solidbody.cli.app import app

    out = tmp_path / "table.csv"
    result = CliRunner().invoke(
        app, ["plot", str(folder / "run.mcap"), "motor.*", "*/gps", "-o", str(out)]
    )
    assert result.exit_code == 0, result.output
    with out.open(encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    assert rows[0][:2] == ["time", "motor.position"] and rows[1][-1] == ""
    run, again = sb.read_recording(folder / "run.mcap"), sb.read_recording(out)
    assert again["motor.effort"].values.tolist() == run["motor.effort"].values.tolist()
