"""Pictures and sounds on the web: fetched into the download cache while a world is read, if that is allowed.

Reading needs none of them; cameras and the mixer of sounds find them in the cache later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.assets import AssetError, AssetFinder
from solidbody.formats.webots.lower_images import WantedImage, wanted_images
from solidbody.formats.webots.typed import TypedNode

_SOUNDS: Final = ("sound", "bumpSound", "rollSound", "slideSound")
"""Fields that hold addresses of sounds."""


def fetch_media(tops: Iterable[TypedNode], finder: AssetFinder, log: DiagnosticLog) -> None:
    """Fetch what the nodes name with `https://` and the cache does not have; tell what cannot be fetched."""
    nodes = list(tops)
    seen: set[str] = set()
    for wanted in (*wanted_images(nodes), *_wanted_sounds(nodes)):
        url = finder.address(wanted.url, wanted.base)
        if url in seen or not url.startswith(("https://", "http://")):
            continue
        seen.add(url)
        try:
            finder.find(url, wanted.base)
        except AssetError as error:
            wanted.node.inform(log, "not-fetched", f"{error}.", field=wanted.field)


def _wanted_sounds(tops: list[TypedNode]) -> Iterator[WantedImage]:
    """Yield the sounds that nodes name; those that every node has by default are made here."""
    stack, seen = list(tops), set[TypedNode]()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        for name in _SOUNDS:
            url = node.values.get(name)
            if isinstance(url, str) and url:
                yield WantedImage(url, node.place(name).file, node, name)
        stack.extend(item for items in node.nodes.values() for item in items if item)
