"""Values of YAML files for xacro's expressions (`xacro.load_yaml`)."""

from __future__ import annotations

import math
from typing import Final

from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlMap, YamlNode, YamlScalar
from solidbody.formats.urdf.xacro_values import Value, ValueTable, XacroError, listed, literal

_WORDS: Final = {
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "on", "On"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "off", "Off"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), False),
}
"""Words of YAML 1.1; nothing counts as false."""

_UNITS: Final = {"!degrees": math.radians(1.0), "!radians": 1.0}
"""What ROS writes before angles."""


def yaml_value(node: YamlNode) -> Value:
    """Return what a value of a file is in expressions.

    Raises:
        XacroError: It is too large, or an angle is no number.
    """
    match node:
        case YamlMap():
            return ValueTable((key.text, yaml_value(value)) for key, value in node.pairs)
        case YamlList():
            return listed(yaml_value(item) for item in node.items)
        case YamlScalar(text=text, tag=tag) if tag in _UNITS:
            number = literal(text)
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise XacroError(f'{node.span}: an angle is a number, got "{text}"')
            return number * _UNITS[tag]
        case YamlScalar(text=text, is_quoted=is_quoted):
            if is_quoted:
                return text
            return _WORDS[text] if text in _WORDS else literal(text)
