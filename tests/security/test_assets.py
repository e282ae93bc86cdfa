"""A file that a stranger wrote may name pictures, sounds and scans; it gets none from outside its project.

Each attack is tried by every way of writing the address, through every look-up that there is: what the page
is sent, what cameras see, what is heard, what lidars follow, what meshes bring along.
"""

from __future__ import annotations

import base64
import http.client
import io
import sys
import wave
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.file_access import EVERY_FILE, FileAccess, FileError, access_to
from solidbody.base.local_files import downloaded_file, find_file
from solidbody.control.programs import ProgramError, find_program
from solidbody.formats.loading import read_scene
from solidbody.formats.meshes import MeshError, read_mesh
from solidbody.formats.options import LoadOptions
from solidbody.formats.scene_merging import SceneFile, read_scene_files
from solidbody.model.appearance import Texture
from solidbody.model.scene import Scene
from solidbody.sim import Sim
from solidbody.sound.clips import ClipLibrary
from solidbody.viewer.insertion import proto_bases
from solidbody.viewer.scene_encoding import encode_scene
from solidbody.viewer.textures import TextureTable
from tests.viewer.serving import running_view

RED = (250, 0, 0)

WORLD = """#VRML_SIM R2025a utf8
WorldInfo {{ contactProperties [ ContactProperties {{ bumpSound "{sound}" }} ] }}
Viewpoint {{ }}
Background {{ {sky} }}
Solid {{
  children [
    Shape {{
      appearance PBRAppearance {{ baseColorMap ImageTexture {{ url [ "{image}" ] }} }}
      geometry Box {{ }}
    }}
  ]
}}
"""
SIDES = ("right", "left", "top", "bottom", "front", "back")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder with things that a world must not see, beside the folder of its project."""
    folder = tmp_path / "private"
    folder.mkdir()
    Image.new("RGB", (4, 4), RED).save(folder / "secret.png")
    with wave.open(str(folder / "secret.wav"), "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(bytes(16000))
    (folder / "secret.csv").write_text("time,azimuth,zenith\n0,0,90\n")
    return folder


@pytest.fixture
def worlds(tmp_path: Path) -> Path:
    """The folder of worlds of a project."""
    folder = tmp_path / "arena" / "worlds"
    folder.mkdir(parents=True)
    return folder


def ways(secret: Path, worlds: Path) -> dict[str, str]:
    """Return how an attacker may write the address of a file in a world."""
    link, door = worlds / f"link{secret.suffix}", worlds / "door"
    for name, target in ((link, secret), (door, secret.parent)):
        if not name.is_symlink():
            name.symlink_to(target)
    return {
        "absolute": secret.as_posix(),
        "climbing": f"../../private/{secret.name}",
        "climbing by backslashes": f"..\\\\..\\\\private\\\\{secret.name}",
        "climbing late": f"door/../../../private/{secret.name}",
        "link": link.name,
        "folder that is a link": f"door/{secret.name}",
        "file scheme": f"file://{secret.as_posix()}",
        "network share": f"//localhost{secret.as_posix()}",
    }


WAYS = (
    "absolute",
    "climbing",
    "climbing by backslashes",
    "climbing late",
    "link",
    "folder that is a link",
    "file scheme",
    "network share",
)


def load(
    worlds: Path, *, image: str = "", sound: str = "", sky: str = "", **options: object
) -> Scene:
    """Return the scene of a world that names these files."""
    world = worlds / "attack.wbt"
    world.write_text(WORLD.format(image=image, sound=sound, sky=sky), encoding="utf-8")
    scene, _ = read_scene(world, options=LoadOptions(**options))  # type: ignore[arg-type]
    assert scene is not None
    return scene


def sent(scene: Scene) -> list[str]:
    """Return the pictures that the page would get."""
    sim = Sim(scene)
    wire = encode_scene(scene, sim.poses(), sim.moving, time_step=sim.time_step)
    return [texture.image for texture in wire.textures]


@pytest.mark.parametrize("way", WAYS)
def test_no_picture_from_outside_reaches_the_page(outside: Path, worlds: Path, way: str) -> None:
    """As the texture of a shape and as a side of the sky; what is refused is told with the way out."""
    address = ways(outside / "secret.png", worlds)[way]
    sky = " ".join(f'{side}Url [ "{address}" ]' for side in SIDES)
    scene = load(worlds, image=address, sky=sky)
    assert sent(scene) == []
    told = [item for item in scene.diagnostics if item.code == "refused-file"]
    if way != "file scheme":  # told by `check`, as every address that means nothing here
        assert len(told) == 7
        assert "leads out of the folders that may be read" in told[0].text
        assert "--proto-path, which allows more" in told[0].text
        assert (told[-1].span.line, told[-1].field) == (8, "url") or told[0].span.line == 8


@pytest.mark.parametrize("way", WAYS)
def test_no_sound_from_outside_is_heard(outside: Path, worlds: Path, way: str) -> None:
    """Neither recorded nor sent to a tab; programs of the user may name any file that they may read."""
    address = ways(outside / "secret.wav", worlds)[way]
    scene = load(worlds, sound=address)
    if way != "file scheme":
        (told,) = (item for item in scene.diagnostics if item.code == "refused-file")
        assert (told.field, told.span.line) == ("bumpSound", 2)
    log = DiagnosticLog()
    clips = ClipLibrary((str(worlds),), log, scene.files)
    written = scene.contacts.entries[0].sounds.bump
    assert clips.get(written) is None
    assert len(list(log)) == 1
    assert clips.get(str(outside / "secret.wav"), is_of_program=True) is not None


@pytest.mark.parametrize("way", WAYS)
def test_check_refuses_what_running_refuses(outside: Path, worlds: Path, way: str) -> None:
    """`check` opens images by the same rule."""
    address = ways(outside / "secret.png", worlds)[way]
    scene = load(worlds, image=address, check_images=True)
    assert [item.code for item in scene.diagnostics if item.field == "url"] == ["missing-image"]


def test_what_the_user_allows_is_read(outside: Path, worlds: Path) -> None:
    """A folder of --proto-path."""
    address = (outside / "secret.png").as_posix()
    scene = load(worlds, image=address, proto_path=(outside,))
    (picture,) = sent(scene)
    data = base64.b64decode(picture.partition(",")[2])
    assert np.abs(np.asarray(Image.open(io.BytesIO(data)))[0, 0] - np.array(RED)).max() < 10
    assert not [item for item in scene.diagnostics if item.code == "refused-file"]


def test_what_belongs_to_the_project_is_read(worlds: Path) -> None:
    """Beside the world, above it, by an absolute path, and through a link that stays inside."""
    textures = worlds.parent / "protos" / "textures"
    textures.mkdir(parents=True)
    Image.new("RGB", (4, 4), RED).save(textures / "own.png")
    (worlds / "near.png").symlink_to(textures / "own.png")
    for address in ("../protos/textures/own.png", "near.png", (textures / "own.png").as_posix()):
        scene = load(worlds, image=address)
        assert len(sent(scene)) == 1, address
        assert not [item for item in scene.diagnostics if item.code == "refused-file"]


def test_projects_of_one_repository_and_of_one_webots_share_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`../../../default/...` as Webots' own worlds have it."""
    monkeypatch.delenv("WEBOTS_HOME", raising=False)
    for top, mark in (("repository", ".git"), ("webots", "resources")):
        (tmp_path / top / mark).mkdir(parents=True)
        worlds = tmp_path / top / "projects" / "samples" / "demos" / "worlds"
        shared = tmp_path / top / "projects" / "default" / "worlds" / "textures"
        worlds.mkdir(parents=True)
        shared.mkdir(parents=True)
        Image.new("RGB", (4, 4), RED).save(shared / "a.png")
        scene = load(worlds, image="../../../default/worlds/textures/a.png")
        assert len(sent(scene)) == 1, top


def test_addresses_of_an_installation_do_not_climb_out_of_it(
    outside: Path, worlds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`webots://` and the address of the same file on the web."""
    home = worlds.parents[1] / "webots"
    home.mkdir()
    monkeypatch.setenv("WEBOTS_HOME", str(home))
    official = "https://raw.githubusercontent.com/cyberbotics/webots/R2025a/"
    for start in ("webots://", "webots:///", official, official + "/"):
        assert sent(load(worlds, image=f"{start}../private/secret.png")) == [], start


def test_scenes_of_every_reader_are_confined(tmp_path: Path, outside: Path) -> None:
    """A scene that may read everything is one that a program built."""
    texts = {
        "a.wbt": "#VRML_SIM R2025a utf8\nWorldInfo { }\nViewpoint { }\n",
        "a.proto": "#VRML_SIM R2025a utf8\nPROTO a [ ] { Solid { } }\n",
        "a.body": "format: ChoreonoidBody\nformat_version: 2.0\nname: a\nlinks:\n  - { name: a }\n",
        "a.urdf": '<robot name="a"><link name="a"/></robot>',
        "a.cnoid": "items:\n  id: 0\n  name: Root\n  class: RootItem\n",
    }
    folder = tmp_path / "arena"
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
        scene, log = read_scene(folder / name)
        assert scene is not None, (name, list(log))
        assert scene.files.roots is not None, name
        with pytest.raises(FileError) as caught:
            find_file(str(outside / "secret.png"), (str(folder),), scene.files)
        assert caught.value.is_refused


def test_a_robot_that_is_added_brings_its_own_folders_and_no_others(
    tmp_path: Path, outside: Path, worlds: Path
) -> None:
    """What two files may read, their scene may read."""
    robot = tmp_path / "arm" / "a.body"
    robot.parent.mkdir()
    robot.write_text(
        "format: ChoreonoidBody\nformat_version: 2.0\nname: a\nlinks:\n  - { name: a }\n"
    )
    Image.new("RGB", (4, 4), RED).save(robot.parent / "own.png")
    world = worlds / "w.wbt"
    world.write_text(WORLD.format(image="", sound="", sky=""))
    scene, _ = read_scene_files((SceneFile(str(world)), SceneFile(str(robot))))
    assert scene is not None
    assert find_file("own.png", (str(robot.parent),), scene.files)
    for address, folders in (
        (str(robot.parent / "own.png"), ()),  # no folder to begin at
        ("secret.png", (str(outside),)),
    ):
        with pytest.raises(FileError):
            find_file(address, folders, scene.files)


BODY = """format: ChoreonoidBody
format_version: 2.0
name: spy
links:
  - name: base
    elements:
      - type: Shape
        geometry: {{ type: Box, size: [ 1, 1, 1 ] }}
        appearance: {{ texture: {{ uri: "{image}" }} }}
      - type: LivoxMid360
        name: lidar
        id: 0
        angle_seq_file: "{scan}"
"""


@pytest.mark.parametrize(
    "way",
    ["absolute", "climbing", "climbing late", "link", "folder that is a link", "network share"],
)
def test_bodies_see_nothing_outside_either(outside: Path, worlds: Path, way: str) -> None:
    """Textures, and the files of rays that some lidars follow."""
    body = worlds / "spy.body"
    image = ways(outside / "secret.png", worlds)[way]
    scan = ways(outside / "secret.csv", worlds)[way]
    body.write_text(BODY.format(image=image, scan=scan))
    scene, _ = read_scene(body)
    assert scene is not None
    (told,) = (item for item in scene.diagnostics if item.code == "refused-file")
    assert "--package-path, which allow more" in told.text and told.span.line == 9
    assert sent(scene) == []
    sim = Sim(scene)
    sim.device("lidar")
    messages = [item for item in sim.device_messages if item.code == "scan-file"]
    assert len(messages) == 1 and "a grid is scanned instead" in messages[0].text
    assert "leads out of the folders that may be read" in messages[0].text


def test_materials_beside_a_mesh_do_not_lead_out(outside: Path, worlds: Path) -> None:
    """An .mtl file that is a link to something private is not opened."""
    (outside / "private.mtl").write_text("newmtl paint\nKd 1 0 0\n")
    (worlds / "a.mtl").symlink_to(outside / "private.mtl")
    mesh = worlds / "a.obj"
    mesh.write_text("mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl paint\nf 1 2 3\n")
    (open_part,) = read_mesh(mesh, access=EVERY_FILE)
    assert open_part.color == (1.0, 0.0, 0.0)
    (part,) = read_mesh(mesh, access=access_to((worlds,), "the project"))
    assert part.color != (1.0, 0.0, 0.0)


def test_paths_outside_are_refused_before_the_disk_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asking Windows about //host/share already sends the user's name there."""
    access = access_to((tmp_path,), "the project")
    asked: list[Path] = []
    monkeypatch.setattr(Path, "is_file", lambda self: asked.append(self))
    monkeypatch.setattr(Path, "resolve", lambda self, strict=False: asked.append(self) or self)
    for address in ("//host/share/a.png", "\\\\host\\share\\a.png", "/etc/hosts", "../../x"):
        with pytest.raises(FileError) as caught:
            find_file(address, (str(tmp_path),), access)
        assert caught.value.is_refused, address
    assert asked == []


@pytest.mark.skipif(sys.platform != "win32", reason="drive letters and shares are those of Windows")
@pytest.mark.parametrize(
    "address", ["C:/Windows/win.ini", "C:win.ini", "//localhost/c$/a.png", "//?/C:/Windows/win.ini"]
)
def test_other_drives_and_shares_are_refused_on_windows(tmp_path: Path, address: str) -> None:
    """Every way to begin a path there."""
    with pytest.raises(FileError) as caught:
        find_file(address, (str(tmp_path),), access_to((tmp_path,), "the project"))
    assert caught.value.is_refused


@pytest.mark.parametrize(
    "address",
    [
        "a\0b.png",
        "x" * 5000,
        "loop",
        "",
        ".",
        "/",
        "con",
        "C:/secret.png",
        "a.png/b.png",
        "~/a.png",
    ],
)
def test_names_that_no_file_can_have_are_no_files(tmp_path: Path, address: str) -> None:
    """Null characters, very long names, circles of links, folders."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "a.png").write_bytes(b"")
    with pytest.raises(FileError):
        find_file(address, (str(tmp_path),), access_to((tmp_path,), "the project"))


def test_pictures_of_the_web_come_from_the_cache_alone(tmp_path: Path, worlds: Path) -> None:
    """The cache that the user chose when the world was read; no address climbs out of it."""
    cache = tmp_path / "cache"
    url = "https://example.org/sky/a.png"
    place = downloaded_file(url, cache)
    place.parent.mkdir(parents=True)
    Image.new("RGB", (4, 4), RED).save(place)
    assert len(sent(load(worlds, image=url, cache=cache))) == 1
    assert (
        sent(load(worlds, image="https://example.org/../../private/secret.png", cache=cache)) == []
    )


def test_the_table_of_pictures_reads_nothing_without_leave(outside: Path) -> None:
    """Also where nobody looked before."""
    table = TextureTable(str(outside / "w.wbt"), FileAccess(()))
    assert table.index(Texture("secret.png"), str(outside / "w.wbt")) is None


def test_the_server_has_no_route_to_files(outside: Path, worlds: Path) -> None:
    """Whatever path is asked for: the page, the scene and clips by number, nothing of the disk."""
    (worlds / "near.png").write_bytes((outside / "secret.png").read_bytes())
    sim = Sim(load(worlds, image="near.png"))
    paths = [
        "/worlds/near.png",
        "/near.png",
        (worlds / "near.png").as_posix(),
        "/" + (outside / "secret.png").as_posix(),
        "/../../private/secret.png",
        "/%2e%2e/%2e%2e/private/secret.png",
        "/assets/../../../etc/passwd",
        "/..%5c..%5cprivate%5csecret.png",
        "/api/sounds/../../private/secret.wav",
        "/api/sounds/secret.wav",
        "/api/sounds/-1",
        "/api/sounds/999",
        "/api/scene/../../etc/passwd",
    ]
    with running_view(sim, paused=True) as view:
        for path in paths:
            connection = http.client.HTTPConnection("127.0.0.1", view.port, timeout=10)
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            connection.close()
            assert answer.status in (400, 404), path


def test_what_a_file_describes_stays_confined_in_a_scene_of_a_program(
    outside: Path, worlds: Path
) -> None:
    """Whichever is added to the other."""
    theirs = load(worlds, image=(outside / "secret.png").as_posix())
    own = Scene("own", "")
    assert own.files.roots is None
    for scene in (own.add(theirs), theirs.add(own)):
        assert scene.files == theirs.files
        assert sent(scene) == []


def test_the_panel_of_protos_shows_none_from_outside(outside: Path, worlds: Path) -> None:
    """Names, fields and defaults of PROTOs are sent to the page as well."""
    text = '#VRML_SIM R2025a utf8\nPROTO {} [ field SFString key "" ] {{ Solid {{ }} }}\n'
    protos = worlds.parent / "protos"
    protos.mkdir()
    (protos / "Near.proto").write_text(text.format("Near"))
    (outside / "Secret.proto").write_text(text.format("Secret"))
    (protos / "Secret.proto").symlink_to(outside / "Secret.proto")
    found = proto_bases(str(worlds / "attack.wbt"))
    assert found["Near"] == "Solid" and "Secret" not in found


@pytest.mark.parametrize("name", ["../../private", "/bin", "a/b", "..", "C:x", "..\\x"])
def test_a_controller_is_no_path(outside: Path, worlds: Path, name: str) -> None:
    """The name of a world's program leads into `controllers` and nowhere else."""
    (outside / "private.py").write_text("")
    (worlds.parent / "controllers").mkdir()
    with pytest.raises(ProgramError, match="is no name of a controller"):
        find_program(name, (), (worlds.parent / "controllers",))


def test_a_mesh_that_is_a_link_out_is_refused(outside: Path, worlds: Path) -> None:
    """As before: meshes had this rule first."""
    (outside / "m.stl").write_text("solid a\nendsolid\n")
    (worlds / "m.stl").symlink_to(outside / "m.stl")
    world = worlds / "w.wbt"
    world.write_text(
        "#VRML_SIM R2025a utf8\nWorldInfo { }\nViewpoint { }\n"
        'Solid { children [ Shape { geometry Mesh { url [ "m.stl" ] } } ] }\n'
    )
    scene, _ = read_scene(world)
    assert scene is not None
    (told,) = (item for item in scene.diagnostics if item.code == "missing-mesh")
    assert "a symbolic link leads there" in told.text
    with pytest.raises(MeshError):
        read_mesh(worlds / "none.stl")


def test_a_home_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders called `worlds` or `robot` in it do not open everything that the user has."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "Pictures").mkdir()
    (tmp_path / "textures").mkdir()
    (tmp_path / "worlds").mkdir()
    Image.new("RGB", (4, 4), RED).save(tmp_path / "Pictures" / "a.png")
    Image.new("RGB", (4, 4), RED).save(tmp_path / "textures" / "a.png")
    assert sent(load(tmp_path / "worlds", image="../Pictures/a.png")) == []
    assert len(sent(load(tmp_path / "worlds", image="../textures/a.png"))) == 1
    body = tmp_path / "robot" / "a.body"
    body.parent.mkdir()
    body.write_text(BODY.format(image="../Pictures/a.png", scan=""))
    scene, _ = read_scene(body)
    assert scene is not None and sent(scene) == []
