"""Finds the files that a world names (meshes, textures, PROTOs), only inside allowed folders.

Allowed are the project of the world (the folder above `worlds`, or the world's own), the Git repository
that it lies in, the folders of `LoadOptions.proto_path`, SOLIDBODY_PROTO_PATH and
WEBOTS_EXTRA_PROJECT_PATH, a Webots installation (WEBOTS_HOME, or the one that the world lies in), our own
PROTOs, the cache and what templates have drawn.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urljoin

from solidbody.base.errors import SolidbodyError
from solidbody.base.file_access import FileError, access_to
from solidbody.base.local_files import OFFICIAL
from solidbody.base.webots_home import extra_projects, home_folders, webots_home
from solidbody.formats.downloads import DownloadCache, DownloadError
from solidbody.formats.options import LoadOptions

MAX_SEARCHED: Final = 200_000
"""Files looked at when a PROTO is searched by name; a Webots installation has about 20,000."""

STANDINS: Final = Path(__file__).parents[1] / "standins"
"""Where our own PROTOs are, with their images."""

PROJECT_PARTS: Final = (
    "controllers",
    "libraries",
    "meshes",
    "motions",
    "plugins",
    "protos",
    "resources",
    "sounds",
    "textures",
    "worlds",
)
"""Folders of a project that are read where `worlds` lies in the home of the user itself."""

_WEBOTS_PARTS: Final = ("projects", "resources", "tests")
"""What may be read of a Webots that is known only by the folders around a world."""

_REMOTE = re.compile(r"https?://", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


class AssetError(SolidbodyError):
    """A url gives no file: `text` says why; `is_refused` tells not allowed from not there."""

    def __init__(self, url: str, text: str, *, is_refused: bool = False) -> None:
        self.url = url
        self.text = text
        self.is_refused = is_refused
        super().__init__(f'"{url}": {text}')


class AssetFinder:
    """Finds the files that one world names."""

    def __init__(
        self, world: str, options: LoadOptions, *, environment: Mapping[str, str] = os.environ
    ) -> None:
        folder = Path(os.path.abspath(world)).parent
        above = next(
            (part.parent for part in (folder, *folder.parents) if part.name == "worlds"), None
        )
        self.world = world
        self.world_release = options.world_release
        self.project = above or folder
        self._folder = folder
        self._repository = _repository_of(self.project)
        self.webots_home = home = webots_home(world, environment)
        self.is_home_given = bool(environment.get("WEBOTS_HOME"))
        parts = ("",) if self.is_home_given else _WEBOTS_PARTS
        self._webots = () if home is None else tuple(home / part for part in parts)
        extra = [
            part for part in environment.get("SOLIDBODY_PROTO_PATH", "").split(os.pathsep) if part
        ]
        given = (Path(os.path.abspath(part)) for part in (*options.proto_path, *extra))
        self.folders = (*given, *extra_projects(environment))
        self.may_download = options.allow_download
        self._cache = DownloadCache(options.cache, environment)
        self.drawn = self._cache.drawn(world)
        own = [self.project]
        if above in home_folders():  # a project spread over the user's home is not all of that
            own = [folder, *(self.project / part for part in PROJECT_PARTS)]
        roots = [*own, *self.folders, STANDINS, *self._webots, self.drawn]
        if self._repository is not None:
            roots.append(self._repository)
        self.access = access_to(
            roots,
            f"the project {self.project} and those of --proto-path, which allows more",
            os.fspath(options.cache),
        )
        self._refusals: dict[tuple[str, str], str] = {}
        self._addresses: dict[
            tuple[str, str], str
        ] = {}  # of images, which a city names a thousand times
        self._remote_urls: dict[str, str] = {}  # cached file -> where it came from
        self._by_name: dict[bool, dict[str, Path]] = {}  # in an installation or not -> name -> file

    def find(self, url: str, base: str) -> Path:
        """Return the file that `url` names when it is written in the file `base`.

        Raises:
            AssetError: There is no such file, or it may not be read.
        """
        url, base = url.replace("\\", "/"), self._home(base)
        origin = self._remote_urls.get(base)
        if origin and not _SCHEME.match(url):
            url = urljoin(origin, url)
        if url.startswith("webots://"):
            return self._installed(url, url.removeprefix("webots://"), origin)
        if _REMOTE.match(url):
            return self._remote(url)
        if _SCHEME.match(url):
            raise AssetError(
                url, "only https://, webots:// and file paths are read", is_refused=True
            )
        return self._checked(url, self._folder_for(url, Path(base).parent) / url)

    def refusal(self, url: str, base: str) -> str:
        """Return why the file of a url may not be read; empty = it may, or is not on this machine."""
        if _SCHEME.match(url):
            return ""
        key = (url, os.path.dirname(base))
        if key not in self._refusals:
            self._refusals[key] = self._refusal(self.address(url, base))
        return self._refusals[key]

    def _refusal(self, address: str) -> str:
        try:
            if address and not _SCHEME.match(address):
                self.access.check(self._folder / address)
        except FileError as error:
            return str(error) if error.is_refused else ""
        return ""

    def address(self, url: str, base: str) -> str:
        """Return `url`, written in the file `base`, as it would be written in the world itself.

        The file need not be there: images are opened only when somebody wants to see them.
        """
        key = (url, base)
        if key not in self._addresses:
            self._addresses[key] = self._address(url.replace("\\", "/"), self._home(base))
        return self._addresses[key]

    def _address(self, url: str, base: str) -> str:
        if _SCHEME.match(url) or not url:
            return url
        origin = self._remote_urls.get(base)
        if origin:
            return urljoin(origin, url)
        folder = self._folder_for(url, Path(os.path.abspath(base)).parent)
        return url if folder == self._folder else (folder / url).as_posix()

    def _folder_for(self, url: str, own: Path) -> Path:
        """Return the folder that a relative url starts at: that of its file, if it is there.

        Up to R2022a Webots also looked beside the world, among the project's PROTOs and beside its own
        default worlds, and old PROTOs have their images there (skies among them).
        """
        folders = [own, self._folder, self.project / "protos"]
        if self.webots_home is not None:
            folders.append(self.webots_home / "projects" / "default" / "worlds")
        return next((folder for folder in folders if self.may_read(folder / url)), own)

    def first(self, urls: Sequence[str], base: str) -> str:
        """Return the first of some urls whose file is found; the first of all if none is."""
        for url in urls if len(urls) > 1 else ():
            with contextlib.suppress(AssetError):
                self.find(url, base)
                return url
        return urls[0]

    def may_read(self, path: Path) -> bool:
        """Whether there is a file that may be read; the disk is not touched elsewhere."""
        try:
            self.access.check(path)
        except FileError:
            return False
        return True

    def _home(self, base: str) -> str:
        """Return the file that urls are relative to: text that was put into the world belongs to it."""
        return self.world if base.startswith("<") else base

    def find_proto(self, name: str, *, with_installation: bool = True) -> Path | None:
        """Return the PROTO file of that name in the folders at hand, or None.

        Args:
            name: Of the PROTO.
            with_installation: Whether a Webots installation is searched after the project and the
                extra folders; it has thousands of files.
        """
        for is_installed in (False, True) if with_installation else (False,):
            known = self._by_name.get(is_installed)
            if known is None:
                known = self._by_name[is_installed] = {}
                for path in self._proto_files(is_installed):
                    known.setdefault(path.stem, path)
            if name in known:
                return self._checked(str(known[name]), known[name])
        return None

    def is_shipped(self, path: str) -> bool:
        """Whether a file belongs to a Webots installation or was downloaded."""
        return path in self._remote_urls or self.is_of_webots(path)

    def is_of_webots(self, path: str) -> bool:
        """Whether a file belongs to a Webots on this machine, and not to the world's project in it."""
        home, project, file = self.webots_home, self.project, Path(os.path.abspath(path))
        if home is None or not file.is_relative_to(home):
            return False
        return home.is_relative_to(project) or not file.is_relative_to(project)

    def _installed(self, url: str, rest: str, origin: str | None) -> Path:
        official = OFFICIAL.match(origin) if origin else None
        if official:
            return self._remote(official.group() + rest)
        if self.webots_home is None:
            raise AssetError(url, "webots:// needs the environment variable WEBOTS_HOME")
        return self._checked(url, self.webots_home / rest.lstrip("/"))

    def _remote(self, url: str) -> Path:
        official = OFFICIAL.match(url)
        if official and self.webots_home is not None:
            local = self.webots_home / url[official.end() :]
            if local.is_file():
                return self._checked(url, local)
        try:
            path = self._cache.get(url, allow_download=self.may_download)
        except DownloadError as error:
            raise AssetError(url, str(error)) from error
        self._remote_urls[str(path)] = url
        return path

    def _checked(self, url: str, path: Path) -> Path:
        """Return `path` if it is a file inside an allowed folder, symbolic links followed."""
        try:
            return self.access.check(path)
        except FileError as error:
            raise AssetError(url, str(error), is_refused=error.is_refused) from error

    def _proto_files(self, is_installed: bool) -> Iterator[Path]:
        places = [self.project / "protos", *self.folders]
        if is_installed:
            home = self.webots_home
            places = [] if home is None else [home / "projects", home / "resources" / "projects"]
        left = MAX_SEARCHED
        for place in places:
            for folder, subfolders, files in os.walk(place):
                subfolders.sort()
                left -= len(files)
                if left < 0:
                    return
                for name in sorted(files):
                    if name.endswith(".proto"):
                        yield Path(folder, name)


def _repository_of(project: Path) -> Path | None:
    """Return the Git repository that a project lies in: several projects of one may share files.

    The home of the user and what is above it do not count, as some keep their whole home in one.
    """
    homes = home_folders()
    for folder in (project, *project.parents):
        if folder in homes:
            return None
        try:
            if (folder / ".git").exists():
                return folder
        except OSError:
            return None
    return None
