"""Changes at every step: what a supervisor, or an edit in the page, costs beside a bare step.

    python -m benchmarks.changes [--world FILE] [--seconds S] [KIND ...]

The world is a town of 50 houses, instances of a PROTO with a template, with twenty boxes on the ground and a
robot with a driven arm. `--world` puts them into a world of yours, such as a city of Webots, and changes two
PROTOs of that as well (its first road and barrel). The supervisor runs in our process and uses
Webots' API; the editor is what the page talks to. Times are of one change and one step, the median of
a measurement, and of our process alone, so that other work on the machine disturbs them little; templates are
evaluated in another one, which takes a millisecond or two where it has to.
"""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import solidbody as sb
from solidbody.control import run_controller
from solidbody.viewer.protocol_work import CommandEdit, EventEdited
from solidbody.viewer.world_editor import open_editor

HOUSES = 50
BOXES = 20
STEP_MS = 8

HOUSE = """#VRML_SIM R2025a utf8
# template language: javascript
PROTO House [
  field SFVec3f translation 0 0 0
  field SFRotation rotation 0 0 1 0
  field SFString name "house"
  field SFColor wallColor 0.8 0.7 0.6
  field SFColor doorColor 0.4 0.2 0.1
  field SFInt32 floors 3
]
{
  Solid {
    translation IS translation
    rotation IS rotation
    name IS name
    children [
      Shape { appearance PBRAppearance { baseColor IS wallColor roughness 1 metalness 0 }
        geometry Box { size 6 6 %<= fields.floors.value * 3 >% } }
      Pose { translation 3 0 0 children [
        Shape { appearance PBRAppearance {
            baseColor %<= fields.doorColor.value.r >% %<= fields.doorColor.value.g >% 0.1 }
          geometry Box { size 0.1 1 2 } } ] }
      %< for (let floor = 0; floor < fields.floors.value; floor++) for (let k = 0; k < 4; k++) { >%
      Pose { translation 3 %<= k * 1.3 - 2 >% %<= floor * 3 >% children [
        Shape { appearance PBRAppearance { baseColor 0.2 0.3 0.5 roughness 0.1 }
          geometry Box { size 0.1 0.8 1.2 } } ] }
      %< } >%
    ]
    boundingObject Pose { translation 0 0 %<= fields.floors.value * 1.5 >%
      children [ Box { size 6 6 %<= fields.floors.value * 3 >% } ] }
  }
}
"""

ARM = """
Robot { name "arm" translation 3 3 3 controller "<none>" children [
  HingeJoint { jointParameters DEF TURN HingeJointParameters { axis 0 0 1 dampingConstant 0.1 }
    device [ DEF MOTOR RotationalMotor { name "turn" maxVelocity 20 maxTorque 5 } ]
    endPoint Solid { name "hand" translation 0.2 0 0 children [
        Shape { geometry Box { size 0.3 0.05 0.05 } } ]
      boundingObject Box { size 0.3 0.05 0.05 }
      physics DEF WEIGHT Physics { density -1 mass 0.5 } } } ] }
DEF SUP Robot { name "sup" translation -3 0 1 supervisor TRUE controller "<none>" children [
  DEF EYE DistanceSensor { name "eye" lookupTable [ 0 0 0, 5 1000 0 ] }
  DEF LENS Camera { name "lens" } ] }
"""
GROUND = f"""#VRML_SIM R2025a utf8
EXTERNPROTO "../protos/House.proto"
WorldInfo {{ basicTimeStep {STEP_MS} }}
Viewpoint {{ position -5 0 2 }}
DEF FLOOR Solid {{ name "floor" boundingObject Plane {{ size 500 500 }} }}
"""


def world(folder: Path, base: str) -> Path:
    """Put the town into the text of a world and return its file."""
    protos = folder / "protos"
    protos.mkdir()
    (protos / "House.proto").write_text(HOUSE)
    houses = "".join(
        f'DEF HOUSE{k} House {{ translation {20 + 10 * (k // 10)} {10 * (k % 10)} 0 name "house{k}" '
        f"floors {2 + k % 4} }}\n"
        for k in range(HOUSES)
    )
    boxes = "".join(
        f"DEF BOX{k} Solid {{ translation {0.5 * (k % 5)} {0.5 * (k // 5)} 0.1 "
        f'name "box{k}" children [ Shape {{ appearance DEF LOOK{k} PBRAppearance {{ baseColor 1 0 0 }} '
        f"geometry Box {{ size 0.2 0.2 0.2 }} }} ] "
        f"boundingObject DEF FORM{k} Box {{ size 0.2 0.2 0.2 }} "
        f"physics DEF MASS{k} Physics {{ density -1 mass {1 + 0.1 * k} }} }}\n"
        for k in range(BOXES)
    )
    grip = "DEF GRIP ContactProperties { coulombFriction 0.5 }"
    held, found = re.subn(r"(contactProperties\s*\[)", rf"\1 {grip}", base, count=1)
    if not found:
        held = re.sub(r"(WorldInfo\s*\{)", rf"\1 contactProperties [ {grip} ]", base, count=1)
    path = folder / "worlds" / "town.wbt"
    path.parent.mkdir()
    path.write_text(f"{held}\n{houses}{boxes}{ARM}")
    return path


@dataclass(frozen=True, slots=True)
class Kind:
    """A change: which field of which node, and its value in step k as programs and as files write it."""

    name: str
    node: str
    field: str
    setter: str
    value: Callable[[int], Any]
    index: int | None = None

    @property
    def path(self) -> str:
        """Where the page's editor finds the field."""
        return f"{self.node}.{self.field}"

    def text(self, k: int) -> str:
        """Return the value as in a file."""
        value = self.value(k)
        words = " ".join(f"{x:.6g}" for x in (value if isinstance(value, list) else [value]))
        return f"[ {words} ]" if self.index is not None else words


def _part(k: int) -> float:
    return 0.25 + 0.5 * (k % 97) / 97.0


KINDS = (
    Kind("pose", "BOX3", "translation", "setSFVec3f", lambda k: [1.5, 0.0, 0.3 + 0.01 * (k % 5)]),
    Kind("colour", "LOOK3", "baseColor", "setSFColor", lambda k: [_part(k), 0.5, 0.5]),
    Kind("friction", "GRIP", "coulombFriction", "setMFFloat", _part, 0),
    Kind("mass", "MASS3", "mass", "setSFFloat", _part),
    Kind("joint damping", "TURN", "dampingConstant", "setSFFloat", _part),
    Kind("motor limit", "MOTOR", "maxVelocity", "setSFFloat", lambda k: 10.0 + _part(k)),
    Kind("distance sensor", "EYE", "aperture", "setSFFloat", _part),
    Kind("camera", "LENS", "fieldOfView", "setSFFloat", _part),
    Kind("PROTO, linked", "HOUSE7", "wallColor", "setSFColor", lambda k: [_part(k), 0.5, 0.5]),
    Kind("PROTO, template", "HOUSE7", "doorColor", "setSFColor", lambda k: [_part(k), 0.5, 0.5]),
    Kind(
        "PROTO, pose", "HOUSE7", "translation", "setSFVec3f", lambda k: [20.0, 70.0 + _part(k), 0.0]
    ),
    Kind("size", "FORM3", "size", "setSFVec3f", lambda k: [0.2, 0.2, 0.15 + 0.1 * _part(k)]),
)
OF_CITIES = (
    Kind("road, linked", "StraightRoadSegment", "speedLimit", "setSFFloat", lambda k: 10.0 + k % 5),
    Kind(
        "road, template", "StraightRoadSegment", "numberOfLanes", "setSFInt32", lambda k: 2 + k % 2
    ),
    Kind("barrel, template", "OilBarrel", "height", "setSFFloat", lambda k: 0.8 + 0.01 * (k % 5)),
)
"""The same for the first nodes of these types."""


def supervised(sim: sb.Sim, kinds: Sequence[Kind], seconds: float) -> list[float]:
    """Return what a step costs alone, and with each kind of change by a supervisor [us]."""
    costs: list[float] = []

    def program() -> None:
        from controller import Supervisor

        robot = Supervisor()
        robot.getDevice("eye").enable(STEP_MS)
        period = int(robot.getBasicTimeStep())

        def change(kind: Kind | None, field: Any, k: int) -> None:
            if kind is not None:
                place = () if kind.index is None else (kind.index,)
                getattr(field, kind.setter)(*place, kind.value(k))
            robot.step(period)

        for kind in (None, *kinds):
            node = kind and robot.getFromDef(kind.node)
            field = kind and node and node.getField(kind.field)
            costs.append(_cost(partial(change, kind, field), seconds))

    run_controller(sim, program, robot="sup")
    return costs


def edited(sim: sb.Sim, kinds: Sequence[Kind], seconds: float) -> list[float]:
    """Return what a step costs with each kind of change in the page's editor [us]."""
    editor = open_editor(sim)
    assert editor is not None

    def change(kind: Kind, k: int) -> None:
        for event in editor.obey(CommandEdit(kind.path, kind.text(k))):
            assert isinstance(event, EventEdited)
            assert not event.is_error, event.text
        sim.step(1)

    return [_cost(partial(change, kind), seconds) for kind in kinds]


def _cost(change: Callable[[int], None], seconds: float) -> float:
    """Return the median time of a change [us]; the first two are not counted."""
    times: list[float] = []
    started = time.perf_counter()
    while len(times) < 5 or time.perf_counter() - started < seconds:
        begun = time.process_time()
        change(len(times))
        times.append(time.process_time() - begun)
    return 1e6 * statistics.median(times[2:])


def main() -> None:
    """Measure all kinds of changes, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    parser.add_argument("--world", type=Path, metavar="FILE")
    parser.add_argument("--seconds", type=float, default=2.0)
    args = parser.parse_args()
    base = (
        GROUND if args.world is None else args.world.read_text(encoding="utf-8", errors="replace")
    )
    named = base
    for kind in OF_CITIES:  # programs find nodes by their DEF names
        named = re.sub(
            rf"^{kind.node} {{", f"DEF {kind.node} {kind.node} {{", named, count=1, flags=re.M
        )
    kinds = [*KINDS, *(kind for kind in OF_CITIES if f"DEF {kind.node} " in named)]
    kinds = [kind for kind in kinds if not args.kinds or kind.name in args.kinds]
    with tempfile.TemporaryDirectory() as folder:
        path = world(Path(folder), named)
        scene = sb.load(path)
        by_program = supervised(sb.Sim(scene), kinds, args.seconds)
        by_hand = edited(sb.Sim(scene), kinds, args.seconds)
    print(f"{'change at every step':24}{'supervisor [us]':>16}{'editor [us]':>14}")
    print(f"{'none':24}{by_program[0]:16,.0f}")
    for kind, cost, by_editor in zip(kinds, by_program[1:], by_hand, strict=True):
        print(f"{kind.name:24}{cost:16,.0f}{by_editor:14,.0f}")


if __name__ == "__main__":
    main()
