"""Reads body files (`.body`) into bodies of the model."""
