"""Extensions of files, in lower case: known without the readers, which take a while to import."""

from __future__ import annotations

from typing import Final

OWN_KINDS: Final = (".body", ".yaml", ".yml")
"""Of Choreonoid's body files."""

URDF_KINDS: Final = (".urdf", ".xacro")

BODY_KINDS: Final = (*OWN_KINDS, ".wrl", *URDF_KINDS)
"""Of files that a body is read from."""

MJCF_KINDS: Final = (".xml", ".mjcf")

SDF_KINDS: Final = (".sdf", ".world")
