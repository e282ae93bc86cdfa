"""The PROTO library of one world: finds PROTOs by declaration or by name, reads each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog
from solidbody.base.span import SourceSpan
from solidbody.formats.assets import AssetError, AssetFinder
from solidbody.formats.options import LoadOptions
from solidbody.formats.text_files import read_text
from solidbody.formats.vrml.expansion import ExpandedFile, expand_file
from solidbody.formats.vrml.field_types import items_of
from solidbody.formats.vrml.proto import ProtoDefinition, inline_definition, read_proto
from solidbody.formats.vrml.proto_library import Holder, Trail
from solidbody.formats.vrml.syntax import (
    ExternProtoSyntax,
    FileSyntax,
    ItemSyntax,
    NodeSyntax,
    ParameterSyntax,
    Scope,
    ValueSyntax,
)
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.protos.bodies import BodyMaker
from solidbody.formats.webots.protos.hidden import apply_hidden
from solidbody.formats.webots.protos.once_said import Event, OnceSaid
from solidbody.formats.webots.protos.placeholders import neutral_look, placeholder
from solidbody.formats.webots.protos.slots import with_turned_slots
from solidbody.formats.webots.protos.standin_protos import (
    OwnProto,
    find_own,
    is_own,
    is_turned_back,
    keeps_axes,
    modern_size,
    turned_back,
    was_written_y_up,
    with_modern_sizes,
    with_old_place,
)
from solidbody.formats.webots.releases.release import (
    FIRST_EXTERN_PROTO,
    FIRST_Z_UP,
    NEWEST,
    Release,
    parse_release,
)
from solidbody.formats.webots.releases.turns import mapped_nodes

MAX_PROTO_BYTES: Final = 50_000_000
"""Larger PROTO files are refused: the largest of Webots has 2 MB."""

GONE: Final = frozenset(row.name for row in NODES if row.is_gone)
"""Nodes that Webots no longer has: PROTOs may take their names, and one of Webots' own (Servo) does."""

FIRST_TOLD: Final = 1_000_001
"""First id that a template is told; supervisors count other nodes from 1."""

REMOVED: Final = {"Gripper": "6.2", "Joint": "5.5"}
"""Nodes of numbered releases that nothing takes the place of, and the release that removed each."""

WAYS: Final = (
    "Put it into the project's protos folder, name its folder with --proto-path or "
    "SOLIDBODY_PROTO_PATH, set WEBOTS_HOME to a Webots installation, or allow downloads with "
    "--allow-download"
)


def expand_world(
    tree: FileSyntax,
    source: str,
    release: Release,
    options: LoadOptions,
    log: DiagnosticLog,
    *,
    finder: AssetFinder | None = None,
) -> ExpandedFile:
    """Return a world with its PROTO instances expanded; what is missing is reported.

    Args:
        tree: The world.
        source: Its file; urls are relative to it.
        release: The release that it was written for.
        options: Where PROTOs come from, and what replaces those that are missing.
        log: Takes all messages.
        finder: Finds the files; None = a new one for this world.
    """
    finder = finder or AssetFinder(source, options)
    library = WorldProtos(tree, source, release, options, finder, log)
    try:
        return expand_file(library.with_modern_sizes(tree), library, log)
    finally:
        library.close()


def parameter_types(
    tree: FileSyntax, source: str, options: LoadOptions
) -> dict[str, dict[str, str]]:
    """Return the field types of the PROTOs whose instances stand in a world, by PROTO and parameter."""
    return {
        name: {item.name: item.type_name for item in parameters.values()}
        for name, parameters in proto_parameters(tree, source, options).items()
    }


def proto_parameters(
    tree: FileSyntax, source: str, options: LoadOptions
) -> dict[str, Mapping[str, ParameterSyntax]]:
    """Return the interfaces of the PROTOs whose instances stand in a world, by PROTO and parameter.

    Args:
        tree: The world.
        source: Its file; urls are relative to it.
        options: Where PROTOs come from.
    """
    release = parse_release(tree.header) or NEWEST
    finder = AssetFinder(source, options)
    library = WorldProtos(tree, source, release, options, finder, DiagnosticLog())
    found: dict[str, Mapping[str, ParameterSyntax]] = {}
    stack: list[ItemSyntax] = list(tree.nodes)
    while stack:
        node = stack.pop()
        if not isinstance(node, NodeSyntax):
            continue
        if not library.is_built_in(node.type_name) and node.type_name not in found:
            definition = library.definition(node, None)
            found[node.type_name] = definition.parameters if definition else {}
        stack.extend(item for part in node.fields for item in items_of(part.value))
    return found


@dataclass(frozen=True, slots=True)
class _Absent:
    """Why there is no PROTO of a name.

    Attributes:
        reason: In words.
        is_declared: Whether it is known to be a PROTO at all, and not just an unknown word.
        url: Where it should be.
        is_file_missing: Whether a file would help, or the one that is there is bad.
        is_refused: Whether a file of that name may not be read.
    """

    reason: str
    is_declared: bool
    url: str = ""
    is_file_missing: bool = True
    is_refused: bool = False


class WorldProtos:
    """What expansion asks about node types, answered for one world."""

    def __init__(
        self,
        tree: FileSyntax,
        source: str,
        release: Release,
        options: LoadOptions,
        finder: AssetFinder,
        log: DiagnosticLog,
    ) -> None:
        self._source = source
        self._release = release
        self._options = options
        self._log = log
        self._finder = finder
        self._declarations = tree.externs
        self._externs = _by_name(tree.externs, log)
        self._extern_names = set(self._externs)  # also by PROTOs that have been read
        for name in sorted(set(self._externs) & set(NODES.names()) - GONE):
            log.error(
                "proto-name",
                self._externs[name].span,
                f'"{name}" is the name of a built-in node; the PROTO is not used.',
            )
        self._inline: dict[str, ProtoDefinition] = {}
        for proto in tree.protos:
            found = inline_definition(proto, source, tree.header, tree.externs, log)
            if found is not None:
                self._inline[found.name] = found
        self._by_file: dict[str, ProtoDefinition | None] = {}
        self._by_use: dict[tuple[str, str], ProtoDefinition | _Absent] = {}
        self.uses: Counter[tuple[str, str, str]] = Counter()
        """Instances asked for by PROTO, its file (empty = missing) and why it is missing."""
        self._undeclared_files: dict[tuple[str, str], str] = {}  # (file, PROTO) -> found by name
        self.once = OnceSaid(log)
        self._numbers: dict[tuple[SourceSpan, ...], int] = {}  # of instances whose templates ask
        self._own_reasons: dict[str, _Absent] = {}  # PROTO of ours -> why the real one is not used
        self._bodies = BodyMaker(tree, source, self._finder, log, self.once)

    def close(self) -> None:
        """End what runs templates."""
        self._bodies.close()

    # one instance after the other, in several loads

    @property
    def evaluations(self) -> int:
        """How many templates have been evaluated."""
        return self._bodies.evaluations

    def go_on(self, evaluations: int, gone: Collection[Event]) -> None:
        """Go on in another load.

        Args:
            evaluations: How many templates have been evaluated before.
            gone: What those have heard first who are not there any more.
        """
        self.once.forget(gone)
        self._bodies.go_on(evaluations, gone)

    def declare(self, externs: tuple[ExternProtoSyntax, ...]) -> bool:
        """Go on with a file that declares this; return whether all is as if it always had.

        So it is if there are only more declarations, behind the others, of names that nobody has asked for.
        """
        count = len(self._declarations)
        names = [item.name for item in externs[count:]]
        if externs[:count] != self._declarations or len(set(names)) != len(names) or self._inline:
            return False  # PROTOs in the file have its declarations, too
        if any(
            name in self._externs or (self._source, name) in self._by_use or NODES.find(name)
            for name in names
        ):
            return False
        self._declarations = externs
        self._externs |= {item.name: item for item in externs[count:]}
        self._extern_names.update(names)
        return True

    # node types

    def is_built_in(self, type_name: str) -> bool:
        """Whether the node table knows the type; a PROTO may have the name of a node that is gone."""
        if type_name in GONE and (
            type_name in self._extern_names or type_name in self._inline or self._named(type_name)
        ):
            return False
        return NODES.find(type_name) is not None

    def derives(self, type_name: str, base: str) -> bool:
        """Whether a node type of the table is `base` or derived from it."""
        return NODES.find(type_name) is not None and NODES.derives(type_name, base)

    def is_shareable(self, type_name: str) -> bool:
        """Whether one node of the type may stand in several places (solids and joints may not)."""
        row = NODES.find(type_name)
        return row is None or row.can_be_used

    def field_type(self, type_name: str, field_name: str) -> str | None:
        """Return the type of a field of the table."""
        row = NODES.fields(type_name).get(field_name)
        return row.type.name if row and row.also is None else None

    # PROTOs

    def definition(self, node: NodeSyntax, home: ProtoDefinition | None) -> ProtoDefinition | None:
        """Return the PROTO of an instance, or None if there is none."""
        found = self._look_up(node.type_name, home)
        if isinstance(found, _Absent):
            self.uses[node.type_name, "", found.reason] += 1
            return None
        self.uses[found.name, found.file, ""] += 1
        self._report_undeclared(node, home)
        self._report_tree(node, found)
        if is_own(found.file) and not (home and is_own(home.file)):
            self._report_own(node, found)
        return found

    def with_modern_sizes(self, tree: FileSyntax) -> FileSyntax:
        """Return a y-up world whose PROTO instances have sizes and slots along the axes of today."""
        if self._release >= FIRST_Z_UP:
            return tree
        return replace(tree, nodes=tuple(map(self.with_modern_size, tree.nodes)))

    def with_modern_size(self, top: NodeSyntax) -> NodeSyntax:
        """Return a top node of a world, its instances with sizes and slots along the axes of today."""
        if self._release >= FIRST_Z_UP:
            return top

        def find(name: str) -> tuple[ProtoDefinition, bool] | None:
            found = self._look_up(name, None)
            return None if isinstance(found, _Absent) else (found, self._was_remade(found))

        def changed(node: NodeSyntax) -> NodeSyntax:
            pair = None if self.is_built_in(node.type_name) else find(node.type_name)
            if pair is None:
                return node
            found, was_remade = pair
            if is_own(found.file):
                node = with_modern_sizes(node, found)
            return with_turned_slots(node, found, find) if was_remade else node

        def placed(node: NodeSyntax) -> NodeSyntax:
            pair = None if self.is_built_in(node.type_name) else find(node.type_name)
            return (
                node if pair is None or not is_own(pair[0].file) else with_old_place(node, pair[0])
            )

        return mapped_nodes(placed(top), changed)

    def is_complete(self, definition: ProtoDefinition) -> bool:
        """Whether a PROTO is the one that the world names, and not one of ours in its place."""
        return not is_own(definition.file)

    def number(self, node: NodeSyntax, definition: ProtoDefinition, scope: Scope | None) -> int:
        """Return the id that the template of an instance is told; supervisors find its node by it."""
        if not definition.asks_for_id:
            return 0
        spans = [node.span]
        while scope is not None:
            spans.append(scope.instance.span)
            scope = scope.outer
        return self._numbers.setdefault(tuple(spans), FIRST_TOLD + len(self._numbers))

    def body(
        self,
        definition: ProtoDefinition,
        values: Mapping[str, ValueSyntax],
        scope: Scope,
        trail: Trail,
    ) -> NodeSyntax | None:
        """Return the body of a PROTO for given values: templates evaluated, old forms renewed."""
        return self._bodies.body(definition, values, trail, scope)

    def instance(
        self, node: NodeSyntax, definition: ProtoDefinition, scope: Scope | None
    ) -> NodeSyntax:
        """Return an instance with the content of its slots along the axes of its PROTO.

        Those of a world come as they should be: `with_modern_sizes` has been there.
        """
        is_ours = scope is not None and is_own(definition.file)
        if not is_ours or not was_written_y_up(scope, self._release):
            return node
        if not self._was_remade(definition):
            return node

        def find(name: str) -> tuple[ProtoDefinition, bool] | None:
            own = None if self.is_built_in(name) else self._look_up(name, None)
            if own is None or isinstance(own, _Absent) or not is_own(own.file):
                return None
            return own, self._was_remade(own)

        return with_turned_slots(node, definition, find)

    def finished(
        self, root: NodeSyntax, definition: ProtoDefinition, instance: NodeSyntax, trail: Trail
    ) -> NodeSyntax:
        """Return an expanded instance with its hidden values applied, turned in an old world."""
        root = apply_hidden(root, instance, self._log, trail, is_own=is_own(definition.file))
        # in PROTOs only ours are turned: Webots turns its own in worlds alone
        is_meant = root.scope is None or is_own(definition.file)
        is_old = is_meant and was_written_y_up(root.scope, self._release)
        if is_old and is_turned_back(definition) and self._was_remade(definition):
            return turned_back(root, definition.name)
        return root

    def argument(
        self, definition: ProtoDefinition, name: str, value: ValueSyntax, scope: Scope | None
    ) -> ValueSyntax:
        """Return what an instance gives to a parameter, as the PROTO takes it.

        That of a world is given as it is: `with_modern_sizes` has been there.
        """
        is_ours = scope is not None and is_own(definition.file)
        if not is_ours or not was_written_y_up(scope, self._release):
            return value
        return modern_size(definition, name, value)

    def _was_remade(self, definition: ProtoDefinition) -> bool:
        """Whether a PROTO comes with Webots (or is ours) and has the axes of today."""
        release = parse_release(definition.header) or NEWEST
        file = definition.file
        if is_own(file):
            return release >= FIRST_Z_UP and not keeps_axes(definition.name)
        return release >= FIRST_Z_UP and self._finder.is_shipped(file)

    def replacement(
        self, node: NodeSyntax, home: ProtoDefinition | None, holder: Holder, trail: Trail
    ) -> NodeSyntax | None:
        """Return what stands in for an instance without a PROTO."""
        found = self._look_up(node.type_name, home)
        if not isinstance(found, _Absent):
            return None
        if not found.is_declared:
            return node  # the node table will say that it does not know it
        look = neutral_look(node, holder)
        if look is not None:
            self._report(
                self._log.warning, node, found, f"A plain {look.type_name} is used", trail.path
            )
            return look
        if self._options.missing_protos == "placeholder":
            solid = placeholder(node, holder)
            outcome = "An empty Solid stands in its place" if solid else "It is left out"
            self._report(self._log.warning, node, found, outcome, trail.path)
            return solid
        self._report(self._log.error, node, found, "The node is left out", trail.path)
        return None

    def _report(
        self,
        record: Callable[..., None],
        node: NodeSyntax,
        absent: _Absent,
        outcome: str,
        path: str,
    ) -> None:
        """Say what is missing: with reason and advice the first time, in short afterwards."""
        name = node.type_name
        if not self.once.is_new(("missing", name)):
            text = f'PROTO "{name}" is missing (see above). {outcome}.'
            record("missing-proto", node.type_span, text, node=path)
            return
        where = f' ("{absent.url}")' if absent.url else ""
        advice = f" {WAYS}." if absent.is_file_missing else ""
        text = f'PROTO "{name}"{where} is missing: {absent.reason}. {outcome}.{advice}'
        with self.once.telling():
            record("missing-proto", node.type_span, text, node=path)

    def _report_undeclared(self, node: NodeSyntax, home: ProtoDefinition | None) -> None:
        """Say once for each file that a PROTO was found by its name alone; Webots reports it and uses it."""
        key = (home.file if home else self._source, node.type_name)
        path = self._undeclared_files.get(key)
        if path is not None and self.once.is_new(("undeclared", *key)):
            text = (
                f'"{path}" is used: the file does not declare the PROTO, as Webots asks since '
                f'{FIRST_EXTERN_PROTO} (EXTERNPROTO "url").'
            )
            with self.once.telling():
                self._log.error("undeclared-proto", node.type_span, text, node=node.label)

    def _report_tree(self, node: NodeSyntax, definition: ProtoDefinition) -> None:
        """Say once that PROTOs come from the Webots around the world, which nobody has named."""
        finder = self._finder
        if finder.is_home_given or not finder.is_of_webots(definition.file):
            return
        if not self.once.is_new(("tree",)):
            return
        text = (
            f'the world lies in a Webots ("{finder.webots_home}"), whose own files are used '
            f"(the first is the PROTO {definition.name}). Set WEBOTS_HOME to use another one."
        )
        with self.once.telling():
            self._log.info("webots-tree", node.type_span, text, node=node.label)

    def _report_own(self, node: NodeSyntax, definition: ProtoDefinition) -> None:
        """Say once for each PROTO that ours is used, and why."""
        name = definition.name
        if not self.once.is_new(("own", name)):
            return
        absent = self._own_reasons[name]
        if absent.is_declared:
            where = f' ("{absent.url}")' if absent.url else ""
            fault = "may not be read" if absent.is_refused else "was not found"
            text = f"using solidbody's own {name}: the PROTO's file{where} {fault}."
            record, code = self._log.info, "own-proto"
        else:
            text = (
                f"using solidbody's own {name}: the file does not declare the PROTO, as Webots asks "
                f'since {FIRST_EXTERN_PROTO} (EXTERNPROTO "url").'
            )
            record, code = self._log.error, "undeclared-proto"
        with self.once.telling():
            record(code, node.type_span, text, node=node.label)

    def _look_up(self, name: str, home: ProtoDefinition | None) -> ProtoDefinition | _Absent:
        file = home.file if home else self._source
        key = (file, name)
        event = ("search", *key)
        if key in self._by_use:
            self.once.repeat(event)
        else:
            with self.once.keeping(event):
                self._by_use[key] = self._search(name, home, file)
        return self._by_use[key]

    def _search(
        self, name: str, home: ProtoDefinition | None, file: str
    ) -> ProtoDefinition | _Absent:
        if file == self._source and name in self._inline:
            return self._inline[name]
        externs = self._externs
        release = self._release
        if home is not None and is_own(home.file):
            return self._undeclared(name)
        if home is not None and home.file != self._source:
            externs = _by_name(home.externs, self._log)
            release = parse_release(home.header) or NEWEST
        extern = externs.get(name)
        if extern is not None:
            return self._declared(name, extern, file)
        if release < FIRST_EXTERN_PROTO:
            return self._undeclared(name)
        found = self._named(name)
        if found is None:
            return self._own(name, _Absent("unknown", is_declared=False))
        self._undeclared_files[file, name] = found
        return self._read(found, name) or _broken(found)

    def _declared(
        self, name: str, extern: ExternProtoSyntax, file: str
    ) -> ProtoDefinition | _Absent:
        is_remote = extern.url.lower().startswith(("https:", "http:"))
        stem = extern.file_stem
        # a copy at hand comes first; an installation has its place for the url
        path = self._named(stem, with_installation=False) if is_remote else None
        if path is None:
            try:
                path = str(self._finder.find(extern.url, file))
            except AssetError as error:
                path = self._named(stem)  # paths of the author's machine: a copy may be at hand
                if path is None:
                    absent = _Absent(
                        error.text, is_declared=True, url=extern.url, is_refused=error.is_refused
                    )
                    return self._own(stem, absent)
        return self._read(path, stem) or _broken(extern.url)

    def _undeclared(self, name: str) -> ProtoDefinition | _Absent:
        path = self._named(name)
        if path is None and self._release.year == 0 and name in REMOVED:
            text = f"Webots removed the node in release {REMOVED[name]}"
            return _Absent(text, is_declared=True, is_file_missing=False)
        if path is None:
            absent = _Absent(
                f'neither a node type nor a PROTO file of that name was found ("{name}" may be a PROTO, '
                f"which files before {FIRST_EXTERN_PROTO} need not declare)",
                is_declared=True,
            )
            return self._own(name, absent)
        return self._read(path, name) or _broken(path)

    def _own(self, name: str, absent: _Absent) -> ProtoDefinition | _Absent:
        """Return our PROTO of a name, or why there is none."""
        own = find_own(name)
        if own is None:
            return absent
        self._own_reasons.setdefault(own.name, absent)
        if own.file not in self._by_file:
            self._by_file[own.file], said = _read_own(own)
            self._log.extend(said)
        return self._by_file[own.file] or _broken(own.file)

    def _named(self, name: str, *, with_installation: bool = True) -> str | None:
        try:
            found = self._finder.find_proto(name, with_installation=with_installation)
        except AssetError:
            return None
        return None if found is None else str(found)

    def _read(self, path: str, name: str) -> ProtoDefinition | None:
        if path not in self._by_file:
            text = read_text(path, self._log, max_bytes=MAX_PROTO_BYTES)
            # Webots took PROTOs without a header for ones of its own release
            own = str(self._release) if self._release < FIRST_EXTERN_PROTO else ""
            release = self._options.proto_release or own
            found = (
                None if text is None else read_proto(text, path, name, self._log, otherwise=release)
            )
            self._by_file[path] = found
            self._extern_names.update(item.name for item in (found.externs if found else ()))
        return self._by_file[path]


@lru_cache(maxsize=256)
def _read_own(own: OwnProto) -> tuple[ProtoDefinition | None, tuple[Diagnostic, ...]]:
    """Return a PROTO of ours and what there is to say about it; kept, since supervisors read worlds often."""
    log = DiagnosticLog()
    return read_proto(own.text, own.file, own.name, log), tuple(log)


def _broken(url: str) -> _Absent:
    return _Absent("its file has errors", is_declared=True, url=url, is_file_missing=False)


def _by_name(
    externs: tuple[ExternProtoSyntax, ...], log: DiagnosticLog
) -> dict[str, ExternProtoSyntax]:
    found: dict[str, ExternProtoSyntax] = {}
    for extern in externs:
        first = found.setdefault(extern.name, extern)
        if first is not extern and first.url != extern.url:
            log.warning(
                "repeated-proto",
                extern.span,
                f'"{extern.name}" is declared before, at line {first.span.line}; the first counts.',
            )
    return found
