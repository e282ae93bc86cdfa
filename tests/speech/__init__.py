"""Tests of spoken texts."""
