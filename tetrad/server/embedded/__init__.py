"""The whole service on one machine: processes on loopback, one folder of data, nothing to configure.

It separates processes, their environments and their tokens, not file access: all run as one user over one
folder. For more, see deploy/compose.yaml.
"""
