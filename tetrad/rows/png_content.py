"""What a PNG of ours holds, whichever compressor wrote it: two with equal content show equal pixels.

Our encoder filters each row in one way, so the pixels determine the bytes before compression.
"""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"  # ISO/IEC 15948, 5.2
HEAD_BYTES, CHECK_BYTES = 8, 4  # of a chunk: length and type; its CRC
HEADER = slice(16, 29)  # the body of the first chunk
CHECKSUM = slice(-20, -16)  # what ends the last data, before that chunk's CRC and the end's 12 bytes


def png_content(png: bytes) -> tuple[bytes, bytes]:
    """Return the header of a PNG and its filtered rows, decompressed.

    Raises:
        ValueError: it is none, or damaged.
    """
    if not png.startswith(SIGNATURE):
        raise ValueError("it does not begin as a PNG does")
    header, packed, place = b"", bytearray(), len(SIGNATURE)
    try:
        while place < len(png):
            size, kind = struct.unpack_from(">I4s", png, place)
            body = png[place + HEAD_BYTES : place + HEAD_BYTES + size]
            (check,) = struct.unpack_from(">I", png, place + HEAD_BYTES + size)
            if check != zlib.crc32(kind + body):
                raise ValueError(f"its chunk {kind!r} is damaged")
            header = body if kind == b"IHDR" else header
            packed += body if kind == b"IDAT" else b""
            place += HEAD_BYTES + size + CHECK_BYTES
        return header, zlib.decompress(packed)
    except (struct.error, zlib.error) as error:
        raise ValueError(f"it is cut off or damaged ({error})") from error


def png_checksum(png: bytes) -> tuple[bytes, bytes]:
    """Return what is equal where the contents are: the header, and the Adler-32 (RFC 1950) of the filtered rows.

    Nothing is decompressed, which would take a millisecond. What is no PNG stands for itself.
    """
    return (png[HEADER], png[CHECKSUM]) if png.startswith(SIGNATURE) else (png, b"")
