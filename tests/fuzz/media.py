"""Pictures, sounds, scans and motions."""

from __future__ import annotations

import io
import random
import struct
import warnings
from pathlib import Path

import numpy as np
from PIL import Image

from solidbody.base.pictures import PictureError
from solidbody.control.adapters.radar_and_speaker import wave_duration
from solidbody.control.client.controller.motion import MotionError, parse_motion
from solidbody.devices.actuators.canvas import load_pixels
from solidbody.devices.imaging.scan_files import read_angles
from solidbody.formats.images import check_image
from solidbody.render.panorama import decoded
from solidbody.render.texture_images import forget_images, load_image
from solidbody.sound.clips import read_wav
from solidbody.viewer.textures import encode_texture
from tests.fuzz.damage import damaged_bytes, damaged_text, encoded, with_png_sums
from tests.fuzz.kind import ACCEPTED, REFUSED, FaultError, Files, Kind, no_nan

# --------------------------------------------------------------------------------- seeds


def _picture(kind: str, mode: str, **options: object) -> bytes:
    size = (9, 7)
    ramp = np.arange(size[0] * size[1] * 4, dtype=np.uint8).reshape(size[1], size[0], 4)
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Image.fromarray(ramp).convert(mode).save(out, kind, **options)
    return out.getvalue()


def _film() -> bytes:
    frames = [Image.new("P", (5, 4), k) for k in range(3)]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], transparency=0)
    return out.getvalue()


PICTURES: dict[str, tuple[bytes, ...]] = {
    "png": (
        *(_picture("PNG", mode) for mode in ("RGB", "RGBA", "L", "P", "1", "LA")),
        _picture("PNG", "RGB", dpi=(72, 72)),
    ),
    "gif": (_picture("GIF", "P"), _picture("GIF", "L"), _film()),
    "tga": (
        *(_picture("TGA", mode) for mode in ("RGB", "RGBA", "L", "P")),
        _picture("TGA", "RGB", compression="tga_rle"),
    ),
    "jpeg": (
        _picture("JPEG", "RGB"),
        _picture("JPEG", "L"),
        _picture("JPEG", "CMYK"),
        _picture("JPEG", "RGB", progressive=True),
    ),
    "bmp": (_picture("BMP", "RGB"), _picture("BMP", "P"), _picture("BMP", "1")),
    "tiff": (
        _picture("TIFF", "RGB"),
        _picture("TIFF", "RGB", compression="tiff_lzw"),
        _picture("TIFF", "1", compression="group4"),
        _picture("TIFF", "RGBA", compression="tiff_deflate"),
    ),
    "hdr": (
        b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\nEXPOSURE=1\n\n-Y 2 +X 3\n" + bytes(range(24)),
        b"#?RGBE\n\n-Y 1 +X 8\n" + b"\x02\x02\x00\x08" + b"\x88\x10" * 4,
    ),
}


def _wave(width: int, channels: int, rate: int, count: int = 60) -> bytes:
    data = bytes(k % 256 for k in range(count * width * channels))
    form = struct.pack(
        "<HHIIHH", 1, channels, rate, rate * channels * width, channels * width, 8 * width
    )
    body = b"WAVE" + b"fmt " + struct.pack("<I", len(form)) + form
    body += b"LIST" + struct.pack("<I", 4) + b"INFO" + b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


WAVES = (
    _wave(2, 1, 44100),
    _wave(1, 2, 8000),
    _wave(3, 1, 48000),
    _wave(4, 2, 22050),
    _wave(2, 1, 1),
)
SCAN = "Time/s,Azimuth/deg,Zenith/deg\n0.1,10,80\n0.2,20,85.5\n0.3,-30,90\n"
MOTION = """#WEBOTS_MOTION,V1.0,neck,arm
00:00:000,Pose1,0.5,*
00:00:040,Pose2,0.6,-1
01:02:000,Pose3,*,1e-3
"""
MOTION_WORDS = [
    "*",
    "#WEBOTS_MOTION",
    "V1.0",
    "V1.1",
    "00:00:080",
    "Pose1",
    ",",
    ",,",
    "\n",
    "٣٣:00",
]

# --------------------------------------------------------------------------------- making


def _maker(kind: str):
    others = [item for items in PICTURES.values() for item in items]

    def make(chance: random.Random) -> Files:
        data = damaged_bytes(chance.choice(PICTURES[kind]), chance, others)
        if kind == "png" and chance.random() < 0.7:
            data = with_png_sums(data)
        return {f"a.{kind}": data}

    return make


def _wav(chance: random.Random) -> Files:
    return {"a.wav": damaged_bytes(chance.choice(WAVES), chance, WAVES)}


def _scan(chance: random.Random) -> Files:
    return {"a.csv": encoded(damaged_text(SCAN, chance, ["\n", ",", ",,"]), chance)}


def _motion(chance: random.Random) -> Files:
    return {"a.motion": encoded(damaged_text(MOTION, chance, MOTION_WORDS), chance)}


# --------------------------------------------------------------------------------- reading


def _read_picture(folder: Path) -> str:
    """Decode as the reader of worlds, the renderer, the page and displays do."""
    (path,) = folder.iterdir()
    verdict = REFUSED
    forget_images()
    try:
        pixels = load_image(path)
    except PictureError:
        pass
    else:
        if pixels.ndim != 3 or pixels.shape[2] != 4 or max(pixels.shape[:2]) > 2048:
            raise FaultError(f"pixels of the shape {pixels.shape}")
        encode_texture(pixels, (True, True))
        verdict = ACCEPTED
    try:
        load_pixels(path)
        verdict = ACCEPTED
    except OSError:
        pass
    except ValueError as error:
        if type(error) is not ValueError:
            raise
    check_image(path)
    if path.suffix == ".hdr":
        light = decoded(path.read_bytes())
        if not np.isfinite(light).all() or light.min() < 0.0:
            raise FaultError("light that is none")
        verdict = ACCEPTED
    return verdict


def _read_wave(folder: Path) -> str:
    wave_duration(folder / "a.wav")
    samples = read_wav(folder / "a.wav")
    no_nan(samples, "samples", no_infinity=True)
    if len(samples) and float(np.abs(samples).max()) > 1.0:
        raise FaultError("a sample is louder than 1")
    return ACCEPTED


def _read_scan(folder: Path) -> str:
    no_nan(read_angles(folder / "a.csv"), "angles", no_infinity=True)
    return ACCEPTED


def _read_motion(folder: Path) -> str:
    """As `Motion` does: bytes that are no text are refused by the file that opens it."""
    try:
        text = (folder / "a.motion").read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return REFUSED
    try:
        no_nan(parse_motion(text), "motion", no_infinity=True)
    except MotionError:
        return REFUSED
    return ACCEPTED


KINDS = (
    *(Kind(name, _maker(name), _read_picture, memory=900_000_000) for name in PICTURES),
    Kind("wav", _wav, _read_wave, refusals=(ValueError, OSError)),
    Kind("scan", _scan, _read_scan, refusals=(ValueError, OSError)),
    Kind("motion", _motion, _read_motion),
)
