"""Keys of body files: the top, links with their joints and masses, what closes loops, collision rules."""

from __future__ import annotations

import math
from typing import ClassVar, Final

from solidbody.base.transforms import IDENTITY, ZERO, Pose, Vec3
from solidbody.formats.choreonoid.keys.access import DEGREE, Keys, shown
from solidbody.formats.choreonoid.keys.kinds import (
    ANY,
    FLAG,
    INERTIA,
    INTEGER,
    LIST,
    MAPPING,
    MASS,
    NUMBER,
    NUMBERS,
    ROTATION,
    TEXT,
    TEXTS,
    TRANSLATION,
    VEC3,
    Pair,
    choice,
    integer_of,
    number_of,
    vec3_of,
)
from solidbody.formats.choreonoid.keys.settings import BodyHeader, SubBodyNames
from solidbody.formats.choreonoid.keys.table import Key, Table, ValueKind, ignored
from solidbody.formats.choreonoid.keys.yaml_text import RawYaml, Yaml
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlNode, YamlScalar
from solidbody.formats.link_trees.drafts import (
    Actuation,
    JointDraft,
    JointKind,
    LinkDraft,
    LoopDraft,
)
from solidbody.model.contacts import DEFAULT_MATERIAL
from solidbody.model.joints import LoopBall, LoopFixed, LoopHinge, LoopPiston
from solidbody.model.mass import MassProperties
from solidbody.model.shapes import Shape

UNITS: Final = {"degree": DEGREE, "radian": 1.0}
LOOPS: Final = {"fixed": LoopFixed, "hinge": LoopHinge, "ball": LoopBall, "piston": LoopPiston}


TYPES: Final = {
    "revolute": JointKind.REVOLUTE,
    "prismatic": JointKind.PRISMATIC,
    "slide": JointKind.PRISMATIC,
    "free": JointKind.FREE,
    "fixed": JointKind.FIXED,
    "pseudo_continuous_track": JointKind.TRACK,
    "pseudoContinuousTrack": JointKind.TRACK,
}

ACTUATION: Final = {
    "joint_effort": Actuation.EFFORT,
    "jointEffort": Actuation.EFFORT,
    "jointTorque": Actuation.EFFORT,
    "jointForce": Actuation.EFFORT,
    "joint_displacement": Actuation.DISPLACEMENT,
    "jointDisplacement": Actuation.DISPLACEMENT,
    "jointAngle": Actuation.DISPLACEMENT,
    "joint_velocity": Actuation.VELOCITY,
    "jointVelocity": Actuation.VELOCITY,
    "link_position": Actuation.LINK_POSITION,
    "linkPosition": Actuation.LINK_POSITION,
    "jointSurfaceVelocity": Actuation.SURFACE_VELOCITY,
}

AXES: Final[dict[str, Vec3]] = {
    "X": (1.0, 0.0, 0.0),
    "Y": (0.0, 1.0, 0.0),
    "Z": (0.0, 0.0, 1.0),
    "-X": (-1.0, 0.0, 0.0),
    "-Y": (0.0, -1.0, 0.0),
    "-Z": (0.0, 0.0, -1.0),
}

UNLIMITED: Final = "unlimited"


_FOREIGN_TYPES: Final = {
    "continuous": (JointKind.REVOLUTE, "revolute without a joint_range"),
    "rotate": (JointKind.REVOLUTE, "revolute"),
    "rotational": (JointKind.REVOLUTE, "revolute"),
    "hinge": (JointKind.REVOLUTE, "revolute"),
    "slider": (JointKind.PRISMATIC, "prismatic"),
    "linear": (JointKind.PRISMATIC, "prismatic"),
    "floating": (JointKind.FREE, "free"),
}
"""Words of other formats: (what is meant, what to write)."""

MAX_NUMBER: Final = 99_999
"""Largest joint id: programs make lists that long."""


# ---------------------------------------------------------------------------------- kinds of values


def _id_of(keys: Keys, name: str, value: YamlNode) -> int | None:
    number = integer_of(keys, name, value)
    if number is None or number < 0:
        return None
    if number > MAX_NUMBER:
        text = f"a joint id is at most {MAX_NUMBER}, got {number:g}."
        return keys.error("wrong-value", name, text)
    return number


def _kind_of(keys: Keys, name: str, value: YamlNode) -> JointKind:
    text = value.text if isinstance(value, YamlScalar) else ""
    if text in TYPES:
        return TYPES[text]
    words = ", ".join(TYPES)
    if text in _FOREIGN_TYPES:
        kind, advice = _FOREIGN_TYPES[text]
        said = f'"{text}" is no joint type in Choreonoid, which has {words}; write {advice}.'
        keys.error("joint-type", name, f"{said} Read as that.")
        return kind
    guess = keys.reading.guess(text, TYPES)
    said = f"expected one of {words}, got {shown(value)}.{guess} Read as fixed."
    keys.error("joint-type", name, said)
    return JointKind.FIXED


def _mode_of(keys: Keys, name: str, value: YamlNode) -> Actuation | None:
    text = value.text if isinstance(value, YamlScalar) else ""
    if text in ACTUATION:
        return ACTUATION[text]
    camel = "".join(word if k == 0 else word.capitalize() for k, word in enumerate(text.split("_")))
    mode = ACTUATION.get(camel)
    advice = f' Write "{mode.value}".' if mode else keys.reading.guess(text, ACTUATION)
    end = "Read as that." if mode else "No mode is set."
    said = f"expected one of {', '.join(ACTUATION)}, got {shown(value)}.{advice} {end}"
    keys.error("actuation-mode", name, said)
    return mode


def number_or_unlimited(keys: Keys, name: str, value: YamlNode) -> float | None:
    """Return a number, infinite where the file says so."""
    if isinstance(value, YamlScalar) and value.text == UNLIMITED:
        return math.inf
    if isinstance(value, YamlScalar) and value.text.lstrip("+-.").lower() in ("inf", "infinity"):
        said = f'write "{UNLIMITED}" instead of {shown(value)}.'
        keys.warning("infinite-limit", name, said, span=value.span)
        return -math.inf if value.text.startswith("-") else math.inf
    return number_of(keys, name, value)


def _limit_of(keys: Keys, name: str, value: YamlNode) -> float | None:
    limit = number_or_unlimited(keys, name, value)
    if limit is None or limit >= 0.0:
        return limit
    said = f"a limit is not negative, got {limit:g}; none is set."
    return keys.error("wrong-value", name, said)


def _axis_of(keys: Keys, name: str, value: YamlNode) -> Vec3 | None:
    if not isinstance(value, YamlScalar):
        return vec3_of(keys, name, value)
    axis = AXES.get(value.text.upper())
    return axis or keys.wrong(name, value, "a list of 3 numbers or one of X, Y, Z, -X, -Y, -Z")


def _written_axis(axis: Vec3) -> Yaml:
    """Return an axis as a letter where it is one, else as numbers, without the noise of last places."""
    x, y, z = (round(component, 15) + 0.0 for component in axis)
    letter = next((letter for letter, known in AXES.items() if known == (x, y, z)), None)
    return (x, y, z) if letter is None else RawYaml(letter)


def _ends_of(keys: Keys, name: str, value: YamlNode) -> Pair | None:
    """Return [low, high], each perhaps without limit."""
    if not isinstance(value, YamlList) or len(value.items) != 2:
        return keys.wrong(name, value, "a list [low, high]")
    low, high = (number_or_unlimited(keys, name, item) for item in value.items)
    if low is None or high is None:
        return None
    return (-math.inf if math.isinf(low) else low), (math.inf if math.isinf(high) else high)


def _range_of(keys: Keys, name: str, value: YamlNode) -> Pair | None:
    """Return the ends of a range; a number is both of them, none at all is no range."""
    if isinstance(value, YamlList):
        ends = _ends_of(keys, name, value)
    else:
        limit = number_or_unlimited(keys, name, value)
        ends = None if limit is None else (-limit, limit)
    if ends is None:
        return None
    low, high = ends
    if low > high:
        said = f"the range [{low:g}, {high:g}] is upside down; it is turned."
        keys.warning("range-order", name, said)
        low, high = high, low
    return None if (low, high) == (-math.inf, math.inf) else (low, high)


def _written_range(ends: Pair) -> Yaml:
    return [end if math.isfinite(end) else UNLIMITED for end in ends]


def material_name(text: str) -> str:
    """Return the name of a material as the contact table has it; "Default" means no material."""
    return DEFAULT_MATERIAL if text in ("", "Default", DEFAULT_MATERIAL) else text


def _material_of(keys: Keys, name: str, value: YamlNode) -> str | None:
    text = TEXT.read(keys, name, value)
    return None if text is None else material_name(text)


_AXIS: Final = ValueKind[Vec3](
    "3 numbers or word", _axis_of, _written_axis, allowed=", ".join(AXES)
)
_RANGE: Final = ValueKind[Pair](
    "2 numbers or number", _range_of, _written_range, allowed=f"numbers, or {UNLIMITED}"
)
_VELOCITIES: Final = ValueKind[Pair](
    "2 numbers", _ends_of, _written_range, allowed=f"numbers, or {UNLIMITED}"
)
_MATERIAL: Final = ValueKind[str]("text", _material_of, lambda name: name)
_ID: Final = ValueKind[int]("integer", _id_of, lambda value: value)
_TYPE: Final = ValueKind[JointKind](
    "word", _kind_of, lambda kind: kind.value, allowed=", ".join(TYPES)
)
_MODE: Final = ValueKind[Actuation](
    "word", _mode_of, lambda mode: mode.value, allowed=", ".join(ACTUATION)
)
_LIMIT: Final = ValueKind[float](
    "number",
    _limit_of,
    lambda limit: limit if math.isfinite(limit) else None,
    allowed=f">= 0, or {UNLIMITED}",
)

# fmt: off
# one row, one line


class BodyKeys(Table):
    """The top of a body file."""

    title = "Body file"
    makes = BodyHeader

    format = Key(TEXT, None, "Body.name", "says what the file is: ChoreonoidBody", by="type")
    format_version = Key(NUMBER, None, "version", "1.0 or 2.0", old="formatVersion")
    angle_unit = Key(choice(UNITS), DEGREE, "angle_factor", "of all angles", old="angleUnit")
    name = Key(TEXT, "", "name", "of the model; without it that of the file")
    root_link = Key(TEXT, None, "root", "without it the first link", old="rootLink")
    body_handlers = Key(TEXTS, (), unsupported="native plug-ins are not run")
    links = Key(LIST, None, "Body.links", "links, sub-bodies and tracks", by="tree")
    extra_joints = Key(
        LIST, None, "Body.loops", "what closes loops between links", old="extraJoints", by="tree"
    )
    collision_detection_rules = Key(
        LIST, None, "Body.collision", "which links are tested against each other", by="tree"
    )
    collision_detection = Key(
        MAPPING, None, "Body.collision", "the old form of the rules", old="collision_detection",
        name="collisionDetection", by="tree"
    )
    standard_pose = Key(
        NUMBERS, (), "Body.metadata", "information", old="standardPose", unit="degree", by="body"
    )
    model_file = Key(TEXT, "", "Body.links", "another file, wrapped here", old="modelFile", by="file")
    geometry = Key(ANY, None, ignored="the wrapped file has its own shapes")
    link_info = Key(MAPPING, None, "Link.metadata", "by link", old="link_info", name="linkInfo", by="tree")


class NodeKeys(Table):
    """What all nodes have."""

    title = "Node"

    type = Key(TEXT, "", "Link.devices", "of the node", by="type")
    name = Key(TEXT, "", "Shape.name", "of the node", by="name")
    is_optional = Key(
        FLAG, False, "Link.devices", "left out quietly if not known", old="isOptional", by="sum"
    )
    is_meta_scene = Key(FLAG, False, old="isMetaScene", ignored="for the program's windows")
    elements = Key(ANY, None, "Link.shapes, Link.devices", "nodes below", by="tree")


class PlaceKeys(NodeKeys):
    """What nodes with a place have."""

    title = "Node with a place"
    makes = Shape
    parts: ClassVar = {"pose": Pose}
    is_apart = True

    translation = Key(TRANSLATION, ZERO, "pose.position", "a list of them is summed")
    rotation = Key(ROTATION, IDENTITY, "pose.rotation", "a list of them is multiplied")
    scale = Key(VEC3, (1.0, 1.0, 1.0), "scale", "along its own axes")


class MassKeys(Table):
    """Mass of a link or a RigidBody."""

    title = "Mass"
    makes = MassProperties
    is_apart = True

    center_of_mass = Key(VEC3, ZERO, "center", "in the frame", old="centerOfMass", unit="m")
    mass = Key(MASS, None, "mass", "1 without RigidBody", unit="kg")
    inertia = Key(
        INERTIA, None, "inertia", "about the centre: 9 numbers, or 6 (xx, xy, xz, yy, yz, zz)",
        unit="kg m2"
    )


class JointKeys(Table):
    """The joint of a link, or of the root of a sub-body."""

    title = "Joint"
    makes = JointDraft
    is_apart = True

    joint_id = Key(_ID, None, "number", "place in the list of joints", old="jointId")
    joint_type = Key(_TYPE, JointKind.FIXED, "kind", "how it moves", old="jointType")
    joint_axis = Key(_AXIS, AXES["Z"], "axis", "in the link; Z without it", old="jointAxis")
    actuation_mode = Key(_MODE, None, "actuation", "what drives it first", old="actuationMode")
    joint_angle = Key(
        NUMBER, None, "JointAxis.position", "at the start", old="jointAngle", unit="degree", by="sum"
    )
    joint_displacement = Key(
        NUMBER, None, "JointAxis.position", "at the start", old="jointDisplacement", unit="degree, m",
        by="sum"
    )
    joint_range = Key(
        _RANGE, None, "rated_range", "a rating: nothing stops there",
        old="jointRange", unit="degree, m"
    )
    joint_velocity_range = Key(
        _VELOCITIES, None, "JointDraft.velocity_limit", "the larger one holds both ways",
        old="jointVelocityRange", unit="degree/s, m/s", by="sum"
    )
    max_joint_velocity = Key(
        _LIMIT, math.inf, "velocity_limit", "counts before the range", old="maxJointVelocity",
        unit="degree/s, m/s"
    )
    max_joint_effort = Key(_LIMIT, math.inf, "effort_limit", "of its motor", unit="N m, N")
    gear_ratio = Key(
        NUMBER, 1.0, "JointAxis.armature", "its square multiplies the rotor", old="gearRatio", by="sum"
    )
    rotor_inertia = Key(
        NUMBER, 0.0, "JointAxis.armature", "of the motor", old="rotorInertia", unit="kg m2", by="sum"
    )
    joint_axis_inertia = Key(
        NUMBER, None, "JointAxis.armature", "seen at the joint", unit="kg m2", by="sum"
    )


class FrameKeys(JointKeys):
    """Where a link hangs."""

    title = "Frame of a link"
    makes = LinkDraft
    parts: ClassVar = {"offset": Pose}
    is_apart = True

    parent = Key(TEXT, None, "parent", "name of the link above; none for the root")
    translation = Key(TRANSLATION, ZERO, "offset.position", "in the parent, before it moves")
    rotation = Key(ROTATION, IDENTITY, "offset.rotation", "in the parent, before it moves")
    material = Key(_MATERIAL, None, "material", "of its surface")
    elements = NodeKeys.elements


_UNREAD: Final = "neither Choreonoid's loader nor its simulator reads it"


class LinkKeys(FrameKeys, MassKeys):
    """A link with its joint. Other keys are information."""

    title = "Link"
    types = ("Link",)

    type = Key(TEXT, "", "Body.links", "Link without it", by="type")
    name = Key(TEXT, "", "name", "unique in the body")
    joint_name = Key(TEXT, "", "joint_name", "without it that of the link")
    import_ = Key(ANY, None, "Link.metadata", "more information", name="import", by="tree")
    joint_friction = Key(ANY, None, old="jointFriction", ignored=_UNREAD)
    joint_damping = Key(ANY, None, old="jointDamping", ignored=_UNREAD)
    passed_over = ignored(
        _UNREAD, "rotor_resistor rotorResistor", "torque_const torqueConst",
        "gear_efficiency gearEfficiency", "encoder_pulse encoderPulse"
    )


class TrackKeys(LinkKeys):
    """A chain of shoes, each hinged to the one before; the keys of a Link describe one shoe."""

    types = ("ContinuousTrack",)

    num_joints = Key(INTEGER, 0, "Body.links", "shoes, 3 to 2000", name="numJoints", by="body")
    joint_offset = Key(
        VEC3, None, "Link.pose", "from shoe to shoe", old="jointOffset", unit="m", by="place"
    )
    initial_joint_angles = Key(
        NUMBERS, (), "JointAxis.position", "between shoes at the start", name="initialJointAngles",
        unit="degree", by="sum"
    )


_OWN: Final = "a sub-body keeps its own masses and joint names"


class SubBodyKeys(FrameKeys):
    """Another body file put in; joint, frame and material change those of its root."""

    types = ("SubBody",)
    makes = SubBodyNames

    type = NodeKeys.type
    uri = Key(TEXT, None, "Body.links", "path of the body file", by="file")
    prefix = Key(TEXT, "", "prefix", "before all names")
    suffix = Key(TEXT, "", "suffix", "behind all names")
    device_prefix = Key(TEXT, None, "device_prefix", "before names of devices", old="devicePrefix")
    joint_id_offset = Key(INTEGER, 0, "joint_shift", "added to joint ids", old="jointIdOffset")
    name = Key(ANY, None, ignored="names of links come from the file")
    joint_name = Key(ANY, None, ignored=_OWN)
    mass = Key(ANY, None, ignored=_OWN)
    center_of_mass = Key(ANY, None, old="centerOfMass", ignored=_OWN)
    inertia = Key(ANY, None, ignored=_OWN)


class ExtraJointKeys(Table):
    """A joint that closes a loop, an entry of `extra_joints`."""

    title = "Extra joint"
    makes = LoopDraft
    parts: ClassVar = {"poses.0": Pose, "poses.1": Pose}

    link1_name = Key(TEXT, None, "links.0", "first link", old="link1Name")
    link2_name = Key(TEXT, None, "links.1", "second link", old="link2Name")
    joint_type = Key(choice(LOOPS), None, "kind", "what it holds", old="jointType")
    axis = Key(
        VEC3, (1.0, 0.0, 0.0), "LoopDraft.poses", "in both frames", old="jointAxis joint_axis", by="sum"
    )
    translation_in_link1 = Key(
        VEC3, ZERO, "poses.0.position", "where it holds the first link",
        old="link1LocalPos link1_local_pos", unit="m"
    )
    translation_in_link2 = Key(
        VEC3, ZERO, "poses.1.position", "where it holds the second link",
        old="link2LocalPos link2_local_pos", unit="m"
    )
    rotation_in_link1 = Key(ROTATION, IDENTITY, "poses.0.rotation", "of its frame there")
    rotation_in_link2 = Key(ROTATION, IDENTITY, "poses.1.rotation", "of its frame there")
    name = Key(TEXT, "", "name", "for messages")


class CollisionRuleKeys(Table):
    """A rule of `collision_detection_rules`; rules are carried out in file order."""

    title = "Collision rule"

    disabled_link_chain_level = Key(
        INTEGER, 1, "CollisionRules.chain_level", "joints between links not tested", by="sum"
    )
    disabled_links = Key(LIST, None, "CollisionRules.disabled_links", "names, or all", by="tree")
    enabled_links = Key(LIST, None, "CollisionRules.disabled_links", "names, or all", by="tree")
    disabled_link_group = Key(
        LIST, None, "CollisionRules.disabled_pairs", "not among each other", by="tree"
    )
    enabled_link_group = Key(LIST, None, "CollisionRules.disabled_pairs", "among each other", by="tree")


class OldCollisionKeys(Table):
    """`collisionDetection`, the old form of the rules."""

    title = "Old collision rules"

    exclude_tree_depth = Key(
        INTEGER, 1, "CollisionRules.chain_level", "joints between links not tested",
        old="exclude_tree_depth", name="excludeTreeDepth", by="sum"
    )
    exclude_links = Key(
        LIST, None, "CollisionRules.disabled_links", "names", old="exclude_links", name="excludeLinks",
        by="tree"
    )
    exclude_link_groups = Key(
        LIST, None, "CollisionRules.disabled_pairs", "mappings with the key `links`",
        old="exclude_link_groups", name="excludeLinkGroups", by="tree"
    )
