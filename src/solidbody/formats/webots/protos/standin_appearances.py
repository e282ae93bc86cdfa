"""Our family of standard appearances: a table of colours, and the PROTO text that each row stands for.

Interfaces are those of the appearances chapter of the Webots user guide; colours are our choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

Color = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class StandinLook:
    """One appearance.

    Attributes:
        color: Of the surface, 0 to 1; what the parameter `tint` is multiplied with.
        roughness: 0 smooth to 1 rough.
        metalness: 0 to 1.
        tint: Name of the parameter with a colour; empty = there is none.
        tint_default: Its default.
        kind: Name of the parameter that chooses one of `kinds`; empty = there is none.
        kinds: Its values with their colours; the first one is the default.
        pattern: Name of the picture (see tools/make_textures.py) that shades the colour; empty = none.
        kind_patterns: Those of `kinds` that have another one.
        scale: Default scale of the texture; None = no transform.
        opacity: 0 transparent to 1 opaque.
        more: Further parameters, `type name default`, which change nothing here.
    """

    color: Color = (1.0, 1.0, 1.0)
    roughness: float = 0.7
    metalness: float = 0.0
    tint: str = "colorOverride"
    tint_default: Color = (1.0, 1.0, 1.0)
    kind: str = ""
    kinds: Mapping[str, Color] = field(default_factory=dict[str, Color])
    pattern: str = ""
    kind_patterns: Mapping[str, str] = field(default_factory=dict[str, str])
    scale: float | None = None
    opacity: float = 1.0
    more: tuple[str, ...] = ()


LOOKS: Final[Mapping[str, StandinLook]] = {
    "Asphalt": StandinLook((0.25, 0.25, 0.26), 0.95, pattern="speckles"),
    "BakelitePlastic": StandinLook(
        (0.5, 0.1, 0.08),
        0.35,
        tint="",
        kind="color",
        kinds={"red": (0.5, 0.1, 0.08), "braun": (0.32, 0.18, 0.1)},
    ),
    "BlanketFabric": StandinLook((0.75, 0.72, 0.66), 1.0, pattern="cloth"),
    "BrushedAluminium": StandinLook((0.72, 0.73, 0.75), 0.35, 0.9, pattern="brushed"),
    "BrushedSteel": StandinLook((0.6, 0.61, 0.63), 0.35, 0.9, pattern="brushed"),
    "CarLeather": StandinLook(
        (0.24, 0.15, 0.1),
        0.55,
        kind="tone",
        kinds={"dark": (0.24, 0.15, 0.1), "light": (0.62, 0.42, 0.27)},
        pattern="dimples",
    ),
    "Cardboard": StandinLook((0.66, 0.5, 0.34), 0.95, pattern="flakes"),
    "CarpetFibers": StandinLook(
        (0.62, 0.55, 0.47),
        1.0,
        kind="type",
        kinds={
            "wooly": (0.62, 0.55, 0.47),
            "synthetic": (0.45, 0.46, 0.5),
            "pattern": (0.55, 0.3, 0.25),
        },
        pattern="cloth",
    ),
    "CementTiles": StandinLook((0.68, 0.67, 0.64), 0.75, pattern="tiles"),
    "ChequeredParquetry": StandinLook((0.66, 0.48, 0.3), 0.5, pattern="checker_wood"),
    "Copper": StandinLook((0.85, 0.5, 0.32), 0.3, 1.0, tint="", pattern="brushed"),
    "CorrodedMetal": StandinLook((0.5, 0.38, 0.3), 0.8, 0.6, pattern="rust"),
    "CorrugatedMetal": StandinLook((0.62, 0.64, 0.66), 0.45, 0.9, pattern="waves"),
    "CorrugatedPlates": StandinLook((0.6, 0.62, 0.64), 0.45, 0.9, pattern="waves"),
    "CorrugatedPvc": StandinLook((0.82, 0.82, 0.8), 0.5, pattern="waves"),
    "DamascusSteel": StandinLook((0.45, 0.46, 0.48), 0.35, 1.0, pattern="veins"),
    "DarkParquetry": StandinLook((0.35, 0.22, 0.14), 0.5, pattern="planks"),
    "DryMud": StandinLook((0.55, 0.44, 0.34), 1.0, tint="", pattern="cracks"),
    "ElectricConduit": StandinLook((0.55, 0.56, 0.58), 0.45, 0.8, pattern="brushed"),
    "Fabric": StandinLook((0.6, 0.58, 0.55), 1.0, pattern="cloth"),
    "FlexibleAluminiumDuct": StandinLook((0.74, 0.75, 0.77), 0.35, 1.0, pattern="waves"),
    "FormedConcrete": StandinLook((0.62, 0.61, 0.59), 0.9, tint="", pattern="plaster"),
    "GalvanizedMetal": StandinLook((0.66, 0.69, 0.72), 0.4, 0.9, pattern="patches"),
    "GenericTireAppearance": StandinLook((0.08, 0.08, 0.08), 0.95, tint="", pattern="waves"),
    "GlossyCarPaint": StandinLook(roughness=0.15, tint="baseColor", scale=10.0),
    "GlossyPaint": StandinLook(roughness=0.15, tint="baseColor", scale=10.0),
    "Grass": StandinLook(
        (0.3, 0.47, 0.17),
        1.0,
        kind="type",
        kinds={
            "maintained": (0.3, 0.47, 0.17),
            "artificial": (0.18, 0.5, 0.2),
            "artificial_white": (0.85, 0.87, 0.85),
            "prickly": (0.45, 0.46, 0.22),
            "mossy": (0.27, 0.37, 0.14),
        },
        pattern="blades",
    ),
    "HammeredCopper": StandinLook((0.82, 0.48, 0.3), 0.4, 1.0, pattern="dimples"),
    "Leather": StandinLook(
        (0.24, 0.15, 0.1),
        0.55,
        kind="tone",
        kinds={"dark": (0.24, 0.15, 0.1), "light": (0.62, 0.42, 0.27)},
        more=('SFString type "dollaro"',),
        pattern="dimples",
    ),
    "LedStrip": StandinLook(
        (0.9, 0.9, 0.85), 0.4, more=("SFFloat emissiveIntensity 1",), pattern="lamps"
    ),
    "LightParquetry": StandinLook((0.78, 0.62, 0.42), 0.5, pattern="planks"),
    "Marble": StandinLook((0.86, 0.82, 0.74), 0.2, pattern="veins"),
    "MarbleTiles": StandinLook((0.84, 0.82, 0.79), 0.2, pattern="veined_tiles"),
    "MatteCarPaint": StandinLook(roughness=0.95, tint="baseColor", scale=10.0),
    "MattePaint": StandinLook(roughness=0.95, tint="baseColor", scale=10.0),
    "MetalPipePaint": StandinLook((0.55, 0.56, 0.5), 0.6, 0.4, tint="", pattern="plaster"),
    "MetalStainlessSteelCable": StandinLook((0.6, 0.61, 0.62), 0.35, 1.0, tint="", pattern="waves"),
    "MosaicParquetry": StandinLook((0.62, 0.44, 0.27), 0.5, pattern="mosaic_wood"),
    "OldPlywood": StandinLook((0.6, 0.48, 0.34), 0.85, pattern="grain"),
    "OldSteel": StandinLook((0.42, 0.41, 0.4), 0.6, 0.8, pattern="rust"),
    "OsbWood": StandinLook((0.75, 0.6, 0.4), 0.85, pattern="flakes"),
    "PaintedWood": StandinLook((0.95, 0.94, 0.92), 0.6, pattern="plaster"),
    "Parquetry": StandinLook(
        (0.62, 0.44, 0.27),
        0.5,
        kind="type",
        kinds={
            "mosaic": (0.62, 0.44, 0.27),
            "chequered": (0.66, 0.48, 0.3),
            "dark strip": (0.35, 0.22, 0.14),
            "light strip": (0.78, 0.62, 0.42),
        },
        pattern="mosaic_wood",
        kind_patterns={
            "chequered": "checker_wood",
            "dark strip": "planks",
            "light strip": "planks",
        },
    ),
    "Pavement": StandinLook(
        (0.5, 0.42, 0.35),
        0.9,
        kind="type",
        kinds={
            "braun square stone": (0.5, 0.42, 0.35),
            "black stone": (0.22, 0.22, 0.23),
            "braun stone": (0.52, 0.43, 0.34),
            "grid": (0.55, 0.55, 0.54),
            "slate": (0.36, 0.39, 0.42),
            "tiles": (0.62, 0.6, 0.57),
        },
        pattern="tiles",
        kind_patterns={"black stone": "stones", "braun stone": "stones", "slate": "stones"},
    ),
    "Pcb": StandinLook((0.06, 0.32, 0.14), 0.4, tint="", pattern="traces"),
    "PerforatedMetal": StandinLook((0.6, 0.61, 0.63), 0.4, 0.9, pattern="holes"),
    "Plaster": StandinLook((0.9, 0.88, 0.84), 0.95, pattern="plaster"),
    "Plastic": StandinLook(
        roughness=0.5, kind="type", kinds={"rough": (1, 1, 1), "padded": (1, 1, 1)}
    ),
    "PorcelainChevronTiles": StandinLook((0.87, 0.86, 0.83), 0.25, pattern="chevrons"),
    "RedBricks": StandinLook((0.6, 0.28, 0.2), 0.9, tint="", pattern="bricks"),
    "ReflectiveSurface": StandinLook(
        (0.9, 0.9, 0.92),
        0.05,
        0.5,
        tint="baseColorMap",
        more=(
            "SFFloat metalness 0.5",
            "SFColor emissiveColor 0 0 0",
            "SFFloat emissiveIntensity 1",
            "SFBool useBaseColorMap TRUE",
        ),
    ),
    "RoughConcrete": StandinLook((0.58, 0.57, 0.55), 0.95, pattern="speckles"),
    "RoughOak": StandinLook((0.58, 0.42, 0.27), 0.85, pattern="grain"),
    "RoughPine": StandinLook((0.78, 0.62, 0.42), 0.85, pattern="grain"),
    "RoughPolymer": StandinLook(roughness=0.8, tint="baseColor"),
    "RoughTiles": StandinLook((0.66, 0.6, 0.53), 0.8, pattern="tiles"),
    "Roughcast": StandinLook((0.88, 0.86, 0.82), 0.95, pattern="plaster"),
    "Rubber": StandinLook(
        (0.07, 0.07, 0.07),
        0.9,
        tint="",
        kind="type",
        kinds={"flat": (0.07, 0.07, 0.07), "dotted": (0.1, 0.1, 0.1)},
        kind_patterns={"dotted": "squares"},
    ),
    "RustyMetal": StandinLook(
        (0.48, 0.27, 0.17), 0.85, 0.5, more=("SFInt32 rustLevel 1",), pattern="rust"
    ),
    "Sand": StandinLook((0.82, 0.72, 0.52), 1.0, tint="", pattern="speckles"),
    "SandyGround": StandinLook((0.72, 0.62, 0.45), 1.0, scale=4.0, pattern="speckles"),
    "ScratchedPaint": StandinLook(
        (0.9, 0.9, 0.9), 0.5, more=("SFBool metalScratch TRUE",), pattern="patches"
    ),
    "ScrewThread": StandinLook((0.62, 0.62, 0.63), 0.4, 0.9, pattern="waves"),
    "ScuffedPlastic": StandinLook((0.75, 0.75, 0.74), 0.6, pattern="plaster"),
    "ShinyLeather": StandinLook((0.4, 0.38, 0.36), 0.3, scale=4.0, pattern="dimples"),
    "SlatePavement": StandinLook((0.36, 0.39, 0.42), 0.9, pattern="stones"),
    "Soil": StandinLook(
        (0.36, 0.26, 0.17),
        1.0,
        tint="color",
        kind="type",
        kinds={"braun": (0.36, 0.26, 0.17), "grey": (0.42, 0.4, 0.38)},
        pattern="speckles",
    ),
    "SolarCell": StandinLook((0.08, 0.1, 0.25), 0.25, tint="", pattern="solar"),
    "SquarePavement": StandinLook((0.55, 0.54, 0.52), 0.9, pattern="tiles"),
    "StonePavement": StandinLook((0.52, 0.5, 0.47), 0.9, pattern="stones"),
    "ThreadMetalPlate": StandinLook(
        (0.55, 0.56, 0.58),
        0.4,
        0.9,
        kind="type",
        kinds={"oval": (0.55, 0.56, 0.58), "square": (0.5, 0.51, 0.53)},
        pattern="ovals",
        kind_patterns={"square": "squares"},
    ),
    "TireRubber": StandinLook(
        (0.08, 0.08, 0.08),
        0.95,
        tint="",
        kind="type",
        kinds={"car": (0.08, 0.08, 0.08), "bike": (0.1, 0.1, 0.1)},
        pattern="waves",
    ),
    "VarnishedPine": StandinLook(
        (1.0, 0.98, 0.92), 0.3, tint_default=(0.8039, 0.6745, 0.5764), pattern="grain"
    ),
    "WireFence": StandinLook((0.55, 0.57, 0.58), 0.5, 0.8, opacity=0.5, pattern="wires"),
    "WornBurlap": StandinLook((0.6, 0.48, 0.33), 1.0, pattern="cloth"),
}
"""Standard appearances by name."""


_OLD_FIELDS: Final = ("SFNode environmentMap NULL",)
"""What all of them had in releases before R2019a, and worlds of then may set."""


def look_text(name: str) -> str:
    """Return the text of the PROTO file of an appearance."""
    look = LOOKS[name]
    transform = "NULL"
    if look.scale is not None:
        transform = f"TextureTransform {{ scale {look.scale:g} {look.scale:g} }}"
    fields = [f"SFColor {look.tint} {_words(look.tint_default)}"] if look.tint else []
    if look.kind:
        fields.append(f'SFString {look.kind} "{next(iter(look.kinds))}"')
    fields += [f"SFNode textureTransform {transform}", "SFFloat IBLStrength 1"]
    lines = [f"  field {item}" for item in fields]
    lines += [f"  unconnectedField {item}" for item in (*look.more, *_OLD_FIELDS)]
    interface = "\n".join(lines)
    return f"""#VRML_SIM R2025a utf8
# license: Apache License 2.0
# template language: javascript
# solidbody's own {name}: a colour of ours under a pattern of ours.

PROTO {name} [
{interface}
]
{{
  %<
    const kinds = {{{", ".join(f'"{key}": [{_words(color, ", ")}]' for key, color in look.kinds.items())}}};
    const patterns = {{{_patterns(look)}}};
    const pattern = {f"patterns[fields.{look.kind}.value] || " if look.kind_patterns else ""}"{look.pattern}";
    const color = {f"kinds[fields.{look.kind}.value] || " if look.kind else ""}[{_words(look.color, ", ")}];
    const tint = {f"fields.{look.tint}.value" if look.tint else "{r: 1, g: 1, b: 1}"};
  >%
  PBRAppearance {{
    baseColor %<= color[0] * tint.r >% %<= color[1] * tint.g >% %<= color[2] * tint.b >%
    %< if (pattern) {{ >%
    baseColorMap ImageTexture {{ url "textures/%<= pattern >%.png" }}
    %< }} >%
    roughness {look.roughness:g}
    metalness {look.metalness:g}
    transparency {1.0 - look.opacity:g}
    textureTransform IS textureTransform
    IBLStrength IS IBLStrength
  }}
}}
"""


def _words(color: Color, separator: str = " ") -> str:
    return separator.join(f"{part:g}" for part in color)


def _patterns(look: StandinLook) -> str:
    return ", ".join(f'"{kind}": "{pattern}"' for kind, pattern in look.kind_patterns.items())
