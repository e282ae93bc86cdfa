"""Resource limits of one load (nodes, files, macros, ...), and a budget that counts what was spent.

A few lines can ask for more work or memory than any machine has: nodes that use each other, macros that call
macros, files that take in files, templates that never end. Whatever grows beyond what is written in a file is
counted here. What only grows with the size of a file is limited by the size of files.

Counts, not seconds: the same file gives the same scene on every machine. Each count is such that reaching it
takes 1 to 2 s of computing on a machine of today.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import Final

from solidbody.base.errors import SolidbodyError

# ------------------------------------------------------------------------------------------------ files

MAX_FILE_BYTES: Final = 50_000_000
"""Of a world, PROTO, body or project: the largest real worlds have a few megabytes, and the tree of a text
takes 20 to 40 times its room."""

MAX_XACRO_BYTES: Final = 10_000_000
"""Of a file that macros take in."""

MAX_EXPRESSION: Final = 2_000
"""Characters of an expression of xacro; real ones have tens."""

MAX_RESULT: Final = 100_000
"""Characters or items of what an expression of xacro comes to, those of lists inside lists included."""

MAX_YAML_VALUES: Final = 1_000_000
"""Values of one YAML file, with every alias written out. As written they take about 300 bytes and
2 microseconds each; what later stages walk through takes 3 microseconds for a number and 20 for a mapping,
counted as six."""

MAX_ASSET_BYTES: Final = 500_000_000
"""Of all meshes and height fields of one MJCF model together; large robots have 100 megabytes."""

MAX_HEIGHTS: Final = 4_000_000
"""Points of one height field."""

MAX_MJCF_DEPTH: Final = 400
"""Elements of MJCF inside each other; each body of a chain is one."""

MAX_MOTION_NUMBERS: Final = 10_000_000
"""Of one motion of a body: an hour of thirty joints at 100 frames a second, 80 MB."""

# ------------------------------------------------------------------------------------------------ depths

MAX_PROTO_DEPTH: Final = 100
"""PROTOs inside each other's bodies. Those of Webots reach 6; more is a chain made to hurt."""

MAX_YAML_DEPTH: Final = 200
"""Levels of lists and mappings, aliases followed. A part inside another takes three; real files use 20."""

MAX_INCLUDES: Final = 20
"""Files of bodies and their parts that take in each other."""

MAX_SUB_PROJECTS: Final = 16
"""Projects of Choreonoid inside each other."""

MAX_XACRO_DEPTH: Final = 120
"""Elements, macros and files of xacro inside each other."""

MAX_LIST_DEPTH: Final = 50
"""Lists of xacro inside each other."""

MAX_HEIGHT: Final = 480
"""Levels of nodes in an expanded tree of Webots, as many as the parser lets through in one file."""

# --------------------------------------------------------------------------------------------- templates

TEMPLATE_MEMORY: Final = 200_000_000
"""Bytes that a template may hold."""

TEMPLATE_PROCESS_MEMORY: Final = 400_000_000
"""Bytes that the process of templates may take beyond what it has at its start: what a template holds, its
answer, and copies of that on its way out."""

TEMPLATE_TIME: Final = 2
"""[s] Of computing for one evaluation: a busy machine takes longer by the clock."""

ALL_TEMPLATE_TIME: Final = 20.0
"""[s] Of computing for all templates of one world."""

TEMPLATE_OUTPUT: Final = 100_000_000
"""Bytes that the text which a template writes may take in memory, `PIECE_SIZE` for each of its pieces."""

PIECE_SIZE: Final = 32
"""Bytes that a piece of written text takes beside its characters: its place, and where it came from."""

MAX_ANSWER: Final = 250_000_000
"""Bytes of what the process of templates says about one template."""


class Cost(Enum):
    """What is counted, with how much of it there may be and how a message calls it."""

    __hash__ = object.__hash__  # each node of a city is counted, and that of Enum is slow

    PROTO_NODES = (100_000, "PROTO instances give more than {} nodes")
    """An instance counts as a node too; the largest cities of Webots need about a third."""

    USED_NODES = (100_000, "more than {} nodes are repeated once USE is followed")
    """Nodes of a world that are looked at again where a USE names them, with all below them."""

    XACRO_ELEMENTS = (100_000, "the macros come to more than {} elements")
    """Large robots have thousands."""

    XACRO_VALUES = (1_000_000, "the expressions in macros come to more than {} steps")
    """Parts of expressions and items of lists that are looked at."""

    XACRO_CHARACTERS = (20_000_000, "the macros come to more than {} characters")
    """Of attributes, written out."""

    YAML_VALUES = (1_000_000, "files and aliases that are written out come to more than {} values")
    """Values beyond those that are written in the files: a mapping counts as six, a file that is named again
    as 250. Terrains of real projects come to 240,000."""

    MJCF_ELEMENTS = (200_000, "files and repetitions come to more than {} elements")
    """Of MJCF, with what `replicate` and `composite` make; large scenes have thousands."""

    LINKS = (50_000, "bodies that are placed again have more than {} links")
    """Of a project that names the same body file several times."""

    TEMPLATE_INPUT = (20_000_000, "templates are given more than {} characters")
    """Of values of their parameters, all instances of a world together."""

    TEMPLATE_BYTES = (400_000_000, "templates write more than {} bytes")
    """Of all templates of a world together."""

    @property
    def limit(self) -> int:
        """How much of it there may be in one load."""
        return self.value[0]

    @property
    def text(self) -> str:
        """What is wrong when there is more."""
        return self.value[1].format(self.limit)


class BudgetError(SolidbodyError):
    """A load has asked for more than it may have.

    Attributes:
        cost: Of what.
        is_new: Whether nobody has been told before: one message is enough.
    """

    def __init__(self, cost: Cost, *, is_new: bool = True) -> None:
        self.cost = cost
        self.is_new = is_new
        super().__init__(cost.text)


class LoadBudget:
    """What one load has spent."""

    __slots__ = ("_exceeded", "_known", "_limits", "_spent")

    def __init__(self) -> None:
        self._spent = dict.fromkeys(Cost, 0)
        self._limits = {cost: cost.limit for cost in Cost}
        self._exceeded: set[Cost] = set()
        self._known: set[object] = set()

    def spend(self, cost: Cost, amount: int = 1) -> None:
        """Count work that is about to be done.

        Raises:
            BudgetError: There would be too much of it.
        """
        spent = self._spent[cost] = self._spent[cost] + amount
        if spent > self._limits[cost]:
            is_new = cost not in self._exceeded
            self._exceeded.add(cost)
            raise BudgetError(cost, is_new=is_new)

    def spend_if_known(self, thing: object, cost: Cost, amount: int = 1) -> None:
        """Count work on a thing that was worked on before in this load: the first time its size pays for it.

        Raises:
            BudgetError: There would be too much of it.
        """
        if thing in self._known:
            self.spend(cost, amount)
        self._known.add(thing)


_current: ContextVar[LoadBudget | None] = ContextVar("load_budget", default=None)


def load_budget() -> LoadBudget:
    """Return the budget of the load that is going on; outside of any, a new one."""
    return _current.get() or LoadBudget()


@contextmanager
def one_load() -> Generator[LoadBudget]:
    """Let everything that is read inside share one budget; a load inside another shares that of the outer."""
    budget = _current.get()
    if budget is not None:
        yield budget
        return
    token = _current.set(LoadBudget())
    try:
        yield load_budget()
    finally:
        _current.reset(token)
