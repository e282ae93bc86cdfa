"""Lets MuJoCo read and compile a model, element by element where it refuses one.

The one module of `formats/` that imports MuJoCo, inside functions: defaults, frames, attachments, inertias of
meshes and keyframes are then exactly its own. What it refuses is taken out with a message at the element, and
the rest is tried again.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import Any, Final

from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.formats.link_trees.messages import Messages, Spot
from solidbody.formats.mjcf.source import MjcfSource, label_of
from solidbody.formats.xml_tree import XmlElement

MOST_TRIES: Final = 60
"""Elements that are taken out one by one; a file with more mistakes is none."""

_LINE: Final = re.compile(r"\bline (\d+)")
_ATTRIBUTE: Final = re.compile(r"(?:unrecognized|invalid) attribute:? '([^']+)'")
_KEY_IN_TEXT: Final = re.compile(r"attribute '([^']+)'")

_NAME: Final = re.compile(r"Element name '([^']*)'")
_TAGS: Final = {"keyframe": "key"}
"""Elements by MuJoCo's words for them."""

_BAD_INERTIA: Final = ("mass and inertia of moving bodies", "inertia must")
"""What MuJoCo says of bodies that cannot move as they are."""

STAND_IN_MASS: Final = 1e-3
"""[kg] Of a body that can move but has no mass: what made it could not be read."""

_SECTIONS: Final = frozenset(
    {"mujoco", "worldbody", "compiler", "option", "asset", "default", "visual", "size"}
    | {"actuator", "sensor", "equality", "tendon", "contact", "keyframe"}
)
"""Elements that hold others: they are not taken out for an attribute."""

Spec = Any
Model = Any
"""MuJoCo's objects have no static types."""


@dataclass(frozen=True, slots=True)
class Compilation:
    """What MuJoCo has made of a model.

    Attributes:
        spec: The MjSpec: its elements know the lines where they were written.
        model: The MjModel.
        source: The elements behind the lines.
    """

    spec: Spec
    model: Model
    source: MjcfSource

    def element(self, item: Any) -> XmlElement | None:
        """Return the element of the file that an element of the MjSpec was read from."""
        found = _LINE.search(item.info or "")
        return None if found is None else self.source.at(int(found[1]))

    def span(self, item: Any) -> SourceSpan:
        """Return where an element of the MjSpec is written."""
        element = self.element(item)
        return NOWHERE if element is None else element.span

    def label(self, item: Any) -> str:
        """Return how messages call an element of the MjSpec."""
        element = self.element(item)
        return "" if element is None else label_of(element)

    def spot(self, messages: Messages, item: Any, field: str = "") -> Spot:
        """Return an element of the MjSpec as something that messages are about."""
        return Spot(messages, self.span(item), self.label(item), field)


def compiled(source: MjcfSource, messages: Messages) -> Compilation | None:
    """Return what MuJoCo makes of a model, or None after a message."""
    import mujoco

    root = next(iter(source.files.values()))
    for _ in range(MOST_TRIES):
        texts = source.texts()
        main = next(iter(texts))
        with _files(source, texts) as files:
            try:
                spec: Any = mujoco.MjSpec.from_string(texts[main], vfs=files)
                spec.assets = source.assets
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    made = Compilation(spec, spec.compile(), source)
            except (ValueError, mujoco.FatalError) as error:
                said = str(error)
            else:
                for item in caught:  # such as options of attached models that differ
                    text = f"MuJoCo says: {_sentence(' '.join(str(item.message).split()))}."
                    Spot(messages, root.span, label_of(root)).warning("mujoco", text)
                return made
        if not _taken_out(source, said, messages):
            text = f"MuJoCo refuses the model: {_sentence(said)}."
            Spot(messages, root.span, label_of(root)).error("mujoco", text)
            return None
    text = f"MuJoCo refuses more than {MOST_TRIES} elements of the model; nothing of it is read."
    Spot(messages, root.span, label_of(root)).error("mujoco", text)
    return None


def _files(source: MjcfSource, texts: dict[str, str]) -> Any:
    """Return the files that MuJoCo may see: those that were looked for here, and no other on the disk."""
    from mujoco import _specs

    files = _specs.MjVfs()
    for name, data in source.assets.items():
        files[name] = data
    for name, text in texts.items():
        files[name] = text.encode()
    return files


def _taken_out(source: MjcfSource, said: str, messages: Messages) -> bool:
    """Take out what an error of MuJoCo is about; False if that is not known."""
    found = _LINE.search(said)
    element = _named(source, said) if found is None else source.at(int(found[1]))
    if element is None:
        return False
    attribute = _ATTRIBUTE.search(said) or _KEY_IN_TEXT.search(said)
    name = "" if attribute is None else attribute[1]
    if name in element.attributes and ("Schema" in said or element.tag in _SECTIONS):
        text = f"{_sentence(said)}; the attribute is ignored."
        Spot(messages, element.span, label_of(element), name).error("mujoco", text)
        del element.attributes[name]
        return True
    if element.tag == "body" and any(words in said for words in _BAD_INERTIA):
        text = f"{_sentence(said)}; {STAND_IN_MASS:g} kg are taken, if it names no mass."
        Spot(messages, element.span, label_of(element)).error("mujoco-inertia", text)
        _give_inertia(element)
        return True
    if element.tag in _SECTIONS and element.tag != "default":
        return False
    parent = _parent(source, element)
    if parent is None:
        return False
    text = f"{_sentence(said)}; it is left out."
    Spot(messages, element.span, label_of(element)).error("mujoco", text)
    parent.children = [child for child in parent.children if child is not element]
    return True


def _named(source: MjcfSource, said: str) -> XmlElement | None:
    """Return the element that an error names without its line: a keyframe of another model's size."""
    found = _NAME.search(said)
    if found is None or not found[1]:
        return None
    tag = _TAGS.get(said.removeprefix("Error: ").split(" ", 1)[0], "")
    named = [item for item in source.elements if item.attributes.get("name") == found[1]]
    return next((item for item in named if item.tag == tag), named[0] if len(named) == 1 else None)


def _give_inertia(body: XmlElement) -> None:
    """Give a body a mass that it can move with, in place of one that none can have."""
    old = body.first("inertial")
    given = {} if old is None else old.attributes
    mass = given.get("mass", "")
    kept = mass if _is_positive(mass) else f"{STAND_IN_MASS:g}"
    moment = f"{1e-2 * float(kept):.9g}"
    made = {"pos": given.get("pos", "0 0 0"), "mass": kept, "diaginertia": " ".join([moment] * 3)}
    span = body.span if old is None else old.span
    body.children = [child for child in body.children if child.tag != "inertial"]
    body.children.insert(0, XmlElement("inertial", made, span))


def _is_positive(word: str) -> bool:
    try:
        return float(word) > 1e-9
    except ValueError:
        return False


def _parent(source: MjcfSource, element: XmlElement) -> XmlElement | None:
    return next(
        (item for item in source.elements if any(child is element for child in item.children)),
        None,
    )


def _sentence(said: str) -> str:
    """Return the first line of an error of MuJoCo, without what stands elsewhere in a message."""
    first = next((line for line in said.splitlines() if line.strip()), said).strip()
    first = re.sub(r"^(?:XML )?Error: ", "", first)
    first = re.sub(r"^Error: ", "", first)
    return first.rstrip(".")
