"""Reads the text of MJCF and of all that it takes in: one tree of elements with the places where each stands.

MuJoCo's own reader gets a text made from this tree, in which element number k opens in line k: whatever it
says of a line leads back to the file that the user wrote. It opens no file itself: meshes and height fields
are looked for here, inside the folders that may be read, and given to it as bytes. What has no counterpart
here is taken out beforehand and said, so that the rest loads.

Source: MuJoCo's XML reference.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath, PurePosixPath
from typing import Final
from xml.sax.saxutils import quoteattr

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.limits import (
    MAX_ASSET_BYTES,
    MAX_FILE_BYTES,
    MAX_HEIGHTS,
    MAX_INCLUDES,
    MAX_MJCF_DEPTH,
    Cost,
    load_budget,
)
from solidbody.base.span import SourceSpan
from solidbody.formats.assets import AssetError
from solidbody.formats.link_trees.messages import Messages, Spot
from solidbody.formats.link_trees.uris import BodyFiles
from solidbody.formats.meshes import MAX_BYTES
from solidbody.formats.text_files import read_text
from solidbody.formats.xml_tree import XmlElement, parse_xml

ROOT: Final = "mujoco"
"""The outermost element."""

MESH_KINDS: Final = (".stl", ".obj", ".msh")
"""Mesh files that MuJoCo reads by itself."""

HEIGHT_KINDS: Final = (".png", ".bin", "")
"""Files of height fields: a picture, or MuJoCo's own."""

STAND_IN: Final = "0 0 0  .01 0 0  0 .01 0  0 0 .01"
"""Vertices of what stands for a mesh that cannot be read, so that the body around it is read."""

_REFUSED: Final = {
    "extension": "plugins are programs; none is loaded",
    "plugin": "plugins are programs; none is loaded",
    "deformable": "soft bodies have no counterpart here",
    "flexcomp": "soft bodies have no counterpart here",
    "flex": "soft bodies have no counterpart here",
    "flexvert": "soft bodies have no counterpart here",
    "flexstrain": "soft bodies have no counterpart here",
    "skin": "skins have no counterpart here",
    "composite": "composite objects have no counterpart here",
}
"""Elements that are taken out, and why."""

_SILENT: Final = frozenset({"custom", "statistic"})
"""Sections without a meaning for the scene."""

_SIZES: Final = (
    "memory",
    "njmax",
    "nconmax",
    "nstack",
    "nuserdata",
    "nkey",
    "nuser_body",
    "nuser_jnt",
    "nuser_geom",
    "nuser_site",
    "nuser_cam",
    "nuser_tendon",
    "nuser_actuator",
    "nuser_sensor",
)
_MEMORY: Final = _SIZES[:5]
"""Attributes of `size` that only reserve memory."""
_MOST_SIZE: Final = 1_000

_MOST_PARAMETER: Final = 500.0
"""Of a builtin mesh: rings, and subdivisions."""


@dataclass(slots=True)
class MjcfSource:
    """A model as it is handed to MuJoCo.

    Attributes:
        files: Root elements by the names that MuJoCo knows the files by; the first is the model itself.
        elements: All elements that are left, in the order of their lines.
        assets: Bytes of meshes and height fields by the names in the text.
        stand_ins: Mesh elements whose file cannot be read.
        pictures: Files of textures, by their elements.
        builtins: Patterns of textures, by their elements.
    """

    files: dict[str, XmlElement]
    elements: list[XmlElement] = field(default_factory=list[XmlElement])
    assets: dict[str, bytes] = field(default_factory=dict[str, bytes])
    stand_ins: set[XmlElement] = field(default_factory=set[XmlElement])
    pictures: dict[XmlElement, str] = field(default_factory=dict[XmlElement, str])
    builtins: dict[XmlElement, str] = field(default_factory=dict[XmlElement, str])

    def texts(self) -> dict[str, str]:
        """Return the text of each file; lines are counted through all of them, and numbered anew."""
        self.elements = []
        out: dict[str, str] = {}
        for name, root in self.files.items():
            start = "\n" * len(self.elements)
            out[name] = start + "".join(self._written(root))
        return out

    def at(self, line: int) -> XmlElement | None:
        """Return the element that opens in a line of the texts."""
        return self.elements[line - 1] if 0 < line <= len(self.elements) else None

    def _written(self, root: XmlElement) -> Iterator[str]:
        stack: list[XmlElement | str] = [root]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                yield item
                continue
            if item is not root:
                yield "\n"
            self.elements.append(item)
            yield f"<{item.tag}"
            for name, value in item.attributes.items():
                yield f" {name}={quoteattr(' '.join(value.split()))}"
            if not item.children:
                yield "/>"
                continue
            yield ">"
            stack.append(f"</{item.tag}>")
            stack.extend(reversed(item.children))


def read_source(root: XmlElement, name: str, files: BodyFiles, log: DiagnosticLog) -> MjcfSource:
    """Return the model whose outermost element is `root`, with all that it takes in.

    Args:
        root: As parsed; it is changed.
        name: Of its file.
        files: Finds others.
        log: Takes all messages.
    """
    reader = _SourceReader(files, Messages(log))
    reader.add(root, name, "model.xml")
    return reader.source


@dataclass(slots=True)
class _Folders:
    """Where the files of a model stand, as `compiler` says."""

    meshes: str = ""
    textures: str = ""
    assets: str = ""
    strips: bool = False

    @property
    def mesh_folder(self) -> str:
        return self.meshes or self.assets

    @property
    def texture_folder(self) -> str:
        return self.textures or self.assets


@dataclass(slots=True)
class _SourceReader:
    files: BodyFiles
    messages: Messages
    source: MjcfSource = field(default_factory=lambda: MjcfSource({}))
    _known: dict[str, str] = field(default_factory=dict[str, str])
    _models: dict[str, str] = field(default_factory=dict[str, str])
    _open: list[str] = field(default_factory=list[str])
    _bytes: int = 0

    def add(self, root: XmlElement, name: str, called: str) -> None:
        """Take in a whole model; `called`: how MuJoCo is to know its file."""
        self.source.files[called] = root
        self._open.append(os.path.realpath(name))
        self._include(root, name)
        folders = self._folders(root)
        self._clean(root, name, folders)
        self._open.pop()

    # ------------------------------------------------------------------------------- files taken in

    def _include(self, root: XmlElement, name: str) -> None:
        """Put what `include` names in its place."""
        stack = [(root, (os.path.realpath(name),))]
        budget = load_budget()
        while stack:
            element, chain = stack.pop()
            budget.spend(Cost.MJCF_ELEMENTS, 1 + len(element.children))
            found: list[XmlElement] = []
            for child in element.children:
                if child.tag != "include":
                    found.append(child)
                    stack.append((child, chain))
                    continue
                taken = self._included(child, name, chain)
                if taken is not None:
                    top, path = taken
                    inner = (*chain, os.path.realpath(path))
                    # what it takes in itself is put in place first
                    holder = XmlElement(element.tag, {}, child.span, top.children)
                    self._include_level(holder, name, inner, stack)
                    found.extend(holder.children)
            element.children = found

    def _include_level(
        self,
        holder: XmlElement,
        name: str,
        chain: tuple[str, ...],
        stack: list[tuple[XmlElement, tuple[str, ...]]],
    ) -> None:
        """Put files in place that an included file takes in at its top; deeper ones wait in `stack`."""
        found: list[XmlElement] = []
        for child in holder.children:
            load_budget().spend(Cost.MJCF_ELEMENTS)
            if child.tag != "include":
                found.append(child)
                stack.append((child, chain))
                continue
            taken = self._included(child, name, chain)
            if taken is not None:
                top, path = taken
                inner = XmlElement(holder.tag, {}, child.span, top.children)
                self._include_level(inner, name, (*chain, os.path.realpath(path)), stack)
                found.extend(inner.children)
        holder.children = found

    def _included(
        self, element: XmlElement, name: str, chain: tuple[str, ...]
    ) -> tuple[XmlElement, str] | None:
        """Return what an `include` names and its file, or None after a message."""
        spot = self._spot(element, "file")
        url = element.attributes.get("file", "")
        if not url:
            spot.error("missing-key", "an include needs the name of a file; it is left out.")
            return None
        path = self._found(url, (name, element.span.file), spot)
        if path is None:
            return None
        if os.path.realpath(path) in chain:
            spot.error("include-circle", f'"{url}" includes itself; it is left out.')
            return None
        if len(chain) > MAX_INCLUDES:
            spot.error("too-deep", f"files include each other more than {MAX_INCLUDES} deep.")
            return None
        top = self._parsed(path)
        return None if top is None else (top, str(path))

    def _parsed(self, path: Path) -> XmlElement | None:
        text = read_text(str(path), self.messages.log, max_bytes=MAX_FILE_BYTES)
        if text is None:
            return None
        load_budget().spend_if_known(str(path), Cost.MJCF_ELEMENTS, text.count("<") // 2)
        return parse_xml(text, str(path), self.messages.log, max_depth=MAX_MJCF_DEPTH)

    def _found(self, url: str, bases: tuple[str, ...], spot: Spot) -> Path | None:
        """Return the file of a url that is relative to one of the files `bases`, or None after a message."""
        problem: AssetError | None = None
        for base in dict.fromkeys(bases):
            try:
                return self.files.find(url, base)
            except AssetError as error:
                problem = problem or error
        copy = self.files.own_copy(url)
        if copy is not None:
            spot.warning("other-address", f'"{url}" cannot be read; "{copy}" is taken for it.')
            return Path(copy)
        assert problem is not None
        code = "refused-file" if problem.is_refused else "missing-file"
        spot.error(code, f'the file "{url}" cannot be used: {problem.text}; it is left out.')
        return None

    # ------------------------------------------------------------------------------------- settings

    @staticmethod
    def _folders(root: XmlElement) -> _Folders:
        out = _Folders()
        for compiler in root.all("compiler"):
            given = compiler.attributes
            out.meshes = given.get("meshdir", out.meshes)
            out.textures = given.get("texturedir", out.textures)
            out.assets = given.get("assetdir", out.assets)
            out.strips = given.get("strippath", str(out.strips)).lower() == "true"
            for name in ("meshdir", "texturedir", "assetdir", "strippath"):
                given.pop(name, None)
        return out

    # --------------------------------------------------------------------------- what MuJoCo may see

    def _clean(self, root: XmlElement, name: str, folders: _Folders) -> None:
        """Take out what is refused, and give files their names among the assets."""
        self._check_numbers(root)
        # the ranges of muscles take long to find, may not be found, and mean nothing here
        quiet = XmlElement("lengthrange", {"mode": "none"}, root.span)
        for compiler in list(root.all("compiler")):
            compiler.children = [one for one in compiler.children if one.tag != "lengthrange"]
        root.children.append(XmlElement("compiler", {}, root.span, [quiet]))
        stack = [(root, 1)]
        gone: set[str] = set()
        while stack:
            element, times = stack.pop()
            if element.tag == "replicate":
                times *= self._count(element)
            load_budget().spend(Cost.MJCF_ELEMENTS, times)
            kept: list[XmlElement] = []
            for child in element.children:
                if self._stays(child, name, folders, gone):
                    kept.append(child)
                    stack.append((child, times))
            element.children = kept
        if gone:
            self._without_meshes(root, gone)

    def _stays(self, element: XmlElement, name: str, folders: _Folders, gone: set[str]) -> bool:
        """Whether an element is handed on; what must not be seen of it is taken away."""
        tag, given = element.tag, element.attributes
        if tag in _SILENT:
            return False
        if tag in _REFUSED:
            self._spot(element).warning(f"no-{tag}", f"{_REFUSED[tag]}; it is left out.")
            return False
        match tag:
            case "size":
                self._clean_size(element)
            case "geom" if given.get("type") == "sdf":
                said = "geoms of type sdf need a plugin; none is loaded, and it is left out."
                self._spot(element).warning("no-sdf", said)
                return False
            case "mesh" if element.first("plugin") is not None:
                said = "its form comes from a plugin; none is loaded, and what is made of it is left out."
                self._spot(element).warning("no-sdf", said)
                gone.add(given.get("name", ""))
                return False
            case "mesh" if "file" in given:
                self._mesh(element, name, folders)
            case "mesh":
                return self._builtin_stays(element)
            case "hfield":
                return self._heights(element, name, folders)
            case "texture":
                self._texture(element, name, folders)
            case "model":
                return self._model(element, name)
            case _:
                pass
        return True

    def _clean_size(self, element: XmlElement) -> None:
        for name in _SIZES:
            value = element.attributes.get(name)
            if value is None:
                continue
            number = _number(value)
            if name in _MEMORY or number is None or number > _MOST_SIZE:
                del element.attributes[name]

    def _builtin_stays(self, element: XmlElement) -> bool:
        """Whether a mesh that MuJoCo makes by itself has a size that can be borne."""
        numbers = [_number(word) for word in element.attributes.get("params", "").split()]
        if all(number is not None and abs(number) <= _MOST_PARAMETER for number in numbers):
            return True
        said = f"parameters of builtin meshes are at most {_MOST_PARAMETER:g}; it is left out."
        self._spot(element, "params").error("too-large", said)
        return False

    def _mesh(self, element: XmlElement, name: str, folders: _Folders) -> None:
        """Give a mesh the name of its bytes; one that cannot be read becomes a small stand-in."""
        given = element.attributes
        url = given["file"]
        given.setdefault("name", PurePosixPath(url.replace("\\", "/")).stem)
        called = self._asset(
            element, url, name, folders.mesh_folder, folders.strips, MESH_KINDS, "mesh"
        )
        if called is not None:
            given["file"] = called
            return
        for attribute in ("file", "content_type", "face", "normal", "texcoord", "maxhullvert"):
            given.pop(attribute, None)
        given["vertex"] = STAND_IN
        given["inertia"] = "convex"
        self.source.stand_ins.add(element)

    def _heights(self, element: XmlElement, name: str, folders: _Folders) -> bool:
        given = element.attributes
        sizes = [_number(given.get(key, "0")) or 0.0 for key in ("nrow", "ncol")]
        if sizes[0] * sizes[1] > MAX_HEIGHTS:
            said = f"height fields have at most {MAX_HEIGHTS} points; it is left out."
            self._spot(element, "nrow").error("too-large", said)
            return False
        url = given.get("file")
        if url is None:
            return True
        given.setdefault("name", PurePosixPath(url.replace("\\", "/")).stem)
        called = self._asset(
            element, url, name, folders.mesh_folder, folders.strips, HEIGHT_KINDS, "height field"
        )
        if called is None:
            return False
        given["file"] = called
        return True

    def _asset(
        self,
        element: XmlElement,
        url: str,
        name: str,
        folder: str,
        strips: bool,
        kinds: tuple[str, ...],
        what: str,
    ) -> str | None:
        """Return the name by which MuJoCo knows a file, or None after a message."""
        spot = self._spot(element, "file")
        kind = PurePath(url).suffix.lower()
        if kind not in kinds:
            known = ", ".join(item for item in kinds if item)
            spot.error("unknown-mesh", f'a {what} is read from {known}, got "{url}".')
            return None
        path = self._found(_joined(folder, url, strips), (name, element.span.file), spot)
        if path is None:
            return None
        identity = os.path.realpath(path)
        if identity in self._known:
            return self._known[identity]
        try:
            size = path.stat().st_size
            if size > MAX_BYTES or self._bytes + size > MAX_ASSET_BYTES:
                said = f"a file has at most {MAX_BYTES} bytes, all together {MAX_ASSET_BYTES}"
                spot.error("file-too-large", f'"{url}" has {size} bytes: {said}; it is left out.')
                return None
            data = path.read_bytes()
        except OSError as error:
            spot.error("broken-mesh", f'"{url}" cannot be read: {error.strerror}; it is left out.')
            return None
        self._bytes += len(data)
        called = f"asset{len(self._known)}{kind}"
        self._known[identity] = called
        self.source.assets[called] = data
        return called

    def _texture(self, element: XmlElement, name: str, folders: _Folders) -> None:
        """Keep where the picture of a texture is; MuJoCo need not look at it."""
        given = element.attributes
        url = given.get("file")
        sides = [key for key in given if key.startswith("file") and key != "file"]
        if url is not None or sides:
            shown = url if url is not None else given[sides[0]]
            given.setdefault("name", PurePosixPath(shown.replace("\\", "/")).stem)
            path = self._found(
                _joined(folders.texture_folder, shown, folders.strips),
                (name, element.span.file),
                self._spot(element, "file"),
            )
            if path is not None:
                self.source.pictures[element] = str(path)
        self.source.builtins[element] = given.get("builtin", "none")
        kept = {
            key: given[key] for key in ("name", "class", "type", "rgb1", "rgb2") if key in given
        }
        given.clear()
        given.update(kept | {"builtin": "flat", "width": "1", "height": "1"})

    def _model(self, element: XmlElement, name: str) -> bool:
        """Take in a model that others attach."""
        spot = self._spot(element, "file")
        url = element.attributes.get("file", "")
        path = self._found(url, (name, element.span.file), spot) if url else None
        if path is None:
            if not url:
                spot.error("missing-key", "a model needs the name of a file; it is left out.")
            return False
        identity = os.path.realpath(path)
        if identity in self._open:
            spot.error("include-circle", f'"{url}" is attached to itself; it is left out.')
            return False
        if len(self._open) > MAX_INCLUDES:
            spot.error("too-deep", f"models attach each other more than {MAX_INCLUDES} deep.")
            return False
        element.attributes.setdefault("name", PurePosixPath(url.replace("\\", "/")).stem)
        if identity not in self._models:
            root = self._parsed(path)
            if root is None:
                return False
            if root.tag != ROOT:
                said = f'only MJCF is attached, "{url}" has <{root.tag}>; it is left out.'
                spot.error("wrong-format", said)
                return False
            called = f"model{len(self._models)}.xml"
            self._models[identity] = called
            self.add(root, str(path), called)
        element.attributes["file"] = self._models[identity]
        return True

    def _without_meshes(self, root: XmlElement, gone: set[str]) -> None:
        """Take out the geoms of meshes that were refused."""
        for element in root.walk():
            element.children = [
                child
                for child in element.children
                if not (child.tag == "geom" and child.attributes.get("mesh") in gone)
            ]

    def _count(self, element: XmlElement) -> int:
        number = _number(element.attributes.get("count", "1")) or 1.0
        return max(1, math.ceil(min(number, 1e9)))

    def _check_numbers(self, root: XmlElement) -> None:
        """Take away attributes with numbers that are none: nothing can be made of them."""
        for element in root.walk():
            for key, value in list(element.attributes.items()):
                if key in _TEXTS or not _has_wrong_number(value):
                    continue
                said = f'expected finite numbers, got "{_short(value)}"; the attribute is ignored.'
                self._spot(element, key).error("wrong-value", said)
                del element.attributes[key]

    def _spot(self, element: XmlElement, name: str = "") -> Spot:
        return Spot(self.messages, element.span, label_of(element), name)


_TEXTS: Final = frozenset(
    {
        "name",
        "class",
        "childclass",
        "file",
        "prefix",
        "model",
        "body",
        "joint",
        "geom",
        "site",
        "mesh",
    }
    | {"material", "texture", "target", "body1", "body2", "joint1", "joint2", "geom1", "geom2"}
)
"""Attributes that hold names."""

_WRONG: Final = frozenset({"nan", "inf", "infinity"})


def _has_wrong_number(value: str) -> bool:
    """Whether a list of numbers has one that is not finite."""
    for word in value.split():
        if word.lstrip("+-").lower() in _WRONG:
            return True
        if "e" in word or "E" in word:
            number = _number(word)
            if number is not None and not math.isfinite(number):
                return True
    return False


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def _joined(folder: str, url: str, strips: bool) -> str:
    """Return the address of a file below a folder of `compiler`."""
    url = url.replace("\\", "/")
    if strips:
        url = PurePosixPath(url).name
    if not folder or os.path.isabs(url) or "://" in url:
        return url
    return f"{folder.rstrip('/')}/{url}"


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def label_of(element: XmlElement) -> str:
    """Return how messages call an element."""
    name = element.attributes.get("name")
    return f"<{element.tag}>" if name is None else f'<{element.tag} name="{name}">'


def start_of(name: str) -> SourceSpan:
    """Return the place of a file as a whole."""
    return SourceSpan(name, 1, 1, 1, 1)
