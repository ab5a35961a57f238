"""People who can be posed, and things: drawn once as layers, composed to scenes."""
