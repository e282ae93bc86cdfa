"""What the kernels are compiled with: counts, tables and working memory of a model, as macros.

For a GPU counts are numbers, so that loops unroll and arrays stay in registers; for the processor they are
fields of `SbModel`, so that one compilation serves all models (`native/sb_step_world.h`).
"""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

COUNTS: Final = (
    *(
        "NV",
        "NVS",
        "NQ",
        "BODIES",
        "JOINTS",
        "GEOMS",
        "TREES",
        "LEVELS",
        "PAIRS",
        "SURFACES",
        "AXES",
    ),
    *("TRACKS", "LOOPS", "BALLS", "DAMPERS", "FIXED", "MAX_CONTACTS", "MAX_DENSE", "NEAR", "WORDS"),
    *("GROUND_PAIRS", "GROUND_NEAR", "SOLID", "DRIVES", "KINS", "MOVERS", "PROPELLERS", "LATE"),
    *("ODE_CAPS", "ODE_ROTATION", "MIDDLE_CORIOLIS", "SLEEPS", "SPRINGS", "SINGLES"),
)
"""Whole numbers of a model."""

REALS: Final = ("H", "WORLD_ERP", "WORLD_CFM", "SLEEP_TIME", "SLEEP_LINEAR", "SLEEP_ANGULAR")

REAL_TABLES: Final = (
    *("BODY_POS", "BODY_QUAT", "BODY_IPOS", "BODY_IQUAT", "BODY_MASS", "BODY_INERTIA"),
    *("JOINT_POS", "JOINT_AXIS", "JOINT_REST", "JOINT_SPRING", "ARMATURE", "GRAVITY"),
    *("GEOM_POS", "GEOM_QUAT", "GEOM_SIZE", "GEOM_MARGIN", "GEOM_REACH", "SURFACE", "AXIS"),
    *("TRACK_FORWARD", "TRACK_UP", "TRACK_MASS", "LOOP", "BALL", "DAMPER"),
    *("SPOKES", "HULL_POINTS", "HULL_PLANES", "KIN", "MOVER", "PROPELLER", "MESH_POINTS"),
)
INT_TABLES: Final = (
    *(
        "BODY_PARENT",
        "BODY_JOINT",
        "BODY_JOINTS",
        "BODY_TREE",
        "BODY_CHILD",
        "BODY_CHILDREN",
        "LEVEL",
    ),
    *("JOINT_TYPE", "JOINT_BODY", "JOINT_QPOS", "JOINT_DOF", "DOF_BODY", "DOF_PARENT", "DOF_TREE"),
    *(
        "DOF_TURNS",
        "TREE_BODY",
        "TREE_BODIES",
        "TREE_DOF",
        "TREE_QPOS",
        "TREE_SINGLE",
        "TREE_FLOATS",
    ),
    *(
        "TREE_AWAKE",
        "GEOM_BODY",
        "GEOM_TREE",
        "GEOM_FORM",
        "GEOM_CAP",
        "GEOM_ON_CAP",
        "GEOM_ON_SIDE",
    ),
    *("GEOM_TRACK", "PAIR_GEOMS", "PAIR_SURFACE", "SURFACE_INT", "AXIS_INT", "TRACK_AXIS"),
    *("TRACK_AROUND", "LOOP_INT", "BALL_INT", "DAMPER_INT", "BODY_MASK", "GROUND_PAIR"),
    *("BODY_KIN", "KIN_INT", "PROPELLER_INT", "MESH_RANKS"),
)
RAW_TABLES: Final = ("TERRAIN", "TRIANGLE", "EDGE", "PEAK", "NODE", "HULL", "MESH", "MESH_NODE")
"""Tables of structs of `contact/layout.py`, as the native step has them."""

VARIED: Final = ("SURFACE", "AXIS", "BODY_MASS", "BODY_INERTIA", "BODY_IQUAT")
"""Tables of which each world may have one of its own."""

STATES: Final = {
    "QPOS": "double",
    "QVEL": "double",
    "QACC": "double",
    "MOTOR": "double",
    "COMMAND": "double",
    "REST": "double",
    "PLACE": "double",
    "FORCE": "double",
    "SIDES": "signed char",
    "KEYS": "int",
    "STAT": "int",
    "TOUCH": "signed char",
    "FAILED": "signed char",
    "ACTIVE": "signed char",
}
"""Arrays of all worlds, one row per world."""

_ROWS: Final = "3 * NV + MAX_DENSE"
_NEAR: Final = (
    ("D", "double", "NV"),
    ("SOFT", "double", "NV"),
    ("COLUMN", "double", "3 * NVS + 6"),
    ("M", "double", "NV * NVS"),
    ("C", "double", _ROWS),
    ("STIFF", "double", _ROWS),
    ("LO", "double", _ROWS),
    ("HI", "double", _ROWS),
    ("P", "double", _ROWS),
    ("SIDE", "unsigned char", _ROWS),
    ("NEXT", "unsigned char", _ROWS),
)
"""What the solver works on: on a GPU in shared memory, with as many rows of J as there is room for."""

_POSES: Final = (
    ("XMAT", "double", "9 * BODIES"),
    ("XIPOS", "double", "3 * BODIES"),
    ("CINERT", "double", "10 * BODIES"),
    ("CRB", "double", "10 * BODIES"),
    ("CVEL", "double", "6 * BODIES"),
    ("CACC", "double", "6 * BODIES"),
    ("CFRC", "double", "6 * BODIES"),
    ("ANCHOR", "double", "3 * JOINTS"),
    ("AXIS", "double", "3 * JOINTS"),
    ("GPOS", "double", "3 * GEOMS"),
    ("GMAT", "double", "9 * GEOMS"),
)
"""What nothing reads while rows are solved; what comes after that makes it anew."""

_FAR: Final = (
    ("XPOS", "double", "3 * BODIES"),
    ("XQUAT", "double", "4 * BODIES"),
    ("CDOF", "double", "6 * NV"),
    ("COM", "double", "3 * TREES"),
    ("BIAS", "double", "NV"),
    ("MASS", "double", "NV * NVS"),
    ("NEAR", "int", "NEAR"),
    ("QVEL", "double", "NV"),
    ("Q", "double", "NV"),
    ("STAT", "int", "6"),
    ("HEAD", "int", "2"),
    ("QPOS", "double", "NQ"),
    ("NEXT_QPOS", "double", "NQ"),
    ("QACC", "double", "NV"),
    ("KEEP", "double", "NV"),
    ("RHS", "double", "NV"),
    ("TRIAL", "double", "NV"),
    ("MOTOR", "double", "6 * AXES"),
    ("REST", "double", "2 * TREES"),
    ("AXIS_POSITION", "double", "AXES"),
    ("AXIS_EFFORT", "double", "AXES"),
    ("CONTACT", "double", "22 * MAX_CONTACTS"),
    ("SPEC", "double", "6 * FIXED"),
    ("MOMENTUM", "double", "23 * TREES"),
    ("LINK", "double", "7 * BODIES"),
    ("CONTACT_INT", "int", "6 * MAX_CONTACTS"),
    ("SPEC_INT", "int", "3 * FIXED"),
    ("DRIVE", "double", "3 * AXES * (DRIVES > 0)"),
    ("PLACE", "double", "14 * MOVERS"),
    ("DRIVEN", "int", "BODIES * (DRIVES > 0)"),
    ("MET", "double", "7 * MAX_CONTACTS * (GROUND_PAIRS > 0)"),
    ("MET_INT", "int", "(4 + 2 * MAX_CONTACTS) * (GROUND_PAIRS > 0)"),
    ("GROUND_NEAR", "int", "GROUND_NEAR"),
    ("SOLID", "double", "SOLID"),
    ("MARK", "int", "TREES"),
    ("ISLAND", "int", "TREES"),
)
"""What the stages of a step hand to each other: on a GPU in its memory."""

_BYTES: Final = {"double": 8, "int": 4, "unsigned char": 1}

WANTED_SHARED: Final = 21248
"""[bytes] Shared memory of a world with which ten of them are on a multiprocessor (and 2 KiB each)."""
MOST_SHARED: Final = 46 * 1024
"""[bytes] More than a block may have by itself; then nothing is shared."""
LEAST_ROWS: Final = 12
"""Rows of J that should be in shared memory."""

WARP: Final = 32
"""Threads of a GPU that run together."""

POSE_TEAM: Final = 16
"""Threads of a GPU that work out the poses of one world: levels of trees are hardly wider."""

REGISTER_DOFS: Final = 32
"""Most dofs for which each lane of a warp keeps a row of the matrix in registers."""

LIBRARY: Final = '#include "sb_step_world.h"\n'


@dataclass(frozen=True)
class Memory:
    """Working memory of a world.

    Attributes:
        near: Name -> (type, first double) of what is in shared memory on a GPU.
        far: The same of what is not.
        near_doubles: Size of the first part.
        far_doubles: Size of the second part.
        near_rows: Rows of J in the first part; the others are in the second.
        shared: Whether the first part fits in shared memory.
    """

    near: Mapping[str, tuple[str, int]]
    far: Mapping[str, tuple[str, int]]
    near_doubles: int
    far_doubles: int
    near_rows: int
    shared: bool

    @property
    def far_bytes(self) -> int:
        """Memory of a device that a world works on."""
        return 8 * (self.far_doubles + (0 if self.shared else self.near_doubles))


def _placed(arrays: Any, counts: Mapping[str, int]) -> tuple[dict[str, tuple[str, int]], int]:
    places: dict[str, tuple[str, int]] = {}
    at = 0
    for name, kind, expression in arrays:
        count = int(eval(expression, {}, dict(counts)))
        places[name] = (kind, at)
        at += -(-count * _BYTES[kind] // 16) * 2  # pairs of numbers are loaded together
    return places, at


def cuda_counts(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts of a model on a GPU, with rows of which lanes load pairs without conflicts."""
    if counts["NV"] > REGISTER_DOFS:
        return dict(counts)
    pairs = max(1, (counts["NV"] + 1) // 2)
    return {**counts, "NVS": 2 * (pairs | 1)}


def cuda_memory(counts: Mapping[str, int]) -> Memory:
    """Return where each array of a world lies on a GPU, by the counts there."""
    # corners of a body on terrain are in memory of the thread there
    return working_memory({**counts, "SOLID": 0}, registers=counts["NV"] <= REGISTER_DOFS)


def working_memory(counts: Mapping[str, int], *, registers: bool) -> Memory:
    """Return where each array of a world lies."""
    arrays = _NEAR if registers else (*_NEAR, ("H", "double", "NV * NVS"))
    near, at = _placed(arrays, counts)
    row, most = counts["NVS"], counts["MAX_DENSE"]
    rows = min(most, (WANTED_SHARED // 8 - at) // row)
    if rows < min(most, LEAST_ROWS):
        rows = max(0, min(most, (MOST_SHARED // 8 - at) // row))
    near["J"] = ("double", at)
    solving = (("FAR_J", "double", f"{most - rows} * NVS"), ("F", "double", _ROWS))
    far, end = _placed((*_POSES, *_FAR), counts)
    poses, free = _placed(_POSES, counts)[1], _placed(solving, counts)[0]
    wanted = _placed(solving, counts)[1]
    shift = 0 if wanted <= poses else end
    far |= {name: (kind, at_ + shift) for name, (kind, at_) in free.items()}
    end = max(end, shift + wanted)
    near_doubles = at + rows * row
    return Memory(near, far, near_doubles, end, rows, 8 * near_doubles <= MOST_SHARED)


_ARRAYS: Final = (
    *(*_NEAR, *_POSES, *_FAR),
    *((name, "double", "") for name in ("H", "J", "FAR_J", "F")),
)
_MEMORY_NAMES: Final = tuple(name for name, _, _ in _ARRAYS)
_KIND_OF: Final = {name: kind for name, kind, _ in _ARRAYS}

_FIELDS: Final = (
    *((f"n_{name}", ctypes.c_int) for name in (*COUNTS, *(f"o_{n}" for n in _MEMORY_NAMES))),
    ("n_NEAR_ROWS", ctypes.c_int),
    *((f"v_{name}", ctypes.c_int) for name in VARIED),
    *((f"r_{name}", ctypes.c_double) for name in REALS),
    *((f"m_{name}", ctypes.c_void_p) for name in (*REAL_TABLES, *INT_TABLES, *RAW_TABLES)),
    *((f"s_{name}", ctypes.c_void_p) for name in STATES),
    ("x_SCRATCH", ctypes.c_void_p),
)


class ModelStruct(ctypes.Structure):
    """`SbModel`: everything a kernel is given, by pointers."""

    _fields_ = _FIELDS


def _pointer_type(name: str) -> str:
    if name == "x_SCRATCH":
        return "double*"
    if name[2:] in STATES and name.startswith("s_"):
        return f"{STATES[name[2:]]}*"
    if name[2:] in RAW_TABLES:
        return "const void*"
    return "const double*" if name[2:] in REAL_TABLES else "const int*"


def struct_source(varied: Collection[str], world: str) -> str:
    """Return the declaration of `SbModel` and what both devices share.

    Args:
        varied: Tables of which each world has one of its own.
        world: The number of a world, in C.
    """
    kinds = {ctypes.c_int: "int", ctypes.c_double: "double"}
    lines = [f"  {kinds.get(kind) or _pointer_type(name)} {name};" for name, kind in _FIELDS]
    own = {name: f" + (sb_long){world} * m->v_{name}" for name in varied}
    tables = [
        f"#define M_{name} (m->m_{name}{own.get(name, '')})"
        for name in (*REAL_TABLES, *INT_TABLES, *RAW_TABLES)
    ]
    states = [f"#define S_{name} (m->s_{name})" for name in STATES]
    told = f"#define W_COMMAND (m->s_COMMAND + (sb_long){world} * SB_AXES * 10)"
    return "\n".join(["typedef struct SbModel {", *lines, "} SbModel;", *tables, *states, told, ""])


def _place(name: str, base: str, offset: str) -> str:
    kind = _KIND_OF[name]
    at = f"({base} + {offset})"
    return f"#define W_{name} " + (at if kind == "double" else f"(({kind}*){at})")


_HEAD: Final = """typedef long long sb_long;
#undef INFINITY
#ifdef SB_CUDA
#define INFINITY __longlong_as_double(0x7ff0000000000000LL)
#else
#define INFINITY __builtin_huge_val()
#endif
"""


def cpu_source() -> str:
    """Return what comes before the kernels on the processor: the same for all models."""
    return "\n".join(
        [
            '#include "sb_team.h"',
            _HEAD,
            struct_source(VARIED, "W_HEAD[1]"),
            *(f"#define SB_{name} (m->n_{name})" for name in COUNTS),
            "#define SB_NEAR_ROWS (m->n_NEAR_ROWS)",
            *(f"#define SB_{name} (m->r_{name})" for name in REALS),
            *(_place(name, "ws", f"m->n_o_{name}") for name in _MEMORY_NAMES),
            LIBRARY,
        ]
    )


def cuda_source(
    counts: Mapping[str, int],
    reals: Mapping[str, float],
    memory: Memory,
    *,
    pair_forms: int,
    varied: Collection[str] = (),
) -> str:
    """Return what comes before the kernels of one model on a GPU."""
    registers = counts["NV"] <= REGISTER_DOFS
    pose = 29 * counts["BODIES"] + 6 * counts["JOINTS"] + 6 * counts["NV"] + 3 * counts["TREES"]
    in_shared = 0 < 8 * pose * (WARP // POSE_TEAM) <= MOST_SHARED
    near, shift = ("ws", 0) if memory.shared else ("SB_SCRATCH", memory.far_doubles)
    return "\n".join(
        [
            "#define SB_CUDA",
            '#include "sb_team.h"',
            _HEAD,
            struct_source(varied, "SB_HERE"),
            *(
                ["#define SB_REGISTERS", f"#define SB_NVP {counts['NV'] + counts['NV'] % 2}"]
                if registers
                else []
            ),
            *([f"#define SB_SHARED {max(1, memory.near_doubles)}"] if memory.shared else []),
            *(["#define SB_POSES_SHARED"] if in_shared else []),
            *([] if counts["GROUND_PAIRS"] else ["#define SB_NO_GROUND"]),
            f"#define SB_PAIR_FORMS {pair_forms}ULL",
            f"#define SB_POSE_TEAM {POSE_TEAM}",
            f"#define SB_NEAR_ROWS {memory.near_rows}",
            f"#define SB_STRIDE {memory.far_bytes // 8}",
            "#define SB_SCRATCH (m->x_SCRATCH + (sb_long)SB_HERE * SB_STRIDE)",
            *(f"#define SB_{name} {counts[name]}" for name in COUNTS),
            *(f"#define SB_{name} {float(reals[name])!r}" for name in REALS),
            *(_place(name, near, str(at + shift)) for name, (_, at) in memory.near.items()),
            *(_place(name, "SB_SCRATCH", str(at)) for name, (_, at) in memory.far.items()),
            LIBRARY,
        ]
    )
