"""Files that are taken into a world: PROTOs, robots of other formats as PROTOs, meshes as bodies."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.output_files import reason_of, write_whole
from solidbody.base.transforms import Vec3
from solidbody.formats.loading import READERS, read_scene
from solidbody.formats.options import LoadOptions
from solidbody.formats.vrml.proto import read_proto
from solidbody.formats.vrml.syntax import FileSyntax
from solidbody.viewer.folder_files import FileFolder, FolderError, is_opened
from solidbody.viewer.insertion import instance_text, mesh_text

MESHES: Final = frozenset({".obj", ".stl", ".dae", ".glb", ".gltf", ".ply"})
"""Files of forms."""

IMPORT_BYTES_LIMIT: Final = 64 * 2**20
"""[bytes] Of a file that is dropped on the page."""

MOST_MODELS: Final = 200
"""Files of the folder that are listed."""

PLACES: Final = {".proto": "protos", **dict.fromkeys(MESHES, "meshes")}
"""Folder of the project into which dropped files go, by their ending; all others into `models`."""

_WORD: Final = re.compile(r"[^A-Za-z0-9_]+")


@dataclass(frozen=True, slots=True)
class Imported:
    """Nodes to insert, and the urls of the PROTOs that they need."""

    text: str
    protos: tuple[str, ...]
    name: str


def is_imported(name: str) -> bool:
    """Whether a file of this name can be taken into a world."""
    suffix = Path(name).suffix.lower()
    return (
        suffix in MESHES
        or suffix == ".proto"
        or (suffix in READERS and suffix not in (".wbt", ".cnoid"))
    )


def models_in(folder: FileFolder) -> list[str]:
    """Return the names of the files of a folder that can be taken into a world."""
    names = [item.name for item in folder.list() if is_imported(item.name)]
    return names[:MOST_MODELS]


def keep_dropped(folder: FileFolder, world: Path, name: str, data: bytes) -> str:
    """Write a dropped file into the project; return its name in the folder.

    A file of the folder that has this name and says the same is taken as it is: what it needs is beside it.

    Raises:
        FolderError: It is nothing that can be taken into a world, or cannot be written.
    """
    plain = name.replace("\\", "/").rpartition("/")[2]
    if not is_imported(plain):
        raise FolderError(
            f'"{plain[:80]}" is nothing that can be put into a world: PROTOs, robots and meshes are'
        )
    wanted = hashlib.sha256(data).digest()
    for known in _same_name(folder, plain):
        if (
            known.stat().st_size == len(data)
            and hashlib.sha256(known.read_bytes()).digest() == wanted
        ):
            return str(folder.name_of(known))
    top = _project_of(world, folder) / PLACES.get(Path(plain).suffix.lower(), "models")
    stem, suffix = Path(plain).stem, Path(plain).suffix
    names = (plain if k == 0 else f"{stem}_{k}{suffix}" for k in count())
    target = next(
        path for one in names if not (path := folder.place(f"{folder.name_of(top)}/{one}")).exists()
    )
    if suffix.lower() == ".proto" and target.name != plain:
        raise FolderError(f"there is another PROTO {stem} in {folder.name_of(top)}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, data)
    except OSError as error:
        raise FolderError(f'"{plain}" was not written: {reason_of(error)}') from error
    return str(folder.name_of(target))


def imported(
    name: str, folder: FileFolder, world: Path, tree: FileSyntax, at: Vec3, options: LoadOptions
) -> Imported:
    """Return what stands for a file of the folder in a world.

    Raises:
        FolderError: There is no such file, or it cannot be written as a PROTO.
        SolidbodyError: It cannot be read.
    """
    path = folder.place(name)
    if not path.is_file() or not is_imported(name):
        raise FolderError(
            f'there is no robot, PROTO or mesh "{name[:80]}" in the folder "{folder.name}"'
        )
    home = world.absolute().parent
    if path.suffix.lower() in MESHES:
        url = Path(os.path.relpath(path, home)).as_posix()
        return Imported(mesh_text(path.stem, url, tree, str(world), at), (), path.stem)
    if path.suffix.lower() != ".proto":
        path = _as_proto(path, folder, world, options)
    definition = read_proto(
        path.read_text("utf-8", "replace"), str(path), path.stem, DiagnosticLog()
    )
    if definition is None:
        raise FolderError(f"{path.name} holds no PROTO {path.stem}")
    url = Path(os.path.relpath(path, home)).as_posix()
    return Imported(instance_text(definition, tree, str(world), at), (url,), path.stem)


def _as_proto(path: Path, folder: FileFolder, world: Path, options: LoadOptions) -> Path:
    """Write a robot of another format as a PROTO of the project, as `solidbody convert` does."""
    if not is_opened(path):
        raise FolderError(f"{path.name} holds no robot")
    scene, log = read_scene(path, options=options)
    if scene is None:
        first = next((str(item) for item in log if item.severity.value == "error"), path.name)
        raise FolderError(f"{first}: it cannot be read")
    stem = _WORD.sub("_", path.stem).strip("_") or "Robot"
    stem = stem[0].upper() + stem[1:]
    top = _project_of(world, folder) / "protos"
    name = folder.name_of(top / f"{stem}.proto")
    if name is None:
        raise FolderError(
            f"the project of {world.name} is not in the folder that this page may write to"
        )
    target = folder.place(name)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scene.save(target)
    except OSError as error:
        raise FolderError(f"{target.name} was not written: {reason_of(error)}") from error
    return target


def _project_of(world: Path, folder: FileFolder) -> Path:
    """Return the folder of a world's project: above `worlds`, as far as files may be written there."""
    home = world.absolute().parent
    top = home.parent if home.name == "worlds" else home
    if folder.name_of(top) is None:
        raise FolderError(
            f"{world.name} is not in the folder “{folder.name}” that this page may write to"
        )
    return top


def _same_name(folder: FileFolder, name: str) -> list[Path]:
    return [path for path in folder.files() if path.name == name]
