"""Tools of no package in particular: files, words of errors, threads, memory, things made by name."""
