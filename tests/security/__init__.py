"""Attacks: what must not be done to a simulator, tried."""
