"""Sources: where pictures and annotations come from, in one content-addressed store."""
