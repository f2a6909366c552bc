"""The near side of the sandbox's server: starts the fresh interpreter, makes connections to it, ends it."""

import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from commons.sandbox_far import wire

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 120.0  # importing SymPy on a busy machine
# nothing of the user and no editable install can be imported, so no repository with questions in it
FLAGS = ("-P", "-s", "-S", "-X", "utf8")
MAIN = """
import sys
sys.path.insert(0, sys.argv[1])
from commons.sandbox_far.server import main
main(sys.argv[2], sys.argv[4:], sys.argv[3])
"""
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",  # sets print in the same order
    "PATH": "/usr/bin:/bin",
    "OMP_NUM_THREADS": "1",  # a thread is a process to the limit of processes
    "OPENBLAS_NUM_THREADS": "1",
}


class ServerFailed(Exception):
    """The sandbox's own process did not start or is gone; says why. Never the fault of a program's answer."""


class Server:
    """One server process; any thread may connect to it. `refused` maps what the kernel did not give to why."""

    def __init__(self, preload: str) -> None:
        self.folder = tempfile.mkdtemp(prefix="sandbox-")
        os.chmod(self.folder, 0o711)  # the user nobody passes through to its own folder
        self._near, far = socket.socketpair()
        paths = sysconfig.get_paths()
        libraries = dict.fromkeys((paths["purelib"], paths["platlib"]))
        try:
            self.process = subprocess.Popen(
                [sys.executable, *FLAGS, "-c", MAIN, str(ROOT), self.folder, preload, *libraries],
                stdin=far.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=ENVIRONMENT,
                cwd=self.folder,
                start_new_session=True,
            )
        except OSError as error:
            self._near.close()
            os.rmdir(self.folder)
            raise ServerFailed(f"the sandbox did not start: {error.strerror}") from None
        finally:
            far.close()
        hello = wire.receive(self._near, START_SECONDS)
        if hello is None:
            self.process.kill()
            words = self._last_words()
            self.stop()
            raise ServerFailed(f"the sandbox did not start: {words}")
        assert self.process.stderr is not None
        self.process.stderr.close()
        self.refused: dict[str, str] = hello["refused"]
        if hello["own_root"]:
            shutil.rmtree(self.folder)  # the server stands in a root of its own: nothing is left here, even by a kill

    def connect(self) -> socket.socket:
        """A connection to the guard of a new program. Raises ServerFailed when the server is gone."""
        near, far = socket.socketpair()
        try:
            socket.send_fds(self._near, [b"+"], [far.fileno()])
        except OSError as error:
            near.close()
            raise ServerFailed(f"the sandbox's server is gone: {error.strerror}") from None
        finally:
            far.close()
        return near

    def stop(self) -> None:
        """End the server; its guards and their programs end with it."""
        self._near.close()
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _last_words(self) -> str:
        lines = self.process.communicate()[1].decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else f"exit code {self.process.returncode}"
