"""Project files (`.cnoid`) to scenes."""
