"""Parses PROTO files: interface, body, and tags in the comments at the top.

A file whose body contains template statements is *procedural*: its interface is read at once, its
body only when the values of an instance are known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog, did_you_mean
from solidbody.base.span import SourceSpan
from solidbody.formats.vrml.field_types import FIELD_TYPES, fits, words_for
from solidbody.formats.vrml.parser import parse_text
from solidbody.formats.vrml.source import SourceText
from solidbody.formats.vrml.syntax import (
    ExternProtoSyntax,
    FieldSyntax,
    IsSyntax,
    ItemSyntax,
    ListSyntax,
    NodeSyntax,
    ParameterSyntax,
    ProtoSyntax,
)

PARAMETER_KEYWORDS: Final = (
    "field",
    "vrmlField",
    "w3dField",
    "hiddenField",
    "unconnectedField",
    "deprecatedField",
)

_INTERFACE_PIECE = re.compile(
    r'"(?:[^"\\]|\\.)*"|#[^\n\r]*|[\[\]{}]|(?<![^\s,])PROTO(?=\s)', re.DOTALL
)
_TAG = re.compile(r'"(?:[^"\\]|\\.)*"|#[^\n\r]*|%[<{]', re.DOTALL)
_FIELD_READ = re.compile(r"\bfields\.(\w+)")
_ID_READ = re.compile(r"\bcontext\b(?!\s*\.\s*(?!id\b)\w)")
_META = re.compile(
    r"(license url|license|documentation url|template language|tags|keywords)\s*:\s*(.*)"
)


@dataclass(frozen=True, slots=True)
class ProtoMetadata:
    """What the comments after the header say.

    Attributes:
        entries: `license`, `tags`, `template language` and the like, as written.
        tags: The words of `tags`.
        description: The other lines.
    """

    entries: Mapping[str, str]
    tags: frozenset[str]
    description: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ProtoDefinition:
    """A PROTO as one file gives it. Compared by identity.

    Attributes:
        name: Node type that it defines.
        file: File that holds it.
        header: Release in the file's header.
        parameters: The interface by name.
        externs: PROTOs that the file declares.
        body: The root node; None for a procedural PROTO.
        template: For a procedural PROTO the whole text of its file; else None.
        template_start: Offset of the body in `template`.
        language: Of the template: `javascript` or `lua`.
        metadata: Comments at the top.
        span: Place of the definition.
    """

    name: str
    file: str
    header: str
    parameters: Mapping[str, ParameterSyntax]
    externs: tuple[ExternProtoSyntax, ...]
    body: NodeSyntax | None
    template: str | None
    template_start: int
    language: str
    metadata: ProtoMetadata
    span: SourceSpan

    @property
    def regenerators(self) -> frozenset[str]:
        """The parameters that the template reads: a change of one makes the node anew."""
        if self.template is None:
            return frozenset()
        if "indirectFieldAccess" in self.metadata.tags:
            return frozenset(self.parameters)
        return fields_read(self.template, self.template_start)

    @property
    def asks_for_id(self) -> bool:
        """Whether the template reads the id of its node: each instance has its own body then."""
        return self.template is not None and reads_id(self.template, self.template_start)


@lru_cache(maxsize=1024)
def reads_id(template: str, start: int) -> bool:
    """Return whether a template may read the id of its node; kept, since each instance asks."""
    return _ID_READ.search(template, start) is not None


@lru_cache(maxsize=1024)
def fields_read(template: str, start: int) -> frozenset[str]:
    """Return the names of the parameters that a template reads; kept, since each instance asks."""
    return frozenset(_FIELD_READ.findall(template, start))


def read_metadata(text: str) -> ProtoMetadata:
    """Return what the comments between the header and the first statement say."""
    entries: dict[str, str] = {}
    description: list[str] = []
    for line in re.split(r"\r\n|\n|\r", text)[1:]:
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            break
        content = stripped.lstrip("#").strip()
        found = _META.match(content)
        if found:
            entries[found.group(1)] = found.group(2).strip()
        elif content:
            description.append(content)
    tags = frozenset(tag.strip() for tag in entries.get("tags", "").split(",") if tag.strip())
    return ProtoMetadata(entries, tags, tuple(description))


def read_proto(
    text: str, file: str, name: str, log: DiagnosticLog, *, otherwise: str = ""
) -> ProtoDefinition | None:
    """Return the PROTO of a file, or None if it has none that can be used.

    Args:
        text: Content of the file.
        file: Its name, for places and messages.
        name: PROTO that the file must define: the file's own name without extension.
        log: Takes all messages.
        otherwise: The release to read a file without a header as; empty = it cannot be read.
    """
    text = text.removeprefix("\ufeff")
    metadata = read_metadata(text)
    start = _body_start(text)
    language = _template_language(text, start, metadata)
    if _has_early_template(text, start, file, log):
        return None
    shown = text if not language else text[:start] + "{ }"
    tree = parse_text(shown, file, log, otherwise=otherwise)
    if tree is None:
        return None
    place = SourceText(text, file).span(0, 0)
    if len(tree.protos) != 1:
        log.error("bad-proto", place, f"a PROTO file holds one PROTO, got {len(tree.protos)}.")
        return None
    proto = tree.protos[0]
    if not name.lower().endswith(proto.name.lower()):  # Webots compares no more than that
        log.error(
            "proto-name",
            proto.span,
            f'the PROTO is called "{proto.name}" but its file "{name}"; the names must be the same.',
        )
        return None
    body = None if language else body_root(proto, log)
    if body is None and not language:
        return None
    definition = ProtoDefinition(
        name,
        file,
        tree.header,
        _with_comments(checked_parameters(proto, log), text[:start]),
        tree.externs,
        body,
        text if language else None,
        start,
        language,
        metadata,
        proto.span,
    )
    _report_unconnected(definition, log)
    _report_moving_regenerators(definition, log)
    return definition


def inline_definition(
    proto: ProtoSyntax,
    file: str,
    header: str,
    externs: tuple[ExternProtoSyntax, ...],
    log: DiagnosticLog,
) -> ProtoDefinition | None:
    """Return a PROTO that a world defines itself."""
    body = body_root(proto, log)
    if body is None:
        return None
    none = ProtoMetadata({}, frozenset(), ())
    parameters = checked_parameters(proto, log)
    return ProtoDefinition(
        proto.name, file, header, parameters, externs, body, None, 0, "", none, proto.span
    )


def body_root(proto: ProtoSyntax, log: DiagnosticLog) -> NodeSyntax | None:
    """Return the single root node of a body."""
    if len(proto.body) == 1 and isinstance(proto.body[0], NodeSyntax):
        return proto.body[0]
    log.error(
        "bad-proto",
        proto.body[1].span if len(proto.body) > 1 else proto.span,
        f'the body of PROTO "{proto.name}" must be one node, '
        f"{'got ' + str(len(proto.body)) + ' items' if proto.body else 'it is empty'}.",
    )
    return None


def checked_parameters(proto: ProtoSyntax, log: DiagnosticLog) -> dict[str, ParameterSyntax]:
    """Return the usable parameters by name; the others are reported."""
    found: dict[str, ParameterSyntax] = {}
    node = f'PROTO "{proto.name}"'
    for item in proto.parameters:
        problem = ""
        if item.keyword not in PARAMETER_KEYWORDS:
            problem = (
                f'unknown word "{item.keyword}".{did_you_mean(item.keyword, PARAMETER_KEYWORDS)}'
            )
        elif item.type_name not in FIELD_TYPES:
            guess = did_you_mean(item.type_name, FIELD_TYPES)
            problem = f'unknown field type "{item.type_name}".{guess}'
        elif item.name in found:
            problem = "the parameter is declared twice; the first counts."
        elif item.default is None or isinstance(item.default, IsSyntax):
            problem = "a parameter needs a default value."
        elif not fits(item.type_name, item.default):
            problem = f"the default must be {words_for(item.type_name)}."
        if problem:
            log.error("bad-parameter", item.span, problem, node=node, field=item.name)
        else:
            found[item.name] = item
    return found


def _with_comments(
    parameters: dict[str, ParameterSyntax], interface: str
) -> dict[str, ParameterSyntax]:
    """Return the parameters with what stands beside them: behind, or else in lines of their own above."""
    if "#" not in interface:
        return parameters
    lines = re.split(r"\r\n|\n|\r", interface)
    return {
        name: replace(item, comment=_comment_at(lines, item.span))
        for name, item in parameters.items()
    }


def _comment_at(lines: list[str], span: SourceSpan) -> str:
    behind = lines[span.end_line - 1][span.end_column - 1 :].strip()
    if behind.startswith("#"):
        return behind.lstrip("#").strip()
    above: list[str] = []
    for line in reversed(lines[: span.line - 1]):
        if not line.lstrip().startswith("#"):
            break
        above.insert(0, line.lstrip().lstrip("#").strip())
    return " ".join(filter(None, above))


def _body_start(text: str) -> int:
    """Return the offset of the brace that opens the body of the first PROTO; the end if there is none."""
    depth = 0
    stage = "before"
    for match in _INTERFACE_PIECE.finditer(text):
        piece = match.group()
        if stage == "before":
            if piece == "PROTO":
                stage = "interface"
        elif stage == "interface":
            depth += (piece == "[") - (piece == "]")
            if piece == "]" and depth <= 0:
                stage = "body"
        elif piece == "{":
            return match.start()
    return len(text)


def _template_language(text: str, start: int, metadata: ProtoMetadata) -> str:
    """Return the language of the template statements in the body; empty if there are none."""
    written = metadata.entries.get("template language", "").lower()
    tags = {match.group() for match in _TAG.finditer(text, start)}
    tags |= {tag for piece in tags if piece.startswith('"') for tag in ("%<", "%{") if tag in piece}
    if "%<" in tags and written != "lua":
        return "javascript"
    return "lua" if "%{" in tags and written != "javascript" else ""


def _has_early_template(text: str, start: int, file: str, log: DiagnosticLog) -> bool:
    """Report template statements before the body, which belong into it."""
    for found in _TAG.finditer(text, 0, start):
        if found.group() in ("%<", "%{"):
            log.error(
                "bad-proto",
                SourceText(text, file).span(found.start(), found.end()),
                "template statements are allowed in the body of a PROTO only, not in its interface.",
            )
            return True
    return False


def _report_moving_regenerators(definition: ProtoDefinition, log: DiagnosticLog) -> None:
    """Warn of templates that read the pose: each move of the node would make it anew."""
    read = fields_read(definition.template or "", definition.template_start)
    for name, type_name in (("translation", "SFVec3f"), ("rotation", "SFRotation")):
        item = definition.parameters.get(name)
        if item is not None and item.type_name == type_name and name in read:
            log.warning(
                "moving-regenerator",
                item.span,
                f'the template reads "{name}": whenever the node moves, it has to be made anew.',
                node=f'PROTO "{definition.name}"',
                field=name,
            )


def _report_unconnected(definition: ProtoDefinition, log: DiagnosticLog) -> None:
    """Warn of parameters that no field is linked to; Webots says nothing of those of templates either."""
    if definition.body is None:
        return
    names = _linked_names(definition.body)
    quiet = ("unconnectedField", "hiddenField", "deprecatedField")
    for item in definition.parameters.values():
        if item.name not in names and item.keyword not in quiet:
            log.warning(
                "unconnected-field",
                item.span,
                "no field of the body IS this parameter; unconnectedField would say that it is meant so.",
                node=f'PROTO "{definition.name}"',
                field=item.name,
            )


def _linked_names(root: NodeSyntax) -> set[str]:
    names: set[str] = set()
    stack: list[ItemSyntax | FieldSyntax | ListSyntax] = [root]
    while stack:
        item = stack.pop()
        match item:
            case IsSyntax():
                names.add(item.name)
            case FieldSyntax():
                stack.append(item.value)
            case NodeSyntax():
                stack.extend(item.fields)
            case ListSyntax():
                stack.extend(item.items)
            case _:
                pass
    return names
