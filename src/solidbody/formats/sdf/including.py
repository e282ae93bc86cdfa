"""Puts the models that `<include>` names where they are named; files are looked for, read once, and bounded.

`model://NAME` is a folder NAME of a model path (`--package-path`, SDF_PATH, GZ_SIM_RESOURCE_PATH,
GAZEBO_MODEL_PATH, ...), or one beside the file, in `models` there or beside its folder `worlds`; its
model.config names the file with the newest version.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from solidbody.base.limits import MAX_FILE_BYTES, MAX_INCLUDES
from solidbody.formats.assets import AssetError
from solidbody.formats.link_trees.uris import BodyFiles
from solidbody.formats.sdf.values import Values
from solidbody.formats.text_files import read_text
from solidbody.formats.xml_tree import XmlElement, parse_xml

MOST_ELEMENTS: Final = 50_000
"""Elements of all files together, with every repetition counted."""

CONFIG: Final = "model.config"

_OVERRIDES: Final = ("pose", "static", "placement_frame", "name")


@dataclass(slots=True)
class Includes:
    """Finds and reads the files that are taken in.

    Attributes:
        files: Where they may be.
        values: Takes what is wrong.
    """

    files: BodyFiles
    values: Values
    _open: list[str] = field(default_factory=list[str])
    _read: dict[str, XmlElement | None] = field(default_factory=dict[str, "XmlElement | None"])
    _left: int = MOST_ELEMENTS
    _is_full: bool = False

    def begin(self, file: str) -> None:
        """Note the file that includes everything else, which must not include itself."""
        self._open.append(os.path.realpath(file))

    def resolved(self, element: XmlElement) -> XmlElement:
        """Return an element with the models that it includes, at any depth, in place of <include>."""
        children: list[XmlElement] = []
        for child in element.children:
            if child.tag == "include":
                children += self._included(child)
            elif child.tag in ("model", "world"):
                children.append(self.resolved(child))
            else:
                children.append(child)
        self._left -= len(children)
        return XmlElement(element.tag, element.attributes, element.span, children, element.text)

    def _included(self, include: XmlElement) -> list[XmlElement]:
        """Return what an <include> stands for: a model, the elements of a merged one, or nothing."""
        spot = self.values.spot(include)
        uri = self.values.word(include, "uri")
        if not uri:
            spot.error("missing-key", "an include needs a <uri>; it is left out.")
            return []
        if self._left <= 0:
            if not self._is_full:
                said = f"more than {MOST_ELEMENTS} elements; what is included from here on is left out."
                spot.error("too-much", said)
            self._is_full = True
            return []
        path = self._path(uri, include)
        if path is None:
            return []
        identity = os.path.realpath(path)
        if identity in self._open:
            spot.error("include-ring", f'"{uri}" includes itself; it is left out.')
            return []
        if len(self._open) > MAX_INCLUDES:
            said = f"files include each other more than {MAX_INCLUDES} deep; it is left out."
            spot.error("include-ring", said)
            return []
        found = self._model(path, identity, uri, include)
        if found is None:
            return []
        self._open.append(identity)
        whole = self.resolved(found)
        self._open.pop()
        placed = _placed(include, whole, self.values)
        if include.attributes.get("merge", "false") in ("true", "1"):
            return _merged(placed)
        return [placed]

    def _model(self, path: Path, identity: str, uri: str, include: XmlElement) -> XmlElement | None:
        """Return the model or light that a file holds, or None after a message."""
        if identity not in self._read:
            self._read[identity] = self._parsed(path)
        root = self._read[identity]
        spot = self.values.spot(include)
        if root is None:
            spot.error("broken-include", f'"{uri}" is left out: it could not be read.')
            return None
        if root.tag != "sdf":
            said = f'"{uri}" is left out: its outermost element is <{root.tag}>, not <sdf>.'
            spot.error("wrong-format", said)
            return None
        model = next((child for child in root.children if child.tag in ("model", "light")), None)
        if model is None:
            spot.error("broken-include", f'"{uri}" is left out: it holds no model.')
        return model

    def _parsed(self, path: Path) -> XmlElement | None:
        log = self.values.messages.log
        text = read_text(str(path), log, max_bytes=MAX_FILE_BYTES)
        return None if text is None else parse_xml(text, str(path), log)

    def _path(self, uri: str, include: XmlElement) -> Path | None:
        """Return the file of a model, or None after a message."""
        base = include.span.file
        if uri.lower().endswith((".sdf", ".world")):
            return self._found(uri, base, include)
        folder = uri.rstrip("/")
        config = self._found(f"{folder}/{CONFIG}", base, include, quietly=True)
        name = "model.sdf" if config is None else self._newest(config)
        return self._found(f"{folder}/{name}", base, include)

    def _newest(self, config: Path) -> str:
        """Return the file with the newest version that a model.config names."""
        root = self._parsed(config)
        found = [] if root is None else list(root.all("sdf"))
        named = [sdf for sdf in found if sdf.text and "/" not in sdf.text]
        best = max(named, key=lambda sdf: _version(sdf.attributes.get("version", "")), default=None)
        return "model.sdf" if best is None else best.text

    def _found(
        self, uri: str, base: str, include: XmlElement, *, quietly: bool = False
    ) -> Path | None:
        try:
            return self.files.find(uri, base)
        except AssetError as error:
            if not quietly:
                code = "refused-file" if error.is_refused else "missing-model"
                said = f'the model "{uri}" cannot be used: {error.text}; it is left out.'
                self.values.spot(include, "uri").error(code, said)
            return None


def _placed(include: XmlElement, model: XmlElement, values: Values) -> XmlElement:
    """Return a model with the name, place and state that its include gives it."""
    children = [child for child in model.children if child.tag not in ("pose", "static")]
    attributes = dict(model.attributes)
    name = values.word(include, "name")
    if name:
        attributes["name"] = name
    frame = include.first("placement_frame")
    if frame is not None:
        attributes["placement_frame"] = frame.text
    for tag in ("pose", "static"):
        found = include.first(tag) or model.first(tag)
        if found is not None:
            children.append(found)
    return XmlElement(model.tag, attributes, model.span, children, model.text)


def _merged(model: XmlElement) -> list[XmlElement]:
    """Return the parts of a model for the one that includes it; a frame stands for where it was."""
    home = f"_merged__{model.attributes.get('name', '')}__model__"
    made = [
        XmlElement(
            "frame",
            {"name": home},
            model.span,
            [child for child in model.children if child.tag == "pose"],
        )
    ]
    for child in model.children:
        if child.tag not in ("link", "joint", "frame", "model"):
            continue
        is_free = child.tag in ("link", "model") or (
            child.tag == "frame" and "attached_to" not in child.attributes
        )
        inside = [_in_frame(part, home, is_free) for part in child.children]
        if is_free and child.first("pose") is None:
            inside.append(XmlElement("pose", {"relative_to": home}, child.span))
        made.append(XmlElement(child.tag, child.attributes, child.span, inside, child.text))
    return made


def _in_frame(element: XmlElement, home: str, is_free: bool) -> XmlElement:
    """Return an element in which the model's frame goes by its name in the model around it."""
    attributes = dict(element.attributes)
    for name in ("relative_to", "expressed_in", "attached_to"):
        if attributes.get(name) == "__model__":
            attributes[name] = home
    if element.tag == "pose" and is_free:
        attributes.setdefault("relative_to", home)
    children = [_in_frame(child, home, False) for child in element.children]
    return XmlElement(element.tag, attributes, element.span, children, element.text)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdigit())
