"""What all devices share: binding to links, the sampling clock, groups, frames, the device engine."""
