"""Bodies of PROTOs: as written, or evaluated from a template for the values of an instance."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

import numpy as np

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog
from solidbody.base.limits import (
    ALL_TEMPLATE_TIME,
    TEMPLATE_TIME,
    BudgetError,
    Cost,
    load_budget,
)
from solidbody.base.sized_store import SizedStore
from solidbody.base.span import SourceSpan
from solidbody.formats.assets import AssetFinder
from solidbody.formats.vrml.mapped_source import MappedSource
from solidbody.formats.vrml.parser import parse_source
from solidbody.formats.vrml.proto import ProtoDefinition, body_root
from solidbody.formats.vrml.proto_library import Trail
from solidbody.formats.vrml.source import SourceText
from solidbody.formats.vrml.syntax import FileSyntax, NodeSyntax, Scope, StringSyntax, ValueSyntax
from solidbody.formats.webots.protos.once_said import Event, OnceSaid
from solidbody.formats.webots.protos.standin_protos import is_own
from solidbody.formats.webots.protos.template_answers import (
    AnswerError,
    Failure,
    Written,
    keep_pictures,
    read_answer,
)
from solidbody.formats.webots.protos.template_process import TemplateProcess, TemplateProcessError
from solidbody.formats.webots.protos.template_values import template_value
from solidbody.formats.webots.protos.templates import (
    Script,
    TemplateError,
    make_script,
    script_offset,
    split_template,
)
from solidbody.formats.webots.releases.release import FIRST_Z_UP, NEWEST, Release, parse_release
from solidbody.formats.webots.releases.world import modern_world_info

_SYSTEMS: Final = {"win32": "windows", "darwin": "mac"}

MAX_KEPT: Final = 4_000_000
"""[characters] Of written bodies whose trees are kept; a tree takes up to 40 times the room of its text."""

MAX_BODIES: Final = 1_000
"""Bodies for values of instances that are kept when a document is read again."""

_Parsed = tuple[FileSyntax, tuple[Diagnostic, ...]]
_parsed_bodies = SizedStore[tuple[str, str, str, bytes, tuple[str, ...]], _Parsed](MAX_KEPT)
"""Trees of what templates wrote: each change that a supervisor makes expands the whole world anew."""


class BodyMaker:
    """Gives the body of a PROTO; each template is evaluated once for the same values."""

    def __init__(
        self,
        tree: FileSyntax,
        source: str,
        finder: AssetFinder,
        log: DiagnosticLog,
        once: OnceSaid,
    ) -> None:
        self._log = log
        self._once = once
        self._talkative: set[Event] = set()  # evaluations that something was said of
        self._source = source
        self._finder = finder
        self._coordinates = _coordinate_system(tree)
        self._release = parse_release(tree.header) or NEWEST
        self._engines: dict[str, TemplateProcess] = {}
        self._scripts: dict[ProtoDefinition, Script | None] = {}
        self._programs: dict[ProtoDefinition, str] = {}
        self._done: dict[tuple[ProtoDefinition, str], NodeSyntax | None] = {}
        self._by_read: dict[tuple[ProtoDefinition, str], NodeSyntax] | None = None
        self._hopeless: set[ProtoDefinition] = set()  # they fail whatever the values are
        self.evaluations = 0
        """How many templates have been evaluated; those that ask for no id find this number as theirs."""
        self._time_left = ALL_TEMPLATE_TIME
        self._budget = load_budget()

    def close(self) -> None:
        """Leave the processes in which templates ran to others."""
        for engine in self._engines.values():
            engine.release()

    def go_on(self, evaluations: int, gone: Collection[Event]) -> None:
        """Begin another load; see `WorldProtos.go_on`."""
        self.evaluations = evaluations
        for event in self._talkative.intersection(gone):
            self._done.pop(event[1:], None)  # it is to say that again
        self._time_left = ALL_TEMPLATE_TIME
        self._budget = load_budget()
        if len(self._done) > MAX_BODIES:
            told = [event[1:] for event in self._talkative if event[1:] in self._done]
            self._done = {key: self._done[key] for key in told}
            self._by_read = None
        if self._by_read is None:
            self._by_read = {}
            for (definition, text), body in self._done.items():
                self._keep(definition, text, body)

    def _keep(self, definition: ProtoDefinition, text: str, body: NodeSyntax | None) -> None:
        """Remember a body by those values that its template reads: a change of others leaves it as it is."""
        if self._by_read is None or body is None or _is_new_each_time(definition):
            return
        if ("template", definition, text) in self._talkative:
            return
        self._by_read[definition, _read_values(definition, text)] = body

    def body(
        self,
        definition: ProtoDefinition,
        values: Mapping[str, ValueSyntax],
        trail: Trail,
        scope: Scope,
    ) -> NodeSyntax | None:
        """Return the body for the values of an instance, or None after a message.

        Args:
            definition: The PROTO.
            values: Of all its parameters.
            trail: How messages name the instance.
            scope: The expansion of the instance.
        """
        place = scope.instance.type_span
        if definition.template is None:
            return definition.body
        if definition in self._hopeless:
            return self._failed_before(definition, trail, place)
        script = self._script(definition, trail)
        if script is None:
            return None
        given = {
            name: template_value(item.type_name, values.get(name, item.default))
            for name, item in definition.parameters.items()
            if values.get(name, item.default) is not item.default
        }
        text = json.dumps(given)
        try:
            self._budget.spend(Cost.TEMPLATE_INPUT, len(text))
        except BudgetError as error:
            if error.is_new:
                self._fail(definition, str(error), definition.template_start, trail)
            return None
        key = (definition, text)
        if self._by_read:
            kept = self._by_read.get((definition, _read_values(definition, text)))
            if kept is not None:
                return kept
        event = ("template", *key)
        if key not in self._done or _is_new_each_time(definition):
            first = len(self._log)
            with self._once.telling():
                self._done[key] = self._evaluate(definition, script, text, trail, scope.number)
            if len(self._log) > first:
                self._talkative.add(event)
                self._once.is_new(event)
            self._keep(definition, text, self._done[key])
            return self._done[key]
        if event in self._talkative:
            self._once.is_new(event)
        if self._done[key] is None:
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
        self, definition: ProtoDefinition, script: Script, given: str, trail: Trail, number: int
    ) -> NodeSyntax | None:
        if self._time_left <= 0.0:
            text = f"the templates of this world ran for more than {ALL_TEMPLATE_TIME:g} s together"
            self._fail(definition, text, definition.template_start, trail)
            return None
        self.evaluations += 1
        answer = self._answer(definition, script, given, number or self.evaluations)
        self._time_left -= answer.seconds
        if isinstance(answer, Failure):
            if answer.seconds > TEMPLATE_TIME / 2:  # other values would hardly spare it the time
                self._hopeless.add(definition)
            line = answer.line
            offset = script_offset(script, line) if line > 0 else definition.template_start
            self._fail(definition, answer.text, offset, trail)
            return None
        keep_pictures(answer.pictures, self._finder.drawn)
        self._pass_on(definition, answer.messages, trail)
        tree, said = _parsed(definition, script, answer)
        self._log.extend(said)
        if len(tree.protos) != 1:
            text = "what it writes is not one body in braces"
            self._fail(definition, text, definition.template_start, trail)
            return None
        return body_root(tree.protos[0], self._log)

    def _answer(
        self, definition: ProtoDefinition, script: Script, given: str, number: int
    ) -> Written | Failure:
        """Return what the template gives for the values of an instance, which are in JSON."""
        language = definition.language
        if language not in self._engines:
            self._engines[language] = TemplateProcess(language)
        engine = self._engines[language]
        if definition not in self._programs:
            self._programs[definition] = self._program(definition, script)
        program = self._programs[definition]
        values = f'"given": {given}, "id": "{number}"'
        try:
            line, is_new = engine.evaluate(program, values)
            answer = read_answer(line, script, language)
            if isinstance(answer, Written):
                self._budget.spend(Cost.TEMPLATE_BYTES, answer.size)
                if is_new:
                    engine.keep(program, values, line)
                else:
                    answer = replace(answer, seconds=0.0)
        except TemplateProcessError as error:
            return Failure(str(error), seconds=TEMPLATE_TIME)
        except AnswerError as error:
            engine.close()  # whatever is in there is not to be asked again
            return Failure(
                f"the answer of its process cannot be used: {error}", seconds=TEMPLATE_TIME
            )
        except BudgetError as error:
            return Failure(str(error))
        return answer

    def _program(self, definition: ProtoDefinition, script: Script) -> str:
        """Return what all evaluations of a template have in common, in JSON."""
        program = {
            "script": script.code,
            "imports": script.imports,
            "sizes": script.sizes.tolist(),
            "defaults": {
                name: template_value(item.type_name, item.default)
                for name, item in definition.parameters.items()
            },
            "context": self._context(definition),
        }
        return json.dumps(program)

    def _pass_on(
        self,
        definition: ProtoDefinition,
        messages: tuple[tuple[str, str], ...],
        trail: Trail,
    ) -> None:
        if not messages:
            return
        start = definition.template_start
        place = _source_of(definition).span(start, start + 1)
        for level, text in messages:
            record = self._log.info if level == "info" else self._log.warning
            said = f'PROTO "{definition.name}" says: {text}'
            record("template-message", place, said, node=trail.path)

    def _fail(self, definition: ProtoDefinition, text: str, offset: int, trail: Trail) -> None:
        self._log.error(
            "template-error",
            _source_of(definition).span(offset, offset),
            f'the template of PROTO "{definition.name}" cannot be evaluated: {text}. '
            "The node is left out.",
            node=trail.path,
        )

    def _context(self, definition: ProtoDefinition) -> dict[str, Any]:
        home = self._finder.webots_home
        ours = {"world_release": _sortable(self._release)} if is_own(definition.file) else {}
        return {
            **ours,
            "world": os.path.abspath(self._source),
            "proto": os.path.abspath(definition.file),
            "project_path": str(self._finder.project),
            "webots_version": {"major": str(NEWEST), "revision": "0"},
            "webots_home": f"{home}/" if home else "",
            "temporary_files_path": f"{self._finder.drawn.as_posix()}/",
            "os": _SYSTEMS.get(sys.platform, "linux"),
            "coordinate_system": self._coordinates,
        }


def _is_new_each_time(definition: ProtoDefinition) -> bool:
    """Whether the same values may give another body."""
    return definition.asks_for_id or "nonDeterministic" in definition.metadata.tags


def _read_values(definition: ProtoDefinition, text: str) -> str:
    """Return those of the values of an object of JSON that a template reads."""
    read = definition.regenerators
    return json.dumps({name: value for name, value in json.loads(text).items() if name in read})


def _parsed(definition: ProtoDefinition, script: Script, written: Written) -> _Parsed:
    """Return what a template wrote as a tree, and what there is to say about it."""
    assert definition.template is not None
    key = (
        definition.template,
        definition.file,
        definition.header,
        written.order.tobytes(),
        written.texts,
    )
    found = _parsed_bodies.get(key)
    if found is None:
        log = DiagnosticLog()
        source = _source(definition, script, written)
        found = parse_source(source, definition.header, log), tuple(log)
        _parsed_bodies.keep(key, found, len(source.text))
    return found


@lru_cache(maxsize=64)
def _source_of(definition: ProtoDefinition) -> SourceText:
    """Return the text of a template's file, which knows its lines."""
    assert definition.template is not None
    return SourceText(definition.template, definition.file)


def _source(definition: ProtoDefinition, script: Script, written: Written) -> MappedSource:
    """Return the text of a body; its places lead into the template."""
    # arrays throughout: a fence has millions of pieces
    pieces, order = script.pieces, written.order
    is_copied = order >= 0
    is_whole = "".join(written.texts).isascii()  # once for all: there may be millions
    values = written.texts if is_whole else tuple(map(_whole_characters, written.texts))
    texts = np.empty(len(pieces) + len(values), dtype=np.object_)
    texts[: len(pieces)] = script.texts
    texts[len(pieces) :] = values
    chosen = texts[np.where(is_copied, order, len(pieces) - 1 + np.cumsum(~is_copied))]
    return MappedSource(
        _source_of(definition),
        [f"PROTO {definition.name} [ ] ", *chosen.tolist()],
        np.concatenate(
            ([definition.template_start], script.offsets[np.where(is_copied, order, ~order)])
        ),
        np.concatenate(([False], is_copied)),
    )


def _whole_characters(text: str) -> str:
    """Return `text` without halves of characters, which JavaScript strings may hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _sortable(release: Release) -> str:
    """Return a release as a word that sorts by age: "R2019a"; "R0000" for all numbered ones before 2018."""
    return str(release) if release.year else "R0000"


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
