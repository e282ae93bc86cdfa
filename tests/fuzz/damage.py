"""Damage to bytes and texts, by chance: the same for the same chance."""

from __future__ import annotations

import random
import re
import struct
import zlib
from collections.abc import Sequence

NUMBERS = (
    *("0", "-0", "-1", "1", "2", "3", "7", "1e-320", "1e-30", "1e9", "1e30", "1e300", "-1e300"),
    *("1e999", "-1e999", "nan", "-nan", "inf", "Infinity", "3.4028235e38", "1e38", "0x10", "1_0"),
    *("2147483647", "2147483648", "-2147483648", "4294967295", "4294967296", "9" * 25, "9" * 5000),
    *("1.", ".5", "+1", "1e", "1e+", "--1", "1,5", "٣", "²", "½"),
)
"""Numbers that readers get wrong."""

ODD_TEXT = (
    *("\0", "\ufeff", "é☃", "\u202e", "\U0001f916", "\x1b[2J", "\r", "\x0b", "\x85", "\u2028"),
    *("<script>alert(1)</script>", "../../../x", "//host/share", "file:///etc/passwd", "a" * 3000),
)

EXTREMES = (0, 1, 2, 3, 4, 7, 8, 16, 127, 128, 255, 256, 32767, 32768, 65535, 65536)
BIG = (2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 2, 10**9, 20_000)


def damaged_bytes(data: bytes, chance: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """Return bytes with one to six kinds of damage: flips, cuts, splices, false lengths."""
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 6))):
        if not out:
            break
        i = chance.randrange(len(out))
        match chance.randrange(11):
            case 0:  # one bit
                out[i] ^= 1 << chance.randrange(8)
            case 1:  # one byte
                out[i] = chance.randrange(256)
            case 2:  # the rest goes
                del out[i:]
            case 3:  # a stretch goes
                del out[i : i + chance.randint(1, 32)]
            case 4:  # a stretch comes twice, or very often
                times = chance.choice((1, 1, 2, 200))
                out[i:i] = out[i : i + chance.randint(1, 32)] * times
            case 5:  # a stretch of another file
                other = chance.choice(others) if others else bytes(out)
                j = chance.randrange(max(len(other), 1))
                out[i:i] = other[j : j + chance.randint(1, 200)]
            case 6 | 7 | 8:  # a field is given another number, most often near the start
                k = i if chance.random() < 0.4 else chance.randrange(min(len(out), 100))
                _put_number(out, k, chance)
            case 9:  # noise
                size = chance.randint(1, 16)
                out[i : i + size] = chance.randbytes(size)
            case _:  # zeros or ones
                size = chance.choice((1, 2, 4, 8, 64))
                out[i : i + size] = chance.choice((b"\0", b"\xff")) * size
    return bytes(out)


def _put_number(out: bytearray, at: int, chance: random.Random) -> None:
    order = chance.choice("<>")
    match chance.randrange(5):
        case 0:
            part = struct.pack("B", chance.choice(EXTREMES) & 0xFF)
        case 1:
            part = struct.pack(order + "H", chance.choice(EXTREMES) & 0xFFFF)
        case 2 | 3:
            part = struct.pack(order + "I", chance.choice((*EXTREMES, *BIG, len(out))))
        case _:
            odd = (float("nan"), float("inf"), -1e30, 1e38, 1e-40, 0.0)
            part = struct.pack(order + chance.choice("fd"), chance.choice(odd))
    out[at : at + len(part)] = part


def with_png_sums(data: bytes) -> bytes:
    """Return a PNG whose chunks have right checksums again, as far as it still has chunks."""
    out, at = bytearray(data), 8
    while at + 12 <= len(out):
        (size,) = struct.unpack_from(">I", out, at)
        end = at + 8 + size
        if end + 4 > len(out):
            break
        struct.pack_into(">I", out, end, zlib.crc32(bytes(out[at + 4 : end])))
        at = end + 4
    return bytes(out)


_PIECE = re.compile(r'"[^"\n]*"|[A-Za-z_][\w.:-]*|[-+]?[\d.][\w.+-]*|\s+|.', re.DOTALL)
_NUMBER = re.compile(r"[-+]?(\d|\.\d)")


def damaged_text(
    text: str, chance: random.Random, words: Sequence[str] = (), *, gentle: float = 0.6
) -> str:
    """Return a text with one to six of its pieces changed, cut, doubled or exchanged.

    Args:
        text: A sound text.
        chance: Chooses.
        words: Words of the language, put in among others.
        gentle: Share of the copies in which only numbers and words change, so that the syntax stays sound.
    """
    pieces = _PIECE.findall(text)
    is_gentle = chance.random() < gentle
    for _ in range(chance.choice((1, 1, 2, 2, 3, 6))):
        if not pieces:
            break
        if is_gentle:
            _change_one(pieces, chance, words)
        else:
            _break_one(pieces, chance, words)
    return "".join(pieces)


def _change_one(pieces: list[str], chance: random.Random, words: Sequence[str]) -> None:
    numbers = [k for k, piece in enumerate(pieces) if _NUMBER.match(piece)]
    names = [k for k, piece in enumerate(pieces) if piece[:1].isalpha() or piece[:1] in ('"', "_")]
    if numbers and (chance.random() < 0.6 or not names):
        k = chance.choice(numbers)
        pieces[k] = chance.choice(NUMBERS) if chance.random() < 0.8 else f"{chance.gauss(0, 10):g}"
    elif names:
        k = chance.choice(names)
        other = pieces[chance.choice(names)]
        if words and chance.random() < 0.6:
            other = chance.choice(words)
        pieces[k] = other
        if chance.random() < 0.1:
            pieces[k] = f'"{chance.choice(ODD_TEXT)}"'


def _break_one(pieces: list[str], chance: random.Random, words: Sequence[str]) -> None:
    i = chance.randrange(len(pieces))
    match chance.randrange(10):
        case 0:
            del pieces[i]
        case 1:
            del pieces[i : i + chance.randint(1, 40)]
        case 2:
            del pieces[i:]
        case 3:
            j = chance.randrange(len(pieces))
            pieces[i], pieces[j] = pieces[j], pieces[i]
        case 4:
            pieces[i:i] = pieces[i : i + chance.randint(1, 40)] * chance.choice((1, 1, 3, 50))
        case 5:
            pieces.insert(i, f" {chance.choice((*words, *NUMBERS, *ODD_TEXT))} ")
        case 6:
            pieces[i] = chance.choice((*words, *NUMBERS, *ODD_TEXT))
        case 7:  # nest
            opening = "".join(pieces[i : i + chance.randint(1, 8)])[:60]
            pieces.insert(i, opening * chance.choice((3, 30, 300, 3000)))
        case 8:
            piece = pieces[i]
            k = chance.randrange(len(piece) + 1)
            pieces[i] = piece[:k] + chr(chance.randint(1, 0x2FF)) + piece[k + 1 :]
        case _:
            _change_one(pieces, chance, words)


def encoded(text: str, chance: random.Random) -> bytes:
    """Return a text as bytes: nearly always UTF-8, sometimes in another encoding or with wrong bytes."""
    match chance.randrange(40):
        case 0:
            return text.encode("latin-1", "replace")
        case 1:
            return text.encode("utf-16", "replace")
        case 2:
            return b"\xef\xbb\xbf" + text.encode("utf-8", "replace")
        case 3:
            return damaged_bytes(text.encode("utf-8", "replace"), chance)
        case 4:
            return text.encode("shift-jis", "replace")
        case _:
            return text.encode("utf-8", "replace")
