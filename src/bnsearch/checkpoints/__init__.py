"""Checkpoints: the state of a run in a folder, from which a later run continues."""
