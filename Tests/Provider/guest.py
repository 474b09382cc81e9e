"""For a provider that a test starts: it ends with the test."""

import os
import shutil
import threading


def leave_with_the_host(folder):
    """Ends this process, and takes `folder` along, when standard input is closed."""

    def wait():
        while os.read(0, 4096):
            pass
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()
