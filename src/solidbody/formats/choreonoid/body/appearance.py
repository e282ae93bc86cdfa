"""Reads `appearance` of a Shape: material, texture and texture transform."""

from __future__ import annotations

from typing import Any, Final

from solidbody.formats.assets import AssetError
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.kinds import flag_of
from solidbody.formats.choreonoid.keys.shapes import (
    AppearanceKeys,
    MaterialKeys,
    ShapeKeys,
    TextureKeys,
    TextureTransformKeys,
    shininess_of,
)
from solidbody.formats.choreonoid.keys.table import Key, plain_values
from solidbody.formats.choreonoid.keys.yaml_tree import YamlScalar
from solidbody.formats.images import ImageError, check_image
from solidbody.formats.link_trees.uris import BodyFiles
from solidbody.model.appearance import Appearance, Texture, TextureTransform

DEFAULT_EXPONENT: Final = 25.0


def appearance_of(keys: Keys, files: BodyFiles, *, check_images: bool = False) -> Appearance | None:
    """Return the look of a Shape; None = the neutral default.

    Args:
        keys: Of the Shape.
        files: Where images come from.
        check_images: Whether images are opened, and reported where they cannot be.
    """
    look = _mapping(keys, ShapeKeys.appearance)
    if look is None:
        return None
    material = _mapping(look, AppearanceKeys.material)
    texture_keys = _mapping(look, AppearanceKeys.texture)
    texture = None if texture_keys is None else _texture(texture_keys, files, check_images)
    transform_keys = _mapping(look, AppearanceKeys.texture_transform)
    transform = None if transform_keys is None else _texture_transform(transform_keys)
    look.warn_of_slips(AppearanceKeys)
    if texture is None:
        transform = None
    if material is None:
        if texture is None:
            return None
        return Appearance(texture=texture, texture_transform=transform)
    return _material(material, texture, transform)


def _mapping(keys: Keys, row: Key[Any]) -> Keys | None:
    """Return the mapping under a key; a key without value counts as absent."""
    value = keys.node(row)
    is_empty = isinstance(value, YamlScalar) and not value.text and not value.is_quoted
    return None if is_empty else keys.keys(row)


def _material(
    keys: Keys, texture: Texture | None, transform: TextureTransform | None
) -> Appearance:
    values = plain_values(keys, MaterialKeys)
    shininess = keys.read(MaterialKeys.shininess)
    if values["shininess"] is None:
        share = None if shininess is None else min(max(shininess, 0.0), 1.0)
        values["shininess"] = shininess_of(
            DEFAULT_EXPONENT if share is None else 127.0 * share + 1.0
        )
    elif shininess is not None:
        text = "specular_exponent counts; this is not read."
        keys.info("unread-key", MaterialKeys.shininess, text)
    look = Appearance(**values, texture=texture, texture_transform=transform)
    keys.warn_of_slips(MaterialKeys)
    return look


def _texture(keys: Keys, files: BodyFiles, check_images: bool) -> Texture | None:
    found = keys.find(TextureKeys.uri)
    uri = keys.read(TextureKeys.uri)
    repeat = _repeat(keys)
    keys.warn_of_slips(TextureKeys)
    if found is None or not uri:
        return None
    base = found[1].span.file
    if check_images:
        try:
            check_image(files.find(uri, base))
        except (AssetError, ImageError) as error:
            text = error.text if isinstance(error, AssetError) else str(error)
            keys.warning(
                "missing-texture",
                found[0],
                f'the image "{uri}" cannot be used: {text}; the shape stays without it.',
            )
    elif reason := files.refusal(uri, base):
        keys.warning("refused-file", found[0], f'"{uri}" is not read: {reason}.')
    return Texture(files.address(uri, base), repeat)


def _repeat(keys: Keys) -> tuple[bool, bool]:
    """Return whether the image is repeated along s and t: `repeat` for both, else one key for each."""
    along_s, along_t = plain_values(keys, TextureKeys)["repeat"]
    items = keys.items(TextureKeys.repeat)
    if not items:
        return along_s, along_t
    if len(items) == 1:
        both = flag_of(keys, TextureKeys.repeat.name, items[0])
        return (along_s, along_t) if both is None else (both, both)
    if len(items) != 2:
        text = "expected true, false or a list of two of them."
        keys.error("wrong-value", TextureKeys.repeat, text)
        return along_s, along_t
    first, second = (flag_of(keys, TextureKeys.repeat.name, item) for item in items)
    return (along_s if first is None else first, along_t if second is None else second)


def _texture_transform(keys: Keys) -> TextureTransform:
    transform = TextureTransform(**plain_values(keys, TextureTransformKeys))
    keys.warn_of_slips(TextureTransformKeys)
    return transform
