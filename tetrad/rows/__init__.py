"""Rows of practice questions: how one is made, its forms, and the files of an export.

contracts/rows.py describes the columns. The generator makes rows, the client fetches them, exports write them.
"""
