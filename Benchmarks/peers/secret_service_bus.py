"""A private session bus with gnome-keyring on it, in a folder of its own, with a keyring that is unlocked."""

import glob
import os
import secrets
import subprocess
import time

import secretstorage
from jeepney import DBusAddress, Properties, new_method_call
from jeepney.io.blocking import open_dbus_connection

from secret_service_file import keyring_file

NAME = "org.freedesktop.secrets"
SECRETS = DBusAddress("/org/freedesktop/secrets", NAME, "org.freedesktop.Secret.Service")
LOGIN = DBusAddress(SECRETS.object_path + "/collection/login", NAME, "org.freedesktop.Secret.Collection")
BUS = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
# As the session's bus is configured, but that nothing is started because somebody looks for it.
CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={path}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
  <limit name="max_incoming_bytes">1000000000</limit>
  <limit name="max_outgoing_bytes">1000000000</limit>
  <limit name="max_message_size">1000000000</limit>
  <limit name="auth_timeout">240000</limit>
  <limit name="max_completed_connections">100000</limit>
  <limit name="max_incomplete_connections">10000</limit>
  <limit name="max_connections_per_user">100000</limit>
  <limit name="max_names_per_connection">50000</limit>
  <limit name="max_match_rules_per_connection">50000</limit>
  <limit name="max_replies_per_connection">50000</limit>
</busconfig>
"""


class Service:
    def __init__(self, folder):
        self.password = secrets.token_hex(16)
        self.daemon = None
        for name in ("data/keyrings", "config", "cache", "run"):
            os.makedirs(f"{folder}/{name}", mode=0o700)
        self.file = f"{folder}/data/keyrings/login.keyring"
        self.log = f"{folder}/log"
        self.address = f"unix:path={folder}/run/bus"
        with open(f"{folder}/bus.conf", "w", encoding="ascii") as file:
            file.write(CONFIGURATION.format(path=f"{folder}/run/bus"))
        self.environment = {
            "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": folder, "XDG_DATA_HOME": f"{folder}/data",
            "XDG_CONFIG_HOME": f"{folder}/config", "XDG_CACHE_HOME": f"{folder}/cache",
            "XDG_RUNTIME_DIR": f"{folder}/run", "DBUS_SESSION_BUS_ADDRESS": self.address,
            # So that keyring need not find out what it could use.
            "PYTHON_KEYRING_BACKEND": "keyring.backends.SecretService.Keyring",
        }
        with open(self.log, "ab") as log:
            self.bus = subprocess.Popen(
                ["dbus-daemon", f"--config-file={folder}/bus.conf", "--nofork", "--print-address=1"],
                stdout=subprocess.PIPE, stderr=log, env=self.environment)
        if not self.bus.stdout.readline():
            raise RuntimeError("dbus-daemon does not start")

    def connection(self):
        return open_dbus_connection(self.address, auth_timeout=120)

    def start(self):
        """Starts the service; its keyring is read and unlocked then."""
        with open(self.log, "ab") as log:
            self.daemon = subprocess.Popen(
                ["gnome-keyring-daemon", "--foreground", "--components=secrets", "--unlock"],
                stdin=subprocess.PIPE, stdout=log, stderr=log, env=self.environment)
        self.daemon.stdin.write(self.password.encode())
        self.daemon.stdin.close()
        with self.connection() as connection:
            for _ in range(6_000):
                question = new_method_call(BUS, "NameHasOwner", "s", (NAME,))
                if connection.send_and_get_reply(question, timeout=120).body[0]:
                    return
                if self.daemon.poll() is not None:
                    break
                time.sleep(0.01)
        raise RuntimeError("gnome-keyring does not start; see " + self.log)

    def stop(self):
        if self.daemon is not None:
            self.daemon.kill()
            self.daemon.wait()
            self.daemon = None

    def items(self):
        """Label, attributes and secret of each item."""
        with self.connection() as connection:
            return [(item.get_label(), item.get_attributes(), item.get_secret())
                    for item in secretstorage.get_default_collection(connection).get_all_items()]

    def processor_time(self):
        """The seconds of processor time that the service and the bus have taken so far."""
        total = 0
        for process in (self.daemon, self.bus):
            for path in glob.glob(f"/proc/{process.pid}/task/*/schedstat"):
                try:
                    with open(path, encoding="ascii") as file:
                        total += int(file.read().split()[0])
                except FileNotFoundError:
                    pass  # A thread that has ended meanwhile.
        return total / 1e9

    def count(self):
        """How many items there are."""
        with self.connection() as connection:
            reply = connection.send_and_get_reply(Properties(LOGIN).get("Items"), timeout=600)
            return len(reply.body[0][1])

    def settle(self):
        """Waits until the service has done what it was asked for before; starts it anew where that takes too long."""
        try:
            with self.connection() as connection:
                connection.send_and_get_reply(new_method_call(SECRETS, "ReadAlias", "s", ("default",)), timeout=90)
        except TimeoutError:
            self.stop()
            self.start()

    def fill(self, items):
        """Puts these items in the place of all, and starts the service anew."""
        self.stop()
        content = keyring_file(items, self.password)
        with open(self.file, "wb") as file:
            file.write(content)
        os.chmod(self.file, 0o600)
        self.start()
        with self.connection() as connection:
            if secretstorage.get_default_collection(connection).is_locked():
                raise RuntimeError("gnome-keyring does not take the file")

    def end(self):
        self.stop()
        self.bus.kill()
        self.bus.wait()
        self.bus.stdout.close()
