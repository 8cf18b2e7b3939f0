"""The report page: one HTML file that shows a network, its probabilities and the run that found it."""
