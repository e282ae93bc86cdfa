"""Tests of what a simulation sounds like."""
