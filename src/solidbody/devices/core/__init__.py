"""What all devices share: binding to links, the sampling clock, groups, places, the engine."""
