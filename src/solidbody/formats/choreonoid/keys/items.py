"""Items of a project's tree, as written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from solidbody.formats.choreonoid.keys.access import Keys


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
