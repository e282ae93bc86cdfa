"""Ray tracing: one engine for all sensors that look, on the processor or on a graphics card."""
