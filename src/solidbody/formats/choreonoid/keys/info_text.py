"""Writes YAML values on one line, to keep what solidbody does not use as text."""

from __future__ import annotations

from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlMap, YamlNode, YamlScalar

_SPECIAL = set("{}[],&*#?|<>=!%@:\"'`\n\t")
"""Characters that a plain word may not have without quotes, somewhere or anywhere."""


def flow_text(node: YamlNode) -> str:
    """Return a value in YAML's one-line form; reading it again gives the same value."""
    match node:
        case YamlScalar():
            return _scalar(node)
        case YamlList():
            return f"[{', '.join(flow_text(item) for item in node.items)}]"
        case YamlMap():
            pairs = (f"{_scalar(key)}: {flow_text(value)}" for key, value in node.pairs)
            return f"{{{', '.join(pairs)}}}"


def info_of(keys: Keys) -> tuple[tuple[str, str], ...]:
    """Return (key, text) of the pairs of a mapping that nobody has asked for."""
    return tuple((key.text, flow_text(value)) for key, value in keys.rest())


def _scalar(node: YamlScalar) -> str:
    text = node.text
    is_plain = text == text.strip() and text != "" and not _SPECIAL & set(text)
    if is_plain and not node.is_quoted and not text.startswith("- "):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\t", "\\t") + '"'
