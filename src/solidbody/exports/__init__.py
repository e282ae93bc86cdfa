"""Writes scenes in every format: those of `formats/`, and those that need the compiler."""
