"""Commands and events about files of the folder that the page was given: part of the wire protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

TEXT_PATH: Final = "/api/text"
"""Where texts are read (GET) and written (PUT); the query names the text."""

THING_PATH: Final = "/api/thing"
"""Where it is told how something looks that can be added; the query names it."""

DROP_PATH: Final = "/api/drop"
"""Where files that are dropped on the page are put (PUT); the query has the name, the answer the new one."""

VERSION_HEADER: Final = "Solidbody-Version"
"""Which content of a text was sent, or is to be replaced."""

# --- page to server -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CommandStore:
    """Write the world with all edits to a file of the folder (empty name = its own).

    Attributes:
        name: Place below the folder.
        state: Whether bodies and joints are written as they stand now, not as they start.
        overwrite: Whether a file that is there, or that others have changed, may be lost.
    """

    name: str
    state: bool
    overwrite: bool
    command: Literal["store"] = "store"


@dataclass(frozen=True, slots=True)
class CommandFiles:
    """Ask for the files that can be opened."""

    command: Literal["files"] = "files"


@dataclass(frozen=True, slots=True)
class CommandOpen:
    """Show another file, by its name in one of the lists of `EventFiles`."""

    kind: Literal["folder", "recent", "example"]
    name: str
    command: Literal["open"] = "open"


@dataclass(frozen=True, slots=True)
class CommandNew:
    """Make a world (empty, arena, room) or a project with a robot in the folder, and show it."""

    kind: Literal["empty", "arena", "room", "wheels", "arm", "drone"]
    name: str
    language: Literal["python", "c", "cpp"]
    command: Literal["new"] = "new"


@dataclass(frozen=True, slots=True)
class CommandRestart:
    """End the programs of robots and start them again, as their files are now."""

    robots: list[str]
    command: Literal["restart"] = "restart"


@dataclass(frozen=True, slots=True)
class CommandProgram:
    """Write a first program for a robot that has none in the project, and let it run."""

    robot: str
    language: Literal["python", "c", "cpp"]
    command: Literal["program"] = "program"


FileCommand = (
    CommandProgram | CommandStore | CommandFiles | CommandOpen | CommandNew | CommandRestart
)

# --- server to page -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EventDocument:
    """How it stands with the file on show.

    Attributes:
        name: Place below the folder; the name alone, if it is elsewhere.
        folder: Name of the folder that files can be written to.
        is_changed: Whether there are edits that are not in the file.
        disk: Whether the file is as it was when it was read or written here.
        remark: Why it cannot be saved in its place; empty = it can.
        opens: Whether other files can be opened here.
        is_start: Whether nothing was chosen yet: the page offers what to open.
    """

    name: str
    folder: str
    is_changed: bool
    disk: Literal["same", "changed", "gone"]
    remark: str
    opens: bool
    is_start: bool
    event: Literal["document"] = "document"


@dataclass(frozen=True, slots=True)
class EventStored:
    """How saving went; `asks` = it would overwrite something, so that the user has to decide."""

    name: str
    state: bool
    text: str
    is_error: bool
    asks: bool
    event: Literal["stored"] = "stored"


@dataclass(frozen=True, slots=True)
class WireFile:
    """A file that can be opened, and what it is in a few words."""

    name: str
    what: str


@dataclass(frozen=True, slots=True)
class EventFiles:
    """What can be opened: of the folder, opened lately, and examples that come along."""

    folder: str
    files: list[WireFile]
    recent: list[WireFile]
    examples: list[WireFile]
    event: Literal["files"] = "files"


@dataclass(frozen=True, slots=True)
class EventOpening:
    """Another file is being opened (or cannot be): the connection ends soon, and the next one shows it."""

    name: str
    text: str
    is_error: bool
    event: Literal["opening"] = "opening"


@dataclass(frozen=True, slots=True)
class WireText:
    """A text that can be edited: of the world (no robots), or of the program of robots."""

    name: str
    robots: list[str]


@dataclass(frozen=True, slots=True)
class EventPrograms:
    """The texts that can be edited, and the robots whose programs were changed since they began.

    `without` are robots whose programs are none of the project: they can be given one.
    """

    texts: list[WireText]
    changed: list[str]
    without: list[str]
    event: Literal["programs"] = "programs"


FileEvent = EventDocument | EventStored | EventFiles | EventOpening | EventPrograms
