"""A port for a server of one test.

From the operating system, which does not hand out the same one twice in a row: a server that looks for a free port
by itself starts from a fixed one, and two workers of pytest then race for it.
"""

from tetrad.server.embedded.data_directory import free_ports


def free_port() -> int:
    return free_ports(1)[0]
