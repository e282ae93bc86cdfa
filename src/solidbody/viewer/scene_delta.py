"""Shortens scenes by what a page already has: large contents travel once."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import fields, replace
from typing import Any, Final, TypeVar

from solidbody.viewer.protocol_scene import (
    WireLines,
    WireMesh,
    WirePoints,
    WireScene,
    WireTexture,
)

KEYED: Final = (WireMesh, WireLines, WirePoints, WireTexture)
"""What has a key; all its texts are contents, apart from the key and the kind."""

T = TypeVar("T")

_NAMES: Final = frozenset({"key", "kind"})


def content_key(*parts: str) -> str:
    """Return a text that is another one for other contents."""
    digest = hashlib.blake2b(digest_size=12)
    for part in parts:
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.hexdigest()


def keys_of(scene: WireScene) -> frozenset[str]:
    """Return the keys of all large contents of a scene."""
    items: list[Any] = [*scene.geometries, *scene.textures]
    return frozenset(item.key for item in items if isinstance(item, KEYED))


def without(scene: WireScene, known: Collection[str]) -> WireScene:
    """Return a scene without the contents behind some keys."""
    if not known:
        return scene
    return replace(
        scene,
        geometries=[_emptied(item, known) for item in scene.geometries],
        textures=[_emptied(item, known) for item in scene.textures],
    )


def _emptied(item: T, known: Collection[str]) -> T:
    if not isinstance(item, KEYED) or item.key not in known:
        return item
    contents = {
        part.name: ""
        for part in fields(item)
        if part.name not in _NAMES and isinstance(getattr(item, part.name), str)
    }
    return replace(item, **contents)
