"""Files that scenes are read from: worlds, PROTOs, bodies, projects, URDF, xacro, OpenHRP's VRML."""

from __future__ import annotations

import random
from pathlib import Path

from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.formats.webots.nodes import NODES
from solidbody.model.scene import Scene
from tests.formats.choreonoid import projects
from tests.formats.choreonoid.test_project_fuzz import PROJECT, ROBOT, TABLE
from tests.formats.choreonoid.test_project_fuzz import damaged as damaged_project
from tests.formats.openhrp import test_openhrp
from tests.formats.protos.test_fuzz import PROTOS, TEMPLATES, WORLD
from tests.formats.urdf import test_xacro
from tests.fuzz.damage import damaged_text, encoded
from tests.fuzz.kind import ACCEPTED, REFUSED, FaultError, Files, Kind, no_nan
from tests.property.mutations import mutate
from tests.property.test_body_mutations import INLINE as BODY
from tests.property.test_mutations import INLINE
from tests.property.yaml_mutations import mutate_yaml

EXAMPLES = Path(__file__).parents[2] / "examples"


def _example(name: str) -> str:
    return (EXAMPLES / name).read_text(encoding="utf-8")


# --------------------------------------------------------------------------------- seeds

DEVICES = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 16 info [ "solidbody: rotation ode" ] }
Viewpoint { position 0 0 1 } Background { } DirectionalLight { direction 0 0 -1 }
DEF R Robot { translation 0 0 0.1 boundingObject DEF B Box { size 0.1 0.1 0.1 } physics DEF P Physics { }
  controller "<none>" children [ DEF S Shape { geometry USE B } Camera { width 4 height 4 recognition
  Recognition { } }
    Lidar { horizontalResolution 8 numberOfLayers 1 } RangeFinder { width 4 height 4 } Radar { }
    DistanceSensor { lookupTable [ 0 0 0 1 1000 0.1 ] numberOfRays 2 type "sonar" } LightSensor { } LED
    { } Pen { }
    Accelerometer { lookupTable [ -100 -100 0.01 100 100 0.01 ] } Gyro { } Compass { } GPS { }
    InertialUnit { }
    TouchSensor { type "force-3d" } Emitter { } Receiver { } Display { width 4 height 4 } Speaker { }
    Connector { }
    Track { textureAnimation 1 0 boundingObject USE B physics USE P device [ LinearMotor { } ] }
    Slot { type "a" endPoint Slot { type "a" endPoint Solid { name "x" } } } Propeller { device
    RotationalMotor { } }
    Hinge2Joint { jointParameters HingeJointParameters { axis 0 0 1 } jointParameters2 JointParameters
    { axis 0 1 0 }
      endPoint DEF W Solid { name "w" boundingObject Cylinder { height 0.02 radius 0.05 } physics USE P } }
    BallJoint { jointParameters BallJointParameters { anchor 0 0 1 } endPoint SolidReference {
    solidName "w" } } ] }
Fluid { boundingObject Box { } } Solid { name "ground" boundingObject ElevationGrid { xDimension 3
yDimension 3
  height [ 0 0 1 0 1 0 0 0 1 ] } } Solid { name "faces" boundingObject DEF F IndexedFaceSet { coord
  Coordinate {
  point [ 0 0 0 1 0 0 0 1 0 0 0 1 ] } coordIndex [ 0 1 2 -1 0 1 3 -1 1 2 3 -1 0 2 3 -1 ] } children [ Shape {
  geometry USE F appearance PBRAppearance { baseColorMap ImageTexture { url [ "x.png" ] } } } Shape {
  geometry Mesh {
  url "m.obj" } } CadShape { url [ "m.obj" ] } ] immersionProperties [ ImmersionProperties { fluidName
  "fluid" } ] }
Charger { battery [ 1 2 3 ] } Solid { name "e" boundingObject Capsule { } } PointLight { } Fog { }
"""
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 3 4\n"
SMALL = [_example(name) for name in ("bounce.wbt", "sensors.wbt", "looks.wbt", "slopes.wbt")]
WORLDS = [INLINE, DEVICES, INLINE, DEVICES, *SMALL]
OLD = [
    text.replace("R2025a", release)
    for text in (INLINE, DEVICES)
    for release in ("R2019a", "V6.4.4")
]
WORDS = sorted({*NODES.names(), *(field for name in NODES.names() for field in NODES.fields(name))})
WORDS += [
    "TRUE",
    "FALSE",
    "NULL",
    "USE S",
    "USE B",
    "DEF S",
    "IS name",
    '"w"',
    '"../../x"',
    "[ ]",
    "{ }",
]

URDF = f"""<?xml version="1.0"?>
<robot name="r"><material name="red"><color rgba="1 0 0 1"/><texture filename="a.png"/></material>
<link name="base">{test_xacro.MASS}<visual><origin xyz="0 0 1" rpy="0 1 0"/><geometry><box size="1 2
3"/></geometry>
<material name="red"/></visual><collision><geometry><cylinder radius="1"
length="2"/></geometry></collision></link>
<link name="arm">{test_xacro.MASS}<collision><geometry><mesh filename="m.obj" scale="1 1
-1"/></geometry></collision></link>
<link name="hand">{test_xacro.MASS}<collision><geometry><sphere radius="1"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="1 0 0"/><axis
xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="10" velocity="2"/><dynamics damping="0.1" friction="0.2"/></joint>
<joint name="k" type="prismatic"><parent link="arm"/><child link="hand"/><axis xyz="0 0 1"/>
<limit lower="0" upper="1" effort="1" velocity="1"/><mimic joint="j" multiplier="2" offset="1"/></joint>
<gazebo reference="arm"><mu1>0.2</mu1><sensor type="camera" name="c"/></gazebo></robot>
"""
URDF_WORDS = [
    *("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "base", "arm", "hand"),
    *('"base"', '"arm"', '"hand"', '"fixed"', "link", "joint", "origin", "inertia", "mass", "mesh"),
    *(
        "<!DOCTYPE a [<!ENTITY b 'c'>]>",
        "&b;",
        "&lt;",
        "<![CDATA[x]]>",
        "<?x?>",
        "<!-- -->",
        "</link>",
    ),
    *("package://x/y.stl", "file:///etc/passwd", "model://x", '"m.obj"', '"base.stl"', "xmlns:a"),
]
XACRO = (
    test_xacro.HEAD
    + test_xacro.BASE
    + """<xacro:property name="n" value="${3}"/><xacro:property name="l" value="${[1,2,3]}"/>
<xacro:property name="d" value="${dict(a=1, b=[2,3])}"/><xacro:arg name="g" default="2"/>
"""
    + test_xacro.ARM
    + f"""<xacro:arm name="a1" mass="${{n*2 + l[0]}}"><origin xyz="${{sin(pi/2)}} 0 $(arg
    g)"/>{test_xacro.BALL}</xacro:arm>
<xacro:if value="${{n > 2 and l[1] == 2}}"><xacro:arm name="a2" parent="a1"><origin xyz="0 0
0"/>{test_xacro.BALL}</xacro:arm>
</xacro:if><xacro:unless value="${{n in l}}"><link name="u"/></xacro:unless>
<xacro:include filename="other.xacro"/></robot>
"""
)
OTHER = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="q" value="1"/></robot>'
XACRO_WORDS = [
    *(
        "${n}",
        "${n*n}",
        "${l*100}",
        "${l+l}",
        "${[l,l]}",
        "${str(l)}",
        "${'a'*99999}",
        "${n**n**n}",
    ),
    *(
        "${1/0}",
        "${l[9]}",
        "${d['x']}",
        "${__import__('os')}",
        "${().__class__}",
        "${n if n else l}",
    ),
    *(
        "$(arg g)",
        "$(find x)",
        "$(env HOME)",
        "$(eval n)",
        "${len(l)}",
        "${range(9999999)}",
        "^|b",
        "*c",
    ),
    *(
        "xacro:arm",
        "xacro:macro",
        "xacro:if",
        "xacro:property",
        '"${l}"',
        '"${n}"',
        "${2**53}",
        "${-n}",
    ),
    *("<xacro:arm name='z'/>", "<xacro:include filename='r.xacro'/>", "${not n}", "${l==[l,[l]]}"),
]
HRP = test_openhrp.PROTOS + test_openhrp.body(
    f'DEF J Joint {{ jointType "rotate" jointId 0 children [ DEF S Segment {{ {test_openhrp.SEGMENT} '
    f"children [ {test_openhrp.BOX} ] }} ] }}"
)

# --------------------------------------------------------------------------------- making


def _world(chance: random.Random) -> Files:
    source = chance.choice(WORLDS if chance.random() < 0.8 else OLD)
    if chance.random() < 0.5:
        text = mutate(source, chance.randrange(2**31))
    else:
        text = damaged_text(source, chance, WORDS)
    return {"worlds/a.wbt": encoded(text, chance), "worlds/m.obj": OBJ.encode()}


def _proto(chance: random.Random) -> Files:
    """A project with PROTOs; only one in twelve has templates, whose engines take long to start."""
    has_templates = chance.random() < 0.08
    names = [name for name in PROTOS if has_templates or name not in ("Row", "Old")]
    victim = chance.choice([*names, ""])
    externs = "".join(f'EXTERNPROTO "../protos/{name}.proto"\n' for name in names)
    world = "#VRML_SIM R2025a utf8\n" + externs + "WorldInfo { }\nViewpoint { }\n"
    world += WORLD if chance.random() < 0.5 else WORLD[: WORLD.index("Shape { appearance Missing")]
    world += TEMPLATES if has_templates else ""
    texts = {"worlds/a.wbt": world} | {f"protos/{name}.proto": PROTOS[name] for name in names}
    key = f"protos/{victim}.proto" if victim else "worlds/a.wbt"
    words = [
        *WORDS,
        "Blob",
        "Arm",
        "Derived",
        "IS radius",
        "IS translation",
        "field SFFloat x 1",
        "%<",
        ">%",
    ]
    texts[key] = (
        mutate(texts[key], chance.randrange(2**31))
        if chance.random() < 0.5
        else damaged_text(texts[key], chance, words)
    )
    return {
        name: encoded(text, chance) if name == key else text.encode()
        for name, text in texts.items()
    }


def _body(chance: random.Random) -> Files:
    source = chance.choice((BODY, BODY, ROBOT, _example("choreonoid/rover.body")))
    text = mutate_yaml(source, chance.randrange(2**31))
    other = ROBOT.encode()
    return {"a.body": encoded(text, chance), "other.body": other, "m.obj": OBJ.encode()}


def _project(chance: random.Random) -> Files:
    whole = {
        "arm.body": ROBOT,
        "floor.body": projects.FLOOR,
        "table.yaml": TABLE,
        "a.cnoid": PROJECT,
    }
    victim = chance.choice(("a.cnoid", "a.cnoid", "table.yaml", "arm.body"))
    text = whole[victim]
    text = (
        damaged_project(text, chance)
        if chance.random() < 0.6
        else mutate_yaml(text, chance.randrange(2**31))
    )
    return {
        name: encoded(text if name == victim else sound, chance) for name, sound in whole.items()
    }


def _urdf(chance: random.Random) -> Files:
    text = damaged_text(URDF, chance, URDF_WORDS)
    return {"a.urdf": encoded(text, chance), "m.obj": OBJ.encode()}


def _xacro(chance: random.Random) -> Files:
    text = damaged_text(XACRO, chance, XACRO_WORDS)
    return {"r.xacro": encoded(text, chance), "other.xacro": OTHER.encode()}


def _openhrp(chance: random.Random) -> Files:
    if chance.random() < 0.5:
        text = mutate(HRP, chance.randrange(2**31))
    else:
        text = damaged_text(
            HRP, chance, ["Joint", "Segment", "Humanoid", '"free"', '"slide"', "USE S"]
        )
    return {"a.wrl": encoded(text, chance)}


# --------------------------------------------------------------------------------- reading


def read(path: Path) -> tuple[Scene | None, str]:
    """Read a scene; raise FaultError where something is wrong that nothing was said of."""
    is_even = path.stat().st_size % 2 == 0
    scene, log = read_scene(
        path, options=LoadOptions(missing_protos="placeholder" if is_even else "error")
    )
    for item in log:
        if not (item.code and item.text and item.span.line >= 1):
            raise FaultError(f"a message without a place or a text: {item!r}")
    if scene is None:
        if not log.has_errors:
            raise FaultError("there is no scene, and no error says why")
        return None, REFUSED
    no_nan(scene, "scene")
    return scene, REFUSED if log.has_errors else ACCEPTED


def _reader(name: str):  # type: ignore[no-untyped-def]
    return lambda folder: read(folder / name)[1]


def _simulated(folder: Path) -> str:
    """Simulate what could be read: finite poses, or an error that says why not."""
    import solidbody as sb

    scene, verdict = read(folder / "worlds/a.wbt")
    if scene is None:
        return verdict
    sim = sb.Sim(scene)
    sim.step(3)
    no_nan(sim.poses(), "poses", no_infinity=True)
    no_nan(sim.joint_states(), "joint states", no_infinity=True)
    return verdict


KINDS = (
    Kind("world", _world, _reader("worlds/a.wbt")),
    Kind("run", _world, _simulated, seconds=8.0, memory=600_000_000),
    Kind("proto", _proto, _reader("worlds/a.wbt"), seconds=10.0),
    Kind("body", _body, _reader("a.body")),
    Kind("project", _project, _reader("a.cnoid")),
    Kind("urdf", _urdf, _reader("a.urdf")),
    Kind("xacro", _xacro, _reader("r.xacro")),
    Kind("openhrp", _openhrp, _reader("a.wrl")),
)
