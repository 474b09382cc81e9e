"""The calls that linux-entra-sso makes for a browser, in its order; for Tests/Broker/run.

    browser.py NAME     of the accounts, the one with this user name

Prints JSON: the broker's version, whom it knows, and what it answers to a silent request and to one for a cookie.
"""

import json
import os
import sys
import uuid

from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection

BROKER = DBusAddress(
    "/com/microsoft/identity/broker1", "com.microsoft.identity.broker1", "com.microsoft.identity.Broker1")
# Of Microsoft Edge, whose it is for a cookie.
CLIENT = "d7b530a4-7680-4c23-a8bf-c52c121d2e87"
REDIRECT = "https://login.microsoftonline.com/common/oauth2/nativeclient"
SITE = "https://login.microsoftonline.com/"


def main():
    connection = open_dbus_connection(os.environ["DBUS_SESSION_BUS_ADDRESS"])

    def call(method, request):
        body = ("0.0", str(uuid.uuid4()), json.dumps(request))
        return json.loads(connection.send_and_get_reply(new_method_call(BROKER, method, "sss", body), timeout=60).body[0])

    version = call("getLinuxBrokerVersion", {"msalCppVersion": "1.28.0"})
    accounts = call("getAccounts", {"clientId": CLIENT, "redirectUri": REDIRECT})["accounts"]
    account = next((account for account in accounts if account["username"] == sys.argv[1]), None)
    parameters = {
        "account": account, "additionalQueryParametersForAuthorization": {}, "authority": SITE + "common", "authorizationType": 8,
        "clientId": CLIENT, "redirectUri": REDIRECT, "requestedScopes": ["https://graph.microsoft.com/.default"],
        "username": sys.argv[1], "uxContextHandle": -1, "ssoUrl": SITE}
    token = call("acquireTokenSilently", {"authParameters": parameters})["brokerTokenResponse"]
    cookie = call("acquirePrtSsoCookie", {"account": account, "authParameters": parameters, "ssoUrl": SITE})
    print(json.dumps({
        "version": version, "accounts": [account["username"] for account in accounts], "token": token, "cookie": cookie}))


main()
