"""Reads body files and those that they include, each file once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.limits import MAX_FILE_BYTES, MAX_INCLUDES
from solidbody.base.span import SourceSpan
from solidbody.formats.assets import AssetError
from solidbody.formats.choreonoid.body.collision_rules import OLD_KEY, RULES_KEY
from solidbody.formats.choreonoid.body.continuous_tracks import read_track
from solidbody.formats.choreonoid.body.elements import ElementReader, typed_nodes
from solidbody.formats.choreonoid.body.extra_joints import read_extra_joints
from solidbody.formats.choreonoid.body.header import read_handlers, read_header
from solidbody.formats.choreonoid.body.links import read_link
from solidbody.formats.choreonoid.body.resources import Resources
from solidbody.formats.choreonoid.body.sub_bodies import include_body
from solidbody.formats.choreonoid.keys.access import DEGREE, BodyFileReading, Keys
from solidbody.formats.choreonoid.keys.bodies import BodyKeys, LinkKeys, NodeKeys, SubBodyKeys
from solidbody.formats.choreonoid.keys.info_text import flow_text
from solidbody.formats.choreonoid.keys.kinds import numbers_of
from solidbody.formats.choreonoid.keys.table import Key
from solidbody.formats.choreonoid.keys.yaml_tree import (
    YamlDocument,
    YamlList,
    YamlMap,
    YamlNode,
    parse_yaml,
)
from solidbody.formats.file_kinds import BODY_KINDS, URDF_KINDS
from solidbody.formats.link_trees.drafts import BodyDraft
from solidbody.formats.link_trees.messages import Messages
from solidbody.formats.openhrp.humanoid import openhrp_body
from solidbody.formats.text_files import read_text
from solidbody.formats.urdf.robot import robot_draft

LINK_TYPES: Final = ("Link", "SubBody", "ContinuousTrack", "Skip")


class BodyReader:
    """Reads one body file and the body files below it."""

    def __init__(self, resources: Resources, log: DiagnosticLog) -> None:
        self._resources = resources
        self._log = log
        self._known: dict[str, BodyDraft | None] = {}
        self._open: list[str] = []

    def read(self, text: str, file: str) -> tuple[BodyDraft, Keys] | None:
        """Return the body of a text and its top-level keys, or None after a message.

        Args:
            text: What the file holds.
            file: Its name; uris are relative to it.
        """
        document = self._document(text, file)
        if document is None:
            return None
        if not isinstance(document.root, YamlMap):
            self._log.error(
                "wrong-format", document.root.span, "a body file is a mapping with the key links."
            )
            return None
        reading = BodyFileReading(self._log)
        keys = Keys(document.root, reading)
        if not keys.has(BodyKeys.format, BodyKeys.links):
            return self._wrapped(keys, file)
        header = read_header(keys, file)
        if header is None:
            return None
        handlers = read_handlers(keys)
        reading.angle_factor = header.angle_factor
        body = BodyDraft(header.name, SourceSpan(file, 1, 1, 1, 1), header.root)
        elements = ElementReader(self._resources.with_anchors(document.anchors, document.root))
        self._open.append(_identity(file))
        for type_name, node in _entries(keys):
            self._read_entry(type_name, node, body, elements)
        self._open.pop()
        body.loops[:0] = read_extra_joints(keys)
        if handlers:
            body.info["body_handlers"] = f"[{', '.join(handlers)}]"
        self._read_info(keys, body)
        if not body.links:
            keys.error("no-links", BodyKeys.links, "a body needs at least one link.")
            return None
        return body, keys

    def _document(self, text: str, file: str) -> YamlDocument | None:
        """Return what a body file holds, or None after a message; OpenHRP's language has its keys."""
        if PurePath(file).suffix.lower() != ".wrl":
            return parse_yaml(text, file, self._log)
        root = openhrp_body(text, file, self._resources, self._log)
        return None if root is None else YamlDocument(root, {})

    def _read_entry(
        self, type_name: str, keys: Keys, body: BodyDraft, elements: ElementReader
    ) -> None:
        match type_name:
            case "Link":
                body.links.append(read_link(keys, elements))
            case "ContinuousTrack":
                body.links.extend(read_track(keys, elements))
            case "SubBody":
                sub = self._sub_body(keys, SubBodyKeys.uri)
                if sub is not None:
                    if not body.links and body.root is None and sub.root_index:
                        # the first entry is the root: of a sub-body, that is its root
                        sub = _root_first(sub)
                    include_body(keys, sub, body, elements)
            case "Skip":
                pass
            case _:
                keys.error(
                    "link-type",
                    LinkKeys.type,
                    f'expected one of {", ".join(LINK_TYPES)}, got "{type_name}"; left out.'
                    f"{keys.reading.guess(type_name, LINK_TYPES)}",
                )

    def _sub_body(self, keys: Keys, key: Key[str | None]) -> BodyDraft | None:
        """Return the body in the file that a key names, or None after a message."""
        keys.node(NodeKeys.type)
        uri = keys.read(key)
        if not uri:
            if not keys.has(key) or uri == "":
                keys.error("missing-key", key, "a SubBody needs the path of a body file.")
            return None
        path = self._find(uri, keys, key)
        if path is None:
            return None
        identity = _identity(path)
        if identity in self._open:
            keys.error("include-circle", key, f'"{uri}" includes itself; left out.')
            return None
        if len(self._open) > MAX_INCLUDES:
            text = f"files include each other more than {MAX_INCLUDES} deep."
            keys.error("too-deep", key, text)
            return None
        if identity not in self._known:
            text = read_text(path, self._log, max_bytes=MAX_FILE_BYTES)
            self._known[identity] = None if text is None else self._draft(text, path)
        sub = self._known[identity]
        if sub is None:
            keys.error("bad-sub-body", key, f'the body file "{uri}" could not be read.')
        return sub

    def _draft(self, text: str, path: str) -> BodyDraft | None:
        if PurePath(path).suffix.lower() in URDF_KINDS:
            return robot_draft(text, path, self._resources, Messages(self._log))
        found = self.read(text, path)
        return None if found is None else found[0]

    def _find(self, uri: str, keys: Keys, name: Key[Any]) -> str | None:
        if uri.startswith("${") or "://" in uri:
            keys.warning(
                "uri-variable",
                name,
                "Choreonoid takes the path of a body file as it is, without variables and schemes; "
                "they are followed here.",
            )
        try:
            return str(self._resources.find(uri, keys.span.file))
        except AssetError as error:
            code = "refused-file" if error.is_refused else "missing-file"
            keys.error(code, name, f'the body file "{uri}" cannot be read: {error.text}.')
            return None

    def _wrapped(self, keys: Keys, file: str) -> tuple[BodyDraft, Keys] | None:
        """Return the body of a file that only names another model."""
        if keys.find(BodyKeys.model_file) is None:
            keys.error(
                "wrong-format",
                "",
                "this is no body file: it has neither links nor the key format nor model_file.",
            )
            return None
        name = keys.read(BodyKeys.model_file)
        if PurePath(name).suffix.lower() not in BODY_KINDS:
            keys.error(
                "unsupported-model-file",
                BodyKeys.model_file,
                f'bodies are read from {", ".join(BODY_KINDS)} files, got "{name}".',
            )
            return None
        self._open.append(_identity(file))
        sub = self._sub_body(keys, BodyKeys.model_file)
        self._open.pop()
        if sub is None:
            return None
        keys.find(BodyKeys.geometry)
        extra = keys.keys(BodyKeys.link_info)
        body = BodyDraft(sub.name, SourceSpan(file, 1, 1, 1, 1), sub.root)
        body.links, body.loops = list(sub.links), list(sub.loops)
        body.couplings = list(sub.couplings)
        body.info, body.rules = dict(sub.info), dict(sub.rules)
        if extra is not None:
            _add_link_info(body, extra)
        self._read_info(keys, body)
        return body, keys

    def _read_info(self, keys: Keys, body: BodyDraft) -> None:
        """Keep what is left of the top-level keys; those of sub-bodies do not replace it."""
        for key in (RULES_KEY, OLD_KEY):
            node = keys.node(key)
            if node is not None:
                body.rules[key.name] = node
        keys.warn_of_slips(BodyKeys)
        written = {key.text: node for key, node in keys.rest()}
        info = {name: flow_text(node) for name, node in written.items()}
        for name in BodyKeys.standard_pose.names:
            if name in info and keys.reading.angle_factor != DEGREE:
                info[name] = _in_degrees(keys, name, written[name])
        body.info = {**body.info, **info}


def _in_degrees(keys: Keys, name: str, node: YamlNode) -> str:
    """Return a list of angles of a radian file as text in degrees, the unit of all information."""
    angles = numbers_of(keys, name, node) or ()
    factor = keys.reading.angle_factor / DEGREE
    return f"[{', '.join(f'{angle * factor:.15g}' for angle in angles)}]"


def _entries(keys: Keys) -> Iterator[tuple[str, Keys]]:
    """Yield (type, keys) of the entries of `links`; in a list an entry without type is a Link."""
    value = keys.node(BodyKeys.links)
    if value is None:
        keys.error("missing-key", BodyKeys.links, "a body file needs it.")
    elif isinstance(value, YamlList):
        for number, item in enumerate(value.items):
            if not isinstance(item, YamlMap):
                keys.wrong("links", item, "a link, which is a mapping")
            elif item.get("type") is None:
                yield "Link", keys.child(item, _link_label("Link", item, number))
            else:
                for type_name, node in typed_nodes(item, keys, "links"):
                    label = _link_label(type_name, item, number)
                    yield type_name, Keys(item, node.reading, label)
    elif isinstance(value, YamlMap):
        yield from typed_nodes(value, keys, "links")
    else:
        keys.wrong("links", value, "a list of links or a mapping")


def _link_label(type_name: str, node: YamlMap, number: int) -> str:
    name = _text(node.get("name"))
    return f'{type_name} "{name}"' if name else f"links[{number}] {type_name}"


def _text(node: YamlNode | None) -> str:
    return "" if node is None or isinstance(node, (YamlList, YamlMap)) else node.text


def _add_link_info(body: BodyDraft, extra: Keys) -> None:
    for key, value in extra.yaml.pairs:
        if not isinstance(value, YamlMap):
            extra.wrong(key.text, value, "a mapping")
            continue
        index = next((k for k, link in enumerate(body.links) if link.name == key.text), None)
        if index is None:
            names = [link.name for link in body.links]
            extra.warning(
                "unknown-link",
                key.text,
                f"no link is named so.{extra.reading.guess(key.text, names)}",
                span=key.span,
            )
            continue
        link = body.links[index]
        added = tuple((name.text, flow_text(item)) for name, item in value.pairs)
        body.links[index] = replace(link, info=(*link.info, *added))


def _root_first(sub: BodyDraft) -> BodyDraft:
    index = sub.root_index or 0
    links = [sub.links[index], *sub.links[:index], *sub.links[index + 1 :]]
    return replace(sub, links=links)


def _identity(path: str) -> str:
    return os.path.realpath(path)
