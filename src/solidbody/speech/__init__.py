"""Text to speech: English by rules and formants, other languages by eSpeak NG if it is installed."""
