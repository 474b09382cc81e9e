"""The commands that write, and what each is tried on."""

import dataclasses
import json
import sqlite3
import time


@dataclasses.dataclass
class Scenario:
    """A command, tried at each of its calls."""

    name: str
    # A line of the shell; the calls of `keyfob` in it count.
    line: str
    # What is made ready before it, as another.
    before: str = ""
    # Whether there is no vault yet.
    is_new: bool = False
    # Files beside the vault that it makes, each whole or not at all.
    makes: tuple = ()
    # Those of them that may be there before the rest is: a recovery key that opens nothing yet.
    first: tuple = ()
    # The recovery keys, one of which must open the vault.
    recovery: tuple = ("recovery",)
    # What must hold of what it has made, once it is there or was said to be.
    check: str = ""
    # Whether records may be damaged after it.
    is_damaged: bool = False
    # Changes the vault's files after `before`.
    spoil: object = None
    # Whether it takes one account after the other away, and goes on where one fails.
    is_stepwise: bool = False
    # Whether there is a desktop's keyring (GNOME's), whose own files no fault concerns: the power does not go.
    has_service: bool = False


def cache(people):
    """A token cache of MSAL."""
    now, sections = int(time.time()), {"AccessToken": {}, "RefreshToken": {}, "IdToken": {}, "Account": {}, "AppMetadata": {}}
    for person in range(people):
        owner = {"home_account_id": f"u{person}.t", "environment": "login.microsoftonline.com", "client_id": "client"}
        sections["RefreshToken"][f"r{person}"] = owner | {
            "credential_type": "RefreshToken", "secret": f"refresh-{person}", "target": "mail.read"}
        sections["AccessToken"][f"a{person}"] = owner | {
            "credential_type": "AccessToken", "secret": f"access-{person}", "realm": "t", "target": "mail.read",
            "token_type": "Bearer", "cached_at": str(now), "expires_on": str(now + 86_400)}
        sections["Account"][f"c{person}"] = {
            "home_account_id": f"u{person}.t", "environment": owner["environment"], "realm": "t",
            "local_account_id": f"u{person}", "username": f"person{person}@t.example", "authority_type": "MSSTS"}
    return json.dumps(sections)


def damage_record(vault):
    """Flips a bit of a sealed record."""
    database = sqlite3.connect(f"{vault}/keyring.db")
    row, sealed = database.execute("SELECT id, attributes FROM records ORDER BY id LIMIT 1").fetchone()
    database.execute("UPDATE records SET attributes = ? WHERE id = ?", (sealed[:-1] + bytes([sealed[-1] ^ 1]), row))
    database.commit()
    database.close()


NEWEST_SLOT = "keyfob slot list --json | tr -d ' ,\"' | awk -F: '$1 == \"id\" { id = $2 } END { print id }' > slot"
BUNDLE = ("to=$(keyfob slot list --json | grep -o 'age1[0-9a-z]*' | head -1);"
          " keyfob export -q --group work --to $to team.age")
SAVED = "keyfob backup -q --to saved.age > /dev/null"
RESTORE = "keyfob restore -q saved.age --bundle-identity recovery"
MIGRATE = "keyfob migrate -q --to"
VERIFY = "keyfob backup --verify {} --bundle-identity recovery"

SCENARIOS = [
    Scenario("init", "keyfob init -q --recovery-file made", is_new=True, makes=("made",), first=("made",), recovery=("made",)),
    Scenario("init, key shown", "keyfob init -q > shown", is_new=True, recovery=("shown",)),
    Scenario("restore, no vault", f"{RESTORE} --recovery-file made", SAVED, is_new=True, makes=("made",), first=("made",),
             recovery=("made",)),
    Scenario("restore, over one", f"{RESTORE} --force", f"{SAVED}; printf t | keyfob add -q -a later --host git.example"),
    Scenario("restore, an account", f"{RESTORE} --account ada", f"{SAVED}; keyfob account remove -q ada --force --forever"),
    Scenario("restore, a group", f"{RESTORE} --group work", f"{SAVED}; keyfob group remove -q work --force --no-backup"),
    Scenario("add", "printf new-token | keyfob add -q -a new --host git.example"),
    Scenario("import, cache", "keyfob import -q more.json > out"),
    Scenario("import, another tool's file", "keyfob import -q adc.json --with clients > out",
             before="""printf '{"type": "authorized_user", "client_id": "7", "client_secret": "S", "refresh_token": "r"}' > adc.json"""),
    Scenario("import, bundle", "keyfob import -q team.age --bundle-identity recovery > out",
             f"{BUNDLE}; keyfob group remove -q work --force"),
    Scenario("import, replacing", "keyfob import -q team.age --bundle-identity recovery --replace --force > out",
             f"{BUNDLE}; printf t | keyfob add -q -a later --host git.example --group work"),
    Scenario("account remove", "keyfob account remove -q ada --force"),
    Scenario("account label", "keyfob account label -q ada new"),
    Scenario("account move", "keyfob account move -q ada --to work"),
    Scenario("account default", "keyfob account default -q ada"),
    Scenario("logout", "keyfob logout -q person0 --offline"),
    Scenario("logout, added by hand", "keyfob logout -q ada"),
    Scenario("logout --forget", "keyfob logout -q bob --forget"),
    Scenario("logout --all", "keyfob logout -q --all --yes --offline --forever", is_stepwise=True),
    Scenario("logout --forever", "keyfob logout -q ada --forever", "keyfob logout -q ada; printf t | keyfob add -q -a ada --host git.example"),
    Scenario("undo, logout", "keyfob undo -q --yes", "keyfob logout -q person0 --offline"),
    Scenario("undo, account remove", "keyfob undo -q --yes", "keyfob account remove -q bob --force"),
    Scenario("undo, over a newer one", "keyfob undo -q --yes",
             "keyfob bind -q --tool gh bob; keyfob account remove -q bob --force --unbind; "
             "printf newer | keyfob add -q -a bob --host git.example"),
    Scenario("undo, what was added", "keyfob undo -q --yes", "printf t | keyfob add -q cleo@git.example"),
    Scenario("undo --clear", "keyfob undo -q --clear --yes", "keyfob account remove -q bob --force"),
    Scenario("bind", "keyfob bind -q --host api.example ada"),
    Scenario("log, off", "keyfob log -q --off", "keyfob token -a ada > out"),
    Scenario("log, on", "keyfob log -q --on", "keyfob log -q --off"),
    Scenario("unbind", "keyfob unbind -q --host bound.example"),
    Scenario("group create", "keyfob group create -q new"),
    Scenario("account remove, forever", "keyfob account remove -q ada --force --forever"),
    Scenario("group remove", "keyfob group remove -q work --force"),
    Scenario("group rotate", "keyfob group rotate -q work"),
    Scenario("group grant", "keyfob group grant -q work key-file second"),
    Scenario("group revoke", "keyfob group revoke -q work $(cat slot) --force > out",
             f"keyfob group grant -q work key-file second; {NEWEST_SLOT}"),
    Scenario("slot add", "keyfob slot add -q key-file second"),
    Scenario("slot remove", "keyfob slot remove -q $(cat slot)", f"keyfob slot add -q key-file second; {NEWEST_SLOT}"),
    Scenario("passwd", "keyfob passwd -q --kdf-memory 64 --new-passphrase-fd 3 3< new",
             "printf old > old; printf new > new; keyfob slot add -q passphrase --kdf-memory 64 --new-passphrase-fd 3 3< old",
             check="keyfob slot list --passphrase-fd 3 3< new > /dev/null"),
    Scenario("uninstall", "GIT_CONFIG_GLOBAL=made.ini keyfob uninstall -q --force > out",
             "GIT_CONFIG_GLOBAL=made.ini keyfob setup git -q --force"),
    Scenario("rekey", "keyfob rekey -q --keep-key-file key --force --recovery-file made > out", makes=("made",),
             first=("made",), recovery=("recovery", "made")),
    Scenario("backup", "keyfob backup -q > path", check=VERIFY.format("$(cat path)")),
    Scenario("backup --to", "keyfob backup -q --to out.age > path", makes=("out.age",), check=VERIFY.format("out.age")),
    Scenario("backup --keep", "keyfob backup -q --to stick --keep 2 > path",
             "mkdir stick; for i in 1 2 3; do keyfob backup -q --to stick > /dev/null; done", check=VERIFY.format("$(cat path)")),
    Scenario("export, msal", "keyfob export -q --format msal out.json", makes=("out.json",), check="grep -q token-ada out.json"),
    Scenario("inject", "printf 'a keyfob:///' | keyfob inject -q --account ada -o out", makes=("out",), check="grep -q 'a token-ada' out"),
    Scenario("export, bundle", "keyfob export -q --to $(cat to) out.age", "keyfob slot list --json | grep -o 'age1[0-9a-z]*' > to",
             makes=("out.age",), check=VERIFY.format("out.age")),
    Scenario("setup, git", "GIT_CONFIG_GLOBAL=made.ini keyfob setup git -q --force", makes=("made.ini",),
             check="git config -f made.ini credential.helper"),
    Scenario("setup, mcp", "keyfob setup mcp vscode https://mcp.notes.example/mcp -q --force --file made.json", makes=("made.json",),
             check="jq -e .servers made.json"),
    Scenario("doctor --repair", "keyfob doctor -q --repair > out", spoil=damage_record, is_damaged=True),
    Scenario("migrate", f"{MIGRATE} secret-service > out", has_service=True),
    Scenario("migrate, back", f"{MIGRATE} embedded > out", f"{MIGRATE} secret-service > out", has_service=True),
    Scenario("service, add", "printf new-token | keyfob add -q -a new --host git.example", f"{MIGRATE} secret-service > out",
             has_service=True),
    Scenario("service, account remove", "keyfob account remove -q bob --force", f"{MIGRATE} secret-service > out",
             has_service=True),
    Scenario("service, undo", "keyfob undo -q --yes", f"{MIGRATE} secret-service > out; keyfob account remove -q bob --force",
             has_service=True),
    Scenario("service, account move", "keyfob account move -q ada --to work", f"{MIGRATE} secret-service > out",
             has_service=True),
]
