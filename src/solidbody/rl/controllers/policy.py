"""A policy in plain Python: dense layers with tanh between them, of numbers in a file of JSON."""

import json
import math
import os


class LearnedPolicy:
    """Maps what is observed to actions: clip(L(o'), low, high) with o' = (o - mean) / deviation."""

    def __init__(self, path):
        """Read the file, which stands beside this one unless its path says otherwise."""
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), path)) as file:
            data = json.load(file)
        self.mean, self.deviation = data["mean"], data["deviation"]
        self.layers = [(layer["weights"], layer["biases"]) for layer in data["layers"]]
        self.low, self.high = data["low"], data["high"]

    def __call__(self, observed):
        """Return the actions for a list of numbers."""
        if len(observed) != len(self.mean):
            raise ValueError(f"{len(self.mean)} numbers are wanted, {len(observed)} are observed")
        values = [(o - m) / d for o, m, d in zip(observed, self.mean, self.deviation)]
        for number, (weights, biases) in enumerate(self.layers):
            if number:
                values = [math.tanh(value) for value in values]
            values = [
                sum(w * value for w, value in zip(row, values)) + bias
                for row, bias in zip(weights, biases)
            ]
        bounds = zip(self.low, self.high)
        return [max(low, min(high, value)) for value, (low, high) in zip(values, bounds)]
