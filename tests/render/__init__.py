"""Tests of the ray engine."""
