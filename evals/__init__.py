"""Where every claim about the package is earned: `python -m evals.NAME`."""
