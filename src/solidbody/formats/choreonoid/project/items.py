"""Reads the item tree of a project file, without interpreting the items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.projects import ItemKeys, ProjectKeys
from solidbody.formats.choreonoid.keys.yaml_tree import YamlMap


@dataclass(frozen=True, slots=True)
class Item:
    """One item.

    Attributes:
        name: As the tree of items shows it.
        class_name: What it is.
        plugin: Which plugin brings it.
        is_selected: Whether the user had selected it.
        is_checked: Whether the user had ticked it.
        keys: Its data; empty where it has none.
        children: Items below it.
    """

    name: str
    class_name: str
    plugin: str
    is_selected: bool
    is_checked: bool
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
    keys = top.keys(ProjectKeys.items)
    if keys is None:
        if not top.has(ProjectKeys.items):
            top.error("missing-key", ProjectKeys.items, "a project has its items under this key.")
        return None
    return _read_item(Keys(keys.yaml, keys.reading))


def _read_item(keys: Keys) -> Item:
    name = keys.read(ItemKeys.name)
    class_name = keys.read(ItemKeys.class_)
    keys.pass_over(ItemKeys)
    label = f'{class_name} "{name}"'
    path = f"{keys.path} > {label}" if keys.path else label
    data = keys.node(ItemKeys.data)
    if data is not None and not isinstance(data, YamlMap):
        keys.wrong(ItemKeys.data.name, data, "a mapping")
    empty = YamlMap((), keys.span)
    below: list[Item] = []
    for child in keys.items(ItemKeys.children):
        if isinstance(child, YamlMap):
            # the root item is in every path and says nothing
            upper = "" if class_name == "RootItem" else path
            below.append(_read_item(Keys(child, keys.reading, upper)))
        else:
            keys.wrong(ItemKeys.children.name, child, "a mapping")
    return Item(
        name=name,
        class_name=class_name,
        plugin=keys.read(ItemKeys.plugin),
        is_selected=keys.read(ItemKeys.is_selected),
        is_checked=keys.read(ItemKeys.is_checked),
        keys=Keys(data if isinstance(data, YamlMap) else empty, keys.reading, path),
        children=tuple(below),
    )
