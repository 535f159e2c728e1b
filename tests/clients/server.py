"""A `todori serve` to talk to: over stdio it is the client's child, over HTTP it runs here until the story is told."""

import contextlib
import re
import subprocess
import tempfile


def stdio_arguments(folder):
    return ["serve", "--project", folder, "--toolsets", "all"]


@contextlib.contextmanager
def over_http(todori):
    """A server on a free port of this machine; gives its URL."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [todori, "serve", "--project", folder, "--toolsets", "all", "--http", "127.0.0.1:0"]
        server = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)
        try:
            line = server.stderr.readline()
            yield re.search(r"http://\S+", line).group(0)
        finally:
            server.terminate()
            if server.wait(timeout=30) != 0:
                raise AssertionError("the server did not end cleanly")
