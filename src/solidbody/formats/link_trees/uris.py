"""Finds the files that a body or a project names, only inside allowed folders.

Allowed are the project of the opened file (its own folder; if that is called `model`, `project` or the like,
the folder above; the ROS package and the repository around it;
of a model of SDF the folder `models`), the share folder, and the package
folders.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Final

from solidbody.base.file_access import FileError, access_to
from solidbody.base.webots_home import home_folders
from solidbody.formats.assets import STANDINS, AssetError
from solidbody.formats.options import LoadOptions

_PARTS: Final = ("body", "bodies", "mesh", "meshes", "model", "models", "project", "projects")
_MORE: Final = ("resource", "resources", "robot", "robots", "sample", "samples", "urdf")
SUBFOLDERS: Final = frozenset(
    (*_PARTS, *_MORE, "world", "worlds", "mjcf", "xml", "scene", "scenes")
)
"""Names of folders that are only a part of a project, in lower case: the folder above is read as well."""

TOPS: Final = (".git", "package.xml", "CMakeLists.txt", "LICENSE", "README.md", "README")
"""What stands at the top of a repository."""

HALVES: Final = (("model", "models"), ("project", "projects"))
"""Folders, one of each kind, that stand side by side at the top of a repository of robots."""

MAX_CLIMB: Final = 4
"""Folders above a file in which the top of its repository is looked for."""

MAX_LEVELS: Final = 12
"""Folders above a file that are looked at."""

SHARED: Final = STANDINS / "choreonoid"
"""Our own bodies, in folders as Choreonoid's share folder has them, with their figures."""

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_VARIABLE: Final = re.compile(r"\$\{([^}]*)\}(.*)", re.DOTALL)

_ELSEWHERE: Final = re.compile(
    r"(?:file:///|package://|model://|/|\$\{\w+\}/|@\w+@/|~/|[A-Za-z]:[\\/]|(?:\.\.[\\/])+)"
)
"""How addresses begin that hold on one machine alone, beside what is installed, or once CMake has run."""

_PACKAGE_NAME: Final = re.compile(r"<name>\s*([\w.-]+)\s*</name>")

VARIABLES: Final = ("SHARE", "PROGRAM_TOP", "HOME", "PROJECT_DIR")
SCHEMES: Final = ("file", "package", "model")


class BodyFiles:
    """Finds the files that one body or project names."""

    def __init__(
        self,
        file: str,
        options: LoadOptions,
        *,
        project: str | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        """Prepare for a file.

        Args:
            file: The file that the user opened; what it and its parts name may be read around it.
            options: Folders of the user.
            project: Folder that `${PROJECT_DIR}` stands for; None = that of the file.
            environment: Variables of the process.
        """
        self._environment = environment
        self._folder = Path(os.path.abspath(file)).parent
        self.project_folder = Path(os.path.abspath(project)) if project else self._folder
        self._beside = self._folder.parent if _is_one_of_many(self._folder, file) else None
        share = os.fspath(options.share) or environment.get("CNOID_SHARE", "")
        self.share = Path(os.path.abspath(share)) if share else _share_above(self._folder)
        self._samples = None if self.share is None else _samples_beside(self.share)
        self.packages = tuple(self._package_folders(options))
        self.xacro_args = dict(options.xacro_args)
        """Arguments of xacro files, by name."""
        self._named = {name: Path(os.path.abspath(folder)) for name, folder in options.packages}
        self._found: dict[tuple[str, str], Path | AssetError] = {}
        self._around = tuple(self._allowed())
        self.access = access_to(
            (*self._around, SHARED),
            f"{self._folder}, those of --share, --package and --package-path, which allow more",
        )

    def find(self, url: str, base: str) -> Path:
        """Return the file that `url` names when it is written in the file `base`.

        Raises:
            AssetError: There is no such file, or it may not be read.
        """
        key = (url, os.path.dirname(base))
        found = self._found.get(key)
        if found is None:
            try:
                found = self._checked(url, base)
            except AssetError as error:
                found = error
            self._found[key] = found
        if isinstance(found, AssetError):
            raise AssetError(url, found.text, is_refused=found.is_refused)
        return found

    def _checked(self, url: str, base: str) -> Path:
        path = self._path(url, base)
        try:
            return self.access.check(path)
        except FileError as error:
            raise AssetError(url, str(error), is_refused=error.is_refused) from error

    def refusal(self, url: str, base: str) -> str:
        """Return why the file of a url may not be read; empty = it may, or is not on this machine."""
        try:
            self.find(url, base)
        except AssetError as error:
            return error.text if error.is_refused else ""
        return ""

    def address(self, url: str, base: str) -> str:
        """Return `url`, written in the file `base`, as it would be written in the opened file.

        The file is not looked for: images are opened only when somebody wants to see them.
        """
        url = url.replace("\\", "/")
        if not url or _SCHEME.match(url) or _VARIABLE.match(url) or os.path.isabs(url):
            try:
                return self._path(url, base).as_posix() if url else ""
            except AssetError:
                return url
        folder = Path(os.path.abspath(base)).parent
        return url if folder == self._folder else Path(os.path.normpath(folder / url)).as_posix()

    def own_copy(self, url: str, *, least: int = 1) -> str | None:
        """Return the file of the project that an address of another machine seems to mean, or None.

        The end of the path is looked for below the folders that may be read, as long as it can be; `least`
        names of it must agree.
        """
        start = _ELSEWHERE.match(url)
        if start is None:
            return None
        parts = PurePath(url[start.end() :].replace("\\", "/").lstrip("/")).parts
        ends = [] if ".." in parts else [Path(*parts[k:]) for k in range(len(parts) + 1 - least)]
        places = (root / end for end in ends for root in self._around)
        return next((place.as_posix() for place in places if self._has(place)), None)

    def _has(self, path: Path) -> bool:
        try:
            self.access.check(path)
        except FileError:
            return False
        return True

    def _path(self, url: str, base: str) -> Path:
        """Return where a url points to, whether there is something or not."""
        if not url:
            raise AssetError(url, "it is empty")
        written = url.replace("\\", "/")
        variable = _VARIABLE.match(written)
        if variable is not None:
            folder = self._variable(url, variable[1])
            rest = variable[2].lstrip("/")
            path = Path(os.path.normpath(folder / rest))
            if variable[1] == "SHARE" and self._samples is not None and not path.exists():
                return Path(os.path.normpath(self._samples / rest))
            return path
        scheme = _SCHEME.match(written)
        if scheme is not None:
            return Path(os.path.normpath(self._by_scheme(url, scheme[1].lower(), scheme[2], base)))
        return Path(os.path.normpath(Path(os.path.abspath(base)).parent / written))

    def _variable(self, url: str, name: str) -> Path:
        match name:
            case "PROJECT_DIR":
                return self.project_folder
            case "HOME":
                return Path.home()
            case "SHARE" | "PROGRAM_TOP" if self.share is None:
                raise AssetError(
                    url, f"${{{name}}} needs the folder of --share or the variable CNOID_SHARE"
                )
            case "SHARE" if self.share is not None:
                return self.share
            case "PROGRAM_TOP" if self.share is not None:
                return self._program_top(self.share)
            case _:
                known = ", ".join(f"${{{word}}}" for word in VARIABLES)
                raise AssetError(url, f"unknown variable ${{{name}}}; known: {known}")

    @staticmethod
    def _program_top(share: Path) -> Path:
        """Return the folder of Choreonoid: above `share`, or above `share/choreonoid-2.x`."""
        return share.parent if share.name == "share" else share.parent.parent

    def _by_scheme(self, url: str, scheme: str, rest: str, base: str) -> Path:
        if scheme == "file":
            return (
                Path("/" + rest.lstrip("/"))
                if rest.startswith("/")
                else Path(os.path.abspath(rest))
            )
        if scheme not in SCHEMES:
            known = ", ".join(f"{word}://" for word in SCHEMES)
            raise AssetError(url, f"only file paths, {known} are read", is_refused=True)
        name, _, path = rest.partition("/")
        if name in ("", ".", ".."):
            raise AssetError(url, f"a {scheme}:// address names its {scheme} first")
        for folder in self._homes_of(name, base):
            if folder.is_dir():
                return folder / path
        raise AssetError(
            url,
            f'the {scheme} "{name}" is in none of the folders of --package, --package-path, '
            "ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, GAZEBO_MODEL_PATH, GZ_SIM_RESOURCE_PATH and SDF_PATH",
        )

    def _homes_of(self, name: str, base: str) -> Iterator[Path]:
        """Yield the folders that a package or model could be for the file `base`, best first."""
        if name in self._named:
            yield self._named[name]
        for folder in self.packages:
            yield folder / name
            if folder.name == name:
                yield folder
        if self._beside is not None:
            yield self._beside / name
        for folder in (self._folder, self._folder / "models", *self._models_beside()):
            yield folder / name
        for start in dict.fromkeys((Path(os.path.abspath(base)).parent, self._folder)):
            for folder in _above(start):
                if name in (folder.name, _package_name(folder)):
                    yield folder

    def _models_beside(self) -> Iterator[Path]:
        """Yield the folder `models` beside the folder `worlds` that the file is in, as projects have them."""
        if self._folder.name.lower() in ("world", "worlds"):
            yield self._folder.parent / "models"

    def _package_folders(self, options: LoadOptions) -> Iterator[Path]:
        for folder in options.package_path:
            yield Path(os.path.abspath(folder))
        for variable, below in (
            ("ROS_PACKAGE_PATH", ""),
            ("AMENT_PREFIX_PATH", "share"),
            ("GAZEBO_MODEL_PATH", ""),
            ("GZ_SIM_RESOURCE_PATH", ""),
            ("IGN_GAZEBO_RESOURCE_PATH", ""),
            ("SDF_PATH", ""),
        ):
            for part in self._environment.get(variable, "").split(os.pathsep):
                if part:
                    yield Path(os.path.abspath(part)) / below

    def _allowed(self) -> Iterator[Path]:
        homes = home_folders()
        yield self._folder
        if self._beside is not None:
            yield self._beside
        yield self.project_folder
        yield from self._models_beside()
        for start in dict.fromkeys((self._folder, self.project_folder)):
            top = start
            while top.name.lower() in SUBFOLDERS and len(top.parts) > 2 and top.parent not in homes:
                top = top.parent  # never the whole disk, nor all that a user has
            yield top
            package = next((f for f in _above(start) if (f / "package.xml").is_file()), None)
            for folder in (package, _repository(start), _python_package(start)):
                if folder is not None:
                    yield folder
        if self.share is not None:
            yield self.share
        if self._samples is not None:
            yield self._samples
        yield from self.packages
        yield from self._named.values()


def _is_one_of_many(folder: Path, file: str) -> bool:
    """Whether a file of SDF stands in a folder of its own among other models: those may be taken in."""
    above = folder.parent
    is_sdf = PurePath(file).suffix.lower() in (".sdf", ".world")
    return is_sdf and above.name.lower() in ("model", "models") and len(above.parts) > 2


def _above(folder: Path) -> list[Path]:
    return [folder, *folder.parents][:MAX_LEVELS]


def _repository(folder: Path) -> Path | None:
    """Return the highest of the next folders that looks like the top of a repository, or None."""
    found: Path | None = None
    homes = home_folders()
    for above in [folder, *folder.parents][: MAX_CLIMB + 1]:
        if len(above.parts) <= 2 or above in homes:  # never the whole disk
            break
        if any((above / name).exists() for name in TOPS) or all(
            any((above / name).is_dir() for name in names) for names in HALVES
        ):
            found = above
    return found


def _python_package(folder: Path) -> Path | None:
    """Return the outermost package of Python that a folder is part of, or None: models come with such."""
    homes = home_folders()
    climb = [above for above in _above(folder) if len(above.parts) > 2 and above not in homes]
    found = [above for above in climb if (above / "__init__.py").is_file()]
    return found[-1] if found else None


def _package_name(folder: Path) -> str:
    """Return what a ROS package in a folder calls itself, or nothing; a clone may have another name."""
    try:
        text = (folder / "package.xml").read_text("utf-8", errors="replace")
    except OSError:
        return ""
    found = _PACKAGE_NAME.search(text)
    return "" if found is None else found[1]


def _share_above(folder: Path) -> Path | None:
    """Return the share folder of the Choreonoid tree that a folder is part of."""
    for above in _above(folder):
        if above.name == "share" and (above / "model").is_dir():
            return above
        if (above / "share" / "model").is_dir():
            return above / "share"
    return None


def _samples_beside(share: Path) -> Path | None:
    """Return the `sample` folder of a source tree: what it holds is installed below `share`."""
    folder = share.parent / "sample"
    return folder if share.name == "share" and folder.is_dir() else None
