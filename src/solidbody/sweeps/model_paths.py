"""Sets attributes of a scene by path, whatever format it came from: `links[WHEEL].mass.mass`.

A path is names of attributes with dots between them; `[...]` picks an item of a list by its number, by its
name, or, of contact properties, by its two materials: `contacts[wheel,floor].friction`. `links` are those of
all bodies. What an attribute takes follows from its type in `model/`.
"""

from __future__ import annotations

import math
import re
import types
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from solidbody.base.diagnostics import did_you_mean
from solidbody.base.errors import NameLookupError, SolidbodyError
from solidbody.base.transforms import Pose
from solidbody.formats.scene_merging import PLACE_FORMS, placement_of
from solidbody.model.contacts import ContactProperties, ContactTable
from solidbody.model.scene import Scene

_WORD: Final = re.compile(r"([A-Za-z_]\w*)|\[([^\]]+)\]")
_NOT_VARIED: Final = frozenset({"diagnostics", "files", "source", "start_accelerations"})
_UNKNOWN_TYPE: Final = "an attribute of another kind"


class ModelPathError(SolidbodyError):
    """A path that leads nowhere, or a value that an attribute cannot take."""


def set_in_scene(scene: Scene, path: str, value: Any) -> Scene:
    """Return a scene with another value at a path.

    Raises:
        ModelPathError: There is no such attribute, or it cannot take the value.
    """
    words = _words(path)
    if words[0] == "links":
        return _set_in_links(scene, path, words[1:], value)
    return _set(scene, words, value, path)


def get_from_scene(scene: Scene, path: str) -> Any:
    """Return the value at a path. Raises ModelPathError."""
    words, here = _words(path), scene
    if words[0] == "links":
        body, link = _find_link(scene, words[1:], path)
        here, words = scene.bodies[body].links[link], words[2:]
    found: Any = here
    for word in words:
        if word.startswith("["):
            found = found.entries if isinstance(found, ContactTable) else found
            found = found[_index_of(found, word, path)]
        else:
            _attribute(found, word, path)
            found = getattr(found, word)
    return found


def _words(path: str) -> list[str]:
    """Return the words of a path; those that pick an item keep their bracket."""
    found: list[str] = []
    at = 0
    while at < len(path):
        match = _WORD.match(path, at)
        if match is None or len(found) > 50:
            raise ModelPathError(
                f'"{path}" is no path; write for example "physics.gravity" or "links[WHEEL].mass.mass"'
            )
        found.append(match.group(1) or "[" + match.group(2).strip("\"'"))
        at = match.end()
        if at < len(path) and path[at] == "." and at + 1 < len(path):
            at += 1
    if not found or found[0].startswith("["):
        raise ModelPathError(f'"{path}" is no path; it begins with an attribute of the scene')
    return found


def _find_link(scene: Scene, words: Sequence[str], path: str) -> tuple[int, int]:
    places = [(b, k) for b, body in enumerate(scene.bodies) for k in range(len(body.links))]
    links = list(scene.links())
    if not words or not words[0].startswith("["):
        raise ModelPathError(f'"{path}": say which link, as in "links[{_first(links)}].mass.mass"')
    word = words[0]
    index = _index_of(links, word, path)
    return places[index]


def _set_in_links(scene: Scene, path: str, words: Sequence[str], value: Any) -> Scene:
    body, link = _find_link(scene, words, path)
    old = scene.bodies[body]
    if len(words) < 2:
        raise ModelPathError(f'"{path}" is a whole link; name one of its attributes')
    new = _set(old.links[link], words[1:], value, path)
    links = (*old.links[:link], new, *old.links[link + 1 :])
    changed = replace(old, links=links)
    return replace(scene, bodies=(*scene.bodies[:body], changed, *scene.bodies[body + 1 :]))


def _set(here: Any, words: Sequence[str], value: Any, path: str, kind: Any = None) -> Any:
    """Return `here` with another value at the words below it; `kind` is its type as declared."""
    if not words:
        return _taken(kind, value, path)
    word = words[0]
    if not word.startswith("["):
        declared = _attribute(here, word, path)
        inner = _set(getattr(here, word), words[1:], value, path, declared)
        try:
            return replace(here, **{word: inner})
        except (ValueError, TypeError, ArithmeticError) as error:
            raise ModelPathError(f'"{path}" cannot be {_shown(value)}: {error}') from None
    if isinstance(here, ContactTable):
        index = _index_of(here.entries, word, path)
        new = _set(here.entries[index], words[1:], value, path)
        return replace(here, entries=_with(here.entries, index, new))
    if not isinstance(here, tuple):
        raise ModelPathError(f'"{path}": there is no list before "{word}]"')
    index = _index_of(here, word, path)
    return _with(here, index, _set(here[index], words[1:], value, path, _item_kind(kind, index)))


def _with(items: tuple[Any, ...], index: int, item: Any) -> tuple[Any, ...]:
    return (*items[:index], item, *items[index + 1 :])


def _attribute(here: Any, name: str, path: str) -> Any:
    """Return the declared type of an attribute."""
    if here is None:
        raise ModelPathError(f'"{path}": there is nothing at "{name}" to be changed (it is none)')
    if not is_dataclass(here):
        raise ModelPathError(
            f'"{path}": "{name}" leads into {_shown(here)}, which has no attributes'
        )
    known = [item.name for item in fields(here) if item.name not in _NOT_VARIED]
    if name not in known:
        kind = type(here).__name__
        raise ModelPathError(
            f'"{path}": {kind} has no attribute "{name}".{did_you_mean(name, known)}'
            f" Known: {', '.join(known)}"
        )
    return get_type_hints(type(here)).get(name)


def _index_of(items: Any, word: str, path: str) -> int:
    """Return the place of the item that `[word]` picks."""
    key = word[1:]
    if not isinstance(items, Sequence) or isinstance(items, str):
        raise ModelPathError(f'"{path}": there is no list before "[{key}]"')
    named = {_name_of(item): k for k, item in reversed(list(enumerate(items)))}
    if key in named:
        return named[key]
    if key.isdecimal():
        if int(key) < len(items):
            return int(key)
        raise ModelPathError(f'"{path}": there are {len(items)} items, none is number {key}')
    if items and isinstance(items[0], ContactProperties):
        wanted = {part.strip() for part in key.split(",")}
        for k, item in enumerate(items):
            if set(item.materials) == wanted:
                return k
    known = [name for name in named if name]
    if not known:
        raise ModelPathError(
            f'"{path}": items have no names here; give a number below {len(items)}'
        )
    raise ModelPathError(f'"{path}": {NameLookupError("item", key, known)}')


def _name_of(item: Any) -> str:
    if isinstance(item, ContactProperties):
        return ",".join(item.materials)
    return str(getattr(item, "name", ""))


def _first(items: Sequence[Any]) -> str:
    return _name_of(items[0]) if items else "NAME"


def _item_kind(kind: Any, index: int) -> Any:
    for option in _options(kind):
        if get_origin(option) is tuple:
            args = get_args(option)
            return args[0] if len(args) == 2 and args[1] is Ellipsis else args[index]
    return None


def _options(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def _taken(kind: Any, value: Any, path: str) -> Any:
    """Return a value as an attribute of a declared type holds it."""
    said: list[str] = []
    for option in _options(kind):
        try:
            return _converted(option, value)
        except (ValueError, TypeError) as error:
            said.append(str(error))
    real = [text for text in said if text != _UNKNOWN_TYPE]
    if not real:
        names = [item.name for option in _options(kind) for item in _fields_of(option)]
        more = f"; name one of its attributes: {', '.join(names)}" if names else ""
        raise ModelPathError(f'"{path}" is not a number, text or list of them{more}')
    raise ModelPathError(f'"{path}": expected {" or ".join(real)}, got {_shown(value)}')


def _fields_of(kind: Any) -> Sequence[Any]:
    return fields(kind) if is_dataclass(kind) else ()


def _converted(kind: Any, value: Any) -> Any:
    """Return a value as one of a type; ValueError says what is expected instead."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind is float:
        if is_number and not math.isnan(value):
            return float(value)
        raise ValueError("a number")
    if kind in (int, bool, str):
        if type(value) is kind:
            return value
        raise ValueError({int: "a whole number", bool: "true or false", str: "text"}[kind])
    if kind is Pose:
        if isinstance(value, tuple) and all(isinstance(x, int | float) for x in value):
            return placement_of(value).pose()
        raise ValueError(PLACE_FORMS)
    if isinstance(kind, type) and issubclass(kind, Enum):
        if any(item.value == value for item in kind):
            return kind(value)
        raise ValueError(" or ".join(f'"{item.value}"' for item in kind))
    if get_origin(kind) is tuple:
        args = get_args(kind)
        if not isinstance(value, tuple):
            value = (value,) if len(args) == 2 and args[1] is Ellipsis else ()
        if len(args) == 2 and args[1] is Ellipsis:
            return tuple(_converted(args[0], item) for item in value)
        if len(value) != len(args):
            raise ValueError(f"a list of {len(args)}")
        return tuple(_converted(a, item) for a, item in zip(args, value, strict=True))
    raise TypeError(_UNKNOWN_TYPE)


def _shown(value: Any) -> str:
    return repr(value)[:80]
