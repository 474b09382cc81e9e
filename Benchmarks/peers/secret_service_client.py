#!/usr/bin/env python3
"""What Python's keyring and SecretStorage do, for secret_service.py.

    secret_service_client.py get SERVICE NAME          prints a secret
    secret_service_client.py gets SERVICE NAMES…       how long each takes in this process: {"milliseconds": […]}
    secret_service_client.py labels SERVICE LIMIT      the labels of all items, for so long: {"count": …, "of": …}

Its libraries are imported where they are used: the whole program is measured.
"""

import json
import sys
import time


def get(service, name):
    import keyring

    print(keyring.get_password(service, name))


def gets(service, *names):
    import keyring

    taken = []
    for name in names:
        start = time.perf_counter()
        secret = keyring.get_password(service, name)
        taken.append(1e3 * (time.perf_counter() - start))
        if not secret or not secret.startswith(name):
            raise RuntimeError("not the right secret")
    print(json.dumps({"milliseconds": taken}))


def labels(service, limit):
    import secretstorage

    end, count = time.monotonic() + float(limit), 0
    connection = secretstorage.dbus_init()
    items = list(secretstorage.get_default_collection(connection).search_items({"service": service}))
    for item in items:
        if time.monotonic() > end:
            break
        if not item.get_label():
            raise RuntimeError("an item without a label")
        count += 1
    print(json.dumps({"count": count, "of": len(items)}))


{"get": get, "gets": gets, "labels": labels}[sys.argv[1]](*sys.argv[2:])
