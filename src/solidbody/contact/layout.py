"""One description of each table that the native step and Python share.

The numpy dtypes, the C structs (`native/base/sb_layout.h`) and the hash that both sides compare when the
library is loaded (`contact/c_header.py`) all come from it. Every build of the library writes the header.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

import numpy as np

C_TYPES: Final = {
    "double": "f8",
    "int32_t": "i4",
    "int64_t": "i8",
    "double*": "u8",
}
"""Type in C -> in numpy; both place fields at multiples of their size."""


@dataclass(frozen=True, slots=True)
class Struct:
    """A row of a table.

    Attributes:
        name: In C.
        doc: What it is.
        fields: Declaration in C of one or more fields of a type -> what they are.
        dtype: The same in numpy.
    """

    name: str
    doc: str
    fields: Mapping[str, str]
    dtype: np.dtype[Any]


STRUCTS: Final[list[Struct]] = []
"""All rows, in the order of the header."""


def struct(name: str, doc: str, fields: Mapping[str, str]) -> np.dtype[Any]:
    """Add a row to STRUCTS and return its dtype."""
    parts: list[tuple[str, str, tuple[int, ...]]] = []
    for declaration in fields:
        kind, names = declaration.split(" ", 1)
        for item in names.split(", "):
            part, *sizes = item.replace("]", "").split("[")
            parts.append((part, C_TYPES[kind], tuple(map(int, sizes))))
    dtype = np.dtype(parts, align=True)
    STRUCTS.append(Struct(name, doc, fields, dtype))
    return dtype


# ---------------------------------------------------------------------------------------- numbers


class StepOutcome(IntEnum):
    """Return value of a step."""

    OK = 0
    NOT_FINITE = 1
    NO_MEMORY = 2
    STOPPED = 3
    MUJOCO = 4  # MuJoCo met an error; the step's `error_text` says which


class AxisKind(IntEnum):
    """What an axis moves."""

    JOINT = 0  # one dof
    BALL = 1  # one Euler angle of a ball joint
    LOOP = 2  # the axis of a joint that closes a loop
    TRACK = 3  # the surface of a track
    KINEMATIC = 4  # a body without physics
    PROPELLER = 5  # the shaft of a propeller


class LoopKind(IntEnum):
    """Joints that close a loop; z of end 0 is the (first) axis."""

    NONE = 0  # switched off
    BALL = 1
    HINGE = 2
    FIXED = 3
    PISTON = 4
    SLIDER = 5
    HINGE2 = 6
    GRIP = 7  # fixed, made at run time: its bodies do not collide
    PLANE = 8  # end 1 keeps to the x-y plane of end 0 and turns about z only


class FluidForm(IntEnum):
    """Forms of immersed bodies and of fluids."""

    BOX = 0
    SPHERE = 1
    CAPSULE = 2
    CYLINDER = 3
    MESH = 4
    PLANE = 5


class MotorMode(IntEnum):
    """What drives an axis."""

    NONE = 0
    VELOCITY = 1
    POSITION = 2
    EFFORT = 3


class RayForm(IntEnum):
    """Forms that rays of batches meet: the numbers of `render/shapes.py`."""

    SPHERE = 0
    BOX = 1
    CYLINDER = 2
    CAPSULE = 3
    CONE = 4
    PLANE = 5
    MESH = 6


class PairFirst(IntEnum):
    """Whose friction directions come first in a pair of materials."""

    ROW = 0
    COLUMN = 1
    EITHER = 2


class TerrainKind(IntEnum):
    """What a terrain is made from."""

    MESH = 0
    HEIGHTS = 1
    ODE_HEIGHTS = 2  # only the faces are felt, without their edges


class SenseKind(IntEnum):
    """What a sensor reads."""

    ACCELERATION = 0  # minus gravity (extra), own axes
    TURN = 1  # angular velocity, own axes
    BOTH = 2  # acceleration, then angular velocity
    ATTITUDE = 3  # quaternion x y z w
    DIRECTION = 4  # a direction of the world (extra), own axes
    PLACE = 5  # position plus extra, speed, velocity, world axes
    HEIGHT = 6  # position along extra, plus offset
    AXIS = 7  # position of a joint axis; `body` is its place in qpos
    FORCE = 8  # force and moment through the joint, own axes; this and what follows: in batches
    PUSH = 9  # force along -x of a touch sensor
    PUSH_VECTOR = 10  # force on a touch sensor
    BUMPER = 11  # touched since the last sample
    DISTANCE = 12  # along rays


class ReadKind(IntEnum):
    """What a channel of a batch reads of a copy (`sim/batch/channels.py`)."""

    POSITION = 0  # of an axis
    VELOCITY = 1
    EFFORT = 2
    REACTION = 3
    TARGET_VELOCITY = 4  # commands, where the motor is in that mode
    TARGET_POSITION = 5
    TARGET_EFFORT = 6
    POSE = 7  # of a link
    TWIST = 8
    CENTRE = 9
    CONTACT_FORCE = 10
    SENSOR = 11  # held values of a sensor


class PlaceKind(IntEnum):
    """What is put elsewhere in copies of a batch."""

    POSITION = 0  # of an axis with a dof: what it moves stops
    VELOCITY = 1
    POSE = 2  # of a free link: its velocity in the world stays
    TWIST = 3


class VariedTable(IntEnum):
    """Tables of which each copy of a batch may have one of its own (`sim/batch/vary.py`)."""

    SURFACES = 0  # of StepTables
    AXES = 1
    BODY_SIZES = 2  # of CollisionTables
    FOLLOWERS = 3  # of BatchTables, as all that follow
    LINKS = 4
    SENSORS = 5
    CURVES = 6
    RAY_SHAPES = 7


ENUMS: Final[dict[str, type[IntEnum]]] = {
    "SB_": StepOutcome,
    "SB_AXIS_": AxisKind,
    "SB_LOOP_": LoopKind,
    "SB_FLUID_": FluidForm,
    "SB_MOTOR_": MotorMode,
    "SB_FIRST_": PairFirst,
    "SB_TERRAIN_": TerrainKind,
    "SB_SENSE_": SenseKind,
    "SB_READ_": ReadKind,
    "SB_RAY_": RayForm,
    "SB_PLACE_": PlaceKind,
    "SB_VARIED_": VariedTable,
}
"""Start of the names in C -> numbers."""

PATCH_POINTS: Final = 64
"""Most contact points of one body in one terrain."""

ERROR_TEXT: Final = 1024
"""Characters of an error of MuJoCo."""

SENSE_MEMORY: Final = 4
"""Numbers that a sensor of a batch remembers: velocity, or force or noise; the step that it is of."""

CONSTANTS: Final = {
    "SB_PATCH_POINTS": PATCH_POINTS,
    "SB_ERROR_TEXT": ERROR_TEXT,
    "SB_SENSE_MEMORY": SENSE_MEMORY,
}
"""Name in C -> number."""

# ----------------------------------------------------------------- constants, as `tables.StepTables`

SURFACE = struct(
    "SbSurface",
    "The surface law between two materials (model/contacts.py says what each number means).",
    {
        "double friction[4]": "Coulomb coefficients; INFINITY allowed",
        "double slip[4]": "force-dependent slip [m/(s*N)]",
        "double rotation[2]": "turn of the friction directions of first and second surface [rad]",
        "double rolling[3]": "rho about t1, about t2, about the normal [m]",
        "double bounce": "restitution, 0..1",
        "double bounce_velocity": "approach speed below which nothing bounces [m/s]",
        "double erp": "share of the penetration removed per step",
        "double cfm": "softness of the normal row [m/(s*N)]",
        "double static_friction": "coefficient while nothing slides; read if follows_sliding",
        "double rest_depth": "depth to which contacts are pushed out [m]",
        "double depth_scale": "greatest push-out speed, as a depth: erp/h*depth_scale [m]",
        "double min_depth": "shallower contacts are left out [m]",
        "double max_depth": "deeper contacts are left out [m]",
        "int32_t friction_count, slip_count": "1..4",
        "int32_t max_contacts": "points kept per pair of geoms, deepest first",
        "int32_t second_zero": "1: symmetric friction with axis-dependent rolling has mu2 = 0",
        "int32_t follows_sliding": "1: the first tangent of isotropic friction follows the sliding",
        "int32_t keeps_spread": "1: of each pair of bodies the deepest points and those far apart",
        "int32_t remembers_loads": "1: loads of the last step bound friction (sb_contact_loads.c)",
        "int32_t shares_depth": "1: all points of forms with few faces are as deep as the deepest",
    },
)
PAIR = struct(
    "SbPair",
    "Which surface holds between two materials, and whose directions come first.",
    {"int32_t surface": "index of the surface", "int32_t first": "SB_FIRST_*"},
)
GEOM = struct(
    "SbGeom",
    "What a geom brings to a contact.",
    {
        "int32_t material": "index into the pair table",
        "int32_t cap, on_cap, on_side": "friction axes (model/shapes.py FrictionAxes); -1: none",
    },
)
AXIS = struct(
    "SbAxis",
    "One joint axis: dry friction, spring-damper, stops. What its motor is told is in SbCommand.",
    {
        "int32_t kind": "SB_AXIS_*",
        "int32_t dof": "index into qvel; of a ball joint its first dof; else -1",
        "int32_t qpos": "index into qpos; of a ball joint its quaternion; else -1",
        "int32_t rigid": "1: commands are met whatever the effort, positions in one step",
        "double range_low, range_high": "where a kinematic axis stops by itself; infinite = nowhere",
        "double static_friction": "greatest effort of dry friction",
        "double spring": "stiffness towards spring_rest",
        "double spring_rest": "",
        "double damping": "",
        "double servo_stiffness, servo_damping": "how a motor pulls to its target; both 0: by velocity",
        "double stop_low, stop_high": "infinite = none",
        "double stop_erp, stop_cfm, stop_bounce": "",
    },
)
BALL = struct(
    "SbBall",
    "Euler angles of a ball joint: axis 1 is fixed in the parent, axis 3 in the child, axis 2 is"
    " perpendicular to both. All in the child's frame (of a loop: its joint frame 1) at the start.",
    {
        "int32_t axis": "row of the axis table of the first angle; the others follow",
        "int32_t loop": "row of the loop table if the joint closes a loop, else -1",
        "double first[3], second[3], third[3]": "",
        "double start[3]": "angles at the start",
    },
)
LOOP = struct(
    "SbLoop",
    "A joint between two bodies that closes a loop: of the scene, or made at run time (SbState.grips).",
    {
        "int32_t kind": "SB_LOOP_*",
        "int32_t body[2]": "",
        "int32_t axis": "first row of the axis table, -1 = none",
        "double pos[2][3], quat[2][4]": "joint frames in the bodies",
        "double start[2]": "positions at the start",
        "double second[3]": "second axis of a hinge2, in joint frame 1",
        "double turned": "angle about z of frame 1 in frame 0 at the start",
    },
)
TRACK = struct(
    "SbTrack",
    "Surface of a body that moves at contacts.",
    {
        "int32_t body": "",
        "int32_t axis": "row of the axis table",
        "int32_t around": "1: full speed at every contact, along normal x side",
        "int32_t pad": "",
        "double forward[3], up[3]": "in the body's frame",
        "double mass": "of all that is rigidly one with it [kg], for commands of force",
    },
)
KINEMATIC = struct(
    "SbKinematic",
    "A body without physics whose joint moves it against its parent.",
    {
        "int32_t body": "",
        "int32_t axis": "row of the axis table of the first axis",
        "int32_t axes": "1..3",
        "int32_t slides": "1: along the axis, 0: about it",
        "double anchor[3]": "in the parent",
        "double direction[3][3]": "of the axes, in the parent at the start",
        "double start[3]": "positions at the start",
    },
)
PROPELLER = struct(
    "SbPropeller",
    "Thrust and torque of a shaft, or of a rotor whose force a program sets.",
    {
        "int32_t body": "",
        "int32_t axis": "row of the axis table; -1: those of SbThrust are applied",
        "double point[3]": "where the thrust acts, in the body's frame",
        "double direction[3]": "of the shaft, in the body's frame",
        "double local[3]": "the same in the propeller's own frame",
        "double thrust[2], torque[2]": "constants of the rate and of the advance speed",
        "double max_torque": "",
    },
)
IMMERSION = struct(
    "SbImmersion",
    "A shape of a body and a shape of a fluid that it reacts to.",
    {
        "int32_t body": "",
        "int32_t form, fluid_form": "SB_FLUID_*",
        "int32_t projected": "1: drag by projected areas, 0: by the wetted area",
        "int32_t triangles[2], fluid_triangles[2]": "first and count, of a mesh",
        "double pos[3], quat[4]": "of the shape in the body's frame",
        "double size[3]": "half edges; radius, half height",
        "double area": "of the whole shape [m^2]",
        "double fluid_pos[3], fluid_quat[4], fluid_size[3]": "",
        "double density, viscosity": "",
        "double stream[3]": "[m/s], world",
        "double drag_force[3], drag_torque[3]": "",
        "double viscous_force, viscous_torque": "",
    },
)
DAMPER = struct(
    "SbDamper",
    "Velocity that a dynamic body loses in each step.",
    {
        "int32_t body": "",
        "int32_t free_dof": "first dof if the body is a single free body, else -1",
        "double linear, angular": "shares of linear and angular velocity lost per step",
    },
)
TREE = struct("SbTree", "A kinematic tree.", {"int32_t stays_awake": "1: never sleeps"})
WORLD = struct(
    "SbWorld",
    "Constants of the whole simulation.",
    {
        "double erp, cfm": "of rows without their own; cfm in velocity per force",
        "double sleep_time": "bodies that hardly move for so long are put to rest [s]; 0 = never",
        "double sleep_linear, sleep_angular": "speeds below which a body hardly moves [m/s], [rad/s]",
        "int32_t ode_rotation": "1: advance orientations as ODE does",
        "int32_t materials": "number of materials; the pair table is materials x materials",
        "int32_t axes, dampers": "numbers of rows",
        "int32_t ode_caps": "1: depths under a cylinder's cap as ODE has them (sb_colliders.c)",
        "int32_t follows_sliding": "1: some surface does",
        "int32_t middle_coriolis": "1: Coriolis forces of jointed trees of the middle of the step",
        "int32_t balls": "number of SbBall",
        "int32_t loops": "joints that close loops: SbTables.loops, then SbState.grips",
        "int32_t grips": "how many of them are SbState.grips",
        "int32_t tracks, kinematics, propellers, immersions": "numbers of rows",
        "int32_t implicit_gyro": "1: the gyroscopic torque of the end of the step",
        "int32_t runge_kutta": "1: integrate by Runge and Kutta's rule (sb_rk4.c)",
        "int32_t moves_late": "1: kinematic bodies move after contacts have been found",
        "int32_t pad": "",
    },
)

# ---------------------------------- terrain and hulls, as `tables.CollisionTables`; points in its frame

TERRAIN = struct(
    "SbTerrain",
    "One mesh or height field. A height field is solid down to its bottom; a mesh is its skin only.",
    {
        "int32_t geom": "MuJoCo geom that stands for it in contacts",
        "int32_t kind": "SB_TERRAIN_*",
        "int32_t contype, conaffinity": "",
        "int32_t node_start, node_count": "",
        "int32_t triangle_start, triangle_count": "",
        "double pos[3], mat[9]": "its frame in that of its body; mat row-major",
        "double lo[3], hi[3]": "bounding box, that of heights down to the bottom",
    },
)
TRIANGLE = struct(
    "SbTriangle",
    "A face with its outward normal: normal.x = offset. side[k]: plane through edge k, square to the face"
    " (height fields: upright); a point is over the face if side[k].x >= side[k][3] for all k.",
    {
        "double lo[3], hi[3]": "",
        "double normal[3], offset": "",
        "double side[3][4]": "",
        "double centre[3]": "",
        "double corner[3][3]": "",
        "int32_t edge_start, edge_count": "edges and corners that this face is the first to have",
        "int32_t peak_start, peak_count": "",
        "int32_t ridge[3], pad": "each side as an edge that sticks out, -1 if it does not",
    },
)
EDGE = struct(
    "SbEdge",
    "An edge that sticks out, or at the border. Directions w of a possible contact have w.c0 >= 0 and"
    " w.c1 >= 0. c0 lies in the plane of one face, square to the edge, and points away from that face; c1 is"
    " the same of the other face, at a border the normal of the only face.",
    {
        "double start[3], step[3]": "",
        "double c0[3], c1[3]": "",
        "double bend": "angle between the normals of the two faces; pi at a border [rad]",
        "int32_t border": "",
        "int32_t pad": "",
    },
)
PEAK = struct(
    "SbPeak",
    "A corner from which edges go out in the directions `spoke`.",
    {"double point[3]": "", "int32_t spoke_start, spoke_count": ""},
)
NODE = struct(
    "SbNode",
    "Node of an AABB tree. count > 0: triangles first .. first+count-1; count 0: children are the next node"
    " and node `first`. Triangles are stored in the order of the leaves.",
    {"double lo[3], hi[3]": "", "int32_t first, count": ""},
)
HULL = struct(
    "SbHull",
    "Corners and planes of a convex body, in the frame of its geom.",
    {
        "int32_t geom, pad": "",
        "int32_t point_start, point_count": "",
        "int32_t plane_start, plane_count": "",
    },
)
MESH = struct(
    "SbMesh",
    "The vertices of a moving shape made of triangles, which planes meet (sb_mesh_vertices.c).",
    {
        "int32_t geom": "MuJoCo geom that stands for it in contacts with planes",
        "int32_t node_start": "",
        "int32_t point_start, point_count": "",
        "double pos[3], mat[9]": "its frame in that of its body; mat row-major",
    },
)
MESH_NODE = struct(
    "SbMeshNode",
    "Node of an AABB tree over points first .. first+count-1 of a mesh. right 0: a leaf; else its children"
    " are the next node and node `right`.",
    {"double lo[3], hi[3]": "", "int32_t first, count": "", "int32_t right, pad": ""},
)

# ------------------------------------------------------ what changes in a step, as `state.StepState`

FLAGS = struct(
    "SbFlags",
    "What the whole simulation is told between steps.",
    {
        "int32_t has_forces": "1: xfrc_applied holds forces for the next step, then cleared",
        "int32_t movers": "how many rows of SbMover are in use",
    },
)
COMMAND = struct(
    "SbCommand",
    "What the motor of an axis is told.",
    {
        "int32_t mode": "SB_MOTOR_*",
        "int32_t asked": "1: a program has set target_velocity; of no concern to the step",
        "double target_position": "",
        "double target_velocity": "commanded speed, or speed limit in position mode",
        "double target_effort": "used in effort mode",
        "double available_effort": "greatest effort of the motor row",
        "double acceleration": "limit on the change of commanded velocity; INFINITY = none",
        "double p, i, d": "position controller",
        "double brake": "damping that a brake adds",
    },
)
MOTOR_STATE = struct(
    "SbMotorState",
    "Memory of an axis between steps.",
    {
        "double velocity": "velocity commanded in the last step",
        "double integral": "integral of the position error",
        "double error": "position error of the last step",
        "double position": "of axes without qpos; of a ball's outer axes where they were last known",
        "double effort": "what the motor and dry friction gave in the last step",
        "double reaction": "the same with the stops: what the joint itself transmits",
    },
)
MOVER = struct(
    "SbMover",
    "A kinematic body that moves with a given velocity.",
    {
        "int32_t mocap": "mocap index, or -1: it moves against the body that carries it",
        "int32_t body": "",
        "double linear[3], angular[3]": "[m/s] and [rad/s], world",
    },
)
PLACE = struct(
    "SbPlace",
    "Where the body of an SbKinematic is in its parent when its joint stands at its start.",
    {"double pos[3], quat[4]": ""},
)
THRUST = struct(
    "SbThrust",
    "What a program lets a rotor give, by row of the propeller table.",
    {"double force, moment": ""},
)
REST = struct(
    "SbRest",
    "Rest of a kinematic tree.",
    {
        "double idle": "how long it has hardly moved [s]",
        "int32_t ready": "1: falls asleep at the start of the next step",
        "int32_t pad": "",
    },
)

# ------------------------------------------------------------------------------- what comes back

STATS = struct(
    "SbStats",
    "What one call of sb_run did.",
    {
        "int64_t steps": "steps done since sb_new or sb_clear",
        "int64_t not_converged": "of those, steps whose residual stayed above the tolerance",
        "int64_t contacts_dropped": "contacts left out because a pair had more than max_contacts",
        "int64_t memory_full": "steps in which MuJoCo ran out of room for contacts or rows",
        "int64_t too_fast": "steps in which a body moved by more than half its thickness",
        "double residual": "of the last step [m/s]: worst violation of the law's equations",
        "double worst_residual": "since sb_new or sb_clear",
        "int32_t rows": "rows of the last step",
        "int32_t contacts": "contacts of the last step",
        "int32_t islands": "independent groups of bodies in the last step",
        "int32_t sweeps": "Gauss-Seidel sweeps of the last step",
        "int32_t solves": "exact solves of the last step",
        "int32_t factorizations": "matrix factorisations of the last step",
        "int64_t contacts_lost": "contacts that found no room in MuJoCo's memory",
        "int32_t most_dropped": "greatest number of contacts that one pair lost to its limit in a step",
        "int32_t dropped_geom[2]": "that pair; meaningless while most_dropped is 0",
        "int32_t most_found": "greatest number of contacts of one pair in a step that found no room",
        "int32_t lost_geom[2]": "that pair; meaningless while most_found is 0",
    },
)
SENSE = struct(
    "SbSense",
    "A plain sensor, read together with others in one call.",
    {
        "int32_t kind": "SB_SENSE_*",
        "int32_t body": "that it is fixed to",
        "double position[3]": "in the body's frame [m]",
        "double rotation[4]": "its axes in the body's frame",
        "double extra[3]": "",
        "double offset": "",
        "double* memory": "velocity at the last reading, for accelerations",
        "double* out": "where the values go",
    },
)

# ------------------------------------------------------- many copies, as `contact/batch.BatchTables`

ORDER = struct(
    "SbOrder",
    "A motor that is commanded through a bound array: one number of each copy.",
    {
        "int32_t mode": "SB_MOTOR_*",
        "int32_t first, count": "the motors that follow, coupled with it or itself",
        "int32_t pad": "",
        "double* from": "number of copy 0",
        "int64_t stride": "to that of the next copy, in numbers",
    },
)
FOLLOWER = struct(
    "SbFollower",
    "A motor that takes a command times its multiplier, within its limits.",
    {
        "int32_t axis": "row of the axis table",
        "int32_t tree_start, tree_count": "kinematic trees that it wakes",
        "int32_t pad": "",
        "double multiplier, max_velocity, low, high": "",
    },
)
LINK = struct(
    "SbLink",
    "A link; its frame is parallel to that of its body.",
    {
        "int32_t body": "",
        "int32_t parent": "the link above, -1: none",
        "double offset[3]": "its origin in the body's frame [m]",
    },
)
OUTPUT = struct(
    "SbOutput",
    "One item of a bound array.",
    {
        "int32_t kind": "SB_READ_*",
        "int32_t row": "of the axis or link; of a sensor the place of its first number",
        "int32_t width": "how many numbers of a sensor",
        "int32_t pad": "",
        "double* to": "first number of copy 0",
        "int64_t stride": "to that of the next copy, in numbers",
    },
)
PLACING = struct(
    "SbPlacing",
    "What is put elsewhere, and what stops then: dofs, bodies and axes in one list, in this order.",
    {
        "int32_t kind": "SB_PLACE_*",
        "int32_t row": "of the axis or link",
        "int32_t tree": "that wakes, -1: none",
        "int32_t dofs, bodies, axes": "how many of the list are what",
    },
)
SENSOR = struct(
    "SbSensor",
    "A sensor of all copies: what it reads, what becomes of that, and when.",
    {
        "int32_t kind": "SB_SENSE_*",
        "int32_t link": "that it is fixed to",
        "int32_t body": "of that link; of an axis its place in qpos",
        "int32_t device": "number of its stream of noise",
        "int32_t value, width": "place and number of its values",
        "int32_t memory": "place of its memory: SB_SENSE_MEMORY numbers",
        "int32_t curve_start, curve_count": "rows of its look-up table; 0: none",
        "int32_t hidden": "components that are NaN; of an attitude those left out of the axis: a bit each",
        "int32_t first, count": "its rays, or the shapes of a bumper: pairs of link and shape",
        "int32_t period": "steps between samples",
        "int32_t skip": "group that rays do not meet, -1: none",
        "double position[3]": "in the body's frame [m]; of a force sensor in the link's",
        "double rotation[4]": "its axes in the body's frame",
        "double extra[3]": "as of SbSense",
        "double offset": "as of SbSense",
        "double resolution, speed_resolution": "NaN: none",
        "double noise, speed_noise, correlation": "standard deviations; of a position, over 1 s",
        "double reach": "of rays [m]",
        "int32_t is_sonar, goes_through_clear": "1: yes",
    },
)
CURVE = struct(
    "SbCurve",
    "A row of a look-up table.",
    {"double input, output, noise": "noise: share of the output"},
)
RAY_SHAPE = struct(
    "SbRayShape",
    "What rays of distance sensors meet: a form, stretched and fixed to a link.",
    {
        "int32_t form": "SB_RAY_*",
        "int32_t link": "",
        "int32_t group": "body of the scene: sensors do not see their own",
        "int32_t is_clear": "1: lasers go through",
        "int32_t node, shape": "first node of the tree of a mesh; its number on the link",
        "double size[3]": "half edges; radius, half height",
        "double inverse[9]": "from the link's frame to its own; row-major",
        "double origin[3]": "in the link's frame",
        "double centre[3], radius": "of a ball around it, in the link's frame",
    },
)
SENSOR_RAY = struct(
    "SbSensorRay",
    "A ray of a distance sensor.",
    {
        "double direction[3]": "unit vector, in the axes of the sensor",
        "double weight": "share in the mean",
    },
)
