"""Files to begin with: new projects, and the examples that come along."""
