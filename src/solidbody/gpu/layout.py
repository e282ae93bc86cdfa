"""What the kernels are compiled with: counts, tables and working memory of a model, as macros.

For a GPU counts are numbers, so that loops unroll and arrays stay in registers; for the processor they are
fields of `SbModel`, so that one compilation serves all models (`native/sb_step_world.h`).
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
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
    *("ODE_CAPS", "ODE_ROTATION", "MIDDLE_CORIOLIS", "SLEEPS", "SPRINGS"),
)
"""Whole numbers of a model."""

REALS: Final = ("H", "WORLD_ERP", "WORLD_CFM", "SLEEP_TIME", "SLEEP_LINEAR", "SLEEP_ANGULAR")

REAL_TABLES: Final = (
    *("BODY_POS", "BODY_QUAT", "BODY_IPOS", "BODY_IQUAT", "BODY_MASS", "BODY_INERTIA"),
    *("JOINT_POS", "JOINT_AXIS", "JOINT_REST", "JOINT_SPRING", "ARMATURE", "GRAVITY"),
    *("GEOM_POS", "GEOM_QUAT", "GEOM_SIZE", "GEOM_MARGIN", "GEOM_REACH", "SURFACE", "AXIS"),
    *("TRACK_FORWARD", "TRACK_UP", "TRACK_MASS", "LOOP", "BALL", "DAMPER"),
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
    *("TRACK_AROUND", "LOOP_INT", "BALL_INT", "DAMPER_INT", "BODY_MASK"),
)

STATES: Final = {
    "QPOS": "double",
    "QVEL": "double",
    "QACC": "double",
    "MOTOR": "double",
    "COMMAND": "double",
    "REST": "double",
    "FORCE": "double",
    "SIDES": "signed char",
    "KEYS": "int",
    "STAT": "int",
    "FAILED": "signed char",
    "ACTIVE": "signed char",
}
"""Arrays of all worlds, one row per world."""

_KINEMATIC: Final = (
    ("XPOS", "double", "3 * BODIES"),
    ("XQUAT", "double", "4 * BODIES"),
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
    ("NEAR", "int", "NEAR"),
)
"""Dead when rows are made, whose Jacobians take their place."""

_ROWS: Final = "3 * NV + MAX_DENSE"
_KEPT: Final = (
    ("QPOS", "double", "NQ"),
    ("NEXT_QPOS", "double", "NQ"),
    ("QVEL", "double", "NV"),
    ("QACC", "double", "NV"),
    ("D", "double", "NV"),
    ("Q", "double", "NV"),
    ("KEEP", "double", "NV"),
    ("RHS", "double", "NV"),
    ("TRIAL", "double", "NV"),
    ("BIAS", "double", "NV"),
    ("SOFT", "double", "NV"),
    ("COLUMN", "double", "2 * NVS + 2"),
    ("CDOF", "double", "6 * NV"),
    ("COM", "double", "3 * TREES"),
    ("M", "double", "NV * NVS"),
    ("MOTOR", "double", "6 * AXES"),
    ("COMMAND", "double", "10 * AXES"),
    ("REST", "double", "2 * TREES"),
    ("AXIS_POSITION", "double", "AXES"),
    ("AXIS_EFFORT", "double", "AXES"),
    ("CONTACT", "double", "22 * MAX_CONTACTS"),
    ("C", "double", _ROWS),
    ("STIFF", "double", _ROWS),
    ("LO", "double", _ROWS),
    ("HI", "double", _ROWS),
    ("P", "double", _ROWS),
    ("F", "double", _ROWS),
    ("SPEC", "double", "6 * FIXED"),
    ("MOMENTUM", "double", "23 * TREES"),
    ("LINK", "double", "7 * BODIES"),
    ("CONTACT_INT", "int", "6 * MAX_CONTACTS"),
    ("SPEC_INT", "int", "3 * FIXED"),
    ("MARK", "int", "TREES"),
    ("ISLAND", "int", "TREES"),
    ("STAT", "int", "6"),
    ("SIDE", "unsigned char", _ROWS),
    ("NEXT", "unsigned char", _ROWS),
)
_BYTES: Final = {"double": 8, "int": 4, "unsigned char": 1}

REGISTER_DOFS: Final = 32
"""Most dofs for which each lane of a warp keeps a row of the matrix in registers."""

LIBRARY: Final = '#include "sb_step_world.h"\n'


@dataclass(frozen=True)
class Memory:
    """Working memory of a world: name -> (type, first double); `doubles` in all."""

    places: Mapping[str, tuple[str, int]]
    doubles: int


def working_memory(counts: Mapping[str, int], *, registers: bool) -> Memory:
    """Return where each array of a world lies."""
    places: dict[str, tuple[str, int]] = {}

    def put(arrays: Any, at: int) -> int:
        for name, kind, expression in arrays:
            count = int(eval(expression, {}, dict(counts)))
            places[name] = (kind, at)
            at += -(-count * _BYTES[kind] // 8)
        return at

    shared = put(_KEPT if registers else (*_KEPT, ("H", "double", "NV * NVS")), 0)
    end = put(_KINEMATIC, shared)
    return Memory(places, max(end, put([("J", "double", "MAX_DENSE * NVS")], shared)))


_MEMORY_NAMES: Final = ("H", "J", *(name for name, _, _ in (*_KEPT, *_KINEMATIC)))
_KIND_OF: Final = {"H": "double", "J": "double"} | {n: k for n, k, _ in (*_KEPT, *_KINEMATIC)}

_FIELDS: Final = (
    *((f"n_{name}", ctypes.c_int) for name in (*COUNTS, *(f"o_{n}" for n in _MEMORY_NAMES))),
    *((f"r_{name}", ctypes.c_double) for name in REALS),
    *((f"m_{name}", ctypes.c_void_p) for name in (*REAL_TABLES, *INT_TABLES)),
    *((f"s_{name}", ctypes.c_void_p) for name in STATES),
)


class ModelStruct(ctypes.Structure):
    """`SbModel`: everything a kernel is given, by pointers."""

    _fields_ = _FIELDS


def _pointer_type(name: str) -> str:
    if name[2:] in STATES and name.startswith("s_"):
        return f"{STATES[name[2:]]}*"
    return "const double*" if name[2:] in REAL_TABLES else "const int*"


def struct_source() -> str:
    """Return the declaration of `SbModel` and what both devices share."""
    kinds = {ctypes.c_int: "int", ctypes.c_double: "double"}
    lines = [f"  {kinds.get(kind) or _pointer_type(name)} {name};" for name, kind in _FIELDS]
    tables = [f"#define M_{name} (m->m_{name})" for name in (*REAL_TABLES, *INT_TABLES)]
    states = [f"#define S_{name} (m->s_{name})" for name in STATES]
    return "\n".join(["typedef struct SbModel {", *lines, "} SbModel;", *tables, *states, ""])


def _place(name: str, offset: str) -> str:
    kind = _KIND_OF[name]
    at = f"(ws + {offset})"
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
            struct_source(),
            *(f"#define SB_{name} (m->n_{name})" for name in COUNTS),
            *(f"#define SB_{name} (m->r_{name})" for name in REALS),
            *(_place(name, f"m->n_o_{name}") for name in _MEMORY_NAMES),
            LIBRARY,
        ]
    )


def cuda_source(
    counts: Mapping[str, int],
    reals: Mapping[str, float],
    memory: Memory,
    *,
    pair_forms: int,
    shared: bool,
) -> str:
    """Return what comes before the kernels of one model on a GPU."""
    registers = counts["NV"] <= REGISTER_DOFS
    return "\n".join(
        [
            "#define SB_CUDA",
            '#include "sb_team.h"',
            _HEAD,
            struct_source(),
            *(["#define SB_REGISTERS", f"#define SB_NVP {counts['NV']}"] if registers else []),
            *(["#define SB_SHARED"] if shared else []),
            f"#define SB_PAIR_FORMS {pair_forms}ULL",
            *(f"#define SB_{name} {counts[name]}" for name in COUNTS),
            *(f"#define SB_{name} {float(reals[name])!r}" for name in REALS),
            *(_place(name, str(at)) for name, (_, at) in memory.places.items()),
            f"#define SB_WORK {memory.doubles}",
            LIBRARY,
        ]
    )
