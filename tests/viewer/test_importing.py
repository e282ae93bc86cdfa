"""Files taken into a world: PROTOs, robots of other formats, meshes; dropped ones are kept in the project."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.viewer.folder_files import FileFolder, FolderError
from solidbody.viewer.importing import keep_dropped
from solidbody.viewer.protocol_work import (
    CommandChoices,
    CommandImport,
    CommandUndo,
    EventChoices,
    EventEdited,
)
from solidbody.viewer.world_editor import WorldEditor, open_editor
from tests.browser.robots import arm_world

PROTO = """#VRML_SIM R2025a utf8
PROTO Block [
  field SFVec3f translation 0 0 0
  field SFString name "block"
]
{
  Solid { translation IS translation name IS name
    children [ Shape { geometry Box { size 0.2 0.2 0.2 } } ]
    boundingObject Box { size 0.2 0.2 0.2 }
    physics Physics { }
  }
}
"""

URDF = """<robot name="cart"><link name="base">
<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><box size="0.4 0.2 0.1"/></geometry></visual>
<collision><geometry><box size="0.4 0.2 0.1"/></geometry></collision></link></robot>
"""

BODY = """format: ChoreonoidBody
format_version: 2.0
name: Post
links:
  - name: Post
    joint_type: free
    elements:
      - type: RigidBody
        mass: 3.0
        inertia: [ 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1 ]
        elements:
          - type: Shape
            geometry: { type: Box, size: [ 0.1, 0.1, 0.5 ] }
"""

MJCF = """<mujoco model="ball"><worldbody><body name="ball"><freejoint/>
<geom type="sphere" size="0.1" mass="1"/></body></worldbody></mujoco>
"""

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
"""Corners of a tetrahedron [m]."""
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]

OBJ = "".join(f"v {x} {y} {z}\n" for x, y, z in TRIANGLE) + "".join(
    f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in FACES
)


def stl() -> bytes:
    """Return the tetrahedron as binary STL."""
    faces = b"".join(
        struct.pack("<12fH", 0, 0, 0, *TRIANGLE[list(face)].ravel(), 0) for face in FACES
    )
    return bytes(80) + struct.pack("<I", len(FACES)) + faces


def glb() -> bytes:
    """Return the tetrahedron as binary glTF."""
    points = TRIANGLE.tobytes()
    indices = np.array(FACES, np.uint16).tobytes()
    data = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "scene": 0,
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
             "min": [0, 0, 0], "max": [1, 1, 1]},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": len(points)},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(indices)},
        ],
        "buffers": [{"byteLength": len(points) + len(indices)}],
    }  # fmt: skip
    text = json.dumps(data).encode()
    text += b" " * (-len(text) % 4)
    binary = points + indices
    size = 12 + 8 + len(text) + 8 + len(binary)
    head = struct.pack("<4sII", b"glTF", 2, size)
    return (
        head
        + struct.pack("<I4s", len(text), b"JSON")
        + text
        + struct.pack("<I4s", len(binary), b"BIN\0")
        + binary
    )


FILES = {
    "Block.proto": PROTO.encode(),
    "cart.urdf": URDF.encode(),
    "post.body": BODY.encode(),
    "ball.xml": MJCF.encode(),
    "corner.obj": OBJ.encode(),
    "corner.stl": stl(),
    "corner.glb": glb(),
}
KEPT = {".proto": "protos", ".obj": "meshes", ".stl": "meshes", ".glb": "meshes"}
LINKS = {"Block.proto": "block", "ball.xml": "ball", "post.body": "Post"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "worlds").mkdir()
    (tmp_path / "worlds" / "arm.wbt").write_text(arm_world(), encoding="utf-8")
    return tmp_path


@pytest.fixture
def editor(project: Path) -> WorldEditor:
    found = open_editor(sb.Sim(sb.load(str(project / "worlds" / "arm.wbt"))))
    assert found is not None
    found.folder = FileFolder(project)
    return found


@pytest.mark.parametrize("name", FILES)
def test_a_dropped_file_becomes_a_part_of_the_world(
    editor: WorldEditor, project: Path, name: str
) -> None:
    """Where it was dropped; the saved world loads it again; undo takes it out."""
    world = Path(editor.world.path)
    assert editor.folder is not None
    kept = keep_dropped(editor.folder, world, name, FILES[name])
    assert kept == f"{KEPT.get(Path(name).suffix, 'models')}/{name}"
    assert (project / kept).read_bytes() == FILES[name]
    assert keep_dropped(editor.folder, world, name, FILES[name]) == kept  # once is enough
    before = set(editor._sim.link_names)
    (event,) = editor.obey(CommandImport(kept, (1.0, 2.0, 0.5)))
    assert isinstance(event, EventEdited)
    assert not event.is_error, event.text
    (link,) = set(editor._sim.link_names) - before
    assert link == LINKS.get(name, link)
    np.testing.assert_allclose(editor._sim[link].position, (1.0, 2.0, 0.5), atol=1e-9)
    copy = world.with_name("copy.wbt")
    copy.write_text(editor.world.text(), encoding="utf-8")
    assert link in sb.Sim(sb.load(str(copy))).link_names
    editor.obey(CommandUndo())
    assert set(editor._sim.link_names) == before


def test_dropped_files_do_not_replace_others(editor: WorldEditor, project: Path) -> None:
    """Another mesh of a name gets a number; another PROTO cannot have one, and nothing else is taken."""
    folder, world = FileFolder(project), Path(editor.world.path)
    assert keep_dropped(folder, world, "a.obj", b"v 0 0 0\n") == "meshes/a.obj"
    assert keep_dropped(folder, world, "a.obj", b"v 1 0 0\n") == "meshes/a_1.obj"
    keep_dropped(folder, world, "Block.proto", PROTO.encode())
    with pytest.raises(FolderError, match="another PROTO Block"):
        keep_dropped(folder, world, "Block.proto", PROTO.encode() + b"\n")
    for name in ("run.py", "../../x.sh", ".obj", "world.wbt", ""):
        with pytest.raises(FolderError):
            keep_dropped(folder, world, name, b"x")
    assert keep_dropped(folder, world, "../../evil.obj", b"v 2 0 0\n") == "meshes/evil.obj"
    assert (project / "meshes" / "a.obj").read_bytes() == b"v 0 0 0\n"


def test_names_out_of_the_folder_are_refused(editor: WorldEditor) -> None:
    for name in ("../secret.obj", "worlds/arm.wbt", "nothing.urdf", "/etc/passwd"):
        (event,) = editor.obey(CommandImport(name, (0.0, 0.0, 0.0)))
        assert isinstance(event, EventEdited)
        assert event.is_error


def test_protos_of_the_project_are_described_by_their_comment(
    editor: WorldEditor, project: Path
) -> None:
    """Its first sentence; what Webots' tags say is left out. Files of robots and meshes are listed."""
    (project / "protos").mkdir()
    text = PROTO.replace(
        "PROTO Block", "# license: none\n# A thing of mine. More of it.\nPROTO Mine"
    )
    (project / "protos" / "Mine.proto").write_text(text, encoding="utf-8")
    (project / "cart.urdf").write_text(URDF, encoding="utf-8")
    (event,) = editor.obey(CommandChoices(""))
    assert isinstance(event, EventChoices)
    (mine,) = [thing for thing in event.things if thing.name == "Mine"]
    assert (mine.group, mine.what) == ("Of this project", "A thing of mine")
    assert event.models == ["cart.urdf"]
