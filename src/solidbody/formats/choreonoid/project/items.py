"""The items of a project file as a tree, before anybody asks what they mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.yaml_tree import YamlMap

_OWN_KEYS: Final = (
    ("is_checked", "isChecked"),
    ("is_sub_item", "isSubItem"),
    ("is_builtin_item", "isBuiltinItem"),
    ("is_selected", "isSelected"),
    ("addons",),
)
"""Keys of an item that only its place in the program's windows depends on, or that are read elsewhere."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item.

    Attributes:
        name: As the tree of items shows it.
        class_name: What it is.
        plugin: Which plugin brings it.
        is_selected: Whether the user had selected it.
        keys: Its data; empty where it has none.
        children: Items below it.
    """

    name: str
    class_name: str
    plugin: str
    is_selected: bool
    keys: Keys
    children: tuple[Item, ...] = ()

    def walk(self) -> Iterator[Item]:
        """Yield the item and all items below it, in file order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def of_class(self, *names: str) -> Iterator[Item]:
        """Yield the items here and below that have one of the classes."""
        return (item for item in self.walk() if item.class_name in names)

    def own(self, *names: str, behind: str) -> Iterator[Item]:
        """Yield the items below that have one of the classes, but not those in an item of class `behind`."""
        for child in self.children:
            if child.class_name in names:
                yield child
            if child.class_name != behind:
                yield from child.own(*names, behind=behind)

    def holds(self, other: Item) -> bool:
        """Whether `other` is this item or below it."""
        return any(item is other for item in self.walk())


def read_items(top: Keys) -> Item | None:
    """Return the root item of a project, or None after a message."""
    keys = top.keys("items")
    if keys is None:
        if "items" not in top:
            top.error("missing-key", "items", "a project has its items under this key.")
        return None
    return _read_item(Keys(keys.yaml, keys.reading))


def _read_item(keys: Keys) -> Item:
    name = keys.text("name", default="")
    class_name = keys.text("class", default="")
    keys.node("id")
    for names in _OWN_KEYS:
        keys.find(*names)
    label = f'{class_name} "{name}"'
    path = f"{keys.path} > {label}" if keys.path else label
    data = keys.node("data")
    if data is not None and not isinstance(data, YamlMap):
        keys.wrong("data", data, "a mapping")
    empty = YamlMap((), keys.span)
    below: list[Item] = []
    for child in keys.items("children"):
        if isinstance(child, YamlMap):
            # the root item is in every path and says nothing
            upper = "" if class_name == "RootItem" else path
            below.append(_read_item(Keys(child, keys.reading, upper)))
        else:
            keys.wrong("children", child, "a mapping")
    return Item(
        name=name,
        class_name=class_name,
        plugin=keys.text("plugin", default=""),
        is_selected=keys.flag("is_selected", "isSelected", default=False),
        keys=Keys(data if isinstance(data, YamlMap) else empty, keys.reading, path),
        children=tuple(below),
    )
