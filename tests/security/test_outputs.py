"""Files that runs write: on a full disk, in folders that are not there, and when the process is killed.

An older file is never lost to a run that does not end; what was recorded until then can be read.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

import solidbody as sb
from solidbody.base import output_files
from solidbody.base.output_files import (
    DraftedFile,
    GrowingFile,
    OutputError,
    check_target,
    write_whole,
)
from solidbody.cli.app import app
from solidbody.cli.recording import RecordChoice, check_outputs, recordings_of
from solidbody.formats.loading import read_scene_text
from solidbody.record import RecordError, recorder_for
from solidbody.record.video import VideoRecorder
from solidbody.sim.snapshot import save_snapshots
from solidbody.sound.recorder import SoundRecorder
from solidbody.viewer import replay_file
from solidbody.viewer.page_files import PageFile, PageMissingError, load_page
from solidbody.viewer.replay_file import ReplayRecorder
from tests.record.mcap_contents import decoded
from tests.viewer.test_replay_file import recorded
from tests.waiting import wait_until

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Viewpoint { position -5 0 1 }
Solid { name "floor" boundingObject Plane { size 9 9 } }
Solid { name "ball" translation 0 0 9 children [ Shape { geometry Sphere { radius 0.1 } } ]
  boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 1 } }
"""
OLD = b"what an earlier run has left"

linux_only = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """The file of a world in which a ball falls."""
    path = tmp_path / "ball.wbt"
    path.write_text(WORLD, encoding="utf-8")
    return path


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small page in place of ours, which need not be built."""
    text = b"<!doctype html><html><head></head><body></body></html>\n"
    files = {"/": PageFile(text, b"", "", is_hashed=False)}
    monkeypatch.setattr(replay_file, "load_page", lambda: files)


def simulation() -> sb.Sim:
    """Return a simulation of that world."""
    scene, _ = read_scene_text(WORLD, "ball.wbt")
    assert scene is not None
    return sb.Sim(scene)


# ---------------------------------------------------------------------- folders that are not there


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--record", "run.mcap"),
        ("--record", "run.csv"),
        ("--record", "run.html"),
        ("--video", "run.gif"),
        ("--sound", "run.wav"),
        ("--log", "run.csv"),
    ],
)
@pytest.mark.parametrize("place", ["missing", "file", "folder"])
def test_a_place_that_cannot_be_written_is_told_before_the_run(
    tmp_path: Path, world: Path, option: str, name: str, place: str
) -> None:
    """The option and the folder are named; the world is not even read."""
    target = tmp_path / "out" / name
    if place == "file":
        (tmp_path / "out").write_text("")
    elif place == "folder":
        target.mkdir(parents=True)
    world.write_text("this is no world: reading it would say so")
    arguments = ["run", str(world), "--headless", "--duration", "0.01", option, str(target)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    said = " ".join(result.output.split())
    assert option in said and "unknown-release" not in said
    expected = {
        "missing": f'there is no folder "{tmp_path / "out"}"; make it first',
        "file": f'"{tmp_path / "out"}" is a file, not a folder',
        "folder": f'"{target}" is a folder, not a file',
    }[place]
    assert "".join(expected.split()) in "".join(said.split())
    assert not (tmp_path / "out").exists() or place != "missing"


def test_convert_tells_of_a_missing_folder_before_it_converts(tmp_path: Path, world: Path) -> None:
    """Nothing is read for it."""
    world.write_text("no world")
    result = CliRunner().invoke(app, ["convert", str(world), str(tmp_path / "out" / "a.xml")])
    assert result.exit_code == 2
    said = "".join(result.output.split())
    assert "".join(f'there is no folder "{tmp_path / "out"}"; make it first'.split()) in said
    assert "unknown-release" not in said


def test_two_options_cannot_write_the_same_file(tmp_path: Path, world: Path) -> None:
    """Nor one the world itself; standard output and devices are no files."""
    both = RecordChoice((tmp_path / "a.csv",))
    with pytest.raises(OutputError, match=r'--log: ".*a\.csv" is used by --record already'):
        check_outputs(both, str(tmp_path / "a.csv"))
    with pytest.raises(OutputError, match=r"--log: .* is used by the command already"):
        check_outputs(RecordChoice(), str(world), [str(world)])
    check_outputs(both, "-")
    check_outputs(both, os.devnull)


def test_names_that_no_file_can_have_are_told(tmp_path: Path) -> None:
    """Null characters, very long names."""
    for name in ("a\0b.csv", "x" * 5000 + ".csv"):
        with pytest.raises(OutputError, match="--log: "):
            check_target(tmp_path / name, "--log")


# ---------------------------------------------------------------------- full disks


@linux_only
@pytest.mark.parametrize("kind", ["mcap", "csv", "html", "gif", "wav"])
@pytest.mark.usefixtures("page")
def test_a_full_disk_ends_a_recording_with_a_message(tmp_path: Path, kind: str) -> None:
    """While it runs or when it is closed; closing again says nothing more."""
    sim, path = simulation(), tmp_path / f"run.{kind}"
    path.symlink_to("/dev/full")

    def record() -> None:
        recorder = _recorder(sim, path)
        try:
            for _ in range(400):
                sim.step(1)
        finally:
            recorder.close()

    with pytest.raises(OutputError, match=r"run\.\w+ cannot be written: No space left on device"):
        record()
    sim.step(1)  # the simulation itself has not failed


def _recorder(sim: sb.Sim, path: Path) -> SoundRecorder | VideoRecorder | ReplayRecorder:
    if path.suffix == ".wav":
        sound = SoundRecorder(sim, path)
        sim.attach(sound)
        return sound
    if path.suffix == ".gif":
        film = VideoRecorder(sim, path, size=(16, 12))
        sim.attach(film)
        return film
    more = {".html": ReplayRecorder}
    return recorder_for(sim, path, more=more)  # type: ignore[return-value]


@linux_only
def test_the_command_ends_with_a_message_on_a_full_disk(tmp_path: Path, world: Path) -> None:
    """Status 2, no traceback: recordings, sound, film and log alike."""
    for option, name in [
        ("--record", "a.mcap"),
        ("--record", "a.csv"),
        ("--sound", "a.wav"),
        ("--video", "a.gif"),
        ("--log", "b.csv"),
    ]:
        path = tmp_path / name
        path.symlink_to("/dev/full")
        arguments = ["run", str(world), "--headless", "--duration", "0.5", option, str(path)]
        result = CliRunner().invoke(app, [*arguments, "--video-size", "16x12"])
        assert result.exit_code == 2, (name, result.output)
        assert "No space left on device" in " ".join(result.output.split()), name
        assert result.exception is None or isinstance(result.exception, SystemExit)


@pytest.mark.slow
@linux_only
@pytest.mark.parametrize(
    "arguments",
    [
        ["info", "--json"],
        ["check", "--json"],
        ["run", "--headless", "--duration", "1", "--log", "-"],
    ],
    ids=["info", "check", "log"],
)
def test_standard_output_on_a_full_disk_is_told(world: Path, arguments: list[str]) -> None:
    """Results may go to a file; status 2 and one line, no traceback."""
    command, *rest = arguments
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "solidbody", command, str(world), *rest],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert "cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


@pytest.mark.parametrize("kind", ["mcap", "csv", "html", "gif", "wav"])
@pytest.mark.usefixtures("page")
def test_an_older_file_stays_when_the_disk_is_full_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The last write, or the move into its place, fails."""
    sim, path = simulation(), tmp_path / f"run.{kind}"
    path.write_bytes(OLD)
    recorder = _recorder(sim, path)
    sim.step(3)
    assert path.read_bytes() == OLD

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="No space left on device"):
        recorder.close()
    recorder.close()
    assert path.read_bytes() == OLD
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]


@pytest.mark.parametrize("kind", ["mcap", "csv", "html", "gif", "wav"])
@pytest.mark.usefixtures("page")
def test_a_finished_recording_takes_the_place_of_an_older_one(tmp_path: Path, kind: str) -> None:
    """With its permissions, through a link; nothing else is left behind."""
    sim, path, link = simulation(), tmp_path / f"run.{kind}", tmp_path / f"link.{kind}"
    path.write_bytes(OLD)
    path.chmod(0o640)
    link.symlink_to(path)
    recorder = _recorder(sim, link)
    sim.step(5)
    recorder.close()
    assert path.read_bytes() != OLD and path.stat().st_size > 20
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path)) == sorted([path.name, link.name])


def test_recordings_that_fail_at_the_start_leave_older_files(tmp_path: Path) -> None:
    """The second recorder cannot be made: the first ends well, the old file of the second stays."""
    sim, old = simulation(), tmp_path / "b.bag"
    old.write_bytes(OLD)
    choice = RecordChoice((tmp_path / "a.csv", old))
    with pytest.raises(RecordError), recordings_of(sim, choice):
        pass
    assert old.read_bytes() == OLD


# ---------------------------------------------------------------------- killed processes

KILLED = ("run.html", "run.mcap", "run.csv", "log.csv", "run.wav", "run.gif")


@contextlib.contextmanager
def running(world: Path, names: tuple[str, ...]) -> Iterator[subprocess.Popen[bytes]]:
    """Run the command for ever, with outputs of these names beside the world."""
    options = {"run.wav": "--sound", "run.gif": "--video", "log.csv": "--log"}
    arguments = [part for name in names for part in (options.get(name, "--record"), name)]
    command = [sys.executable, "-m", "solidbody", "run", str(world), "--headless", "--speed", "1"]
    command += ["--video-size", "16x12", *arguments]
    process = subprocess.Popen(command, cwd=world.parent, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Wait until something is so."""
    wait_until(lambda: condition() or process.poll() is not None)
    assert process.poll() is None, "the command has ended by itself"


def _rows(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n") if path.exists() else 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is not of Windows")
@pytest.mark.parametrize("is_first", [True, False], ids=["first run", "second run"])
def test_a_killed_run_leaves_what_it_recorded_and_what_was_there(
    world: Path, is_first: bool
) -> None:
    """By SIGKILL, which nobody can catch: each format can be read as far as it was written."""
    folder, names = world.parent, KILLED
    try:
        load_page()
    except PageMissingError:
        names = tuple(name for name in KILLED if name != "run.html")
    if not is_first:
        for name in names:
            (folder / name).write_bytes(OLD)
    part = (lambda name: folder / name) if is_first else (lambda name: folder / _part(name))
    with running(world, names) as process:
        wait_for(lambda: _rows(part("log.csv")) > 3 and _rows(part("run.csv")) > 3, process)
        wait_for(lambda: part("run.gif").exists() and part("run.gif").stat().st_size > 0, process)
        process.send_signal(signal.SIGKILL)
        process.wait()
    if not is_first:
        assert {(folder / name).read_bytes() for name in names} == {OLD}
    header, *rows = part("log.csv").read_text("utf-8").splitlines()
    assert header.startswith("time,") and len(rows[0].split(",")) == len(header.split(","))
    with Image.open(part("run.gif")) as film:
        assert film.size == (16, 12)
    with wave.open(str(part("run.wav")), "rb") as sound:
        assert sound.getnframes() > 0
    assert part("run.mcap").read_bytes().startswith(b"\x89MCAP0\r\n")
    if "run.html" in names:
        data, frames = recorded(part("run.html").read_text("utf-8"))
        assert len(data["times"]) >= 1 and frames.shape[1] == 7


def _part(name: str) -> str:
    stem, _, kind = name.rpartition(".")
    return f"{stem}.part.{kind}"


def test_an_mcap_file_without_an_end_can_be_read(tmp_path: Path) -> None:
    """As a killed process leaves it: the chunks that were written, in order."""
    from mcap.exceptions import McapError
    from mcap.reader import NonSeekingReader

    sim, path = simulation(), tmp_path / "run.mcap"
    recorder = recorder_for(sim, path)
    sim.step(2000)
    data = path.read_bytes()
    recorder.close()
    found = []
    with contextlib.suppress(McapError, EOFError):
        for schema, channel, message in NonSeekingReader(io.BytesIO(data)).iter_messages(
            log_time_order=False
        ):
            assert schema is not None
            encoding = channel.message_encoding
            found.append((channel.topic, decoded(encoding, schema.name, schema.data, message.data)))
    frames = [topic for topic, fields in found if topic == "/tf" and fields["transforms"]]
    assert len(frames) > 500


@pytest.mark.usefixtures("page")
def test_drafts_of_a_page_hold_the_run_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And do not change what comes after them."""
    monkeypatch.setattr(output_files, "DRAFT_PERIOD", 0.0)
    monkeypatch.setattr(output_files, "DRAFT_SHARE", float("inf"))
    sim, path = simulation(), tmp_path / "run.html"
    recorder = ReplayRecorder(sim, path, 0.01)
    sim.attach(recorder)
    for count in (1, 2, 3):
        sim.step(1)
        data, frames = recorded(path.read_text("utf-8"))
        assert len(data["times"]) == count + 1 == len(frames)
    recorder.close()
    data, frames = recorded(path.read_text("utf-8"))
    assert data["times"] == [0.0, 0.01, 0.02, 0.03]
    assert frames[-1].tolist() == pytest.approx(sim.poses()[sim.moving].ravel(), abs=1e-5)


def test_drafts_take_a_small_share_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one is due after ten seconds, or twenty times what the last one took."""
    clock = [100.0]
    monkeypatch.setattr(output_files.time, "monotonic", lambda: clock[0])
    file = DraftedFile(tmp_path / "a.html")
    assert file.is_due
    file.draft(b"one", started=99.9)
    clock[0] = 109.9
    assert not file.is_due
    clock[0] = 110.0
    assert file.is_due
    file.draft(b"two", started=108.0)  # took 2 s
    clock[0] = 149.9
    assert not file.is_due
    clock[0] = 150.0
    assert file.is_due
    assert (tmp_path / "a.html").read_bytes() == b"two"


# ---------------------------------------------------------------------- files in one piece


def test_parts_of_runs_that_were_killed_are_not_overwritten(tmp_path: Path) -> None:
    """Two runs beside each other, or after each other, have parts of their own."""
    path = tmp_path / "run.csv"
    path.write_bytes(OLD)
    files = [GrowingFile(path) for _ in range(3)]
    assert [file.place.name for file in files] == ["run.part.csv", "run.part2.csv", "run.part3.csv"]
    for number, file in enumerate(files):
        file.write(f"{number}\n")
    files[0].abandon()
    files[1].finish()
    files[2].drop()
    assert path.read_text() == "1\n"
    assert sorted(os.listdir(tmp_path)) == ["run.csv", "run.part.csv"]
    assert (tmp_path / "run.part.csv").read_text() == "0\n"


def test_a_file_in_one_piece_is_written_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Snapshots, pictures, worlds, converted files: all are written by this."""
    path = tmp_path / "a.bin"
    write_whole(path, b"first")
    simulation_state = simulation().snapshot()
    save_snapshots(tmp_path / "states", [simulation_state])

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for attempt in (
        lambda: write_whole(path, b"second"),
        lambda: save_snapshots(tmp_path / "states", [simulation_state] * 3),
    ):
        with pytest.raises(OSError, match="No space left"):
            attempt()
    assert path.read_bytes() == b"first"
    assert sorted(os.listdir(tmp_path)) == ["a.bin", "states"]


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes are others there")
def test_pipes_are_written_to_as_they_are(tmp_path: Path) -> None:
    """Nothing is put in their place."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdout.write(open(sys.argv[1]).read())", str(pipe)],
        stdout=subprocess.PIPE,
    )
    file = GrowingFile(pipe)
    file.write("row\n")
    file.finish()
    assert reader.communicate(timeout=60)[0] == b"row\n"
    assert pipe.is_fifo()


def test_a_file_in_a_folder_that_takes_no_new_ones_is_written_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no other way. The administrator may write everywhere, so that the answer is made up here."""
    path, real = tmp_path / "a.csv", os.access
    path.write_bytes(OLD)
    monkeypatch.setattr(os, "access", lambda place, mode: place != tmp_path and real(place, mode))
    check_target(path, "--log")
    file = GrowingFile(path)
    file.write("row\n")
    file.finish()
    assert path.read_text() == "row\n"
    write_whole(path, b"whole")
    DraftedFile(path).finish(b"drafted")
    assert path.read_bytes() == b"drafted" and os.listdir(tmp_path) == ["a.csv"]
    with pytest.raises(OutputError, match="may not be written"):
        check_target(tmp_path / "new.csv", "--log")
