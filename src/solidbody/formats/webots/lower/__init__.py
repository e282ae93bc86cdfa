"""From checked Webots nodes to the common model."""
