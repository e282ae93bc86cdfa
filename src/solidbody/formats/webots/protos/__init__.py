"""PROTOs of Webots: where they come from, templates in their bodies, hidden values of instances."""
