"""Checks that the images a world names can be found and read.

Plain loading keeps their addresses and opens none; `solidbody check` asks for this as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.assets import AssetError, AssetFinder
from solidbody.formats.images import ImageError, check_image
from solidbody.formats.webots.nodes.typed import TypedNode

_ELSEWHERE = re.compile(r"(webots|https?)://")
"""Addresses in an installation or on the network: not having them here is no fault of the world."""
_SIDES = ("right", "left", "top", "bottom", "front", "back")
_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "ImageTexture": ("url",),
    "Background": tuple(f"{side}{kind}" for kind in ("Url", "IrradianceUrl") for side in _SIDES),
    "Camera": ("noiseMaskUrl",),
}
"""Fields that hold addresses of images; of a list the first counts."""

SOUNDS: Final = ("sound", "bumpSound", "rollSound", "slideSound")
"""Fields that hold addresses of sounds."""


@dataclass(frozen=True, slots=True)
class WantedImage:
    """An address, the file that it is written in, and the node and field that want the image or sound."""

    url: str
    base: str
    node: TypedNode
    field: str


@dataclass(slots=True)
class ImageChecks:
    """Looks each image up once, and reports those that cannot be used to every node that wants them."""

    finder: AssetFinder
    log: DiagnosticLog
    _found: dict[Path, str] = field(default_factory=dict[Path, str])
    """What is wrong with each file that was opened; empty = nothing."""

    def check(self, image: WantedImage) -> None:
        """Report an image that is missing or broken."""
        try:
            path = self.finder.find(image.url, image.base)
        except AssetError as error:
            if _ELSEWHERE.match(error.url):
                image.node.inform(
                    self.log, "unseen-image", f"the image {error}; not checked.", field=image.field
                )
            else:
                image.node.warn(
                    self.log, "missing-image", f"the image {error}; not drawn.", field=image.field
                )
            return
        if path not in self._found:
            try:
                check_image(path)
                self._found[path] = ""
            except ImageError as error:
                self._found[path] = str(error)
        if self._found[path]:
            image.node.warn(
                self.log,
                "broken-image",
                f'the image "{image.url}" cannot be used: {self._found[path]}; not drawn.',
                field=image.field,
            )


def wanted_images(
    tops: Iterable[TypedNode], finder: AssetFinder, seen: set[TypedNode] | None = None
) -> Iterator[WantedImage]:
    """Yield the images that nodes name, each node once however often USE refers to it.

    `seen` has the nodes that were looked at before.
    """
    seen = set() if seen is None else seen
    stack = list(tops)[::-1]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        for name in _FIELDS.get(node.type, ()):
            url = written_url(node, name, finder)
            if url:
                yield WantedImage(url, node.place(name).file, node, name)
        stack.extend(node.held())


def wanted_sounds(
    tops: Iterable[TypedNode], seen: set[TypedNode] | None = None
) -> Iterator[WantedImage]:
    """Yield the sounds that nodes name; those that every node has by default are made here."""
    stack = list(tops)
    seen = set() if seen is None else seen
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        for name in SOUNDS:
            url = node.values.get(name)
            if isinstance(url, str) and url:
                yield WantedImage(url, node.place(name).file, node, name)
        stack.extend(item for items in node.nodes.values() for item in items if item)


def report_refused(wanted: Iterable[WantedImage], finder: AssetFinder, log: DiagnosticLog) -> None:
    """Tell which images and sounds may not be read, why, and how to allow it."""
    for item in wanted:
        reason = finder.refusal(item.url, item.base)
        if reason:
            text = f'"{item.url}" is not read: {reason}.'
            item.node.warn(log, "refused-file", text, field=item.field)


def written_url(node: TypedNode, name: str, finder: AssetFinder) -> str:
    """Return the address in a field, the first of several; empty = none."""
    value = node.values.get(name, "")
    if isinstance(value, str):
        return value
    urls = cast("tuple[str, ...]", value)
    if len(urls) > 1 and node.type == "Background":  # old ones name what there may be
        return finder.first(urls, node.place(name).file)
    return urls[0] if urls else ""
