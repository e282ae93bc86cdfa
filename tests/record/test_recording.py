"""Recordings hold what the simulation said, in forms that other programs read."""

from __future__ import annotations

import base64
import csv
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import solidbody as sb
from solidbody.cli.app import app
from solidbody.record import RecordError, recorder_for
from solidbody.record.video import VideoRecorder
from tests.devices.worlds import sim_of
from tests.record.mcap_contents import messages_of

WORLD = """
Viewpoint { position -5 0 1 }
Background { skyColor [ 0.2 0.4 0.6 ] }
DirectionalLight { direction 1 0 -1 }
Solid { children [ Shape { geometry Plane { size 20 20 } } ] boundingObject Plane { } }
Solid { translation 3 0 0.5 name "box" children [ Shape { geometry Box { size 1 1 1 } } ]
  boundingObject Box { } }
Robot { name "bot" translation 0 0 2 boundingObject Sphere { radius 0.1 }
  physics Physics { density -1 mass 1 } children [
    Shape { geometry Sphere { radius 0.3 } }
    GPS { } Camera { width 16 height 12 } RangeFinder { width 8 height 6 maxRange 9 }
    Lidar { horizontalResolution 20 numberOfLayers 1 maxRange 9 translation 0.1 0 0 } Emitter { } ] }
"""


def test_an_mcap_file_holds_frames_joints_and_sensors(tmp_path: Path) -> None:
    """Values, times and schemas."""
    sim = sim_of(WORLD, step_ms=10)
    recorder = recorder_for(sim, tmp_path / "run.mcap", all_sensors=True)
    heights = [float(sim.link("bot").position[2])]
    for _ in range(5):
        sim.step()
        heights.append(float(sim.link("bot").position[2]))
    image, cloud = sim.device("camera").value, sim.device("lidar").value
    recorder.close()
    found = messages_of(tmp_path / "run.mcap")
    assert [schema for schema, _, _ in found["/tf"]] == ["foxglove.FrameTransforms"] * 6
    assert [time for _, time, _ in found["/tf"]] == [k * 10_000_000 for k in range(6)]
    seen = [
        frame["translation"]["z"]
        for _, _, message in found["/tf"]
        for frame in message["transforms"]
        if frame["child_frame_id"] == "bot"
    ]
    assert seen == heights
    gps = [message["values"] for _, _, message in found["/bot/gps"]]
    assert [values[2] for values in gps] == pytest.approx(heights[1:])
    schema, _, last = found["/bot/camera"][-1]
    assert schema == "foxglove.CompressedImage"
    picture = Image.open(io.BytesIO(base64.b64decode(str(last["data"]))))
    assert np.array_equal(np.asarray(picture), image)
    schema, _, last = found["/bot/lidar"][-1]
    assert schema == "foxglove.PointCloud"
    points = np.frombuffer(base64.b64decode(str(last["data"])), dtype="<f4").reshape(-1, 3)
    assert np.linalg.norm(points, axis=1) == pytest.approx(cloud[np.isfinite(cloud)], rel=1e-5)
    assert found["/bot/range-finder"][0][0] == "foxglove.RawImage"
    schema, _, scan = found["/bot/lidar/scan"][-1]
    assert schema == "foxglove.LaserScan"
    # counterclockwise: the picture from its right end on; what is not hit is infinite
    told = [float(x) for x in scan["ranges"]]
    assert told == pytest.approx(cloud[0, ::-1].tolist(), rel=1e-6)
    assert scan["end_angle"] > 0.0 > scan["start_angle"]
    entities = found["/scene"][0][2]["entities"]
    assert {entity["id"] for entity in entities} >= {"box"}
    assert "/bot/emitter" not in found


FOXGLOVE = {
    "foxglove.CompressedImage": {"timestamp", "frame_id", "data", "format"},
    "foxglove.FrameTransforms": {"transforms"},
    "foxglove.PointCloud": {"timestamp", "frame_id", "pose", "point_stride", "fields", "data"},
    "foxglove.RawImage": {
        "timestamp", "frame_id", "width", "height", "encoding", "step", "data",
    },
    "foxglove.SceneUpdate": {"deletions", "entities"},
}  # fmt: skip
"""Names and fields of Foxglove's published schemas, as far as we use them."""


def test_schemas_are_foxgloves_and_what_is_written_is_compressed(tmp_path: Path) -> None:
    """Each message has all fields of its schema; chunks are packed by Zstandard, pictures as PNG."""
    from mcap.reader import make_reader

    sim = sim_of(WORLD, step_ms=10)
    recorder = recorder_for(sim, tmp_path / "run.mcap", all_sensors=True)
    sim.step(5)
    recorder.close()
    with (tmp_path / "run.mcap").open("rb") as stream:
        summary = make_reader(stream).get_summary()
    assert summary is not None
    assert {chunk.compression for chunk in summary.chunk_indexes} == {"zstd"}
    told = {schema.name: schema.encoding for schema in summary.schemas.values()}
    assert told.pop("solidbody.Reading") == "jsonschema"
    assert set(told.values()) == {"protobuf"}
    told = {channel.topic: channel.metadata for channel in summary.channels.values()}
    assert told["/bot/gps"]["names"] == "x,y,z,speed,vx,vy,vz"
    assert told["/bot/gps"]["units"].endswith(",m/s,m/s,m/s,m/s")
    assert (told["/bot/camera"], told["/tf"]) == ({"kind": "Camera"}, {})
    seen: set[str] = set()
    for messages in messages_of(tmp_path / "run.mcap").values():
        for name, _, message in messages:
            seen.add(name)
            if name in FOXGLOVE:
                assert set(message) == FOXGLOVE[name], name
            if name == "foxglove.CompressedImage":
                assert message["format"] == "png"
                assert base64.b64decode(str(message["data"])).startswith(b"\x89PNG")
    assert seen == {
        *FOXGLOVE,
        "solidbody.Reading",
        "foxglove.LaserScan",
        "foxglove.CameraCalibration",
    }


def test_depth_and_points_of_a_camera_are_recorded_beside_its_picture(tmp_path: Path) -> None:
    """A camera of Choreonoid 2 m above a floor; depth 2 m, points at z = -2 of its frame."""
    (tmp_path / "eye.body").write_text(
        "format: ChoreonoidBody\nformat_version: 2.0\nname: eye\nlinks:\n  - name: S\n"
        "    joint_type: fixed\n    elements:\n"
        "      - { type: Shape, translation: [ 0, 0, -2.5 ], geometry: { type: Box, size: [ 9, 9, 1 ] } }\n"
        "      - { type: Camera, name: C, format: COLOR_DEPTH, width: 4, height: 4, frame_rate: 100 }\n"
    )
    sim = sb.Sim(sb.load(tmp_path / "eye.body"))
    sim.device("C")
    recorder = recorder_for(sim, tmp_path / "run.mcap")
    sim.step(20)
    recorder.close()
    found = messages_of(tmp_path / "run.mcap")
    schema, _, last = found["/eye/C/depth"][-1]
    assert (schema, last["width"], last["height"]) == ("foxglove.RawImage", 4, 4)
    depth = np.frombuffer(base64.b64decode(str(last["data"])), dtype="<f4")
    assert depth == pytest.approx(np.full(16, 2.0), rel=1e-5)
    points = np.frombuffer(
        base64.b64decode(str(found["/eye/C/points"][-1][2]["data"])), dtype="<f4"
    )
    assert points.reshape(-1, 3)[:, 2] == pytest.approx(np.full(16, -2.0), rel=1e-5)


def test_only_sensors_that_are_on_are_recorded(tmp_path: Path) -> None:
    """Unless all are asked for."""
    sim = sim_of(WORLD, step_ms=10)
    sim.device("gps").enable(0.02)
    recorder = recorder_for(sim, tmp_path / "run.mcap")
    sim.step(6)
    recorder.close()
    found = messages_of(tmp_path / "run.mcap")
    assert [time for _, time, _ in found["/bot/gps"]] == [20_000_000, 40_000_000, 60_000_000]
    assert "/bot/camera" not in found


def test_a_table_holds_the_numbers(tmp_path: Path) -> None:
    """Empty until the first sample; a row for the start."""
    sim = sim_of(WORLD, step_ms=10)
    sim.device("gps").enable(0.02)
    recorder = recorder_for(sim, tmp_path / "run.csv", period=0.02)
    sim.step(6)
    recorder.close()
    rows = list(csv.DictReader((tmp_path / "run.csv").open()))
    assert [row["time"] for row in rows] == ["0.0", "0.02", "0.04", "0.06"]
    assert rows[0]["/bot/gps[2]"] == ""
    assert float(rows[-1]["/bot/gps[2]"]) == sim.device("gps").value[2]


def test_a_film_from_the_viewpoint(tmp_path: Path) -> None:
    """One picture per tenth of a second, and the sky above."""
    sim = sim_of(WORLD, step_ms=10)
    film = VideoRecorder(sim, tmp_path / "run.gif", fps=10, size=(32, 24))
    sim.attach(film)
    sim.run(0.3)
    film.close()
    with Image.open(tmp_path / "run.gif") as gif:
        assert gif.size == (32, 24)
        assert gif.n_frames == 4  # pyright: ignore[reportAttributeAccessIssue]
        # 128 colours per picture: within a few steps of the sky's
        assert gif.convert("RGB").getpixel((2, 1)) == pytest.approx((51, 102, 153), abs=6)


def test_a_film_through_a_camera(tmp_path: Path) -> None:
    """Of the camera's own size."""
    sim = sim_of(WORLD, step_ms=10)
    film = VideoRecorder(sim, tmp_path / "run.gif", fps=10, camera="bot/camera")
    sim.attach(film)
    sim.run(0.1)
    film.close()
    with Image.open(tmp_path / "run.gif") as gif:
        assert gif.size == (16, 12)


@pytest.mark.parametrize(
    ("file", "camera", "message"),
    [
        ("run.avi", None, 'cannot film to files with the extension ".avi"; known: .gif, .mp4'),
        ("missing/run.gif", None, "there is no folder"),
        ("run.gif", "bot/nothing", 'no device is named "bot/nothing"'),
        ("run.gif", "bot/gps", '"bot/gps" is not a camera'),
    ],
)
def test_films_that_cannot_be_made(
    tmp_path: Path, file: str, camera: str | None, message: str
) -> None:
    """With the reason."""
    with pytest.raises(RecordError, match=message.replace(".", r"\.")):
        VideoRecorder(sim_of(WORLD), tmp_path / file, camera=camera)


def test_recordings_that_cannot_be_made(tmp_path: Path) -> None:
    """Unknown extension, unwritable place."""
    sim = sim_of(WORLD)
    with pytest.raises(RecordError, match=r'extension "\.bag"; known: \.mcap, \.csv'):
        recorder_for(sim, tmp_path / "run.bag")
    with pytest.raises(RecordError, match="there is no folder"):
        recorder_for(sim, tmp_path / "missing" / "run.csv")


def test_the_command_records(tmp_path: Path) -> None:
    """Several files in one run; a bad one ends it with status 2."""
    world = tmp_path / "world.wbt"
    world.write_text(f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 10 }}\n{WORLD}")
    files = [tmp_path / "a.mcap", tmp_path / "b.csv"]
    arguments = ["run", str(world), "--headless", "--duration", "0.05", "--record-all-sensors"]
    for file in files:
        arguments += ["--record", str(file)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert len(messages_of(files[0])["/tf"]) == 6
    assert len(files[1].read_text().splitlines()) == 7
    bad = CliRunner().invoke(app, [*arguments, "--record", str(tmp_path / "c.bag")])
    assert bad.exit_code == 2


def test_a_run_that_is_cut_short_leaves_a_readable_file(tmp_path: Path) -> None:
    """The block ends with an error; the file has its end."""
    from solidbody.cli.recording import RecordChoice, recordings_of

    sim = sim_of(WORLD, step_ms=10)

    def interrupted() -> None:
        with recordings_of(sim, RecordChoice((tmp_path / "run.mcap",))):
            sim.step(3)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert len(messages_of(tmp_path / "run.mcap")["/tf"]) == 4


def test_recording_does_not_change_the_run(tmp_path: Path) -> None:
    """The same bytes with and without."""
    plain, recorded = sim_of(WORLD), sim_of(WORLD)
    recorder = recorder_for(recorded, tmp_path / "run.mcap", all_sensors=True)
    plain.step(20)
    recorded.step(20)
    recorder.close()
    assert plain.data.qpos.tobytes() == recorded.data.qpos.tobytes()


def test_pictures_and_their_calibration_fit(tmp_path: Path) -> None:
    """A point on the box, told in the frame of the pictures, falls by K on a pixel that is hit."""
    sim = sim_of(WORLD, step_ms=10)
    recorder = recorder_for(sim, tmp_path / "run.mcap", all_sensors=True)
    sim.step()
    recorder.close()
    found = messages_of(tmp_path / "run.mcap")
    name = "/bot/range-finder"
    frames = {frame["child_frame_id"]: frame for frame in found["/tf"][-1][2]["transforms"]}
    eye = frames[f"{name}/optical"]
    turn = eye["rotation"]
    w, i, j, k = (turn[axis] for axis in "wxyz")
    ahead = [2 * (i * k + w * j), 2 * (j * k - w * i), 1 - 2 * (i * i + j * j)]
    down = [2 * (i * j - w * k), 1 - 2 * (i * i + k * k), 2 * (j * k + w * i)]
    assert ahead == pytest.approx([1, 0, 0], abs=1e-12) and down == pytest.approx(
        [0, 0, -1], abs=1e-12
    )
    _, _, depth = found[name][-1]
    distances = np.frombuffer(base64.b64decode(depth["data"]), dtype="<f4").reshape(6, 8)
    calibration = found[f"{name}/calibration"][-1][2]
    focal, u, v = calibration["K"][0], calibration["K"][2], calibration["K"][5]
    assert (calibration["width"], calibration["height"]) == (8, 6)
    row, column = np.argwhere(np.isfinite(distances))[-1]
    z = distances[row, column]
    below = (row + 0.5 - v) / focal * z  # metres below the axis, which is 2 m above the floor
    assert below == pytest.approx(float(frames["bot"]["translation"]["z"]), rel=0.02)
    assert abs(column + 0.5 - u) <= 4
