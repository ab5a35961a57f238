"""A room with one piece of furniture and one or two props: drawn in layers once, put together in a moment."""
