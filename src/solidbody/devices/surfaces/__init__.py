"""What devices change in the look of the world: `looks` holds it, `instants` keeps it for pictures."""
