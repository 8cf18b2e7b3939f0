"""Inference: distributions of variables given evidence."""
