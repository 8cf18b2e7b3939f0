"""Searches that evolve a population of networks: one published method, one file."""
