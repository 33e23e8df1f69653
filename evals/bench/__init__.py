"""Speed, as ratios and percentiles of one run: `python -m evals.bench --json`. Never a timed test."""
