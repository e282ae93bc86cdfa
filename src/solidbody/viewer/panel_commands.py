"""Carries out commands of the page's panels, and sends them what they watch.

It works in the player's thread, which owns the simulation; tabs hand it commands through the player
and read its latest readings, pictures and messages whenever they like.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, assert_never

import numpy as np

from solidbody.base.diagnostics import Diagnostic
from solidbody.base.errors import SolidbodyError
from solidbody.base.texts import shortened
from solidbody.sim.handles import JointHandle, LinkHandle
from solidbody.viewer.body_editor import BodyEditor
from solidbody.viewer.catalog import is_thing, thing_scene
from solidbody.viewer.editor_steps import PlacedPose
from solidbody.viewer.flexible import belts_of
from solidbody.viewer.folder_files import FolderError
from solidbody.viewer.importing import keep_dropped
from solidbody.viewer.live_updates import LiveUpdates, Numbered
from solidbody.viewer.new_program import create_program, program_text
from solidbody.viewer.outline import encode_outline, wire_joints
from solidbody.viewer.photos import Photos
from solidbody.viewer.player import SimulationPause
from solidbody.viewer.probe import Probe
from solidbody.viewer.protocol_files import (
    CommandFiles,
    CommandNew,
    CommandOpen,
    CommandProgram,
    CommandRestart,
    CommandStore,
)
from solidbody.viewer.protocol_photo import CommandPhoto, CommandPhotoStop
from solidbody.viewer.protocol_scene import WireScene
from solidbody.viewer.protocol_work import (
    PICTURE_HEADER,
    PICTURE_MAGIC,
    CommandChoices,
    CommandClip,
    CommandCopy,
    CommandEdit,
    CommandFields,
    CommandImport,
    CommandInsert,
    CommandJoint,
    CommandJoystick,
    CommandKeys,
    CommandMouse,
    CommandMove,
    CommandPaste,
    CommandPose,
    CommandPull,
    CommandReach,
    CommandRedo,
    CommandReload,
    CommandRemove,
    CommandSave,
    CommandSelect,
    CommandUndo,
    CommandWatch,
    CommandWindowText,
    EventEdited,
    EventLost,
    EventMessage,
    EventReadings,
    EventReload,
    WireOutline,
    WorkCommand,
    WorkEvent,
)
from solidbody.viewer.pulls import Pulls
from solidbody.viewer.reaching import PointReach
from solidbody.viewer.reloading import Reread, reload_scene, reread_file
from solidbody.viewer.robots import Robots, SupervisorMode
from solidbody.viewer.scene_encoding import SceneCache, encode_scene, to_json
from solidbody.viewer.shelf import Shelf
from solidbody.viewer.source_texts import SourceTexts
from solidbody.viewer.world_editor import WorldEditor
from solidbody.viewer.world_store import WorldStore

if TYPE_CHECKING:
    from solidbody.sim import Sim

READING_PERIOD: Final = 1.0 / 30.0
"""[s] Shortest time between readings: plots look smooth, and the text is small."""

PICTURE_PERIOD: Final = 1.0 / 8.0
"""[s] Shortest time between pictures of one device."""

PICTURE_SHARE: Final = 0.2
"""Share of the player's time that pictures may take."""

MESSAGES_KEPT: Final = 2000
"""Lines of the console that a tab gets which comes later."""

BYTES_KEPT: Final = 16 * 2**20
"""[bytes] of these lines in all: robots may send whole pictures to their windows."""

MESSAGE_KEPT: Final = 10_000
"""Characters of each of them."""

LOOK_PERIOD: Final = 1.0
"""[s] between looks at what the simulation counts."""

ANSWERS_KEPT: Final = 100
"""Answers to commands that a slow tab may lag behind."""


class PanelCommands:
    """Serves the panels of all tabs from one simulation.

    Args:
        sim: The simulation, owned by the player's thread once that runs.
        editor: Edits the file; None = it cannot be edited.
        reread: Reads what is on show again; None = the one file that the scene comes from.
        holds_time: Whether a supervisor that pauses holds time within a step, by an exception for the player.
        file: Saves the file; None = in its project.
        shelf: Lists, makes and opens other files; None = nothing else can be opened here.
    """

    def __init__(
        self,
        sim: Sim,
        *,
        editor: WorldEditor | BodyEditor | None = None,
        reread: Reread | None = None,
        holds_time: bool = True,
        file: WorldStore | None = None,
        shelf: Shelf | None = None,
    ) -> None:
        self.sim = sim
        self.editor = editor
        self._file = file or WorldStore(sim, editor)
        self._shelf = shelf
        if editor is not None and self._file.writes:
            editor.folder = self._file.folder
        self.texts = SourceTexts(self._file.folder, writes=self._file.writes)
        self.texts.take(sim.scene)
        if shelf is not None:
            shelf.tell = lambda event: self.publish(event, keep=False)
        self._holds_time = holds_time
        self._reread = reread or reread_file(sim)
        self.probe = Probe(sim)
        self.live = LiveUpdates(sim, self.probe, self.report)
        self._encoded = SceneCache()
        self.readings: Numbered | None = None
        self.pictures: dict[int, Numbered] = {}
        self._lock = threading.Lock()
        self._messages: deque[Numbered] = deque(maxlen=MESSAGES_KEPT)
        self._answers: deque[Numbered] = deque(maxlen=ANSWERS_KEPT)
        self._sizes = {True: 0, False: 0}
        self._states: dict[type, Numbered] = {}
        self._count = 0
        self._scene_listeners: list[Callable[[WireScene, WireOutline], None]] = []
        self._watched: dict[int, CommandWatch] = {}
        self._last_reading = 0.0
        self._next_picture: dict[int, float] = {}
        self._pulls = Pulls(sim)
        self._dragged: tuple[int, PlacedPose] | None = None
        self._reach: tuple[tuple[object, ...], PointReach] | None = None
        self._listeners: list[Callable[[], None]] = []
        self._changes = 0
        self._dark: set[int] = set()
        self._mode: SupervisorMode | None = None
        self._read_at: tuple[int, int] | None = None
        self._pictured_at: dict[int, tuple[int, int]] = {}
        self._next_look = 0.0
        self._told: set[str] = set()
        self.photos = Photos(sim, lambda event: self.publish(event, keep=False), self.live.unseen)
        self._find_belts()
        self.robots = Robots(sim, tell=self.publish, show=self.show_state)
        for item in self.robots.controllers:
            item.listen_to_output(self.show_output, self.say)
        sim.attach(self)

    # ------------------------------------------------------------------ from any thread

    def watch(self, tab: int, wanted: CommandWatch | None) -> None:
        """Note what a tab watches; None = it has gone."""
        with self._lock:
            if wanted is None:
                self._watched.pop(tab, None)
            else:
                self._watched[tab] = wanted

    def close(self) -> None:
        """Let the simulation go on alone."""
        self.live.close()
        self.photos.close()
        self.sim.detach(self)

    def publish(self, event: WorkEvent, *, keep: bool = True) -> None:
        """Tell all tabs, also those that come later if it is to be kept."""
        with self._lock:
            self._count += 1
            store = self._messages if keep else self._answers
            if len(store) == store.maxlen:
                self._sizes[keep] -= len(store.popleft().data)
            store.append(Numbered(self._count, to_json(event)))
            self._sizes[keep] += len(store[-1].data)
            while self._sizes[keep] > BYTES_KEPT and len(store) > 1:
                self._sizes[keep] -= len(store.popleft().data)
        for listener in tuple(self._listeners):
            listener()

    def show_state(self, event: WorkEvent) -> None:
        """Tell all tabs, also those that come later, what holds until the next event of this kind."""
        with self._lock:
            self._count += 1
            self._states[type(event)] = Numbered(self._count, to_json(event))
        for listener in tuple(self._listeners):
            listener()

    def say(self, level: str, text: str, *, source: str = "", path: str = "") -> None:
        """Write a line to the console of the page."""
        known = level if level in ("output", "info", "warning", "error") else "info"
        self.publish(EventMessage(known, source, shortened(text, MESSAGE_KEPT), path))

    def show_output(self, robot: str, line: str, is_error: bool) -> None:
        """Write a line that a controller printed."""
        self.say("error" if is_error else "output", line, source=robot)

    def report(self, item: Diagnostic) -> None:
        """Write what reading a file had to say, with the node that it is about."""
        node = None if self.editor is None else self.editor.path_at(item.span)
        file = item.span.file  # its name is enough: the folder is known
        text = str(item).replace(file, os.path.basename(file), 1)
        self.say(item.severity.value, text, path=node or "")

    def messages_after(self, number: int) -> list[Numbered]:
        """Return the messages that a tab does not have yet."""
        return self._after(self._messages, number)

    def answers_after(self, number: int) -> list[Numbered]:
        """Return the answers to commands that a tab has not seen; they mean nothing to later tabs."""
        return self._after(self._answers, number)

    def states_after(self, number: int) -> list[Numbered]:
        """Return what holds now and a tab has not been told."""
        with self._lock:
            news = [item for item in self._states.values() if item.number > number]
        return sorted(news, key=lambda item: item.number)

    @property
    def newest(self) -> int:
        """Number of what was published last."""
        return self._count

    def _after(self, store: deque[Numbered], number: int) -> list[Numbered]:
        with self._lock:
            if not store or store[-1].number <= number:
                return []
            return [item for item in store if item.number > number]

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after each new message, in the thread that wrote it; returns how to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def on_scene(self, listener: Callable[[WireScene, WireOutline], None]) -> None:
        """Call `listener` with every new scene, in the player's thread."""
        self._scene_listeners.append(listener)

    def encode(self) -> tuple[WireScene, WireOutline]:
        """Return what the page draws and lists."""
        sim = self.sim
        scene = encode_scene(
            sim.scene, sim.poses(), sim.moving, time_step=sim.time_step, cache=self._encoded
        )
        nodes = None if self.editor is None else self.editor.nodes()
        outline = encode_outline(
            sim, revision=scene.revision, nodes=nodes, editable=self.editor is not None
        )
        return scene, outline

    # ------------------------------------------------------------------ in the player's thread

    def show_scene(self) -> None:
        """The scene is another one now: let tabs load it."""
        self._pulls.forget()
        shown = self.encode()
        for listener in self._scene_listeners:
            listener(*shown)
        self.publish(EventReload(), keep=False)

    def obey(self, command: WorkCommand, *, is_running: bool) -> None:
        """Carry out a command; what cannot be done becomes a message."""
        self._changes += 1
        try:
            self._obey(command, is_running=is_running)
        except (SolidbodyError, ValueError) as error:
            self.say("error", str(error))

    def _obey(self, command: WorkCommand, *, is_running: bool) -> None:
        match command:
            case CommandJoint():
                self._drive(command, is_running=is_running)
            case CommandPose():
                link = self._link(command.link)
                if link.model.is_locked:
                    raise ValueError(f'"{link.name}" is locked: its field "locked" is TRUE.')
                self._place(link, command)
            case CommandPull():
                self._pulls.obey(command)
            case CommandReach():
                self._reach_to(command, is_running=is_running)
            case (
                CommandKeys()
                | CommandMouse()
                | CommandJoystick()
                | CommandWindowText()
                | CommandSelect()
            ):
                self.robots.obey(command)
            case CommandReload():
                self._reload()
            case CommandUndo() if self._pulls.can_undo:
                text = f"{self._pulls.undo()} is back where it was before it was pulled."
                undo, redo = ("", "") if self.editor is None else self.editor.next_steps
                self.publish(EventEdited(text, False, undo, redo, ""), keep=False)
            case (
                CommandFields()
                | CommandEdit()
                | CommandChoices()
                | CommandInsert()
                | CommandImport()
                | CommandRemove()
                | CommandCopy()
                | CommandClip()
                | CommandPaste()
                | CommandMove()
                | CommandUndo()
                | CommandRedo()
                | CommandSave()
            ):
                if self.editor is None:
                    raise ValueError("This file cannot be edited here: worlds and bodies can.")
                for event in self.editor.obey(command):
                    self.publish(event, keep=False)
            case CommandPhoto() | CommandPhotoStop():
                self.photos.obey(command)
            case CommandStore():
                event, other = self._file.store(command)
                self.publish(event, keep=False)
                if other is not None and self._shelf is not None:
                    self._shelf.open(other)
            case CommandRestart(robots):
                self.robots.restart_named(robots)
                self.texts.note_start(robots)
                self.say("info", f"The program of {', '.join(robots)} begins anew.")
            case CommandProgram():
                self._write_program(command)
            case CommandFiles() | CommandOpen() | CommandNew():
                if self._shelf is None:
                    raise ValueError("Other files cannot be opened here.")
                for event in self._shelf.obey(command):
                    self.publish(event, keep=False)
            case CommandWatch():  # the application has noted it; `_changes` makes the next look a new one
                return
            case _:
                assert_never(command)

    def _write_program(self, command: CommandProgram) -> None:
        """Give a robot a program of its own, which can be edited."""
        editor = self.editor
        if not isinstance(editor, WorldEditor) or editor.folder is None:
            raise ValueError("No programs can be written for what is on show here.")
        paths = {node.link: node.path for node in editor.nodes() if node.link is not None}
        first = 0
        for body in self.sim.scene.bodies:
            robot = next((one for one in body.robots if one.name == command.robot), None)
            path = None if robot is None else paths.get(first + robot.link)
            first += len(body.links)
            if robot is None or path is None:
                continue
            rows = range(first - len(body.links), first)
            motors = [
                motor.name
                for row, joint in enumerate(wire_joints(self.sim))
                if (motor := self.sim.axis_model(row).motor) is not None
                and joint.endless
                and joint.link in rows
            ]
            project = editor.folder.name_of(Path(editor.world.path).absolute().parent.parent)
            if project is None:
                raise ValueError(
                    "Programs stand beside the folder “worlds” of a project: save the world there."
                )
            text = program_text(command.language, motors)
            name = create_program(
                editor.folder, project.strip("."), robot.name, text, command.language
            )
            for event in editor.obey(CommandEdit(f"{path}.controller", name)):
                self.publish(event, keep=False)
            self.texts.forget_look()
            return
        raise ValueError(f'There is no robot "{command.robot}" in the file.')

    def _reload(self) -> None:
        """Read the file again and begin anew; the player notices that the scene is another one."""
        news = reload_scene(self.sim, self._reread)
        if self.editor is not None:
            self.editor.reopen()
        self._file.reread()
        self.texts.take(self.sim.scene)
        for item in news:
            self.report(item)
        self._told.clear()
        self.say("info", f"{os.path.basename(self.sim.scene.source)} was read again.")

    def _place(self, link: LinkHandle, command: CommandPose) -> None:
        """Put a body where a user drags it; the whole drag is one step that can be undone."""
        if self._dragged is None or self._dragged[0] != command.link:
            x, y, z, *turn = (float(value) for value in (*link.position, *link.orientation))
            self._dragged = (command.link, ((x, y, z), (turn[0], turn[1], turn[2], turn[3])))
        link.set_pose(command.position, command.rotation)
        link.reset_physics()
        if not command.is_last:
            return
        _, before = self._dragged
        self._dragged = None
        if self.editor is not None:
            after = (command.position, command.rotation)
            self.publish(self.editor.note_move(link.model.path, before, after), keep=False)
        if command.link not in self.sim.moving:
            self.show_scene()  # frames do not tell where it is

    def _reach_to(self, command: CommandReach, *, is_running: bool) -> None:
        """Let joints follow the mouse while time stands still."""
        if not command.is_held or is_running:
            self._reach = None
            return
        link = self._link(command.link)
        key = (command.link, command.grip, command.holds, self.sim.scene)
        if self._reach is None or self._reach[0] != key:
            grip = np.array(command.grip)
            self._reach = (key, PointReach(self.sim, command.link, grip, holds=command.holds))
        if link.model.is_locked:
            raise ValueError(f'"{link.name}" is locked: its field "locked" is TRUE.')
        self._reach[1].to(np.array(command.target))

    def _drive(self, command: CommandJoint, *, is_running: bool) -> None:
        names = self.sim.joint_names
        if command.joint >= len(names):
            raise ValueError(f"There is no joint number {command.joint}.")
        joint = JointHandle(self.sim, command.joint, names[command.joint])
        if command.mode == "velocity":
            joint.target_velocity = command.value
            return
        if joint.has_motor:
            joint.target_position = command.value
        elif is_running:
            raise ValueError(
                f'Joint "{joint.name}" has no motor: pause the simulation to move it by hand.'
            )
        if not is_running:
            joint.position = command.value

    def _link(self, index: int) -> LinkHandle:
        names = self.sim.link_names
        if index >= len(names):
            raise ValueError(f"There is no body number {index}.")
        return LinkHandle(self.sim, index, names[index])

    @property
    def is_watched(self) -> bool:
        """Whether any tab wants to be told anything."""
        return bool(self._watched)

    def keep_dropped(self, name: str, data: bytes) -> str:
        """Write a file that was dropped on the page; return its name in the folder. Raises FolderError."""
        if self.editor is None or self.editor.folder is None:
            raise FolderError("No files can be taken into what is on show here.")
        return keep_dropped(self.editor.folder, Path(self.editor.world.path), name, data)

    def thing(self, what: str) -> WireScene | None:
        """Return how something looks that can be added; None = it is nothing of the list, or not seen."""
        if not isinstance(self.editor, WorldEditor):
            return None
        world = self.editor.world
        if not is_thing(what, world.tree, world.path):
            return None
        return thing_scene(what, world.tree, world.path, world.options)

    def observe(self, now: float) -> bool:
        """Take the readings and pictures that are due; return whether there is anything new."""
        with self._lock:
            watched = list(self._watched.values())
        self.robots.look()
        document = self._file.look(now)
        if document is not None:
            self.show_state(document)
        programs = self.texts.look(now, self.sim.scene)
        if programs is not None:
            self.show_state(programs)
        moment = (self.sim.step_count, self._changes)
        is_new = False
        if self._read_at != moment and now - self._last_reading >= READING_PERIOD:
            self._last_reading, self._read_at = now, moment
            is_new = self._read(watched)
        wanted = {key for item in watched for key in item.pictures}
        for key in wanted:
            is_due = now >= self._next_picture.get(key, 0.0)
            if is_due and self._pictured_at.get(key) != moment:
                self._pictured_at[key] = moment
                is_new |= self._take_picture(key, now, len(wanted))
        return self.live.observe(now) or is_new

    def travels(self) -> list[float]:
        """Return how far each belt of the scene has run [m]."""
        if self.sim.scene is not self._belts_scene:
            self._find_belts()
        if not self._belt_axes:
            return []
        return self.sim.joint_states()[self._belt_axes, 0].tolist()

    def _find_belts(self) -> None:
        self._belts_scene = self.sim.scene
        belts = belts_of(list(self.sim.scene.links()))
        self._belt_axes = [self.sim.axis_row(belt.link, 0) for belt in belts]

    def take_mode(self) -> SupervisorMode | None:
        """Return how a supervisor wants the simulation to run; None = as it does."""
        mode, self._mode = self._mode, None
        return mode

    def note_mode(self, mode: SupervisorMode) -> None:
        """Let supervisors know how the simulation runs now."""
        self._mode = None
        self.robots.note_mode(mode)

    def restart_programs(self) -> None:
        """Let programs begin anew, as Webots does when its user resets the simulation."""
        self.robots.restart()
        self.texts.take(self.sim.scene)

    def _read(self, watched: list[CommandWatch]) -> bool:
        keys = list(dict.fromkeys(key for item in watched for key in item.scalars))
        has_joints = any(item.joints for item in watched)
        has_contacts = any(item.contacts for item in watched)
        if not (keys or has_joints or has_contacts):
            return False
        event = EventReadings(
            time=self.sim.time,
            joints=self.probe.joint_positions() if has_joints else [],
            keys=keys,
            values=self.probe.scalars(keys),
            contacts=self.probe.contacts() if has_contacts else [],
        )
        self._count += 1
        self.readings = Numbered(self._count, to_json(event))
        return True

    def _take_picture(self, index: int, now: float, count: int) -> bool:
        began = time.monotonic()
        picture = self.probe.picture(index)
        cost = time.monotonic() - began
        self._next_picture[index] = now + max(PICTURE_PERIOD, count * cost / PICTURE_SHARE)
        if picture is None:
            if index not in self._dark:
                self._dark.add(index)
                self.say(
                    "info", f"Device {index} takes no pictures: it is switched off in its file."
                )
            return False
        header = PICTURE_HEADER.pack(PICTURE_MAGIC, index, self.sim.time)
        self._count += 1
        self.pictures[index] = Numbered(self._count, header + picture)
        return True

    # ------------------------------------------------------------------ beside the simulation

    def before_steps(self) -> None:
        """Pull where a user pulls: a force lasts for one step. Hold time if a supervisor has asked for it."""
        self._follow_mode()
        name = self._pulls.lost()
        if name is not None:
            self._tell_lost(name)
        self._pulls.before_step()

    def _tell_lost(self, name: str) -> None:
        """Say that a body that was pulled has left the scene, and stop."""
        text = f"{name} has left the scene after it was pulled, so time was stopped."
        self.say("error", f"{text} Undo (Ctrl+Z) brings it back.")
        redo = "" if self.editor is None else self.editor.next_steps[1]
        self.publish(EventEdited("", True, f"the pull of {name}", redo, ""), keep=False)
        self.publish(EventLost(text), keep=False)
        if self._holds_time:
            raise SimulationPause

    def _follow_mode(self) -> None:
        mode = self.robots.take_mode()
        if mode is SupervisorMode.PAUSE and self._holds_time:
            raise SimulationPause
        self._mode = mode or self._mode

    def steps_until_due(self) -> int | None:
        """One step at a time while somebody pulls."""
        return self._pulls.steps_until_due

    def after_steps(self) -> None:
        """Say once which bodies touch at more points than are kept."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + LOOK_PERIOD
        for item in self.sim.contact_messages:
            if item.code not in self._told:
                self._told.add(item.code)
                self.report(item)

    def reset(self) -> None:
        """Nobody pulls any more."""
        self._pulls.forget()
        self._changes += 1
