"""`appearance` of a Shape: material, texture and texture transform to the model."""

from __future__ import annotations

from typing import Final

from solidbody.base.transforms import Vec3
from solidbody.formats.assets import AssetError
from solidbody.formats.choreonoid.body.uris import BodyFiles
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlScalar
from solidbody.formats.images import ImageError, check_image
from solidbody.model.appearance import Appearance, Texture, TextureTransform

DEFAULT_EXPONENT: Final = 25.0
LARGEST_EXPONENT: Final = 128.0
"""The model's shininess is the exponent of highlights over this."""


def appearance_of(keys: Keys, files: BodyFiles, *, check_images: bool = False) -> Appearance | None:
    """Return the look of a Shape; None = the neutral default.

    Args:
        keys: Of the Shape.
        files: Where images come from.
        check_images: Whether images are opened, and reported where they cannot be.
    """
    look = _mapping(keys, "appearance")
    if look is None:
        return None
    material = _mapping(look, "material")
    texture_keys = _mapping(look, "texture")
    texture = None if texture_keys is None else _texture(texture_keys, files, check_images)
    transform_keys = _mapping(look, "texture_transform", "textureTransform")
    transform = None if transform_keys is None else _texture_transform(transform_keys)
    look.warn_of_slips()
    if texture is None:
        transform = None
    if material is None:
        if texture is None:
            return None
        return Appearance(texture=texture, texture_transform=transform)
    return _material(material, texture, transform)


def _mapping(keys: Keys, *names: str) -> Keys | None:
    """Return the mapping under a key; a key without value counts as absent."""
    value = keys.node(*names)
    is_empty = isinstance(value, YamlScalar) and not value.text and not value.is_quoted
    return None if is_empty else keys.keys(*names)


def _material(
    keys: Keys, texture: Texture | None, transform: TextureTransform | None
) -> Appearance:
    exponent = keys.number("specular_exponent", "specularExponent", default=None)
    shininess = keys.number("shininess", default=None)
    if exponent is None:
        exponent = DEFAULT_EXPONENT
        if shininess is not None:
            exponent = 127.0 * min(max(shininess, 0.0), 1.0) + 1.0
    elif shininess is not None:
        keys.info("unread-key", "shininess", "specular_exponent counts; this is not read.")
    transparency = keys.number("transparency", default=0.0)
    if not 0.0 <= transparency <= 1.0:
        keys.warning(
            "wrong-value",
            "transparency",
            f"expected a number from 0 (opaque) to 1 (invisible), got {transparency:g}.",
        )
    look = Appearance(
        base_color=_color(keys, ("diffuse", "diffuseColor"), (1.0, 1.0, 1.0)),
        emissive=_color(keys, ("emissive", "emissiveColor"), (0.0, 0.0, 0.0)),
        transparency=min(max(transparency, 0.0), 1.0),
        specular=_color(keys, ("specular", "specularColor"), (0.0, 0.0, 0.0)),
        shininess=min(max(exponent / LARGEST_EXPONENT, 0.0), 1.0),
        ambient=keys.number("ambient", "ambientIntensity", default=1.0),
        texture=texture,
        texture_transform=transform,
    )
    keys.warn_of_slips()
    return look


def _color(keys: Keys, names: tuple[str, ...], default: Vec3) -> Vec3:
    r, g, b = (min(max(x, 0.0), 1.0) for x in keys.vec3(*names, default=default))
    return (r, g, b)


def _texture(keys: Keys, files: BodyFiles, check_images: bool) -> Texture | None:
    found = keys.find("uri", "url")
    uri = keys.text("uri", "url", default="")
    repeat = _repeat(keys)
    keys.warn_of_slips()
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
    along_s = keys.flag("repeat_s", "repeatS", default=True)
    along_t = keys.flag("repeat_t", "repeatT", default=True)
    items = keys.items("repeat")
    if not items:
        return along_s, along_t
    if len(items) == 1:
        both = keys.flag_of("repeat", items[0])
        return (along_s, along_t) if both is None else (both, both)
    if len(items) != 2:
        keys.error("wrong-value", "repeat", "expected true, false or a list of two of them.")
        return along_s, along_t
    first, second = (keys.flag_of("repeat", item) for item in items)
    return (along_s if first is None else first, along_t if second is None else second)


def _texture_transform(keys: Keys) -> TextureTransform:
    rotation = 0.0
    if isinstance(keys.node("rotation"), YamlList):
        keys.warning(
            "wrong-value",
            "rotation",
            "expected one angle, got a list; it is not read, as in Choreonoid.",
        )
    else:
        rotation = keys.angle("rotation", default=0.0)
    transform = TextureTransform(
        _pair(keys, "center", (0.0, 0.0)),
        rotation,
        _pair(keys, "scale", (1.0, 1.0)),
        _pair(keys, "translation", (0.0, 0.0)),
    )
    keys.warn_of_slips()
    return transform


def _pair(keys: Keys, name: str, default: tuple[float, float]) -> tuple[float, float]:
    x, y = keys.vector(name, size=2, default=default)
    return (x, y)
