"""Older Webots releases: which one a file was written for, and its form of today (docs/behaviour, W1.7)."""
