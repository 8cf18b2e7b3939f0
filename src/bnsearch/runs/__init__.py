"""Problems, runs, stopping rules, traces and results."""
