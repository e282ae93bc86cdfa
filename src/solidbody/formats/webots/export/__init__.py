"""From the common model to Webots nodes."""
