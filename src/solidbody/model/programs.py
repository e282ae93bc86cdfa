"""Programs that a file names for its bodies: Choreonoid's controllers, which are shared objects."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from solidbody.base.span import NOWHERE, SourceSpan


class ModuleFolder(Enum):
    """Where the shared object of a controller is looked for, unless its path is absolute."""

    CONTROLLERS = "controllers"
    """In folders of controllers, then beside the project."""
    PROJECT = "project"
    """Beside the project."""
    NONE = "none"
    """As the system finds shared objects."""


@dataclass(frozen=True, slots=True)
class SimpleController:
    """A controller of a body, compiled to a shared object.

    Attributes:
        module: Name or path of the shared object, with or without its ending.
        name: Of its item.
        options: What the project tells it.
        simulator_options: What the simulator tells all of them.
        folder: Where the shared object is looked for.
        no_delay: Whether its orders act in the step that it computes in.
        reloads: Whether it is loaded anew for each simulation.
        exports: Whether others may use its symbols.
        old_targets: Whether positions and velocities that it sets are its orders, not the targets.
        parent: Place of the controller in `Body.programs` whose body it shares; None = it has one of its own.
        span: Place of its name.
    """

    module: str
    name: str = ""
    options: str = ""
    simulator_options: str = ""
    folder: ModuleFolder = ModuleFolder.CONTROLLERS
    no_delay: bool = False
    reloads: bool = False
    exports: bool = False
    old_targets: bool = False
    parent: int | None = None
    span: SourceSpan = NOWHERE
