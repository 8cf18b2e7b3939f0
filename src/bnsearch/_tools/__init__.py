"""Utilities for all packages: files, error messages, threads, memory, registries of classes."""
