"""Tests, run from the repository root; `tests.ode` and `benchmarks` are imported by name."""
