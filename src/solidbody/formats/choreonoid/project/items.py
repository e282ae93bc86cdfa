"""Reads the item tree of a project file, without interpreting the items."""

from __future__ import annotations

from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.items import Item
from solidbody.formats.choreonoid.keys.projects import ItemKeys, ProjectKeys
from solidbody.formats.choreonoid.keys.table import plain_values
from solidbody.formats.choreonoid.keys.yaml_tree import YamlMap


def read_items(top: Keys) -> Item | None:
    """Return the root item of a project, or None after a message."""
    keys = top.keys(ProjectKeys.items)
    if keys is None:
        if not top.has(ProjectKeys.items):
            top.error("missing-key", ProjectKeys.items, "a project has its items under this key.")
        return None
    return _read_item(Keys(keys.yaml, keys.reading))


def _read_item(keys: Keys) -> Item:
    values = plain_values(keys, ItemKeys)
    keys.pass_over(ItemKeys)
    label = f'{values["class_name"]} "{values["name"]}"'
    path = f"{keys.path} > {label}" if keys.path else label
    data = keys.node(ItemKeys.data)
    if data is not None and not isinstance(data, YamlMap):
        keys.wrong(ItemKeys.data.name, data, "a mapping")
    empty = YamlMap((), keys.span)
    below: list[Item] = []
    for child in keys.items(ItemKeys.children):
        if isinstance(child, YamlMap):
            # the root item is in every path and says nothing
            upper = "" if values["class_name"] == "RootItem" else path
            below.append(_read_item(Keys(child, keys.reading, upper)))
        else:
            keys.wrong(ItemKeys.children.name, child, "a mapping")
    own = Keys(data if isinstance(data, YamlMap) else empty, keys.reading, path)
    return Item(**values, keys=own, children=tuple(below))
