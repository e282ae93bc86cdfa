"""`metadata` of a Resource: the length unit and the upper axis of a mesh file."""

from __future__ import annotations

from typing import Final

from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.yaml_tree import YamlScalar
from solidbody.formats.geometry.affine import Affine

UNITS: Final = {"meter": 1.0, "millimeter": 0.001, "inch": 0.0254}
AXES: Final[dict[str, Affine]] = {
    "Z": Affine(),
    # (x, y, z) of the file becomes (z, x, y)
    "Y": Affine(((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))),
}
_OLD_WORDS: Final = {
    "meter": ("unit", "meter"),
    "millimeter": ("unit", "millimeter"),
    "inch": ("unit", "inch"),
    "y_upper": ("axis", "Y"),
    "z_upper": ("axis", "Z"),
}
"""Words of metadata in its old form, one text."""


def metadata_of(keys: Keys) -> tuple[str, str]:
    """Return (length unit, upper axis) of a Resource, as a mapping or in the old form of words."""
    value = keys.node("metadata")
    if isinstance(value, YamlScalar):
        chosen = {"unit": "meter", "axis": "Z"}
        for word in value.text.replace(",", " ").split():
            if word in _OLD_WORDS:
                what, choice = _OLD_WORDS[word]
                chosen[what] = choice
            else:
                keys.warning(
                    "wrong-value",
                    "metadata",
                    f'"{word}" is no word of metadata; known: {", ".join(_OLD_WORDS)}.'
                    + keys.reading.guess(word, _OLD_WORDS),
                )
        return chosen["unit"], chosen["axis"]
    inner = None if value is None else keys.keys("metadata")
    if inner is None:
        return "meter", "Z"
    unit = inner.choice("length_unit", table={name: name for name in UNITS}, default="meter")
    axis = inner.choice("upper_axis", table={name: name for name in AXES}, default="Z")
    inner.warn_of_slips()
    return unit, axis
