"""Runs as arrays: recordings read back, logs in memory, tables and plots of both."""
