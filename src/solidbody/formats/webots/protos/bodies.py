"""Bodies of PROTOs: as written, or evaluated from a template for the values of an instance."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog
from solidbody.base.span import SourceSpan
from solidbody.formats.assets import AssetFinder
from solidbody.formats.vrml.mapped_source import MappedSource
from solidbody.formats.vrml.parser import parse_source
from solidbody.formats.vrml.proto import ProtoDefinition, body_root
from solidbody.formats.vrml.proto_library import Trail
from solidbody.formats.vrml.source import SourceText
from solidbody.formats.vrml.syntax import FileSyntax, NodeSyntax, StringSyntax, ValueSyntax
from solidbody.formats.webots.old_releases_world import modern_world_info
from solidbody.formats.webots.protos.engine import TIME
from solidbody.formats.webots.protos.engine_process import ALL_TIME, EngineProcess
from solidbody.formats.webots.protos.template_values import template_value
from solidbody.formats.webots.protos.templates import (
    Script,
    TemplateError,
    make_script,
    script_offset,
    split_template,
)
from solidbody.formats.webots.release import FIRST_Z_UP, NEWEST, parse_release

_SYSTEMS: Final = {"win32": "windows", "darwin": "mac"}


class BodyMaker:
    """Gives the body of a PROTO; each template is evaluated once for the same values."""

    def __init__(
        self, tree: FileSyntax, source: str, finder: AssetFinder, log: DiagnosticLog
    ) -> None:
        self._log = log
        self._source = source
        self._finder = finder
        self._coordinates = _coordinate_system(tree)
        self._engines: dict[str, EngineProcess] = {}
        self._scripts: dict[ProtoDefinition, Script | None] = {}
        self._done: dict[tuple[ProtoDefinition, str], NodeSyntax | None] = {}
        self._hopeless: set[ProtoDefinition] = set()  # they fail whatever the values are
        self._evaluations = 0
        self._time_left = ALL_TIME

    def close(self) -> None:
        """End the processes in which templates ran."""
        for engine in self._engines.values():
            engine.close()

    def body(
        self,
        definition: ProtoDefinition,
        values: Mapping[str, ValueSyntax],
        trail: Trail,
        place: SourceSpan,
    ) -> NodeSyntax | None:
        """Return the body for the values of an instance, or None after a message.

        Args:
            definition: The PROTO.
            values: Of all its parameters.
            trail: How messages name the instance.
            place: The instance.
        """
        if definition.template is None:
            return definition.body
        if definition in self._hopeless:
            return self._failed_before(definition, trail, place)
        script = self._script(definition, trail)
        if script is None:
            return None
        fields = {
            name: {
                "value": template_value(item.type_name, values.get(name, item.default)),
                "defaultValue": template_value(item.type_name, item.default),
            }
            for name, item in definition.parameters.items()
        }
        key = (definition, json.dumps(fields))
        if key not in self._done or "nonDeterministic" in definition.metadata.tags:
            self._done[key] = self._evaluate(definition, script, fields, trail)
        elif self._done[key] is None:
            return self._failed_before(definition, trail, place)
        return self._done[key]

    def _failed_before(self, definition: ProtoDefinition, trail: Trail, place: SourceSpan) -> None:
        text = f'the template of PROTO "{definition.name}" failed before; the node is left out.'
        self._log.error("template-error", place, text, node=trail.path)

    def _script(self, definition: ProtoDefinition, trail: Trail) -> Script | None:
        if definition not in self._scripts:
            assert definition.template is not None
            try:
                pieces = split_template(
                    definition.template, definition.template_start, definition.language
                )
                self._scripts[definition] = make_script(pieces, definition.language)
            except TemplateError as error:
                self._scripts[definition] = None
                self._hopeless.add(definition)
                self._fail(definition, error.text, error.offset, trail)
        return self._scripts[definition]

    def _evaluate(
        self, definition: ProtoDefinition, script: Script, fields: dict[str, Any], trail: Trail
    ) -> NodeSyntax | None:
        if self._time_left <= 0.0:
            text = f"the templates of this world ran for more than {ALL_TIME:g} s together"
            self._fail(definition, text, definition.template_start, trail)
            return None
        self._evaluations += 1
        engine = self._engines.setdefault(definition.language, EngineProcess(definition.language))
        answer = engine.evaluate(
            {
                "script": script.code,
                "imports": script.imports,
                "fields": fields,
                "context": self._context(definition),
            }
        )
        seconds = answer.get("seconds", TIME)  # none: its process has ended
        self._time_left -= seconds
        if "error" in answer:
            if seconds > TIME / 2:  # other values would hardly spare it the time
                self._hopeless.add(definition)
            line = answer["line"]
            offset = script_offset(script, line) if line > 0 else definition.template_start
            self._fail(definition, answer["error"], offset, trail)
            return None
        output = json.loads(answer["result"])
        self._keep(output.get("pictures", {}))
        assert definition.template is not None
        original = SourceText(definition.template, definition.file)
        self._pass_on(definition, output["messages"], original, trail)
        pieces: list[tuple[str, int, bool]] = [
            (f"PROTO {definition.name} [ ] ", definition.template_start, False)
        ]
        for item in output["pieces"]:
            index, text = (item, None) if isinstance(item, int) else item
            piece = script.pieces[index]
            if text is None:
                pieces.append((piece.text, piece.offset, True))
            else:
                pieces.append((_whole_characters(text), piece.offset, False))
        tree, said = _parsed(definition.template, definition.file, definition.header, tuple(pieces))
        self._log.extend(said)
        if len(tree.protos) != 1:
            text = "what it writes is not one body in braces"
            self._fail(definition, text, definition.template_start, trail)
            return None
        return body_root(tree.protos[0], self._log)

    def _keep(self, pictures: dict[str, str]) -> None:
        """Write what a template drew, in base 64, where its urls lead."""
        folder = self._finder.drawn
        with contextlib.suppress(OSError):  # then the check of images finds them missing
            for name, content in pictures.items():
                folder.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(base64.b64decode(content))

    def _pass_on(
        self,
        definition: ProtoDefinition,
        messages: list[list[str]],
        original: SourceText,
        trail: Trail,
    ) -> None:
        start = definition.template_start
        for level, text in messages:
            record = self._log.info if level == "info" else self._log.warning
            said = f'PROTO "{definition.name}" says: {_whole_characters(text)}'
            record("template-message", original.span(start, start + 1), said, node=trail.path)

    def _fail(self, definition: ProtoDefinition, text: str, offset: int, trail: Trail) -> None:
        assert definition.template is not None
        source = SourceText(definition.template, definition.file)
        self._log.error(
            "template-error",
            source.span(offset, offset),
            f'the template of PROTO "{definition.name}" cannot be evaluated: {text}. '
            "The node is left out.",
            node=trail.path,
        )

    def _context(self, definition: ProtoDefinition) -> dict[str, Any]:
        home = self._finder.webots_home
        return {
            "world": os.path.abspath(self._source),
            "proto": os.path.abspath(definition.file),
            "project_path": str(self._finder.project),
            "webots_version": {"major": str(NEWEST), "revision": "0"},
            "webots_home": f"{home}/" if home else "",
            "temporary_files_path": f"{self._finder.drawn.as_posix()}/",
            "os": _SYSTEMS.get(sys.platform, "linux"),
            "id": str(self._evaluations),
            "coordinate_system": self._coordinates,
        }


@lru_cache(maxsize=256)
def _parsed(
    template: str, file: str, header: str, pieces: tuple[tuple[str, int, bool], ...]
) -> tuple[FileSyntax, tuple[Diagnostic, ...]]:
    """Return what a template wrote as a tree, and what there is to say about it.

    Kept, since each change that a supervisor makes expands the whole world anew.
    """
    log = DiagnosticLog()
    source = MappedSource(SourceText(template, file), pieces)
    return parse_source(source, header, log), tuple(log)


def _whole_characters(text: str) -> str:
    """Return `text` without halves of characters, which JavaScript strings may hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _coordinate_system(tree: FileSyntax) -> str:
    """Return the axes that a world names, or that go without saying in its release."""
    release = parse_release(tree.header) or NEWEST
    for node in tree.nodes:
        if node.type_name == "WorldInfo":
            is_old = release < FIRST_Z_UP
            info = modern_world_info(node, release, DiagnosticLog()) if is_old else node
            for part in info.fields:
                if part.name == "coordinateSystem" and isinstance(part.value, StringSyntax):
                    return part.value.value
    return "ENU"
