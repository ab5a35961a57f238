"""Baselines on embeddings: what a model of pictures answers by arithmetic, or after training on solved items."""
