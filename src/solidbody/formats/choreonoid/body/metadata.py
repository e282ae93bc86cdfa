"""Reads `metadata` of a Resource: the length unit and the upper axis of a mesh file."""

from __future__ import annotations

from typing import Final

from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.settings import MeshUnits
from solidbody.formats.choreonoid.keys.shapes import LENGTH_UNITS, MetadataKeys, ResourceFileKeys
from solidbody.formats.choreonoid.keys.table import plain_values
from solidbody.formats.choreonoid.keys.yaml_tree import YamlScalar
from solidbody.formats.geometry.affine import Affine

AXES: Final[dict[str, Affine]] = {
    "Z": Affine(),
    # (x, y, z) of the file becomes (z, x, y)
    "Y": Affine(((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))),
}
_OLD_WORDS: Final = {
    **{unit: ("length_unit", unit) for unit in LENGTH_UNITS},
    "y_upper": ("upper_axis", "Y"),
    "z_upper": ("upper_axis", "Z"),
}
"""Words of metadata in its old form, one text."""


def metadata_of(keys: Keys) -> MeshUnits:
    """Return the units of a Resource, given as a mapping or in the old form of words."""
    value = keys.node(ResourceFileKeys.metadata)
    if isinstance(value, YamlScalar):
        chosen: dict[str, str] = {}
        for word in value.text.replace(",", " ").split():
            if word in _OLD_WORDS:
                what, choice = _OLD_WORDS[word]
                chosen[what] = choice
            else:
                keys.warning(
                    "wrong-value",
                    ResourceFileKeys.metadata,
                    f'"{word}" is no word of metadata; known: {", ".join(_OLD_WORDS)}.'
                    + keys.reading.guess(word, _OLD_WORDS),
                )
        return MeshUnits(**chosen)
    inner = None if value is None else keys.keys(ResourceFileKeys.metadata)
    if inner is None:
        return MeshUnits()
    units = MeshUnits(**plain_values(inner, MetadataKeys))
    inner.warn_of_slips(MetadataKeys)
    return units
