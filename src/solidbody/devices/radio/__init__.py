"""Waves: packets between emitters and receivers, radars."""
