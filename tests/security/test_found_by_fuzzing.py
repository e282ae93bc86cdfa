"""Input that the fuzzers found: each ended in a traceback, without end or with a number that is none."""

from __future__ import annotations

from pathlib import Path

import pytest

import solidbody as sb
from solidbody.base.errors import SolidbodyError
from solidbody.base.local_files import downloaded_file
from solidbody.cli.recording import size_of
from solidbody.control.client import solidbody_wire as wire
from solidbody.control.client.controller.motion import MotionError, parse_motion
from solidbody.control.programs import find_program
from solidbody.formats.downloads import DownloadCache, DownloadError
from solidbody.formats.loading import read_scene, read_scene_text
from solidbody.formats.mesh_trees import read_mesh_tree
from solidbody.formats.meshes import MeshError, read_mesh
from solidbody.model.devices import DeviceCamera, DeviceDisplay, DeviceDistanceSensor, DeviceLidar
from tests.formats.meshes import OBJ, dae
from tests.formats.reading import the
from tests.fuzz.scenes import HRP

HEADER = "#VRML_SIM R2025a utf8\nWorldInfo { }\nViewpoint { }\n"


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("00:00:040,P,nan", 'line 2: expected a finite number or "*", got "nan"'),
        ("00:00:040,P,-inf", "expected a finite number"),
        ("00:00:040,P,1e999", "expected a finite number"),
        ("00:00:²,P,1", "expected a time as"),
        ("٣٣:00:000,P,1", "expected a time as"),
        ("00:00:" + "9" * 5000 + ",P,1", "at most 9 digits"),
    ],
)
def test_motions_have_finite_positions_and_short_times(row: str, text: str) -> None:
    """Digits of other scripts, and more than Python turns into a number, were a traceback of the robot."""
    with pytest.raises(MotionError, match=text.replace("*", r"\*").replace("(", r"\(")):
        parse_motion(f"#WEBOTS_MOTION,V1.0,arm\n{row}\n")


@pytest.mark.parametrize("text", ["²x480", "640x²", "9" * 5000 + "x1", "640x", "x480", "-1x5"])
def test_sizes_of_films_are_numbers(text: str) -> None:
    with pytest.raises(SolidbodyError, match="expected a size such as 640x480"):
        size_of(text)


def test_settings_of_controllers_hold_no_null_characters_and_no_nameless_variables(
    tmp_path: Path,
) -> None:
    """No system starts a program with those."""
    home = tmp_path / "a"
    home.mkdir()
    (home / "a.py").write_text("")
    (home / "runtime.ini").write_text(
        "[environment variables with paths]\n: = ./lib\nA = ./l\0ib\n[environment variables]\n= 1\nB = 2\n"
        f"[python]\nCOMMAND = {'a' * 3000}\n"
    )
    program = find_program("a", (), (tmp_path,))
    assert "is not on this machine" in program.remark
    environment = program.environment
    assert environment["A"] == "./lib" and environment["B"] == "2"
    assert "" not in environment


def test_settings_that_name_themselves_do_not_grow_without_end(tmp_path: Path) -> None:
    """Forty lines that double a value asked for a terabyte."""
    home = tmp_path / "a"
    home.mkdir()
    (home / "a.py").write_text("")
    (home / "runtime.ini").write_text(
        "[environment variables]\nA = xx\n" + "A = $(A)$(A)\n" * 40 + "B = 1\n"
    )
    program = find_program("a", (), (tmp_path,))
    assert "A has more than 100000 characters; left out" in program.remark
    assert len(program.environment["A"]) <= 100_000 and program.environment["B"] == "1"


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_propellers_of_what_cannot_move_do_nothing(engine: str) -> None:
    """The reference step looked whether nothing sleeps."""
    scene, _ = read_scene_text(
        HEADER
        + 'Robot { controller "<none>" children [ Propeller { device RotationalMotor { } } ] }'
    )
    assert scene is not None
    sim = sb.Sim(scene, engine=engine)  # type: ignore[arg-type]
    sim.step(2)
    assert sim.time > 0.0


@pytest.mark.parametrize(
    "device",
    [
        "DistanceSensor { numberOfRays 4294967296 }",
        "DistanceSensor { numberOfRays 20000 }",
        "Camera { width 16384 height 16384 }",
        "RangeFinder { width 5000 height 5000 }",
        "Lidar { horizontalResolution 2147483647 numberOfLayers 2 }",
        "Lidar { horizontalResolution 16000 numberOfLayers 1000 }",
        "Display { width 16384 height 16384 }",
    ],
)
def test_devices_have_no_more_rays_or_pixels_than_memory(device: str) -> None:
    """Ten million rays took 3 GB before the first step."""
    scene, log = read_scene_text(f'{HEADER}Robot {{ controller "<none>" children [ {device} ] }}')
    assert scene is not None
    assert [item.code for item in log if item.severity.value != "info"], device
    for held in (item for link in scene.links() for item in link.devices):
        match held:
            case DeviceDistanceSensor():
                assert held.ray_count <= 10_000
            case DeviceLidar():
                assert held.samples * held.layers <= 4_000_000
            case DeviceCamera() | DeviceDisplay():
                assert held.width * held.height <= 4096 * 4096
            case _:
                assert held.width * held.height <= 4096 * 4096  # a range finder


def test_world_of_many_levels_with_a_missing_proto_is_read_in_part() -> None:
    """Of plain nodes alone it was read; with one that is none, a private exception went through."""
    depth = 490
    inner = "Group { children [ " * depth + "Nothing { }" + " ] }" * depth
    scene, log = read_scene_text(f'{HEADER}Solid {{ name "a" }} {inner} Solid {{ name "b" }}')
    assert "more than 480 levels" in the(log, "too-much").text
    assert scene is not None and [link.name for link in scene.links()] == ["a", "b"]


@pytest.mark.parametrize("number", ["9" * 400, "1e999", "-1e999"])
def test_numbers_of_joints_that_are_too_large_are_refused(tmp_path: Path, number: str) -> None:
    """They are read as infinite, which no whole number is."""
    path = tmp_path / "a.wrl"
    path.write_text(HRP.replace("jointId 0", f"jointId {number}"))
    _, log = read_scene(path)
    assert "expected a finite number" in the(log, "not-finite").text


def test_colours_and_opacities_that_are_no_numbers_are_full(tmp_path: Path) -> None:
    """In the materials of OBJ and COLLADA files."""
    (tmp_path / "colors.mtl").write_text("newmtl red\nKd 0.5 nan 0\nd nan\nnewmtl glass\nd 0.5\n")
    (tmp_path / "a.obj").write_text(OBJ)
    for part in read_mesh(tmp_path / "a.obj"):
        assert 0.0 <= part.opacity <= 1.0
        assert all(0.0 <= value <= 1.0 for value in part.color or ())
    text = dae("<node>USE</node>").replace("<color>1 0 0 1<", "<color>nan 0 0 nan<")
    (tmp_path / "a.dae").write_text(text)
    for part, _, _ in read_mesh_tree(tmp_path / "a.dae", str).placed_parts():
        look = part.appearance
        assert look is not None and look.transparency == 0.0
        assert all(0.0 <= value <= 1.0 for value in look.base_color)


@pytest.mark.parametrize("text", ["[" * 100_000, "[]", "null", '{"address": 1}', "\0", '"x"'])
def test_damaged_records_are_no_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """Of a download, and of a simulator that waits for controllers."""
    url = "https://example.org/a.png"
    path = downloaded_file(url, tmp_path)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x")
    (path.parent / "record.json").write_text(text)
    with pytest.raises(DownloadError, match="not in the download cache"):
        DownloadCache(tmp_path, {}).get(url, allow_download=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    Path(wire.meeting_folder(), "77.json").write_text(text)
    assert wire.find(77) is None
    assert wire.ports() == []


@pytest.mark.parametrize(
    "count",
    ["2147483647", "4 -2147483648", "<![CDATA[999999999]]>", "&#57;&#57;99999999", "1e12", "nan"],
)
def test_polygons_that_claim_more_corners_than_there_are_are_refused(
    tmp_path: Path, count: str
) -> None:
    """Room was made for all of them: 16 GiB."""
    path = tmp_path / "a.dae"
    path.write_text(dae("<node>USE</node>").replace("<vcount>4<", f"<vcount>{count}<"))
    with pytest.raises(MeshError, match="claim more corners than the file holds"):
        read_mesh_tree(path, str)
    with pytest.raises(MeshError, match="claim more corners than the file holds"):
        read_mesh(path)
