"""Many practice questions at once: their rows, and verdicts on replies to them. Nothing here knows a sealed draw."""
