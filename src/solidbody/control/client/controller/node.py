"""`Node` of Webots' controller API: nodes of the world, for supervisors."""

from __future__ import annotations

from typing import Any

from .connection import protocol
from .contact_point import ContactPoint
from .device import NAN, complain
from .field import Field
from .kinds import NODE_TYPES
from .proto import Proto

OWN, BASE = -1, -2


class Node:
    """A node of the world. The same node is always the same object."""

    def __init__(self, supervisor: Any, facts: tuple[Any, ...]) -> None:
        self._supervisor = supervisor
        self._tell(facts)

    def _tell(self, facts: tuple[Any, ...]) -> None:
        self._id, self._type, self._type_name, self._base_type, self._def, self._is_proto = facts

    def _ask(self, kind: protocol.Message, *arguments: Any) -> Any:
        return self._supervisor._sb_ask(kind, self._id, *arguments)

    def _ask_numbers(self, count: int, kind: protocol.Message, *arguments: Any) -> list[float]:
        """Return numbers; they are not numbers where there is no answer: the node was removed."""
        found = self._ask(kind, *arguments)
        return [NAN] * count if found is None else list(found)

    def _order(self, kind: protocol.Message, *arguments: Any) -> None:
        self._supervisor._sb_order(kind, self._id, *arguments)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and other._id == self._id

    def __hash__(self) -> int:
        return hash(self._id)

    # what it is

    def getId(self) -> int:
        """Return its number; -1 once it has been removed."""
        found = self._ask(protocol.NodePresent)
        return -1 if found is None else found

    def getType(self) -> int:
        """Return the number of its type; a PROTO instance has that of its base."""
        return self._type

    def getTypeName(self) -> str:
        """Return its type, or the name of its PROTO."""
        return self._type_name

    def getBaseTypeName(self) -> str:
        """Return its type, also if it is a PROTO instance."""
        return self._base_type

    def getDef(self) -> str:
        """Return its DEF name, or an empty text."""
        return self._def

    def isProto(self) -> bool:
        """Return whether it is a PROTO instance."""
        return self._is_proto

    def getProto(self) -> Proto | None:
        """Return the PROTO of an instance, or None."""
        found = self._ask(protocol.NodeProto, 0)
        return None if found is None else Proto(self._supervisor, found)

    def getParentNode(self) -> Node | None:
        """Return the node that holds it; None for the root."""
        return self._supervisor._sb_node_of(self._ask(protocol.NodeParent))

    def getFromProtoDef(self, DEF: str) -> Node | None:
        """Return a node inside this PROTO instance by the DEF name in the PROTO's file."""
        if not self._is_proto:
            complain("Error: Node.getFromProtoDef() can only be used with a PROTO instance")
            return None
        return self._supervisor._sb_node_of(self._ask(protocol.NodeFromProtoDef, str(DEF)))

    def exportString(self) -> str:
        """Return it as it would stand in a world file."""
        return self._ask(protocol.NodeExport) or ""

    def remove(self) -> None:
        """Take it out of the world."""
        self._order(protocol.NodeRemove)

    # fields

    def _field(self, found: Any) -> Field | None:
        return None if found is None else Field(self._supervisor, found)

    def getField(self, fieldName: str) -> Field | None:
        """Return a field: of a PROTO instance one of its parameters."""
        return self._field(self._ask(protocol.FieldFind, OWN, str(fieldName)))

    def getFieldByIndex(self, index: int) -> Field | None:
        """Return a field by its place."""
        return self._field(self._ask(protocol.FieldByIndex, OWN, int(index)))

    def getNumberOfFields(self) -> int:
        """Return the number of its fields."""
        return self._ask(protocol.FieldNumber, OWN) or 0

    def getBaseNodeField(self, fieldName: str) -> Field | None:
        """Return a field of what a PROTO instance has become; it can only be read."""
        return self._field(self._ask(protocol.FieldFind, BASE, str(fieldName)))

    def getBaseNodeFieldByIndex(self, index: int) -> Field | None:
        """Return such a field by its place."""
        return self._field(self._ask(protocol.FieldByIndex, BASE, int(index)))

    def getNumberOfBaseNodeFields(self) -> int:
        """Return the number of such fields."""
        return self._ask(protocol.FieldNumber, BASE) or 0

    getProtoField = getBaseNodeField
    getProtoFieldByIndex = getBaseNodeFieldByIndex
    getProtoNumberOfFields = getNumberOfBaseNodeFields

    # where it is

    def getPosition(self) -> list[float]:
        """Return its position in the world [m]."""
        return self._ask_numbers(3, protocol.NodePosition)

    def getOrientation(self) -> list[float]:
        """Return its rotation matrix, row by row."""
        return self._ask_numbers(9, protocol.NodeOrientation)

    def getPose(self, fromNode: Node | None = None) -> list[float]:
        """Return its pose in the world, or in the frame of another node: 4 x 4, row by row."""
        return self._ask_numbers(16, protocol.NodePose, None if fromNode is None else fromNode._id)

    def enablePoseTracking(self, samplingPeriod: int, fromNode: Node | None = None) -> None:
        """Ask for the pose every `samplingPeriod` milliseconds; here it is always the present one."""
        if int(samplingPeriod) <= 0:
            complain("Error: Node.enablePoseTracking(): the sampling period must be above 0")

    def disablePoseTracking(self, fromNode: Node | None = None) -> None:
        """Ask for the pose no more; it can still be read."""

    # physics

    def getCenterOfMass(self) -> list[float]:
        """Return the centre of mass of the solid and all below it, in the world [m]."""
        return self._ask_numbers(3, protocol.NodeCenterOfMass)

    def getContactPoints(self, includeDescendants: bool = False) -> list[ContactPoint]:
        """Return the contact points of the last step."""
        found = self._ask(protocol.NodeContactPoints, bool(includeDescendants))
        return [ContactPoint([x, y, z], node) for x, y, z, node in found or ()]

    def enableContactPointsTracking(
        self, samplingPeriod: int, includeDescendants: bool = False
    ) -> None:
        """Ask for the contact points every `samplingPeriod` milliseconds; here they are the present ones."""
        if int(samplingPeriod) <= 0:
            complain(
                "Error: Node.enableContactPointsTracking(): the sampling period must be above 0"
            )

    def disableContactPointsTracking(self, includeDescendants: bool = False) -> None:
        """Ask for the contact points no more; they can still be read."""

    def getNumberOfContactPoints(self, includeDescendants: bool = False) -> int:
        """Return the number of contact points; deprecated."""
        return len(self.getContactPoints(includeDescendants))

    def getContactPoint(self, index: int) -> list[float] | None:
        """Return where a contact point is; None if there is none of that number. Deprecated."""
        points = self.getContactPoints(True)
        return points[index].point if 0 <= index < len(points) else None

    def getContactPointNode(self, index: int) -> Node | None:
        """Return the solid that a contact point belongs to; deprecated."""
        points = self.getContactPoints(True)
        if not 0 <= index < len(points):
            return None
        return self._supervisor._sb_node(points[index].node_id)

    def getStaticBalance(self) -> bool:
        """Return whether the centre of mass lies above the hull of the contact points."""
        return bool(self._ask(protocol.NodeStaticBalance))

    def getVelocity(self) -> list[float]:
        """Return linear [m/s] and angular [rad/s] velocity, world axes."""
        return self._ask_numbers(6, protocol.NodeVelocity)

    def setVelocity(self, velocity: list[float]) -> None:
        """Set linear and angular velocity, world axes."""
        if self._are_numbers("setVelocity", velocity, 6):
            self._order(protocol.NodeSetVelocity, [float(x) for x in velocity])

    def addForce(self, force: list[float], relative: bool = False) -> None:
        """Push at the centre of mass during the next step [N]; in the solid's axes if `relative`."""
        if self._are_numbers("addForce", force, 3):
            self._order(protocol.NodeAddForce, [float(x) for x in force], bool(relative))

    def addForceWithOffset(
        self, force: list[float], offset: list[float], relative: bool = False
    ) -> None:
        """Push at a point of the solid, given in its frame, during the next step."""
        function = "addForceWithOffset"
        if self._are_numbers(function, force, 3) and self._are_numbers(function, offset, 3):
            self._order(
                protocol.NodeAddForceAt,
                [float(x) for x in force],
                [float(x) for x in offset],
                bool(relative),
            )

    def addTorque(self, torque: list[float], relative: bool = False) -> None:
        """Turn during the next step [N*m]; in the solid's axes if `relative`."""
        if self._are_numbers("addTorque", torque, 3):
            self._order(protocol.NodeAddTorque, [float(x) for x in torque], bool(relative))

    def resetPhysics(self) -> None:
        """Stop the solid and all below it."""
        self._order(protocol.NodeResetPhysics)

    def setJointPosition(self, position: float, index: int = 1) -> None:
        """Put an axis of the joint (1 to 3) somewhere [rad] or [m]; what it moves stops."""
        self._order(protocol.NodeJointPosition, float(position), int(index))

    def _are_numbers(self, function: str, values: Any, count: int) -> bool:
        try:
            is_right = len(values) == count and all(isinstance(float(x), float) for x in values)
        except (TypeError, ValueError):
            is_right = False
        if not is_right:
            complain(f"Error: Node.{function}() takes a list of {count} numbers, got {values!r}")
        return is_right

    # states and the rest

    def saveState(self, stateName: str) -> None:
        """Save where the node and all below it are, under a name."""
        self._order(protocol.NodeSaveState, str(stateName))

    def loadState(self, stateName: str) -> None:
        """Put the node and all below it back; "__init__" is how the world was loaded."""
        self._order(protocol.NodeLoadState, str(stateName))

    def restartController(self) -> None:
        """End the controller of the robot and start it again."""
        self._order(protocol.NodeRestartController)

    def moveViewpoint(self) -> None:
        """Let the view look at the node."""
        self._order(protocol.NodeMoveViewpoint)

    def setVisibility(self, fromNode: Node, visible: bool) -> None:
        """Show or hide the node for a camera or the view."""
        self._order(protocol.NodeSetVisibility, fromNode._id, bool(visible))

    id = property(getId)
    type = property(getType)
    type_name = property(getTypeName)
    base_type_name = property(getBaseTypeName)
    DEF = property(getDef)
    parent_node = property(getParentNode)
    proto = property(getProto)
    is_proto = property(isProto)
    number_of_fields = property(getNumberOfFields)
    position = property(getPosition)
    orientation = property(getOrientation)
    pose = property(getPose)
    center_of_mass = property(getCenterOfMass)
    contact_points = property(getContactPoints)
    static_balance = property(getStaticBalance)
    velocity = property(getVelocity, setVelocity)


for _number, _name in enumerate(NODE_TYPES):
    setattr(Node, _name, _number)
