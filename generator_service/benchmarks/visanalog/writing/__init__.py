"""Questions about photographs that a model writes and two models check: an offline job with a report."""
