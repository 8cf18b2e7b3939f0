"""Limits of a computation: time, memory, threads, stop requests, signals and progress events."""
