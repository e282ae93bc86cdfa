"""Many copies of one simulation: arrays over copies, channels, native threads."""
