"""Options of loading (`LoadOptions`)."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Literal

MissingProtos = Literal["error", "placeholder"]


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How files are found, and what happens when they are not.

    Attributes:
        proto_path: Folders that are searched for PROTOs and may be read; those of the environment
            variable SOLIDBODY_PROTO_PATH come after them.
        allow_download: Whether files that are neither here nor in the cache are fetched.
        missing_protos: What a PROTO that cannot be found becomes: an error, and the node is left out,
            or a warning and an empty Solid in its place.
        cache: Folder of downloaded files; empty = `SOLIDBODY_CACHE`, else `solidbody` in the user's
            cache folder.
        check_images: Whether textures are opened and reported where they cannot be used; loading
            itself needs their addresses only.
        share: Folder that `${SHARE}` stands for in Choreonoid files, and that may be read; empty = the
            environment variable CNOID_SHARE, else a `share` folder above the file.
        package_path: Folders that hold the packages of `package://` and the models of `model://`, and
            may be read; those of ROS_PACKAGE_PATH, AMENT_PREFIX_PATH and GAZEBO_MODEL_PATH follow.
        packages: Folders of single packages, by their names; they come first.
        xacro_args: Arguments of xacro files, by name; they come before the defaults of the files.
        proto_release: Release that PROTO files without a header are read as; empty = that of a world
            before R2022b, and none in later ones.
        world_release: Release that the programs of a world were written for, if its text is in the form of
            a later one; empty = that of the text.
        keyframe: Keyframe of an MJCF file that is the start; empty = its first one, "none" = the positions
            of the file itself.
    """

    proto_path: tuple[str | os.PathLike[str], ...] = ()
    allow_download: bool = False
    missing_protos: MissingProtos = "error"
    cache: str | os.PathLike[str] = field(default="")
    check_images: bool = False
    share: str | os.PathLike[str] = ""
    package_path: tuple[str | os.PathLike[str], ...] = ()
    packages: tuple[tuple[str, str | os.PathLike[str]], ...] = ()
    xacro_args: tuple[tuple[str, str], ...] = ()
    proto_release: str = ""
    world_release: str = ""
    keyframe: str = ""


DEFAULT_OPTIONS = LoadOptions()
"""What loading does when nothing is asked."""
