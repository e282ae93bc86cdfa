"""Texts spoken aloud: English by rules and formants, other languages by eSpeak NG if it is there."""
