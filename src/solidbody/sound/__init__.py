"""What a simulation sounds like: contacts, motors and speakers, mixed in step with it."""
