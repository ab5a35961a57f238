"""A room with one piece of furniture and one or two wares: drawn in layers once, put together in a moment."""
