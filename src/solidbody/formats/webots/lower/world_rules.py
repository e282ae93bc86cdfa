"""Physics rules that a world chooses by `solidbody:` lines in `WorldInfo.info`.

info [ "solidbody: rotation ode" "solidbody: gyro implicit" ]
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from solidbody.base.diagnostics import DiagnosticLog, did_you_mean
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.model.scene import (
    CapRule,
    CoriolisRule,
    GyroRule,
    Physics,
    RidgeRule,
    RollingRule,
    RotationRule,
)

LINE = "solidbody: "
RULES: dict[str, type[Enum]] = {
    "rotation": RotationRule,
    "coriolis": CoriolisRule,
    "gyro": GyroRule,
    "caps": CapRule,
    "ridges": RidgeRule,
    "rolling": RollingRule,
}
"""Fields of `Physics` that a line may set, by its name and one of the values."""


def with_usual_rules(physics: Physics) -> Physics:
    """Return the physics of a world of Webots whose lines choose nothing.

    Forces quadratic in joint speeds are those of the middle of the step, whatever its length: swinging
    chains then keep their energy better than in ODE, floating mechanisms their momenta, and all stay finite
    at 32 ms. Bodies of Choreonoid take the start of the step; a world written from one says so.
    """
    usual = {name: getattr(Physics(), name) for name in RULES}
    usual["coriolis"] = CoriolisRule.MIDDLE
    usual["ridges"] = RidgeRule.ODE
    return replace(physics, **usual)


def with_chosen_rules(physics: Physics, world_info: TypedNode, log: DiagnosticLog) -> Physics:
    """Return the physics of a world whose lines may choose; lines that name no rule are reported."""
    chosen: dict[str, Enum] = {}
    for line in world_info.strings("info"):
        if not line.startswith(LINE):
            continue
        choice = line.removeprefix(LINE)
        name, _, value = choice.partition(" ")
        values = {rule.value: rule for rule in RULES.get(name, ())}
        if value in values:
            chosen[name] = values[value]
            continue
        allowed = [f"{rule} {item.value}" for rule, items in RULES.items() for item in items]
        hint = did_you_mean(choice, allowed) or f" Allowed: {', '.join(allowed)}."
        world_info.warn(log, "unknown-rule", f'"{line}" chooses nothing.{hint}', field="info")
    return replace(with_usual_rules(physics), **chosen)


def lines_of(physics: Physics, info: tuple[str, ...]) -> tuple[str, ...]:
    """Return the lines about a world with those that make it choose these physics."""
    usual = with_usual_rules(physics)
    wanted = tuple(
        f"{LINE}{name} {getattr(physics, name).value}"
        for name in RULES
        if getattr(physics, name) is not getattr(usual, name)
    )
    return (*(line for line in info if not line.startswith(LINE)), *wanted)
