"""Candidate parent sets: the table, its files and its builders."""
