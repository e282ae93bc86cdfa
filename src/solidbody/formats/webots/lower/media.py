"""Downloads images and sounds that a world names into the cache, where that is allowed.

Reading needs none of them; cameras and the mixer of sounds find them in the cache later.
"""

from __future__ import annotations

from collections.abc import Iterable

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.assets import AssetError, AssetFinder
from solidbody.formats.webots.lower.images import wanted_images, wanted_sounds
from solidbody.formats.webots.nodes.typed import TypedNode


def fetch_media(tops: Iterable[TypedNode], finder: AssetFinder, log: DiagnosticLog) -> None:
    """Fetch what the nodes name with `https://` and the cache does not have; tell what cannot be fetched."""
    nodes = list(tops)
    seen: set[str] = set()
    for wanted in (*wanted_images(nodes, finder), *wanted_sounds(nodes)):
        url = finder.address(wanted.url, wanted.base)
        if url in seen or not url.startswith(("https://", "http://")):
            continue
        seen.add(url)
        try:
            finder.find(url, wanted.base)
        except AssetError as error:
            wanted.node.inform(log, "not-fetched", f"{error}.", field=wanted.field)
