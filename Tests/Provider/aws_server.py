"""AWS's services as moto has them, on a free port of 127.0.0.1, with signatures and permissions checked.

usage: aws_server.py FOLDER ISSUER

There are the bucket `books` and the role `reader`, which may do everything with buckets. The Security Token Service takes a
token that the provider knows, for the role alone; tokens that stand in FOLDER/refused, or all where that is *, count as
expired. Each token that it was asked to take is a line of FOLDER/requests: status, person, session. Credentials are valid for
as many seconds as FOLDER/seconds says, where it is. Prints the port; ends when standard input closes."""

import io
import json
import pathlib
import re
import sys
import threading
import urllib.parse
from datetime import datetime, timedelta, timezone

import boto3
import guest
from moto import settings
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server
from werkzeug.wrappers import Request, Response

folder, issuer = pathlib.Path(sys.argv[1]), sys.argv[2]
role = "arn:aws:iam::123456789012:role/reader"
lock = threading.Lock()
moto = DomainDispatcherApplication(create_backend_app)


def person(token):
    if {token, "*"} & set((folder / "refused").read_text().split()):
        return None
    return guest.person(issuer, token)


def error(code, message):
    return Response(f"<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error>"
                    "</ErrorResponse>", 400 if code != "AccessDenied" else 403, content_type="text/xml")


def assumed(request, environ):
    """What the Security Token Service says to a token, which nothing signs."""
    who, session = person(request.form["WebIdentityToken"]), request.form["RoleSessionName"]
    status = "expired" if who is None else "taken" if request.form["RoleArn"] == role else "denied"
    with (folder / "requests").open("a") as log:
        print(status, who or "-", session, file=log)
    if status == "expired":
        return error("ExpiredTokenException", "Token expired: current date/time must be before the expiration")
    if status == "denied":
        return error("AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity for &lt;this&gt; role")
    body = urllib.parse.urlencode(request.form.to_dict()).encode()
    answer = Response.from_app(moto, dict(environ, CONTENT_LENGTH=str(len(body)), **{"wsgi.input": io.BytesIO(body)}))
    if (folder / "seconds").exists():
        end = datetime.now(timezone.utc) + timedelta(seconds=int((folder / "seconds").read_text()))
        answer.data = re.sub(rb"(?<=<Expiration>)[^<]*", end.strftime("%Y-%m-%dT%H:%M:%SZ").encode(), answer.data)
    return answer


def app(environ, start):
    request = Request(environ)
    if request.method == "POST" and "Authorization" not in request.headers:
        body = request.get_data()
        fields = urllib.parse.parse_qs(body.decode())
        environ["wsgi.input"] = io.BytesIO(body)
        if fields.get("Action") == ["AssumeRoleWithWebIdentity"]:
            with lock:
                settings.INITIAL_NO_AUTH_ACTION_COUNT = float("inf")
                try:
                    return assumed(Request(environ), environ)(environ, start)
                finally:
                    settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
    return moto(environ, start)


for name in ["requests", "refused"]:
    (folder / name).touch()
guest.leave_with_the_host(folder)
server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=MotoRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
made = {"endpoint_url": f"http://127.0.0.1:{server.server_port}", "region_name": "us-east-1",
        "aws_access_key_id": "a", "aws_secret_access_key": "b"}
policy = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]})
iam = boto3.client("iam", **made)
iam.create_role(RoleName="reader", AssumeRolePolicyDocument=policy)
iam.put_role_policy(RoleName="reader", PolicyName="books", PolicyDocument=policy)
boto3.client("s3", **made).create_bucket(Bucket="books")
settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
print(server.server_port, flush=True)
threading.Event().wait()
