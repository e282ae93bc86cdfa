"""Connects the document that supervisors change to the simulation that follows it.

A change is made in the document at once. The simulation follows before its next step, or when something
is asked for that only the simulation knows: many changes are followed together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from solidbody.base.errors import SolidbodyError
from solidbody.base.transforms import Quat
from solidbody.control.device_tags import RobotPlace, robots_of
from solidbody.control.supervisor.document import Document
from solidbody.control.supervisor.errors import SupervisorError
from solidbody.control.supervisor.resetting import KeptValues, kept_values, with_kept
from solidbody.control.supervisor.tree import Tree
from solidbody.control.supervisor.visibility import Visibility
from solidbody.formats.options import DEFAULT_OPTIONS, LoadOptions
from solidbody.formats.vrml.syntax import FileSyntax
from solidbody.formats.webots.edit.changes import Change
from solidbody.formats.webots.edit.document import World
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.model.contacts import ContactTable
from solidbody.model.links import Body
from solidbody.model.scene import Scene
from solidbody.sim.following import follow
from solidbody.sim.waking import hold_links

if TYPE_CHECKING:
    from solidbody.control.hub import ControllerHub
    from solidbody.control.session import Session
    from solidbody.sim import Sim


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
    """A document, the simulation of it, and what supervisors show.

    Args:
        hub: The controllers.
        options: Where PROTOs and other files of the world come from.
    """

    def __init__(self, hub: ControllerHub, options: LoadOptions = DEFAULT_OPTIONS) -> None:
        self.hub = hub
        self.document = Document(options, self._open)
        self._others: tuple[Body, ...] = ()
        self._contacts = ContactTable()
        self.edited: Callable[[], World] | None = None
        """Makes the document, with changes made before the start; None = it is what is on the disk."""
        self._good: FileSyntax | None = None
        self._later: list[Callable[[], None]] = []
        self._guests: list[Session] = []
        self.labels: dict[int, tuple[Any, ...]] = {}
        """Texts over the view, by number: text, x, y, size, colour, transparency, font."""
        self.states: dict[tuple[int, str], Any] = {}
        """States of nodes that were saved, by node and name."""
        self.turns: dict[int | None, tuple[tuple[float, ...], Quat]] = {}
        """Rotations as programs set them, and as quaternions, by link."""
        self.hiding = Visibility()
        """Nodes that cameras or the view do not see."""
        self.held: set[str] = set()
        """Links that stand still during the next step."""
        self.recordings: list[Recording] = []
        self.page_recorder: Callable[[Sim, Path], PageRecorder] | None = None
        """Makes the pages of animations; None = only their poses are written."""
        self.movie_failed = False
        self.movie_stopped_at = -1

    def welcome(self, session: Session) -> None:
        """A supervisor speaks: from now on the stage goes along with the simulation."""
        if self not in self.sim.step_hooks:
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
        return self.document.world

    @property
    def tree(self) -> Tree:
        """The nodes as they are now."""
        return self.document.tree

    @property
    def notes(self) -> list[str]:
        """What the controller that asks is told beside the answer."""
        return self.document.notes

    @notes.setter
    def notes(self, notes: list[str]) -> None:
        self.document.notes = notes

    def path(self, node: TypedNode) -> str:
        """Return where a node stands in the file as written; SupervisorError if it does not."""
        return self.document.path(node)

    def change(self, edit: Callable[[World], Change]) -> Change:
        """Make a change in the document."""
        return self.document.change(edit)

    def _open(self) -> World:
        """Read the file that is simulated, which must be the same still."""
        source = self.sim.scene.source
        world = self.read_again(source)
        paths = [link.path for link in self.sim.scene.links()]
        known = [link.path for link in world.scene.links()]
        if paths[: len(known)] != known:
            raise SupervisorError(
                f'the file "{source}" has changed since the simulation was started'
            )
        self._know(world, self.sim.scene.bodies[len(world.scene.bodies) :])
        return world

    def read_again(self, source: str) -> World:
        """Return the document of a file; of the one that is simulated, as it was at the start."""
        is_edited = self.edited is not None and source == self.sim.scene.source
        return self.document.read(source, self.edited if is_edited else None)

    def take(self, world: World, others: tuple[Body, ...] = ()) -> None:
        """Make a document the one of the simulation, which has `others` beside what it describes."""
        self._know(world, others)
        self.document.take(world)

    def _know(self, world: World, others: tuple[Body, ...]) -> None:
        """Note what the simulation has beside what a document describes."""
        self._others, self._contacts = others, self.sim.scene.contacts
        self._good = world.tree
        if not others:
            self.sim.scene = world.scene  # the same content; saving asks for the same object

    def later(self, action: Callable[[], None]) -> None:
        """Do something when all controllers wait for the next step."""
        self._later.append(action)

    # ------------------------------------------------------------------ the simulation follows

    def settle(self) -> bool:
        """Bring the simulation in line with the document; return whether anything had to be done."""
        self.document.notes += self.document.review()
        is_changed = self.document.is_behind
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
        try:
            change = follow(self.sim, self.scene())
        except (SolidbodyError, ValueError) as error:
            self.hub.say("error", f"the changed world cannot be simulated, so it stays: {error}")
            assert self._good is not None
            self.document.become(self._good)
            self.document.is_behind = False
            self.hiding.apply(self)
            return
        self._good = self.world.tree
        self.document.settled()
        self.hub.rebind(change)
        if change is None or change.robots or change.looks:
            places = {place.name: place for place in robots_of(self.sim)}
            for session in self._guests:
                if session.place.name in places:
                    session.place = places[session.place.name]
                    session.bind()
        elif change.devices:
            for session in self._guests:
                session.renew()
        self.hiding.apply(self)

    # ------------------------------------------------------------------ in step with the simulation

    def before_steps(self) -> None:
        """All controllers wait: the simulation follows; robots that are new have their say first."""
        while self.act():
            if self.hub in self.sim.step_hooks:
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
        document = self.document
        if not document.is_open or document.loaded is None:
            return False
        if document.world.tree is not document.loaded:
            kept = kept_values(document.loaded, (node for _, node in self.tree.all()))
            document.become(with_kept(document.world.tree, kept, takes_out=True))
        return self.settle()

    def kept(self, nodes: Iterable[TypedNode], *, from_start: bool = False) -> KeptValues:
        """Return what the document says, or said at the start, of the fields that `put_back` takes."""
        loaded = self.document.loaded if from_start else None
        return kept_values(loaded or self.world.tree, nodes)

    def put_back(self, kept: KeptValues) -> None:
        """Give fields of the document their old values."""
        self.document.become(with_kept(self.world.tree, kept))
        self.settle()

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
        return self.document.row(node)

    def is_new(self, node: TypedNode) -> bool:
        """Whether the simulation does not know a node yet: all that there is to it is in the document."""
        return self.document.is_new(node)

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
        sessions = [*(slot.session for slot in self.hub.slots), *self._guests]
        return next((s for s in sessions if s is not None and self.is_at(s.place, robot)), None)

    def is_at(self, place: RobotPlace, robot: TypedNode) -> bool:
        """Whether a place is that of a robot; those of one name are told apart by their links."""
        name = robot.string("name")
        if place.name != name:
            return False
        is_alone = sum(slot.place.name == name for slot in self.hub.slots) < 2
        return is_alone or place.link == self.carrier(robot)
