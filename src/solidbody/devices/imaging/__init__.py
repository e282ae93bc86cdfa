"""Image sensors: cameras, range finders, lidars; pictures are rendered when they are read."""
