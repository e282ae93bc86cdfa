"""Protocol messages of supervisors: requests and commands about nodes and fields.

A field is named by its node, its level (-1 = that of the node itself, -2 = what a PROTO has become, 0 and
more = a PROTO of it) and its name.
"""

from __future__ import annotations

from typing import Annotated

from solidbody.control.protocol.fields import (
    I32,
    U8,
    Message,
    Name,
    Number,
    Path,
    Reals,
    Text,
    Value,
    Vector3,
    family,
    message,
    part,
)
from solidbody.control.protocol.frames import (
    AnswerBool,
    AnswerInt,
    AnswerNumbers,
    AnswerText,
    Order,
    Question,
    Result,
)

# ---------------------------------------------------------------------- what is told of nodes


@message(300)
class NodeFacts(Result):
    """A node: number, type number, type, base type, DEF name, whether it is a PROTO instance."""

    number: I32
    kind: U8
    type_name: Name
    base_type: Name
    def_name: Name
    is_proto: bool


@message(301)
class FieldFacts(Result):
    """A field: its node, name, type number, type and level."""

    node: I32
    name: Name
    kind: U8
    type_name: Name
    level: I32


@message(302)
class ProtoFacts(Result):
    """A PROTO of a node: level, name, whether it is derived from another one."""

    node: I32
    level: I32
    name: Name
    is_derived: bool


@part
class ContactFacts(Message):
    """A contact point [m] and the number of its solid."""

    x: Number
    y: Number
    z: Number
    node: I32


@message(303)
class ContactPoints(Result):
    """Contact points of a solid."""

    value: list[ContactFacts]


@message(304)
class FieldContent(Result):
    """The value of a field, or of an item of a list; of nodes their numbers, 0 = none."""

    value: Value


@family
class NodeOrder(Order):
    """An order about a node."""

    number: I32


@family
class FieldOrder(Order):
    """An order about a field."""

    number: I32
    level: I32
    name: Name


@family
class NodeQuestion(Question):
    """A question about a node."""

    number: I32


@family
class FieldQuestion(Question):
    """A question about a field."""

    number: I32
    level: I32
    name: Name


# ---------------------------------------------------------------------- orders: fields


@message(310)
class FieldSet(FieldOrder):
    """Set a value, or an item of a list; negative indices count from its end."""

    index: I32 | None
    value: Value


@message(311)
class FieldInsert(FieldOrder):
    """Insert an item in a list; -1 = at its end."""

    index: I32
    value: Value


@message(312)
class FieldRemoveItem(FieldOrder):
    """Take an item out of a list."""

    index: I32


@message(313)
class FieldRemoveNode(FieldOrder):
    """Take the node out of a field that holds one."""


@message(314)
class FieldImportItem(FieldOrder):
    """Insert a node, given as text, in a list."""

    index: I32
    text: Text


@message(315)
class FieldImportNode(FieldOrder):
    """Put a node, given as text, into a field that holds one and is empty."""

    text: Text


@message(316)
class FieldImportFile(FieldOrder):
    """Insert the node of an object file in a list, or put it into a field for one."""

    index: I32 | None
    file: Path


# ---------------------------------------------------------------------- orders: nodes


@message(320)
class NodeRemove(NodeOrder):
    """Take a node out of the world."""


@message(321)
class NodeSetVelocity(NodeOrder):
    """Set linear and angular velocity."""

    values: Annotated[tuple[float, ...], Reals(6)]


@message(322)
class NodeAddForce(NodeOrder):
    """Push at the centre of mass during the next step [N]."""

    force: Vector3
    relative: bool


@message(323)
class NodeAddForceAt(NodeOrder):
    """Push at a point of the solid, given in its frame, during the next step."""

    force: Vector3
    offset: Vector3
    relative: bool


@message(324)
class NodeAddTorque(NodeOrder):
    """Turn during the next step [N*m]."""

    torque: Vector3
    relative: bool


@message(325)
class NodeResetPhysics(NodeOrder):
    """Stop all solids at and below a node."""


@message(326)
class NodeJointPosition(NodeOrder):
    """Put an axis of a joint (counted from 1) somewhere."""

    value: Number
    index: I32


@message(327)
class NodeSaveState(NodeOrder):
    """Note where everything at and below a node is, under a name."""

    name: Name


@message(328)
class NodeLoadState(NodeOrder):
    """Put everything back."""

    name: Name


@message(329)
class NodeRestartController(NodeOrder):
    """End and start the controller of a robot."""


@message(330)
class NodeMoveViewpoint(NodeOrder):
    """Let the view look at a node."""


@message(331)
class NodeSetVisibility(NodeOrder):
    """Show or hide a node for a camera or the view."""

    viewer: I32
    visible: bool


# ---------------------------------------------------------------------- orders: the run


@message(340)
class SimulationQuit(Order):
    """End the simulation with this exit status."""

    status: I32


@message(341)
class SimulationSetMode(Order):
    """0 pause, 1 real time, 2 fast."""

    mode: I32


@message(342)
class SimulationReset(Order):
    """Restore the world as it was loaded."""


@message(343)
class SimulationResetPhysics(Order):
    """Stop everything."""


@message(344)
class WorldLoad(Order):
    """Go on with another world."""

    file: Path


@message(345)
class WorldReload(Order):
    """Read the world's file again and start everything anew."""


@message(346)
class LabelSet(Order):
    """Write a text over the view: shares of it, colour 0xRRGGBB."""

    number: I32
    text: Text
    x: Number
    y: Number
    size: Number
    color: I32
    transparency: Number
    font: Name


@message(347)
class MovieStart(Order):
    """Begin a movie of the view."""

    file: Path
    width: I32
    height: I32
    quality: I32
    acceleration: Number


@message(348)
class MovieStop(Order):
    """End the movie and write its file."""


# ---------------------------------------------------------------------- questions: nodes


@message(360, answer=NodeFacts)
class NodeRoot(Question):
    """The node that holds the whole world."""


@message(361, answer=NodeFacts)
class NodeSelf(Question):
    """The node of the robot that asks."""


@message(362, answer=NodeFacts)
class NodeSelected(Question):
    """The node that the user has selected."""


@message(363, answer=NodeFacts)
class NodeFromDef(Question):
    """The node of a path of DEF names."""

    path: Name


@message(364, answer=NodeFacts)
class NodeFromId(NodeQuestion):
    """A node that the file shows, by its number."""


@message(365, answer=NodeFacts)
class NodeFromDevice(Question):
    """The node of a device of the robot that asks; 0 = the robot."""

    tag: I32


@message(366, answer=NodeFacts)
class NodeFromProtoDef(NodeQuestion):
    """A node inside a PROTO instance by the DEF names of its body."""

    path: Name


@message(367, answer=NodeFacts)
class NodeFind(NodeQuestion):
    """A node by its number."""


@message(368, answer=NodeFacts)
class NodeParent(NodeQuestion):
    """The node above."""


@message(369, answer=AnswerInt)
class NodePresent(NodeQuestion):
    """The number of a node as long as it is there; -1 otherwise."""


@message(370, answer=ProtoFacts)
class NodeProto(NodeQuestion):
    """A PROTO of a node."""

    level: I32


@message(371, answer=AnswerText)
class NodeExport(NodeQuestion):
    """A node as text."""


# ---------------------------------------------------------------------- questions: where things are


@message(380, answer=AnswerNumbers)
class NodePosition(NodeQuestion):
    """Position in the world."""


@message(381, answer=AnswerNumbers)
class NodeOrientation(NodeQuestion):
    """Rotation matrix, row by row."""


@message(382, answer=AnswerNumbers)
class NodePose(NodeQuestion):
    """Pose in the world or in the frame of another node, as a 4 x 4 matrix."""

    other: I32 | None


@message(383, answer=AnswerNumbers)
class NodeVelocity(NodeQuestion):
    """Linear and angular velocity."""


@message(384, answer=AnswerNumbers)
class NodeCenterOfMass(NodeQuestion):
    """Centre of mass of a solid and all below it."""


@message(385, answer=ContactPoints)
class NodeContactPoints(NodeQuestion):
    """Contact points of now."""

    include_descendants: bool


@message(386, answer=AnswerBool)
class NodeStaticBalance(NodeQuestion):
    """Whether the centre of mass lies above the hull of the contact points."""


# ---------------------------------------------------------------------- questions: fields


@message(390, answer=FieldFacts)
class FieldFind(FieldQuestion):
    """A field of a node by name."""


@message(391, answer=FieldFacts)
class FieldByIndex(NodeQuestion):
    """A field of a node by its place."""

    level: I32
    index: I32


@message(392, answer=FieldFacts)
class FieldActual(FieldQuestion):
    """The field of the file that decides the value of a field inside a PROTO."""


@message(393, answer=AnswerInt)
class FieldNumber(NodeQuestion):
    """How many fields a node has."""

    level: I32


@message(394, answer=AnswerInt)
class FieldLength(FieldQuestion):
    """How many items a list has; -1 for fields of one value."""


@message(395, answer=FieldContent)
class FieldGet(FieldQuestion):
    """The value of a field, or of an item of a list."""

    index: I32 | None


# ---------------------------------------------------------------------- questions: the run


@message(400, answer=AnswerInt)
class SimulationMode(Question):
    """The mode of the run."""


@message(401)
class WorldSettle(Question):
    """Let the simulation follow what was changed."""


@message(402, answer=AnswerBool)
class WorldSave(Question):
    """Write the world as it is now; without a name to its own file."""

    file: Path | None


@message(403, answer=AnswerBool)
class ImageExport(Question):
    """Write a picture of the view."""

    file: Path
    quality: I32


@message(404, answer=AnswerBool)
class MovieReady(Question):
    """Whether no movie is being recorded or written."""


@message(405, answer=AnswerBool)
class MovieFailed(Question):
    """Whether the last movie could not be made."""


@message(406, answer=AnswerBool)
class AnimationStart(Question):
    """Begin to note how things move."""

    file: Path


@message(407, answer=AnswerBool)
class AnimationStop(Question):
    """End the animation and write its file."""
