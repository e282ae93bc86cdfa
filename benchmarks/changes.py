"""Changes at every step: what a supervisor, or an edit in the page, costs beside a bare step.

    python -m benchmarks.changes [--webots HOME] [--seconds S] [KIND ...]

The world is a town of 50 houses, instances of a PROTO with a template, with twenty boxes on the ground and a
robot with a driven arm. The supervisor runs in our process and uses Webots' API; the desk is what the page's
editor talks to. `--webots` adds a city of an installation. Times are of one change and one step, the median
of a measurement, and of our process alone, so that other work on the machine disturbs them little; templates
are evaluated in another one, which takes a millisecond or two where it has to.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import solidbody as sb
from solidbody.control import run_controller
from solidbody.formats.webots.document import load_world
from solidbody.view.desk import open_desk
from solidbody.view.protocol_work import CommandEdit, EventEdited

HOUSES = 50
BOXES = 20
STEP_MS = 8
CITY = "projects/vehicles/worlds/city.wbt"

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
Robot { name "arm" translation 3 3 0.5 controller "<none>" children [
  HingeJoint { jointParameters DEF TURN HingeJointParameters { axis 0 0 1 dampingConstant 0.1 }
    device [ DEF MOTOR RotationalMotor { name "turn" maxVelocity 20 maxTorque 5 } ]
    endPoint Solid { name "hand" translation 0.2 0 0 children [
        Shape { geometry Box { size 0.3 0.05 0.05 } } ]
      boundingObject Box { size 0.3 0.05 0.05 }
      physics DEF WEIGHT Physics { density -1 mass 0.5 } } } ] }
"""


def world(folder: Path) -> Path:
    """Write the town and return its file."""
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
    path = folder / "worlds" / "town.wbt"
    path.parent.mkdir()
    path.write_text(
        '#VRML_SIM R2025a utf8\nEXTERNPROTO "../protos/House.proto"\n'
        f"WorldInfo {{ basicTimeStep {STEP_MS} contactProperties [\n"
        "  DEF GRIP ContactProperties { coulombFriction 0.5 } ] }\nViewpoint { position -5 0 2 }\n"
        'DEF FLOOR Solid { name "floor" boundingObject Plane { size 500 500 } }\n'
        f"{houses}{boxes}{ARM}"
        'DEF SUP Robot { name "sup" translation -3 0 1 supervisor TRUE controller "<none>" children [\n'
        '  DEF EYE DistanceSensor { name "eye" lookupTable [ 0 0 0, 5 1000 0 ] }\n'
        '  DEF LENS Camera { name "lens" } ] }\n'
    )
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
    Kind("size", "FORM3", "size", "setSFVec3f", lambda k: [0.2, 0.2, 0.15 + 0.1 * _part(k)]),
)


def supervised(path: Path, kind: Kind | None, seconds: float) -> float:
    """Return what a step costs in which a supervisor changes something [us]; None = nothing."""
    sim = sb.Sim(sb.load(path))
    times: list[float] = []

    def program() -> None:
        from controller import Supervisor

        robot = Supervisor()
        robot.getDevice("eye").enable(STEP_MS)
        node = None if kind is None else robot.getFromDef(kind.node)
        field = None if kind is None or node is None else node.getField(kind.field)
        for _ in range(3):
            robot.step(STEP_MS)
        started, k = time.perf_counter(), 0
        while k < 5 or time.perf_counter() - started < seconds:
            begun = time.process_time()
            if field is not None and kind is not None:
                if kind.index is None:
                    getattr(field, kind.setter)(kind.value(k))
                else:
                    getattr(field, kind.setter)(kind.index, kind.value(k))
            robot.step(STEP_MS)
            times.append(time.process_time() - begun)
            k += 1

    run_controller(sim, program, robot="sup")
    return 1e6 * statistics.median(times[1:])


def edited(path: Path, kind: Kind, seconds: float) -> float:
    """Return what a step costs in which the page's editor changes something [us]."""
    sim = sb.Sim(sb.load(path))
    desk = open_desk(sim)
    assert desk is not None
    sim.step(3)
    times: list[float] = []
    started, k = time.perf_counter(), 0
    while k < 5 or time.perf_counter() - started < seconds:
        begun = time.process_time()
        for event in desk.obey(CommandEdit(kind.path, kind.text(k))):
            assert isinstance(event, EventEdited)
            assert not event.is_error, event.text
        sim.step(1)
        times.append(time.process_time() - begun)
        k += 1
    return 1e6 * statistics.median(times[1:])


def in_city(home: str, seconds: float) -> list[tuple[str, float]]:
    """Return what a parameter of a house costs at the desk of the largest city of an installation [us]."""
    os.environ["WEBOTS_HOME"] = home
    path = Path(home, CITY)
    tree = load_world(path).tree
    sim = sb.Sim(sb.load(path))
    desk = open_desk(sim)
    assert desk is not None
    rows: list[tuple[str, float]] = []
    for type_name, field, text in (
        ("Viewpoint", "position", lambda k: f"0 {50 + k % 3} 0"),
        ("CurvedRoadSegment", "speedLimit", lambda k: f"{10 + k % 5}"),
        ("StraightRoadSegment", "numberOfLanes", lambda k: str(2 + k % 2)),
        ("OilBarrel", "height", lambda k: f"{0.8 + 0.01 * (k % 5):.2f}"),
    ):
        node = next(k for k, node in enumerate(tree.nodes) if node.type_name == type_name)
        times: list[float] = []
        started, k = time.perf_counter(), 0
        while k < 3 or time.perf_counter() - started < seconds:
            begun = time.process_time()
            for event in desk.obey(CommandEdit(f"{node}.{field}", text(k))):
                assert isinstance(event, EventEdited)
                assert not event.is_error, event.text
            times.append(time.process_time() - begun)
            k += 1
        rows.append((f"city: {type_name}.{field}", 1e6 * statistics.median(times[1:])))
    return rows


def main() -> None:
    """Measure all kinds of changes, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    parser.add_argument("--webots", metavar="HOME")
    parser.add_argument("--seconds", type=float, default=2.0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = world(Path(folder))
        bare = supervised(path, None, args.seconds)
        print(f"{'change at every step':24}{'supervisor [us]':>16}{'desk [us]':>14}")
        print(f"{'none':24}{bare:16,.0f}")
        for kind in KINDS:
            if not args.kinds or kind.name in args.kinds:
                row = supervised(path, kind, args.seconds), edited(path, kind, args.seconds)
                print(f"{kind.name:24}{row[0]:16,.0f}{row[1]:14,.0f}", flush=True)
    if args.webots:
        for name, cost in in_city(args.webots, args.seconds):
            print(f"{name:32}{'':8}{cost:14,.0f}", flush=True)


if __name__ == "__main__":
    main()
