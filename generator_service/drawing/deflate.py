"""DEFLATE in both directions (RFC 1950): Intel's ISA-L, and zlib where ISA-L has no wheel.

What `decompress` gives is the same with either. The bytes of `compress` are not: ISA-L compresses by what the processor
can do.
"""

import zlib

try:
    from isal import isal_zlib
except ImportError:
    compress, decompress = zlib.compress, zlib.decompress
else:
    compress, decompress = isal_zlib.compress, isal_zlib.decompress  # a quarter and over half of zlib's time

__all__ = ["compress", "decompress"]
