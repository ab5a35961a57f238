"""Wire types, by subject. Pure data: frozen, keyword-only, no machinery.

Requests derive from `Request` and refuse unknown fields; everything else derives from `Wire` and grows.
"""
