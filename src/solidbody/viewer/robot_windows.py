"""Serves HTML robot windows (`plugins/robot_windows/NAME/NAME.html`) to sandboxed frames of the page.

A robot window is a web page that somebody else has written. It runs in a frame with an origin of its own:
it sees neither the rest of the page nor its cookie, and its content policy lets it load nothing but files
of its own `robot_windows` folder. These have addresses that carry a secret, since such a frame sends no
cookie. What the window and the robot say to each other goes through the page (`web/src/windows.ts`), by
the script that is put before everything else here (`web/public/robot-window/frame.js`).
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from solidbody.base.file_access import FileAccess, FileError, access_to
from solidbody.base.webots_home import extra_projects, own_projects, webots_home
from solidbody.viewer.page_files import PageFile
from solidbody.viewer.protocol_work import WireWindow

if TYPE_CHECKING:
    from solidbody.model.scene import Scene

WINDOWS_PATH: Final = "/robot-windows"
"""Where the page's server has the files of robot windows."""

GENERIC: Final = "<generic>"
"""The window of robots that name none: the page lists their devices."""

FILE_LIMIT: Final = 32 * 2**20
"""[bytes] Largest file of a robot window that is served."""

OURS: Final = "-"
"""Folder of our own scripts below the address of a window."""

MEDIA_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".htm": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".ico": "image/x-icon",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".ttf": "font/ttf",
    ".otf": "font/otf",
    ".mp3": "audio/mpeg",
    ".wav": "audio/wav",
    ".ogg": "audio/ogg",
    ".mp4": "video/mp4",
    ".webm": "video/webm",
    ".wasm": "application/wasm",
}
"""Kinds of files that a window may consist of; others are not served (a window may have sources in C)."""

_NAME: Final = re.compile(r"[^/\\:\0]+")
_IMPORT: Final = re.compile(r"""(["'])((?:[^"'\s]{0,300}/)?RobotWindow\.js)\1""")
_REMOTE: Final = re.compile(r"(?:https?:)?//(?:www\.)?cyberbotics\.com/")
_ADDRESS: Final = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_SCRIPT: Final = re.compile(r"<script\b([^<>]{0,999})>\s*</script>", re.IGNORECASE)
_SOURCE: Final = re.compile(r"""\bsrc\s*=\s*["']?([^"'\s?]+)""", re.IGNORECASE)
_STARTS: Final = tuple(
    re.compile(tag, re.IGNORECASE)
    for tag in (r"<head(?:\s[^>]{0,999})?>", r"<html(?:\s[^>]{0,999})?>", r"<!doctype[^>]{0,999}>")
)
_DOCUMENT: Final = re.compile(r"<(?:html|head|body|script)[\s>]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WindowFolder:
    """The folder with the files of one robot's window, and the secret in their addresses."""

    root: Path
    access: FileAccess
    secret: str
    name: str

    @property
    def address(self) -> str:
        """Where its files are served."""
        return f"{WINDOWS_PATH}/{self.secret}/"


class RobotWindows:
    """Finds the windows of robots and reads their files.

    Args:
        page: Files of the page by URL path; those under `/robot-window/` are for windows.
    """

    def __init__(self, page: Mapping[str, PageFile]) -> None:
        self._page = page
        self._folders: dict[str, WindowFolder] = {}
        self._by_robot: dict[tuple[str, Path], WindowFolder] = {}

    def list(self, scene: Scene) -> list[WireWindow]:
        """Return the windows of a scene's robots; what is not found gets the generic one, with a remark."""
        return [
            self._window(scene.source, body.name, robot.name, robot.window, robot.span.file)
            for body in scene.bodies
            for robot in body.robots
            if robot.window
        ]

    def _window(self, world: str, body: str, robot: str, name: str, file: str) -> WireWindow:
        if name == GENERIC:
            return WireWindow(robot, body, "", "")
        looked = [folder / name / f"{name}.html" for folder in window_folders(world, file)]
        found = next(filter(os.path.isfile, looked), None) if _NAME.fullmatch(name) else None
        if found is None or name in (".", ".."):
            where = f"plugins/robot_windows/{name}/{name}.html"
            remark = f'its window "{name}" was not found: there is no {where}'
            return WireWindow(robot, body, "", remark)
        root = found.parent.parent
        folder = self._by_robot.get((robot, root))
        if folder is None:
            access = access_to([root], "the folder robot_windows")
            folder = WindowFolder(root, access, secrets.token_urlsafe(18), name)
            self._by_robot[robot, root] = self._folders[folder.secret] = folder
        address = f"{folder.address}{quote(name)}/{quote(name)}.html?name={quote(robot, safe='')}"
        return WireWindow(robot, body, address, "")

    def read(self, secret: str, path: str) -> tuple[bytes, str] | None:
        """Return the content and media type of a file of a window; None = there is none to be served."""
        folder = self._folders.get(secret)
        if folder is None:
            return None
        parts = PurePosixPath(path)
        if parts.parts[:1] == (OURS,):
            return self._own(parts.name)
        media_type = MEDIA_TYPES.get(parts.suffix.lower())
        if media_type is None or "\\" in path or ".." in parts.parts:
            return None
        try:
            file = folder.access.check(folder.root / path)
            if file.stat().st_size > FILE_LIMIT:
                return None
            content = file.read_bytes()
        except (FileError, OSError):
            return self._own(parts.name) if parts.name == "RobotWindow.js" else None
        if media_type.startswith(("text/html", "text/javascript")):
            text = _with_our_module(content.decode("utf-8", "replace"), file, folder)
            if media_type.startswith("text/html"):
                text = _document(_with_our_scripts(text, file, folder), file, folder)
            content = text.encode()
        return content, media_type

    def _own(self, name: str) -> tuple[bytes, str] | None:
        """Return one of our scripts for windows."""
        found = self._page.get(f"/robot-window/{name}")
        return None if found is None else (found.content, found.media_type)


def window_folders(world: str, robot: str) -> tuple[Path, ...]:
    """Return the `robot_windows` folders in which the window of a robot is looked for."""
    projects = (*own_projects(world, robot), *extra_projects())
    found = [project / "plugins" / "robot_windows" for project in projects]
    if webots := webots_home(world):
        found += [
            webots / part / "plugins" / "robot_windows"
            for part in ("resources/projects", "projects/default")
        ]
    return tuple(dict.fromkeys(found))


def policy(host: str, address: str) -> str:
    """Return the content policy of a window's files at `address` of this server."""
    own = f"http://{host}{address}"
    return (
        "sandbox allow-scripts; default-src 'none';"
        f" script-src {own} 'unsafe-inline' 'unsafe-eval' blob:; worker-src {own} blob:;"
        f" style-src {own} 'unsafe-inline'; img-src {own} data: blob:; font-src {own} data:;"
        f" media-src {own} data: blob:; connect-src {own} data: blob:;"
        f" base-uri 'none'; form-action 'none'; frame-ancestors http://{host}"
    )


def _with_our_module(text: str, file: Path, folder: WindowFolder) -> str:
    """Let imports of Webots' RobotWindow module lead to ours, unless the window brings its own."""

    def replaced(match: re.Match[str]) -> str:
        mark, given = match.group(1), match.group(2)
        if not _REMOTE.match(given) and _is_there(file.parent / given, folder):
            return match.group(0)
        return f"{mark}{folder.address}{OURS}/RobotWindow.js{mark}"

    return _IMPORT.sub(replaced, text)


def _with_our_scripts(text: str, file: Path, folder: WindowFolder) -> str:
    """Let tags that load jQuery or jQuery UI from elsewhere, or from nowhere, load what we have of them.

    Browsers hide what goes wrong in a script of another origin, unless its tag says `crossorigin`.
    """

    def replaced(match: re.Match[str]) -> str:
        source = _SOURCE.search(match.group(1))
        given = source.group(1) if source else ""
        first, *rest = PurePosixPath(given.lower()).stem.replace("-", ".").split(".")
        others = {word for word in rest if not word.isdigit()}
        is_own = not _ADDRESS.match(given) and _is_there(file.parent / given, folder)
        if is_own and "crossorigin" not in match.group(1):
            return match.group(0)[:7] + " crossorigin" + match.group(0)[7:]
        if (
            is_own or first != "jquery" or others - {"ui", "min", "slim"}
        ):  # or another library, or a plugin
            return match.group(0)
        return _script("widgets" if "ui" in others else "jquery", folder)

    return _SCRIPT.sub(replaced, text)


def _is_there(path: Path, folder: WindowFolder) -> bool:
    """Whether a file is one of the window's own."""
    try:
        folder.access.check(path)
    except FileError:
        return False
    return True


def _script(name: str, folder: WindowFolder) -> str:
    """Return the tag of one of our scripts for windows."""
    return f'<script crossorigin src="{folder.address}{OURS}/{name}.js"></script>'


def _document(text: str, file: Path, folder: WindowFolder) -> str:
    """Return an HTML file with our script first; what releases before R2021b call a window is a fragment.

    Webots put such a fragment into a page of its own, with the style sheet and the script of its name, and
    with jQuery and jQuery UI.
    """
    ours = _script("frame", folder)
    if _DOCUMENT.search(text) is None:
        name = quote(file.stem)
        style = f'<link rel="stylesheet" href="{name}.css">' * file.with_suffix(".css").is_file()
        script = (
            f'<script crossorigin src="{name}.js"></script>' * file.with_suffix(".js").is_file()
        )
        jquery = _script("jquery", folder) + _script("widgets", folder)
        head = f'<meta charset="utf-8">{ours}{jquery}{style}'
        return f"<!doctype html><html><head>{head}</head><body>{text}{script}</body></html>"
    match = next(filter(None, (start.search(text) for start in _STARTS)), None)
    place = match.end() if match else 0
    return text[:place] + ours + text[place:]
