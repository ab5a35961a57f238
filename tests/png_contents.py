"""PNG files as tests compare them: the same pixels may be compressed to other bytes from one time to the next."""

from collections.abc import Mapping

from tetrad.rows.png_content import png_content


def contents_of(pictures: Mapping[str, bytes]) -> dict[str, tuple[bytes, bytes]]:
    """Return the header and the filtered rows of each picture, by its name."""
    return {name: png_content(body) for name, body in pictures.items()}
