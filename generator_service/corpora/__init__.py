"""Fixed corpora: the papers' original items, checked whole, copied and mounted by the operator, served unranked.

A layout (`kiva`, `marvel`) reads a folder or archive as its authors published it; the store keeps what passed under
the digest of its content; at the generator's start each mounted corpus becomes a benchmark of its own. Answers stay
inside the generator, but for the way every key goes: to scoring.
"""
