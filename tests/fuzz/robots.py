"""Robots of others: models of MuJoCo, worlds of Gazebo, and what is written of damaged scenes."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path

from solidbody.formats.loading import read_scene
from tests.formats.mjcf.test_mjcf import LEG
from tests.fuzz.damage import damaged_text, encoded
from tests.fuzz.kind import ACCEPTED, REFUSED, FaultError, Files, Kind
from tests.fuzz.scenes import DEVICES, OBJ, URDF, URDF_WORDS, WORDS, read

MJCF = f"""<mujoco model="m">{LEG}
<asset><mesh name="m" file="m.obj" scale="1 2 1"/>
<texture name="t" type="2d" builtin="checker" width="8" height="8"/>
<material name="red" texture="t" rgba="1 0 0 1"/>
<hfield name="h" nrow="2" ncol="2" size="1 1 1 .1"/></asset>
<include file="more.xml"/>
<actuator><motor joint="hip y" gear="3" ctrlrange="-1 1"/><position joint="hip x" kp="10" kv="1"/>
<velocity joint="slide" kv="2"/></actuator>
<sensor><jointpos joint="hip x"/><accelerometer site="s"/></sensor>
<equality><joint joint1="hip x" joint2="hip y" polycoef="0 1 0 0 0"/>
<connect body1="foot" body2="torso" anchor="0 0 0"/>
</equality><tendon><fixed name="f"><joint joint="hip x" coef="1"/><joint joint="hip y" coef="-1"/>
</fixed></tendon>
<contact><exclude body1="foot" body2="hip"/>
<pair geom1="floor" geom2="sole" friction="1 1 .1 .1 .1"/></contact>
</mujoco>
"""
MORE = """<mujoco><worldbody><body name="more" pos="1 0 0"><freejoint/>
<geom type="mesh" mesh="m" material="red"/><site name="s"/><geom name="sole" size=".1"/><camera name="c"/>
<light/></body>
<geom type="hfield" hfield="h"/>
</worldbody></mujoco>"""
MJCF_WORDS = [
    *(
        '"hip x"',
        '"foot"',
        '"torso"',
        '"m"',
        '"free"',
        '"ball"',
        '"slide"',
        '"mesh"',
        '"nan"',
        '"1e308"',
    ),
    *(
        "body",
        "geom",
        "joint",
        "freejoint",
        "motor",
        "site",
        "class",
        "childclass",
        "euler",
        "replicate",
    ),
    *(
        "<!DOCTYPE a [<!ENTITY b 'c'>]>",
        "&b;",
        "</body>",
        '<include file="a.xml"/>',
        '<attach model="m"/>',
    ),
    *(
        'file="/etc/passwd"',
        'file="../../x.obj"',
        '<plugin plugin="x"/>',
        "<flexcomp/>",
        "<composite/>",
    ),
]

SDF = """<?xml version="1.0"?><sdf version="1.9"><world name="w">
<physics type="ode"><max_step_size>0.002</max_step_size></physics><gravity>0 0 -9.8</gravity>
<light type="point" name="l"><pose>0 0 2 0 0 0</pose><attenuation><range>5</range></attenuation></light>
<include><uri>model://other</uri><name>o</name><pose relative_to="m">1 0 0 0 0 0</pose></include>
<model name="m"><pose degrees="true">0 0 1 0 0 90</pose><frame name="f" attached_to="a">
<pose>1 0 0 0 0 0</pose></frame>
<link name="a"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
<visual name="v"><geometry><mesh><uri>m.obj</uri><scale>1 1 1</scale></mesh></geometry><material>
<diffuse>1 0 0 1</diffuse>
</material></visual><collision name="c"><geometry><box><size>1 1 1</size></box></geometry><surface>
<friction><ode><mu>0.3
</mu></ode></friction><bounce><restitution_coefficient>0.5</restitution_coefficient></bounce>
</surface></collision>
<sensor name="s" type="camera"><camera><image><width>8</width><height>8</height></image></camera>
</sensor></link>
<link name="b"><pose relative_to="f"/><collision name="c"><geometry><cylinder><radius>1</radius>
<length>1</length></cylinder>
</geometry></collision></link><joint name="j" type="revolute"><parent>a</parent><child>b</child>
<axis><xyz
expressed_in="__model__">0 0 1</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>
<model name="n"><link name="x"/></model><joint name="k" type="ball"><parent>b</parent>
<child>n::x</child></joint></model>
</world></sdf>
"""
OTHER = '<sdf version="1.6"><model name="other"><link name="l"><collision name="c"><geometry>'
OTHER += "<sphere><radius>1</radius></sphere></geometry></collision></link></model></sdf>"
SDF_WORDS = [
    *(
        "revolute",
        "revolute2",
        "universal",
        "gearbox",
        "screw",
        "prismatic",
        "fixed",
        "world",
        "__model__",
    ),
    *(
        "relative_to",
        "attached_to",
        "placement_frame",
        "link",
        "model",
        "joint",
        "frame",
        "a",
        "b",
        "n::x",
        "m::a",
    ),
    *(
        "<!DOCTYPE a [<!ENTITY b 'c'>]>",
        "&b;",
        "</link>",
        "<include><uri>a.sdf</uri></include>",
        "nan",
        "inf",
        "1e308",
    ),
    *(
        "model://other",
        "file:///etc/passwd",
        "../../x",
        "<static>true</static>",
        "<plane/>",
        "<heightmap/>",
        "<mimic/>",
    ),
]


def _mjcf(chance: random.Random) -> Files:
    whole = {"a.xml": MJCF, "more.xml": MORE}
    victim = "a.xml" if chance.random() < 0.8 else "more.xml"
    texts = {
        name: encoded(damaged_text(text, chance, MJCF_WORDS), chance)
        if name == victim
        else text.encode()
        for name, text in whole.items()
    }
    return {**texts, "m.obj": OBJ.encode()}


def _sdf(chance: random.Random) -> Files:
    text = encoded(damaged_text(SDF, chance, SDF_WORDS), chance)
    return {"a.sdf": text, "other/model.sdf": OTHER.encode(), "m.obj": OBJ.encode()}


def _exported(chance: random.Random) -> Files:
    if chance.random() < 0.5:
        name, text = "a.wbt", damaged_text(DEVICES, chance, WORDS)
    else:
        name, text = "a.urdf", damaged_text(URDF, chance, URDF_WORDS)
    return {name: encoded(text, chance), "m.obj": OBJ.encode()}


def _write(folder: Path) -> str:
    """Read a scene and write it in the formats of other programs: all numbers in them are numbers."""
    source = next(path for path in folder.iterdir() if path.stem == "a")
    scene, log = read_scene(source)
    if scene is None:
        return REFUSED
    out = folder / "out"
    out.mkdir(exist_ok=True)
    name = None if len(scene.bodies) == 1 else "R"
    for kind in ("glb", "usda", "urdf", "body"):
        is_robot = kind in ("urdf", "body")
        scene.save(out / f"x.{kind}", robot=name if is_robot else None)
    data = (out / "x.glb").read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    json.loads(data[20 : 20 + length], parse_constant=_refused)
    if "nan" in (out / "x.usda").read_text("utf-8").replace('"', " ").split():
        raise FaultError("a number of the USD is none")
    return REFUSED if log.has_errors else ACCEPTED


def _refused(word: str) -> None:
    raise FaultError(f"{word} in the glTF")


KINDS = (
    Kind("mjcf", _mjcf, lambda folder: read(folder / "a.xml")[1], seconds=6.0),
    Kind("sdf", _sdf, lambda folder: read(folder / "a.sdf")[1]),
    Kind("exported", _exported, _write, seconds=6.0),
)
