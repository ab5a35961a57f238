"""Draw a room with a piece of furniture and one or two props: layers are drawn once and composed for each picture."""
