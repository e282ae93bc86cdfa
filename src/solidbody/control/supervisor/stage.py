"""The world of a running simulation as a document: nodes by number, changes, and what follows from them.

A change is made in the document at once. The simulation follows before its next step, or when something
is asked for that only the simulation knows: many changes cost one compilation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.base.errors import LoadError, SolidbodyError
from solidbody.base.span import SourceSpan
from solidbody.base.transforms import Quat
from solidbody.control.supervisor.drafts import Draft, DraftKey
from solidbody.control.supervisor.errors import SupervisorError
from solidbody.control.supervisor.hiding import Hiding
from solidbody.control.supervisor.resetting import KeptValues, kept_values, with_kept
from solidbody.control.supervisor.tree import (
    Tree,
    is_visible,
    node_key,
    paths_in,
    written_paths,
)
from solidbody.control.tags import RobotPlace, robots_of
from solidbody.formats.options import DEFAULT_OPTIONS, LoadOptions
from solidbody.formats.vrml.syntax import FileSyntax, NodeSyntax, Scope
from solidbody.formats.webots.document import World, load_world
from solidbody.formats.webots.edit import Change
from solidbody.formats.webots.edit_parts import Part
from solidbody.formats.webots.edit_places import EditError, find_node, node_at, value_of
from solidbody.formats.webots.lower import Lowered
from solidbody.formats.webots.old_releases_file import modern_file
from solidbody.formats.webots.release import FIRST_EXTERN_PROTO, FIRST_POSE, NEWEST
from solidbody.formats.webots.typed import TypedNode
from solidbody.model.contacts import ContactTable
from solidbody.model.links import Body
from solidbody.model.scene import Scene
from solidbody.sim.waking import hold_links

if TYPE_CHECKING:
    from solidbody.control.hub import ControllerHub
    from solidbody.control.session import Session
    from solidbody.sim import Sim

STRUCTURE = frozenset({Part.STRUCTURE})
LOOK = frozenset({Part.LOOK})


class Recording(Protocol):
    """Something that looks at every step."""

    def after_step(self) -> None:
        """The simulation has advanced."""
        ...


class PageRecorder(Protocol):
    """Makes a page that replays a run (`view.replay_file`)."""

    def before_steps(self) -> None:
        """The run begins."""
        ...

    def after_steps(self) -> None:
        """The simulation has advanced."""
        ...

    def close(self) -> None:
        """Write the page."""
        ...


class Stage:
    """What supervisors see and change.

    Args:
        hub: The controllers.
        options: Where PROTOs and other files of the world come from.
    """

    def __init__(self, hub: ControllerHub, options: LoadOptions = DEFAULT_OPTIONS) -> None:
        self.hub = hub
        self.options = options
        self._world: World | None = None
        self.release = NEWEST
        """The release that the world's file was written for; the document is in the form of today."""
        self._tree = Tree()
        self._indexed: Lowered | None = None
        self._seen: FileSyntax | None = None
        self._links: dict[int, int] = {}
        self._paths: dict[SourceSpan, str] = {}
        self._paths_of: FileSyntax | None = None
        self._others: tuple[Body, ...] = ()
        self._contacts = ContactTable()
        self._touched: frozenset[Part] = frozenset()
        self._loaded: FileSyntax | None = None
        self._good: FileSyntax | None = None
        self._settled: frozenset[int] | None = None
        self._later: list[Callable[[], None]] = []
        self._guests: list[Session] = []
        self.notes: list[str] = []
        """What the controller that asks is told beside the answer."""
        self.unreviewed: Callable[[], list[str]] | None = None
        """What is left to do for nodes that were just imported; returns what there is to say about them."""
        self.drafts: dict[DraftKey, Draft] = {}
        """Values that programs have set, of fields from which nothing else follows."""
        self.labels: dict[int, tuple[Any, ...]] = {}
        """Texts over the view, by number: text, x, y, size, colour, transparency, font."""
        self.states: dict[tuple[int, str], Any] = {}
        """States of nodes that were saved, by node and name."""
        self.turns: dict[int | None, tuple[tuple[float, ...], Quat]] = {}
        """Rotations as programs set them, and as quaternions, by link."""
        self.hiding = Hiding()
        """Nodes that cameras or the view do not see."""
        self.held: set[str] = set()
        """Links that stand still during the next step."""
        self.recordings: list[Recording] = []
        self.page_recorder: Callable[[Sim, Path], PageRecorder] | None = None
        """Makes the pages of animations; None = only their poses are written."""
        self.movie_failed = False

    def welcome(self, session: Session) -> None:
        """A supervisor speaks: from now on the stage goes along with the simulation."""
        if self not in self.sim.companions:
            self.sim.attach(self)
        if session.is_local and session not in self._guests:
            self._guests.append(session)

    @property
    def sim(self) -> Sim:
        """The simulation."""
        return self.hub.sim

    # ------------------------------------------------------------------ the document

    @property
    def world(self) -> World:
        """The world as a document; read from its file when it is first asked for."""
        if self._world is None:
            self.open(self.sim.scene.source)
        assert self._world is not None
        return self._world

    def open(self, source: str) -> None:
        """Take a file as the one that is simulated, which it must be."""
        world = self.read(source)
        paths = [link.path for link in self.sim.scene.links()]
        known = [link.path for link in world.scene.links()]
        if paths[: len(known)] != known:
            raise SupervisorError(
                f'the file "{source}" has changed since the simulation was started'
            )
        self.take(world, self.sim.scene.bodies[len(world.scene.bodies) :])

    def read(self, source: str) -> World:
        """Return a world file as a document in the form of today."""
        if not source.lower().endswith(".wbt"):
            raise SupervisorError(f'"{source}" is no Webots world: it has no nodes to look at')
        try:
            world = load_world(source, options=self.options)
        except LoadError as error:
            raise SupervisorError(str(error)) from error
        self.release = world.release
        if world.release < FIRST_POSE:
            tree = modern_file(world.tree, source, self.options, DiagnosticLog())
            early = str(world.release) if world.release < FIRST_EXTERN_PROTO else ""
            world = World(tree, source, options=replace(self.options, proto_release=early))
        return world

    def take(self, world: World, others: tuple[Body, ...] = ()) -> None:
        """Make a document the one of the simulation, which has `others` beside what it describes."""
        self._world, self._others = world, others
        self._contacts = self.sim.scene.contacts
        self._loaded = self._good = world.tree
        self._touched = frozenset()
        self._settled = None
        self.drafts.clear()
        if not others:
            self.sim.scene = world.scene  # the same content; saving asks for the same object

    @property
    def tree(self) -> Tree:
        """The nodes as they are now."""
        self.notes += self.review()
        lowered = self.world.lowered
        if lowered is not self._indexed:
            self._tree.load(lowered, self.world.tree.header)
            self._links = {id(n): k for k, n in enumerate(lowered.nodes) if n is not None}
            self._indexed, self._seen = lowered, self.world.tree
        return self._tree

    @property
    def known(self) -> Tree:
        """The nodes as they are now; their values may be those from before some drafts were written."""
        is_same = self.unreviewed is None and self.world.tree is self._seen
        return self._tree if is_same else self.tree

    def review(self) -> list[str]:
        """Write drafts and look at imported nodes, once for all; return what there is to say about them."""
        notes = self._write_drafts()
        review, self.unreviewed = self.unreviewed, None
        try:
            return notes if review is None else notes + review()
        except SupervisorError as error:
            return [*notes, f"Error: {error}"]

    def _write_drafts(self) -> list[str]:
        """Write the values that were set; return what there is to say about them."""
        drafts, self.drafts = self.drafts, {}
        notes: list[str] = []
        for key, draft in drafts.items():
            said = [] if draft.is_written else self._write_draft(draft)
            notes += said
            if not said:  # else the world has another value
                self.drafts[key] = draft
        return notes

    def _write_draft(self, draft: Draft) -> list[str]:
        drafts, self.drafts = self.drafts, {}  # they stay as they are
        is_seen = self.world.tree is self._seen
        mended: list[str] = []
        try:
            self.change(lambda world: world.set(draft.path, draft.value, mended=mended))
        except SupervisorError as error:
            return [f"Error: {error}"]
        finally:
            self.drafts = drafts
            draft.is_written = True
        if is_seen:  # no node has come or gone
            self._seen = self.world.tree
        return [f"Warning: {text}" for text in mended]

    def path(self, node: TypedNode) -> str:
        """Return where a node stands in the file as written; SupervisorError if it does not."""
        if is_visible(node):
            found = self._path_of(node_key(node.syntax).span, node.syntax.scope)
            if found is not None:
                return found
        raise SupervisorError(
            f"{node.syntax.label} lies inside a PROTO: its fields can be read, not changed"
        )

    def _path_of(self, span: SourceSpan, scope: Scope | None) -> str | None:
        """Return where a node stands; a default that it belongs to is spelled out at its instance."""
        if scope is None:
            if self._paths_of is not self.world.tree:
                self._paths_of = self.world.tree
                self._paths = written_paths(self.world.tree)
            return self._paths.get(span)
        instance = self._path_of(scope.instance.span, scope.outer)
        if instance is None:
            return None
        node = self._written(instance)
        for name, parameter in scope.parameters.items():
            value = value_of(node, name) or parameter.default
            path = paths_in(value, f"{instance}.{name}").get(span)
            if path is not None:
                self.spell_out(instance, name, scope)
                return path
        return None

    def spell_out(self, instance: str, name: str, scope: Scope) -> None:
        """Write the default of a parameter at an instance that does not give it, to be changed there."""
        default = scope.parameters[name].default
        if default is not None and value_of(self._written(instance), name) is None:
            self.change(lambda world: world.spell_out(instance, name, default, scope.file))

    def _written(self, path: str) -> NodeSyntax:
        tree = self.world.tree
        return node_at(tree, find_node(tree, path))

    # ------------------------------------------------------------------ changes

    def change(
        self, edit: Callable[[World], Change], *, touches: frozenset[Part] | None = None
    ) -> Change:
        """Make a change in the document.

        Args:
            edit: Makes it.
            touches: What the simulation has to follow in; None = what the change itself says.
        """
        self.notes += self._write_drafts()
        self.drafts.clear()
        world = self.world
        if self._settled is None:
            self._settled = frozenset(number for number, _ in self.tree.all())
        try:
            change = edit(world)
        except EditError as error:
            raise SupervisorError(str(error)) from error
        self._touched |= change.touches if touches is None else touches
        world.return_to(world.tree)  # nobody will undo it: do not keep what was before
        return change

    def complaints(self, before: set[tuple[str, str]]) -> list[str]:
        """Return what reading the world has to say that it did not say before."""
        return [
            str(item)
            for item in self.world.diagnostics
            if item.severity is not Severity.INFO and (item.code, item.text) not in before
        ]

    def known_complaints(self) -> set[tuple[str, str]]:
        """Return what reading the world has to say."""
        return {(item.code, item.text) for item in self.world.diagnostics}

    def later(self, action: Callable[[], None]) -> None:
        """Do something when all controllers wait for the next step."""
        self._later.append(action)

    # ------------------------------------------------------------------ the simulation follows

    def settle(self) -> bool:
        """Bring the simulation in line with the document; return whether anything had to be done."""
        self.notes += self.review()
        is_changed = bool(self._touched)
        if is_changed:
            self._follow()
        return is_changed

    def act(self) -> bool:
        """Settle, and do what waited for the controllers to wait; return whether there was anything."""
        is_changed = self.settle()
        actions, self._later = self._later, []
        for action in actions:
            action()
        return is_changed or bool(actions)

    def scene(self) -> Scene:
        """Return the scene that the document and what was added to it give."""
        scene = self.world.scene
        if not self._others:
            return scene
        # what was put beside the world brought contact rows of its own
        return replace(scene, bodies=scene.bodies + self._others, contacts=self._contacts)

    def _follow(self) -> None:
        touched, self._touched = self._touched, frozenset[Part]()
        scene = self.scene()
        try:
            if touched <= LOOK and _same_links(scene, self.sim.scene):
                self.sim.describe_anew(scene)
            else:
                self.sim.replace_scene(scene)
        except (SolidbodyError, ValueError) as error:
            self.hub.say("error", f"the changed world cannot be simulated, so it stays: {error}")
            assert self._good is not None
            self.drafts.clear()
            self.world.return_to(self._good)
            return
        self._good = self.world.tree
        self._settled = None
        self._rebind()

    def _rebind(self) -> None:
        self.hub.rebind()
        places = {place.name: place for place in robots_of(self.sim)}
        for session in self._guests:
            if session.place.name in places:
                session.place = places[session.place.name]
                session.bind()
        self.hiding.apply(self)

    # ------------------------------------------------------------------ in step with the simulation

    def before_steps(self) -> None:
        """All controllers wait: the simulation follows; robots that are new have their say first."""
        while self.act():
            if self.hub in self.sim.companions:
                self.hub.before_steps()
        if self.held:
            hold_links(self.sim, self._held_rows())

    def _held_rows(self) -> list[int]:
        return [row for row, name in enumerate(self.sim.link_names) if name in self.held]

    def steps_until_due(self) -> int | None:
        """Recordings look at every step; what is held is held for one."""
        return 1 if self.recordings or self.held else None

    def after_steps(self) -> None:
        """Let go of what was held, and recordings see what has changed."""
        for row in self._held_rows() if self.held else ():
            self.sim.link(self.sim.link_names[row]).reset_physics()
        self.held.clear()
        for recording in self.recordings:
            recording.after_step()

    def reset(self) -> None:
        """The simulation went back to its start: so does what a reset takes back in the document."""
        self.held.clear()
        self.hiding.clear()
        self.labels.clear()
        if self._return():
            self.sim.reset()  # to the start of the world with what stays changed

    def restore(self) -> None:
        """Go back to the start, as Webots' reset does (see `resetting.py`). Controllers go on."""
        self._return()
        self.sim.reset()
        self._stop_at_start()

    def _stop_at_start(self) -> None:
        """Let what the file sets in motion be at rest; hidden velocities of PROTOs come back at a reset."""
        moving = [
            row
            for row, link in enumerate(self.world.scene.links())
            if any((*link.linear_velocity, *link.angular_velocity))
        ]
        for row in moving:
            node = self.world.lowered.nodes[row]
            if node is not None and not node.syntax.origins and node.syntax.scope is None:
                self.sim.link(self.sim.link_names[row]).reset_physics()

    def _return(self) -> bool:
        """Let the document and the simulation be as after a reset; return whether they had to change."""
        world = self._world
        if world is None or self._loaded is None:
            return False
        if world.tree is not self._loaded:
            kept = kept_values(self._loaded, (node for _, node in self.tree.all()))
            self._become(with_kept(world.tree, kept, takes_out=True))
        return self.settle()

    def kept(self, nodes: Iterable[TypedNode], *, from_start: bool = False) -> KeptValues:
        """Return what the document says, or said at the start, of the fields that `put_back` takes."""
        loaded = self._loaded if from_start else None
        return kept_values(loaded or self.world.tree, nodes)

    def put_back(self, kept: KeptValues) -> None:
        """Give fields of the document their old values."""
        self._become(with_kept(self.world.tree, kept))
        self.settle()

    def _become(self, tree: FileSyntax) -> None:
        if tree is not self.world.tree:
            self.drafts.clear()
            self.world.return_to(tree)
            self._touched = STRUCTURE

    def change_world(self, world: World) -> None:
        """Go on with another world, from its start, with controllers of its own."""
        self.sim.replace_scene(world.scene)
        self.take(world)
        self.sim.reset()
        self.hub.start_over()

    # ------------------------------------------------------------------ links

    def link(self, node: TypedNode) -> int | None:
        """Return the row of a node's link in the simulation; None for nodes that are no link."""
        self.settle()
        _ = self.tree
        return self._links.get(id(node))

    def is_new(self, node: TypedNode) -> bool:
        """Whether the simulation does not know a node yet: all that there is to it is in the document."""
        return self._settled is not None and self.tree.number(node) not in self._settled

    def carrier(self, node: TypedNode) -> int | None:
        """Return the row of the link that a node is, or is part of."""
        at: TypedNode | None = node
        while at is not None:
            found = self.link(at)
            if found is not None:
                return found
            at = at.parent
        return None

    def session(self, robot: TypedNode) -> Session | None:
        """Return the session of a robot's controller."""
        sessions = [*(seat.session for seat in self.hub.seats), *self._guests]
        return next((s for s in sessions if s is not None and self.is_at(s.place, robot)), None)

    def is_at(self, place: RobotPlace, robot: TypedNode) -> bool:
        """Whether a place is that of a robot; those of one name are told apart by their links."""
        name = robot.string("name")
        if place.name != name:
            return False
        is_alone = sum(seat.place.name == name for seat in self.hub.seats) < 2
        return is_alone or place.link == self.carrier(robot)


def _same_links(a: Scene, b: Scene) -> bool:
    return [link.name for link in a.links()] == [link.name for link in b.links()]
