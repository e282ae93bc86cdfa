"""`Policy`: from observations to actions by layers of numbers; a file of it is plain JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import SolidbodyError

Floats = NDArray[np.float64]

MOST_BYTES: Final = 64 * 2**20
"""Of a file that is read."""

LEAST_DEVIATION: Final = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """a = clip(L(o'), low, high) with o' = (o - mean) / deviation and dense layers L, tanh between them.

    Attributes:
        mean: Of observations.
        deviation: Standard deviation of observations, > 0.
        layers: Weights (out, in) and biases (out,) of each layer.
        low: Least actions.
        high: Greatest actions.
    """

    mean: Floats
    deviation: Floats
    layers: tuple[tuple[Floats, Floats], ...]
    low: Floats
    high: Floats

    def __post_init__(self) -> None:
        size = self.mean.size
        if not self.layers or self.deviation.shape != (size,) or not (self.deviation > 0.0).all():
            raise ValueError("a policy has layers, and a deviation above 0 for each observation")
        for weights, biases in self.layers:
            if weights.ndim != 2 or weights.shape != (biases.size, size):
                raise ValueError(
                    f"a layer of {size} inputs cannot have weights of shape {weights.shape}"
                    f" and {biases.size} biases"
                )
            size = biases.size
        if self.low.shape != (size,) or self.high.shape != (size,):
            raise ValueError(f"a policy of {size} actions needs as many bounds")
        numbers = [self.mean, self.deviation, self.low, self.high]
        numbers += [part for layer in self.layers for part in layer]
        if not all(np.isfinite(part).all() for part in numbers):
            raise ValueError("a policy is made of finite numbers")

    def __call__(self, observations: Any) -> Floats:
        """Return the actions for one observation or for rows of them."""
        values = np.asarray(observations, dtype=np.float64)
        is_one = values.size == self.mean.size
        values = (values.reshape(-1, self.mean.size) - self.mean) / self.deviation
        for k, (weights, biases) in enumerate(self.layers):
            values = (np.tanh(values) if k else values) @ weights.T + biases
        actions = np.clip(values, self.low, self.high)
        return actions[0] if is_one and np.ndim(observations) <= 1 else actions

    def to_json(self) -> dict[str, Any]:
        """Return the policy as plain data."""
        return {
            "format": "solidbody policy 1",
            "mean": self.mean.tolist(),
            "deviation": self.deviation.tolist(),
            "layers": [{"weights": w.tolist(), "biases": b.tolist()} for w, b in self.layers],
            "low": self.low.tolist(),
            "high": self.high.tolist(),
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the policy to a file."""
        Path(path).write_text(json.dumps(self.to_json()), encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Policy:
        """Read a policy; SolidbodyError if the file holds none."""
        place = Path(path)
        try:
            if place.stat().st_size > MOST_BYTES:
                raise ValueError(f"it is larger than {MOST_BYTES} bytes")
            data = json.loads(place.read_text(encoding="utf-8"))
            return cls(
                mean=_numbers(data["mean"]),
                deviation=_numbers(data["deviation"]),
                layers=tuple(
                    (_numbers(layer["weights"]), _numbers(layer["biases"]))
                    for layer in data["layers"]
                ),
                low=_numbers(data["low"]),
                high=_numbers(data["high"]),
            )
        except KeyError as error:
            raise SolidbodyError(f"{place} holds no policy: {error} is missing") from error
        except (OSError, ValueError, TypeError, RecursionError) as error:
            raise SolidbodyError(f"{place} holds no policy: {error}") from error


def _numbers(values: Any) -> Floats:
    return np.array(values, dtype=np.float64)


def dense_policy(
    layers: Sequence[tuple[Any, Any]],
    *,
    low: Any,
    high: Any,
    mean: Any = None,
    deviation: Any = None,
) -> Policy:
    """Return the policy of a network that was trained elsewhere, with tanh between its layers.

    Args:
        layers: Weights (out, in) and biases (out,), as arrays or tensors.
        low: Least actions.
        high: Greatest actions.
        mean: Of observations; None = 0.
        deviation: Of observations; None = 1.
    """
    found = tuple((_numbers(weights), _numbers(biases)) for weights, biases in layers)
    size = found[0][0].shape[1]
    return Policy(
        np.zeros(size) if mean is None else _numbers(mean),
        np.ones(size) if deviation is None else _numbers(deviation),
        found,
        _numbers(low),
        _numbers(high),
    )
