"""Commands and events about photos (path-traced stills): part of the wire protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from solidbody.viewer.protocol_scene import Quaternion, Vector3

PHOTO_PATH: Final = "/api/photo"
"""Where the photo that is being taken, or was taken last, can be had as it is (GET, PNG)."""


@dataclass(frozen=True, slots=True)
class CommandPhoto:
    """Take a photo of what a camera sees now.

    Attributes:
        ticket: Comes back with all that is said of it.
        position: Of the camera.
        rotation: Of the camera: x right, y up, looks along -z.
        angle: From the lower to the upper edge of the picture [rad].
        width: [pixels].
        height: [pixels].
        samples: Paths of light per pixel.
    """

    ticket: str
    position: Vector3
    rotation: Quaternion
    angle: float
    width: int
    height: int
    samples: int
    command: Literal["photo"] = "photo"


@dataclass(frozen=True, slots=True)
class CommandPhotoStop:
    """Stop taking the photo of a ticket; it stays as fine as it is."""

    ticket: str
    command: Literal["photo_stop"] = "photo_stop"


@dataclass(frozen=True, slots=True)
class EventPhoto:
    """How it stands with the photo of a ticket: the share that is done, or why it cannot be taken."""

    ticket: str
    share: float
    state: Literal["working", "done", "stopped", "failed"]
    text: str
    event: Literal["photo"] = "photo"


PhotoCommand = CommandPhoto | CommandPhotoStop
