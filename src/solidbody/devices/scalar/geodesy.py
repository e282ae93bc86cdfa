"""Geographic coordinates: UTM to latitude and longitude on WGS84, and back.

The series of Krueger to the third order in the flattening's n, good to less than a millimetre
within a UTM zone.
"""

from __future__ import annotations

import math
from typing import Final

_A: Final = 6378137.0
_F: Final = 1 / 298.257223563
_N: Final = _F / (2 - _F)
_K0: Final = 0.9996
_FALSE_EAST: Final = 500000.0
_FALSE_NORTH: Final = 10000000.0
_RADIUS: Final = _A / (1 + _N) * (1 + _N**2 / 4 + _N**4 / 64)

_ALPHA: Final = (
    _N / 2 - 2 * _N**2 / 3 + 5 * _N**3 / 16,
    13 * _N**2 / 48 - 3 * _N**3 / 5,
    61 * _N**3 / 240,
)
_BETA: Final = (
    _N / 2 - 2 * _N**2 / 3 + 37 * _N**3 / 96,
    _N**2 / 48 + _N**3 / 15,
    17 * _N**3 / 480,
)

_E: Final = math.sqrt(_F * (2 - _F))


def zone_of(longitude: float) -> int:
    """Return the UTM zone (1 to 60) of a longitude [degrees]."""
    return int((longitude + 180.0) // 6) % 60 + 1


def _central(zone: int) -> float:
    return math.radians(zone * 6 - 183)


def to_utm(latitude: float, longitude: float, zone: int) -> tuple[float, float]:
    """Return (east, north) [m] of a place [degrees] in a zone; the south has its false northing."""
    phi, lam = math.radians(latitude), math.radians(longitude) - _central(zone)
    t = math.sinh(math.atanh(math.sin(phi)) - _E * math.atanh(_E * math.sin(phi)))
    xi = math.atan2(t, math.cos(lam))
    eta = math.atanh(math.sin(lam) / math.sqrt(1 + t * t))
    east, north = eta, xi
    for j, a in enumerate(_ALPHA, start=1):
        east += a * math.cos(2 * j * xi) * math.sinh(2 * j * eta)
        north += a * math.sin(2 * j * xi) * math.cosh(2 * j * eta)
    scale = _K0 * _RADIUS
    return _FALSE_EAST + scale * east, scale * north + (_FALSE_NORTH if latitude < 0 else 0.0)


def from_utm(east: float, north: float, zone: int, *, south: bool) -> tuple[float, float]:
    """Return (latitude, longitude) [degrees] of a place in a zone."""
    scale = _K0 * _RADIUS
    xi = (north - (_FALSE_NORTH if south else 0.0)) / scale
    eta = (east - _FALSE_EAST) / scale
    xi1, eta1 = xi, eta
    for j, b in enumerate(_BETA, start=1):
        xi1 -= b * math.sin(2 * j * xi) * math.cosh(2 * j * eta)
        eta1 -= b * math.cos(2 * j * xi) * math.sinh(2 * j * eta)
    chi = math.asin(math.sin(xi1) / math.cosh(eta1))
    # isometric latitude psi = atanh(sin phi) - e atanh(e sin phi): a contraction by e^2 = 0.0067
    psi = math.atanh(math.sin(chi))
    phi = chi
    for _ in range(8):
        phi = math.asin(math.tanh(psi + _E * math.atanh(_E * math.sin(phi))))
    lam = _central(zone) + math.atan2(math.sinh(eta1), math.cos(xi1))
    return math.degrees(phi), math.degrees(lam)
