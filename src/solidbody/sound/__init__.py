"""Sound of a simulation: contacts, motors and speakers, mixed in step with it."""
