"""`Supervisor` of Webots' controller API: a robot that may read and change the world."""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

from .connection import protocol
from .device import Device, complain
from .facts import Fact
from .node import Node
from .robot import Robot


class Supervisor(Robot):
    """A robot with `supervisor TRUE`. Others get error messages and None."""

    SIMULATION_MODE_PAUSE, SIMULATION_MODE_REAL_TIME, SIMULATION_MODE_FAST = 0, 1, 2
    SIMULATION_MODE_RUN = SIMULATION_MODE_FAST  # as it was called until R2021b

    def __init__(self) -> None:
        self._sb_nodes: WeakValueDictionary[int, Node] = WeakValueDictionary()
        self._sb_last_set: Any = None
        self._sb_last_place: Any = None
        super().__init__()

    # how things are asked for

    def _sb_set(self, *arguments: Any) -> None:
        """Set a field: node, level, name, index and value. Of two sets in a row the last counts."""
        commands, place = self._sb_commands, arguments[:4]
        if commands and commands[-1] is self._sb_last_set and place == self._sb_last_place:
            commands.pop()
        self._sb_order(protocol.FieldSet, *arguments)
        if commands:
            self._sb_last_set, self._sb_last_place = commands[-1], place

    def _sb_node_of(self, facts: Any) -> Node | None:
        """Return the node that the simulator has described; a known one is brought up to date."""
        if facts is None:
            return None
        node = self._sb_nodes.get(facts[0])
        if node is None:
            node = self._sb_nodes[facts[0]] = Node(self, facts)
        else:
            node._tell(facts)
        return node

    def _sb_node(self, number: int) -> Node | None:
        return self._sb_node_of(self._sb_ask(protocol.NodeFind, number)) if number else None

    def getDevice(self, name: str) -> Any:
        """Return the device of that name, be it one that was just inserted."""
        if name not in self._sb_names and self._sb_facts["supervisor"]:
            self._sb_ask(protocol.WorldSettle)
            self._sb_step(0.0)
        return super().getDevice(name)

    # nodes

    def getRoot(self) -> Node | None:
        """Return the node that holds the whole world in its field "children"."""
        return self._sb_node_of(self._sb_ask(protocol.NodeRoot))

    def getSelf(self) -> Node | None:
        """Return the node of this robot."""
        return self._sb_node_of(self._sb_ask(protocol.NodeSelf))

    def getFromDef(self, name: str) -> Node | None:
        """Return the node of a DEF name, or of a path of them: "ROBOT.ARM.HAND"; None if there is none."""
        return self._sb_node_of(self._sb_ask(protocol.NodeFromDef, str(name)))

    def getFromId(self, id: int) -> Node | None:
        """Return the node of a number; None if there is none."""
        return self._sb_node_of(self._sb_ask(protocol.NodeFromId, int(id)))

    def getFromDevice(self, device: Any) -> Node | None:
        """Return the node of a device of this robot, or of the robot (0); None for one inside a PROTO."""
        tag = device._tag if isinstance(device, Device) else int(device)
        return self._sb_node_of(self._sb_ask(protocol.NodeFromDevice, tag))

    def getSelected(self) -> Node | None:
        """Return the node that the user has selected on the page; None if there is none."""
        return self._sb_node_of(self._sb_ask(protocol.NodeSelected))

    # the run

    def simulationQuit(self, status: int) -> None:
        """End the simulation; `status` becomes the exit status of the simulator."""
        self._sb_order(protocol.SimulationQuit, int(status))

    def simulationSetMode(self, mode: int) -> None:
        """Set the mode: pause, real time or fast."""
        self._sb_order(protocol.SimulationSetMode, int(mode))

    def simulationGetMode(self) -> int:
        """Return the mode."""
        return self._sb_ask(protocol.SimulationMode)

    def simulationReset(self) -> None:
        """Restore the world as it was loaded; controllers go on."""
        self._sb_order(protocol.SimulationReset)

    def simulationResetPhysics(self) -> None:
        """Stop everything that moves."""
        self._sb_order(protocol.SimulationResetPhysics)

    def worldLoad(self, filename: str) -> None:
        """Go on with another world; this program is told to end."""
        self._sb_order(protocol.WorldLoad, str(filename))

    def worldSave(self, filename: str | None = None) -> bool:
        """Write the world as it is now, to its own file or another one; return whether it went well."""
        return bool(self._sb_ask(protocol.WorldSave, None if filename is None else str(filename)))

    def worldReload(self) -> None:
        """Read the world again and start everything anew; this program is told to end."""
        self._sb_order(protocol.WorldReload)

    # names that old controllers use

    simulationRevert = worldReload
    simulationPhysicsReset = simulationResetPhysics
    loadWorld = worldLoad
    saveWorld = worldSave

    # what users see

    def setLabel(
        self,
        id: int,
        label: str,
        x: float,
        y: float,
        size: float,
        color: int,
        transparency: float = 0.0,
        font: str = "Arial",
    ) -> None:
        """Write a text over the view; x, y and size are shares of it, the colour is 0xRRGGBB."""
        self._sb_order(
            protocol.LabelSet,
            int(id),
            str(label),
            float(x),
            float(y),
            float(size),
            int(color),
            float(transparency),
            str(font),
        )

    def exportImage(self, filename: str, quality: int = 100) -> None:
        """Write a picture of the view (.png or .jpg)."""
        self._sb_ask(protocol.ImageExport, str(filename), int(quality))

    def movieStartRecording(
        self,
        filename: str,
        width: int = 0,
        height: int = 0,
        codec: int = 0,
        quality: int = 90,
        acceleration: float = 1.0,
        caption: bool = False,
    ) -> None:
        """Begin a movie of the view (.gif, or .mp4 where an encoder is installed)."""
        self._sb_order(
            protocol.MovieStart,
            str(filename),
            int(width),
            int(height),
            int(quality),
            float(acceleration),
        )

    def movieStopRecording(self) -> None:
        """End the movie and write its file."""
        self._sb_order(protocol.MovieStop)

    def movieIsReady(self) -> bool:
        """Return whether no movie is being recorded or written."""
        return bool(self._sb_ask(protocol.MovieReady))

    def movieFailed(self) -> bool:
        """Return whether the last movie could not be made."""
        return bool(self._sb_ask(protocol.MovieFailed))

    def animationStartRecording(self, filename: str) -> bool:
        """Begin to note how things move; return whether that is possible."""
        return bool(self._sb_ask(protocol.AnimationStart, str(filename)))

    def animationStopRecording(self) -> bool:
        """End the animation and write its file; return whether that went well."""
        return bool(self._sb_ask(protocol.AnimationStop))

    def virtualRealityHeadsetIsUsed(self) -> bool:
        """Return whether a headset is worn: there is none."""
        return False

    def virtualRealityHeadsetGetPosition(self) -> list[float] | None:
        """Return where the headset is: there is none."""
        complain("Error: Supervisor.virtualRealityHeadsetGetPosition(): there is no headset")
        return None

    def virtualRealityHeadsetGetOrientation(self) -> list[float] | None:
        """Return how the headset is turned: there is none."""
        complain("Error: Supervisor.virtualRealityHeadsetGetOrientation(): there is no headset")
        return None

    root = Fact(getRoot)
    self_node = Fact(getSelf)
    selected = Fact(getSelected)
    simulation_mode = property(simulationGetMode, simulationSetMode)
    movie_is_ready = Fact(movieIsReady)
    movie_failed = Fact(movieFailed)
