import Foundation
import KeyfobTestSupport
import Testing

/// What a person mistypes, and what they are told: what, why, and what to do next.
///
/// Each line changes nothing, and is typed in one home: `ada` at two hosts, `eve` and `Lab` in group `work`, `gone`
/// signed out.
@Suite("Mistakes", .waitsForPrograms)
struct MistakeTests {
    /// What is typed behind `keyfob`, the status, and parts of the message.
    private static let mistakes: [(typed: String, status: Int32, told: [String])] = [
        ("init", 73, ["there is a vault at", "'keyfob status' shows it", "--vault FOLDER makes another"]),
        ("init --vault other", 64, ["no vault was made at", "shown to nobody", "--recovery-file FILE keeps that key"]),
        ("init --recovery-file recovery --vault other", 73, ["recovery exists already", "choose another name"]),
        ("init --kdf-memory 5 --vault other", 64, ["between 64 and 1024 MiB", "see 'keyfob init --help'"]),
        ("init --storage cloud --vault other", 64, ["'cloud' is invalid", "'embedded' and 'secret-service'"]),
        ("status extra", 64, ["Unexpected argument 'extra'", "see 'keyfob status --help'"]),
        (
            "status --vault nowhere", 66,
            ["there is no vault at nowhere", "make one with 'keyfob --vault nowhere init'"]
        ),
        ("status --vault plain", 78, ["plain cannot be trusted", "it is not a folder"]),
        ("status --key-file nokey", 66, ["there is no file nokey", "'keyfob slot add key-file --new NEW"]),
        (
            "status --key-file wrong", 77,
            ["the key file wrong does not open the vault", "'keyfob slot add key-file --new NEW"]
        ),
        ("status --identity plain", 78, ["plain is open to other users", "chmod 600 it"]),
        ("status --color sometimes", 64, ["'sometimes' is invalid", "'auto', 'always' or 'never'"]),
        ("status --group worc", 13, ["there is no group 'worc', but 'work'"]),
        ("slot remove 00", 13, ["there is no slot '00'; there is "]),
        ("account list nobody", 13, ["there is no account 'nobody'", "'keyfob account list'"]),
        ("account list evee", 13, ["there is no account 'evee', but 'eve'"]),
        ("grant work", 64, ["there is no command 'keyfob grant'; did you mean 'keyfob group grant'?"]),
        ("slot lis", 64, ["did you mean 'keyfob slot list'?"]),
        ("add zoe git.example", 64, ["a token is no argument", "'keyfob add zoe@git.example'"]),
        (
            "add zoe@git.example ghp_secret", 64,
            ["a token is no argument", "read from a pipe; 'keyfob add zoe@git.example'"]
        ),
        ("add zoe ghp_secret", 64, ["a token is no argument", "; 'keyfob add zoe@HOST'"]),
        (
            "status --group nogroup", 13,
            ["there is no group 'nogroup' (default, work)", "'keyfob group list' shows the groups"]
        ),
        ("doctor --vault nowhere", 66, ["there is no vault at nowhere", "'keyfob --vault nowhere init'"]),
        ("verify --vault nowhere", 66, ["there is no vault at nowhere", "'keyfob --vault nowhere init'"]),
        ("logout ada --frobnicate", 64, ["Unknown option '--frobnicate'; see 'keyfob logout --help'"]),
        ("version", 64, ["there is no command 'keyfob version'; did you mean 'keyfob --version'?"]),
        ("rm ada", 64, ["there is no command 'keyfob rm'; did you mean 'keyfob account remove'?"]),
        ("man nosuch", 64, ["there is no command 'keyfob nosuch'"]),
        (
            "request git.example/me --account eve", 64,
            ["the address has no scheme, such as https://", "did you mean https://git.example/me"]
        ),
        (
            "bind --here --tool x eve", 64,
            ["--directory, --here, --repository, --url, --host and --tool exclude one another"]
        ),
        ("unlock --for soon", 64, ["--for takes a duration such as 15m", "see 'keyfob unlock --help'"]),
        ("lock extra", 64, ["Unexpected argument 'extra'", "see 'keyfob lock --help'"]),
        ("slot add rubber", 64, ["'rubber' is invalid", "'passphrase', 'key-file', 'recipient'"]),
        ("slot add key-file", 64, ["say which file: key-file FILE", "see 'keyfob slot add --help'"]),
        ("slot add key-file nofile", 66, ["there is no file nofile", "--new makes it"]),
        ("slot add key-file --new plain", 73, ["plain exists already", "without --new the key that it holds is used"]),
        ("slot add passphrase --new", 64, ["--new makes a key file: key-file --new FILE"]),
        ("slot add recipient age1nonsense", 64, ["that is not an age recipient", "one looks like age1…"]),
        ("slot add passphrase", 12, ["a passphrase is needed", "nobody to ask", "give it with --new-passphrase-fd"]),
        ("slot remove ffff", 13, ["there is no slot 'ffff'", "'keyfob slot list' shows the slots"]),
        ("slot list --vault nowhere", 66, ["there is no vault at nowhere", "'keyfob --vault nowhere init'"]),
        ("password", 64, ["there is no command 'keyfob password'; did you mean 'keyfob passwd'?"]),
        ("account use ada", 64, ["there is no command 'keyfob account use'; did you mean 'keyfob use'?"]),
        ("account rename ada x", 64, ["did you mean 'keyfob account label'?"]),
        ("passwd", 12, ["nobody to ask", "keyfob passwd --new-passphrase-fd 3 3< FILE"]),
        ("passwd ffff", 13, ["there is no slot 'ffff'", "'keyfob slot list' shows the slots"]),
        ("passwd --kdf-memory 5", 64, ["between 64 and 1024 MiB", "see 'keyfob passwd --help'"]),
        (
            "lost", 64,
            ["Missing expected argument '<machine>'", "for example 'keyfob lost laptop'", "see 'keyfob lost --help'"]
        ),
        (
            "lost laptop", 78,
            ["the vault is in no sync", "'keyfob restore BACKUP --vault ~/lost", "keyfob logout --all"]
        ),
        ("uninstall now", 64, ["Unexpected argument 'now'", "see 'keyfob uninstall --help'"]),
        ("rekey --keep-key-file nofile --recovery-file new", 66, ["there is no file nofile"]),
        ("group create ''", 64, ["a group's name cannot be blank"]),
        ("group create default", 73, ["a group of that name exists already", "'keyfob group list'"]),
        ("group rename nogroup other", 13, ["there is no group 'nogroup'", "'keyfob group list'"]),
        ("group remove nogroup", 13, ["there is no group 'nogroup'", "'keyfob group list'"]),
        ("group remove default", 64, ["nothing was changed", "nobody to ask", "--force does it without asking"]),
        ("group grant work", 64, ["Missing expected argument '<kind>'", "see 'keyfob group grant --help'"]),
        ("group grant nogroup key-file key", 13, ["there is no group 'nogroup'", "'keyfob group list'"]),
        ("group revoke work ffffffff", 13, ["group 'work' has no slot of its own; 'keyfob slot list' shows"]),
        ("group rotate nogroup", 13, ["there is no group 'nogroup'", "'keyfob group list'"]),
        ("group list extra", 64, ["Unexpected argument 'extra'", "see 'keyfob group list --help'"]),
        ("migrate", 64, ["say where to", "--to secret-service or --to embedded"]),
        ("account show nobody", 13, ["there is no account 'nobody'", "'keyfob account list' shows your accounts"]),
        (
            "account show ada", 11,
            ["'ada' names 2 accounts", "ada@git.example, ada@hub.example", "for example ada@git.example"]
        ),
        ("account list --format {usrname}", 64, ["knows no {usrname}; it knows {id}, {username}, {label}"]),
        ("account list --expiring soon", 64, ["--expiring takes a duration such as 12h or 7d"]),
        ("account list --group nogroup", 13, ["there is no group 'nogroup'", "'keyfob group list'"]),
        ("account label nobody Lab", 13, ["there is no account 'nobody'", "'keyfob account list'"]),
        ("account label eve ''", 64, ["a label cannot be blank"]),
        ("account label eve Lab", 73, ["another account of group 'work' has that label", "'keyfob account list'"]),
        ("account move eve --to nogroup", 13, ["there is no group 'nogroup'", "'keyfob group list'"]),
        (
            "account move eve", 64,
            [
                "Missing expected argument '--to <group>'", "for example 'keyfob account move ",
                "see 'keyfob account move --help'",
            ]
        ),
        ("account remove nobody", 13, ["there is no account 'nobody'", "'keyfob account list'"]),
        ("account remove eve", 64, ["nothing was changed", "nobody to ask", "--force does it without asking"]),
        ("account default nobody", 13, ["there is no account 'nobody'", "'keyfob account list'"]),
        ("account default", 64, ["name an account, or use --none", "see 'keyfob account default --help'"]),
        ("account refresh nobody", 13, ["there is no account 'nobody'", "'keyfob account list'"]),
        ("account refresh", 64, ["name an account, or say --all", "see 'keyfob account refresh --help'"]),
        (
            "account refresh eve", 10,
            ["nothing renews the tokens of eve", "its provider is not known", "'keyfob add eve@git.example'"]
        ),
        ("group current --group nogroup", 13, ["there is no group 'nogroup'", "'keyfob group list'"]),
        ("add", 64, ["say whose token it is: 'keyfob add USER@HOST'", "see 'keyfob add --help'"]),
        ("add zoe", 64, ["say at which host: USER@HOST", "see 'keyfob add --help'"]),
        ("add --account zoe", 64, ["say at which host: --account zoe --host HOST", "see 'keyfob add --help'"]),
        ("add zoe@git.example --account zoe", 64, ["say whose token it is once", "see 'keyfob add --help'"]),
        ("add zoe@git.example", 64, ["the token from standard input is empty"]),
        ("add --account zoe --host git.example", 64, ["the token from standard input is empty"]),
        ("add --account zoe --host git.example --token-fd 9", 64, ["descriptor 9 is not open"]),
        ("token --account", 64, ["Missing value for '--account <name>'", "for example 'keyfob token --account "]),
        ("login microsoft --tenant 'a b'", 64, ["--tenant takes an id or a domain, such as contoso.example"]),
        (
            "request https://graph.microsoft.com/v1.0/me", 77,
            ["no account's tokens go to graph.microsoft.com", "sign in there with 'keyfob login microsoft'"]
        ),
        (
            "token --account eve --url https://api.githib.com", 77,
            ["the tokens of eve do not go to api.githib.com", "did you mean api.github.com?"]
        ),
        ("token --account nobody", 13, ["there is no account 'nobody'", "'keyfob account list'"]),
        ("token --account ada", 11, ["'ada' names 2 accounts", "for example --account ada@git.example"]),
        (
            "token", 11,
            ["the request fits 4 accounts", "ada@git.example, ada@hub.example, Lab and 1 more", "--account"]
        ),
        (
            "token --account eve --scope admin", 10,
            ["there is no access token of eve for admin", "'keyfob add eve@git.example --scope admin'"]
        ),
        ("token --account eve --min-validity soon", 64, ["'soon' is invalid", "--min-validity <seconds>"]),
        (
            "token --account eve --url https://evil.example", 77,
            ["the tokens of eve do not go to evil.example", "'keyfob bind --host evil.example eve'"]
        ),
        (
            "token --account eve --url ftp://git.example", 64,
            ["--url:", "scheme is not one of https, http, ssh and git"]
        ),
        ("token --account eve --claims nonsense", 64, ["--claims is not a JSON object", "see 'keyfob token --help'"]),
        ("token --account gone", 10, ["gone must sign in", "the account is signed out", "'keyfob add'"]),
        ("token --tenant nowhere", 13, ["no account fits", "'keyfob which --tenant nowhere' says why"]),
        (
            "token --account eve --authority other.example --url https://git.example/x --tool gh", 13,
            [
                "eve@git.example does not fit: it is at git.example",
                "'keyfob which --account eve --authority other.example --url https://git.example/x --tool gh' says why",
            ]
        ),
        ("token --account eve --client other", 10, ["there is no access token of eve from client other"]),
        (
            "token --tenant nowhere --tool gh --group work", 13,
            ["no account fits", "'keyfob which --tenant nowhere --tool gh --group work' says why"]
        ),
        (
            "token -a ada -a eve", 64,
            ["--account is given twice, as ada and as eve", "give it once"]
        ),
        ("account list --vault plain --vault=folder", 64, ["--vault is given twice, as plain and as folder"]),
        ("--vault plain account list --vault folder", 64, ["--vault is given twice, as folder and as plain"]),
        ("token --url https://a:b@c.example --url https://d.example", 64, ["--url is given twice; give it once"]),
        ("bind eve --host a.example --host b.example", 64, ["--host is given twice, as a.example and as b.example"]),
        (
            "token --account \"$(printf 'a\\377b')\"", 64,
            ["the 3rd word after keyfob, the value of --account, is not UTF-8, from its 2nd byte on"]
        ),
        ("\"$(printf '\\303')\" list", 64, ["the 1st word after keyfob is not UTF-8, from its 1st byte on"]),
        (
            "token --frob \"$(printf 'a\\033[1mb')\"", 64,
            ["the 3rd word after keyfob, the value of --frob, has the control character U+001B as its 2nd character"]
        ),
        ("which -a nobody", 13, ["there is no account 'nobody'", "'keyfob account list'"]),
        ("whoami", 11, ["the request fits 4 accounts", "for example --account ada@git.example"]),
        ("prompt extra", 64, ["Unexpected argument 'extra'", "see 'keyfob prompt --help'"]),
        ("pick --filter nobody", 13, ["no account matches 'nobody'"]),
        ("pick --no-input", 11, ["choosing among 5 accounts needs a person", "say which with --account"]),
        ("use nobody", 13, ["there is no account 'nobody'", "'keyfob account list'"]),
        ("use ada", 11, ["'ada' names 2 accounts", "name one of them, for example ada@git.example"]),
        ("add ada@https://github.com", 64, ["the host stands alone: ada@github.com"]),
        ("add ada@github.com/contoso", 64, ["the host stands alone: ada@github.com"]),
        ("add ada@gïthub.com", 64, ["is no host"]), ("add 'ada@gith ub.com'", 64, ["is no host"]),
        ("add ada@@github.com", 64, ["behind its '@'"]),
        ("login", 64, ["say where to sign in, for example 'keyfob login github'", "see 'keyfob login --help'"]),
        ("login nosuch", 13, ["there is no provider 'nosuch'", "'keyfob provider list' shows the known ones"]),
        (
            "login github --no-input", 13,
            ["there is no client to sign in with", "'keyfob client add --well-known github-cli'"]
        ),
        ("login github --device --port 5", 64, ["--device needs no browser on this machine"]),
        ("logout", 11, ["there are 5 accounts", "and 2 more", "name one of them"]),
        ("logout nobody", 13, ["there is no account 'nobody'", "'keyfob account list'"]),
        (
            "logout eve --client nosuch --offline", 13,
            ["eve is not signed in to a client 'nosuch'", "'keyfob account show'"]
        ),
        ("undo 00000000", 13, ["there is nothing to undo under '00000000'", "'keyfob undo --list'"]),
        ("undo --list --yes", 64, ["--list goes with neither an id nor another option", "see 'keyfob undo --help'"]),
        ("mcp notanaddress", 64, ["the address has no scheme, such as https://"]),
        ("setup mcp cursor", 64, ["name the server's address", "see 'keyfob setup mcp --help'"]),
        ("request", 64, ["Missing expected argument '<address>'", "see 'keyfob request --help'"]),
        (
            "request https://evil.example/x --account eve", 77,
            ["the tokens of eve do not go to evil.example", "'keyfob bind"]
        ),
        ("provider show nosuch", 13, ["there is no provider 'nosuch'", "'keyfob provider list'"]),
        ("provider check nosuch", 13, ["there is no provider 'nosuch'", "'keyfob provider list'"]),
        ("provider add", 64, ["say what to add", "--issuer or --authority"]),
        ("provider add nofile", 66, ["there is no file nofile"]),
        ("provider add --issuer http://idp.example", 64, ["the issuer cannot be used", "not https"]),
        ("provider add --issuer idp.example", 64, ["the issuer has no scheme", "is it https://idp.example?"]),
        ("provider rename nosuch other", 13, ["there is no provider 'nosuch'", "'keyfob provider list'"]),
        ("provider remove github", 64, ["provider 'github' is built in and cannot be removed"]),
        ("provider list --group nogroup", 13, ["there is no group 'nogroup'", "'keyfob group list'"]),
        ("client list --provider nosuch", 13, ["there is no provider 'nosuch'", "'keyfob provider list'"]),
        ("client add x", 64, ["say of which provider, with --provider", "see 'keyfob client add --help'"]),
        (
            "client add --well-known nosuch", 13,
            ["there is no well-known client 'nosuch'", "'keyfob client list --well-known'"]
        ),
        ("provider remove sso", 64, ["nothing was changed", "nobody to ask", "--force does it without asking"]),
        ("client remove secret", 64, ["nothing was changed", "nobody to ask", "--force does it without asking"]),
        ("client remove nosuch", 13, ["there is no client 'nosuch'", "'keyfob client list'"]),
        ("exec", 64, ["name the program, behind '--'", "see 'keyfob exec --help'"]),
        (
            "exec -a eve --env=T gh repo 'a b'", 64,
            ["name the program, behind '--'", "for example 'keyfob exec -a eve --env=T -- gh repo \"a b\"'"]
        ),
        ("mcp mcp.example/x", 64, ["the address has no scheme", "did you mean https://mcp.example/x"]),
        (
            "provider add https://sso.example", 66,
            ["there is no file https://sso.example", "'keyfob provider add --issuer https://sso.example'"]
        ),
        ("token --account eve --tenant contoso", 10, ["there is no access token of eve in tenant contoso"]),
        (
            "sync init rclone:nosuch:x --timeout 20", 78,
            ["rclone has no remote 'nosuch'", "'rclone listremotes'", "'rclone config' sets one up"]
        ),
        (
            "sync init https://ada:SECRET@127.0.0.1:9/x.git", 75,
            ["git could not read https://127.0.0.1:9/x.git: unable to access", "check the network and try again"]
        ),
        ("exec -- true", 64, ["say how the program gets the token", "--env NAME, --file or --proxy"]),
        ("exec --proxy --file -- true", 64, ["--proxy and --file exclude one another"]),
        ("exec --proxy --env T -- true", 64, ["--env NAME=HOST, or NAME=HOST/PATH"]),
        (
            "exec --proxy --env KEYFOB_PROXY=git.example -- true", 64,
            ["KEYFOB_PROXY is set twice, by --env or by --proxy"]
        ),
        ("exec --proxy --allow 'get git.example' -- true", 64, ["--allow", "get git.example", "in capitals"]),
        ("exec --proxy --allow 'GET a.example/u*' -- true", 64, ["* stands for a whole part of a path", "u*"]),
        ("exec --proxy --allow GET -- true", 64, ["GET alone says not where; a rule is METHOD HOST/PATH, such as"]),
        (
            "exec --proxy --allow a.example/user -- true", 64,
            ["names no method; a rule is METHOD HOST/PATH", "every method: \"* a.example/user\""]
        ),
        (
            "exec --proxy --allow 'GET a.example' -- true", 64,
            ["it names no path; \"GET a.example/*\" is all of that host"]
        ),
        ("exec --proxy --allow 'GET,* a.example/' -- true", 64, ["in capitals", "or * alone for every one"]),
        ("exec --proxy --allow 'GET a.example/*' --env T=b.example -- true", 64, ["no --allow is about b.example"]),
        ("exec --proxy --allow 'GET a.example:443/x' --env T=b.example -- true", 64, ["no --allow is about b.example"]),
        (
            "exec --proxy --account ada --allow-host http://a.example:80 -- true", 64,
            ["--allow-host takes a host without https:// and a path; http://a.example:80 is none"]
        ),
        ("exec --env T --allow 'GET a.example/*' -- true", 64, ["--allow says what goes through a proxy"]),
        ("exec --proxy --offline -- true", 64, ["a proxy needs the network; --offline has no meaning"]),
        ("exec --confine --env T -- true", 64, ["so it goes with --proxy"]),
        ("exec --proxy --write . -- true", 64, ["so it goes with --confine"]),
        ("exec --proxy --confine --write nosuch -- true", 66, ["there is no folder nosuch, which --write names"]),
        ("exec --proxy --account nobody -- true", 13, ["there is no account 'nobody'", "'keyfob account list'"]),
        ("exec --account eve --env T -- nosuchprogram", 127, ["there is no program nosuchprogram"]),
        ("exec --account nobody --env T -- true", 13, ["there is no account 'nobody'", "'keyfob account list'"]),
        ("inject -i nofile", 66, ["there is no file nofile"]),
        ("inject -i reference", 13, ["reference, line 1: there is no account 'nobody'", "'keyfob account list'"]),
        ("env nobody", 13, ["there is no account 'nobody'", "'keyfob account list'"]),
        ("env eve --shell tcsh", 64, ["'tcsh' is invalid", "'sh' and 'fish'"]),
        ("helper git", 64, ["Missing expected argument '<operation>'", "see 'keyfob helper git --help'"]),
        ("helper docker frobnicate", 64, ["docker's helpers have no operation 'frobnicate'"]),
        ("helper kubectl --account nobody", 64, ["KUBERNETES_EXEC_INFO is not set", "kubectl sets it"]),
        ("helper aws", 64, ["Missing expected argument '--role-arn <arn>'", "see 'keyfob helper aws --help'"]),
        ("setup git --frobnicate", 64, ["Unknown option '--frobnicate'", "see 'keyfob setup git --help'"]),
        ("setup docker --frobnicate", 64, ["Unknown option '--frobnicate'", "see 'keyfob setup docker --help'"]),
        ("setup kubectl --frobnicate", 64, ["Unknown option '--frobnicate'", "see 'keyfob setup kubectl --help'"]),
        ("setup aws", 64, ["--role-arn is missing", "see 'keyfob setup aws --help'"]),
        ("setup aws 'a b' --undo", 64, ["a profile's name has letters, digits", "see 'keyfob setup aws --help'"]),
        ("setup mail", 64, ["Missing expected argument '<program>'", "see 'keyfob setup mail --help'"]),
        ("setup mail msmtp --undo", 64, ["name the account in msmtp's file", "see 'keyfob setup mail --help'"]),
        ("setup mail mutt work", 64, ["'mutt' is invalid", "'neomutt'"]),
        ("setup direnv --frobnicate", 64, ["Unknown option '--frobnicate'", "see 'keyfob setup direnv --help'"]),
        ("setup broker --frobnicate", 64, ["Unknown option '--frobnicate'", "see 'keyfob setup broker --help'"]),
        ("setup url-scheme --frobnicate", 64, ["Unknown option", "see 'keyfob setup url-scheme --help'"]),
        ("redirect", 64, ["Missing expected argument '<url>'", "see 'keyfob redirect --help'"]),
        ("broker accounts --frobnicate", 64, ["Unknown option", "see 'keyfob broker accounts --help'"]),
        ("broker token", 64, ["say what the token is for with --scope", "see 'keyfob broker token --help'"]),
        ("device --frobnicate", 64, ["Unknown option '--frobnicate'", "see 'keyfob device --help'"]),
        ("setup az --undo", 66, ["is not mirrored", "'keyfob mirror list'"]),
        ("setup nosuch", 64, ["there is no command 'keyfob setup nosuch'", "'keyfob setup --help' lists them"]),
        ("export x.age", 12, ["a passphrase is needed", "nobody to ask", "--bundle-passphrase-fd", "--to"]),
        ("import", 64, ["name a file", "or --discover", "see 'keyfob import --help'"]),
        ("import --keyring", 69, ["there is no session bus here", "run this in your desktop session"]),
        ("import --keyring --discover", 64, ["--discover looks in the keyring too", "see 'keyfob import --help'"]),
        ("import --keyring plain", 64, ["--discover and --keyring look for the tokens themselves"]),
        ("import --keyring --take-over", 64, ["--take-over, --replace", "are for one file that is named"]),
        ("import nofile", 66, ["there is no file nofile"]),
        ("import folder", 78, ["folder is a folder", "name the file in it"]),
        ("import plain", 65, ["plain is of no kind that is known here", "known are a bundle of Keyfob's"]),
        ("import empty", 65, ["empty is empty", "known are a bundle of Keyfob's"]),
        (
            "backup --to nofolder", 66,
            ["there is no folder nofolder", "no backup was made", "'mkdir -p nofolder'", "nofolder.age"]
        ),
        ("backup --list nofolder", 66, ["there is no folder nofolder"]),
        ("backup --keep 0 --to folder", 64, ["--keep takes a number from 1 on", "see 'keyfob backup --help'"]),
        ("backup --verify plain", 65, ["plain is not an age file", "'keyfob backup --list'"]),
        ("backup --group work", 64, ["a backup is of all groups", "'keyfob export' writes some"]),
        ("restore plain", 65, ["plain is not an age file", "'keyfob backup --list'"]),
        ("restore", 64, ["say which backup", "there is none in", "see 'keyfob restore --help'"]),
        ("restore nofile", 66, ["there is no file nofile", "'keyfob backup --list'"]),
        ("bind nobody", 13, ["there is no account 'nobody'", "'keyfob account list'"]),
        ("bind eve --directory nofolder", 66, ["there is no directory nofolder"]),
        ("bind eve --tool a/b", 64, ["--tool takes the name of a program, without its folder"]),
        ("unbind --tool nosuch", 13, ["tool nosuch is not bound", "'keyfob bindings' lists the bindings"]),
        ("bindings --group nogroup", 13, ["there is no group 'nogroup'", "'keyfob group list'"]),
        ("allow", 66, ["there is no .keyfob.toml here or above", "'keyfob allow --help'"]),
        ("program allow ./nofile --account eve", 66, ["there is no file ./nofile"]),
        ("program allow nosuch --account eve", 66, ["there is no program nosuch in PATH", "as ./NAME"]),
        ("program allow service:x --account eve", 64, ["'service:x' names no program", "service:backup.service"]),
        ("program allow script:bin/a.py --account eve", 64, ["names no program", "script:/usr/local/bin/NAME"]),
        ("program allow /usr --account eve", 64, ["/usr is a folder, and no program"]),
        ("program allow sh --account eve --scope ''", 64, ["--scope is blank or holds control characters"]),
        ("program allow sh --account eve --client ''", 64, ["--client is blank or holds control characters"]),
        ("program allow sh", 64, ["say which account with --account", "see 'keyfob program allow --help'"]),
        ("program allow sh --account nobody", 13, ["there is no account 'nobody'", "'keyfob account list'"]),
        ("program deny sh --group nogroup", 13, ["there is no group 'nogroup'", "'keyfob group list'"]),
        ("program list --group nogroup", 13, ["there is no group 'nogroup'", "'keyfob group list'"]),
        ("program forget sh", 13, ["nothing was decided about executable:/", "'keyfob program list'"]),
        ("log --since never", 64, ["--since takes 'today', 'yesterday', a date", "see 'keyfob log --help'"]),
        ("log --account nobody", 13, ["there is no account 'nobody'", "'keyfob account list'"]),
        ("history show --group nogroup", 13, ["there is no group 'nogroup'", "'keyfob group list'"]),
        ("history clear --group nogroup", 13, ["there is no group 'nogroup'", "'keyfob group list'"]),
        ("completions tcsh", 64, ["'tcsh' is invalid", "'bash', 'zsh' or 'fish'"]),
        ("man --directory nofolder", 74, ["nofolder/keyfob.1 cannot be made", "no such folder"]),
        ("help nosuch", 64, ["there is no command 'keyfob nosuch'", "'keyfob --help' lists them"]),
        ("acount list", 64, ["there is no command 'keyfob acount'", "did you mean 'keyfob account'?"]),
        ("account lits", 64, ["did you mean 'keyfob account list'?"]),
        ("frobnicate", 64, ["there is no command 'keyfob frobnicate'", "'keyfob --help' lists them"]),
        ("mirror azure-cli --config-dir nowhere --force", 66, ["the folder of nowhere/", "start the program once"]),
        ("mirror msal nowhere/cache --force", 66, ["the folder of nowhere/cache is not there", "make the folder"]),
        ("mirror list extra", 64, ["Unexpected argument 'extra'", "see 'keyfob mirror list --help'"]),
        ("mirror stop nowhere", 66, ["nowhere is not mirrored", "'keyfob mirror list' shows what is"]),
        ("agent --idle never", 64, ["--idle takes a duration such as 15m or 8h", "see 'keyfob agent --help'"]),
        ("unlock --agent", 69, ["no agent runs for this vault", "'keyfob agent'", "keyfob-agent.socket"]),
        ("sync run", 78, ["the vault is not in a sync", "'keyfob sync init REMOTE'", "'keyfob sync join REMOTE'"]),
        ("sync init nowhere/else", 66, ["there is no folder", "nowhere/else"]),
        ("sync init etcd+http://etcd.example", 64, ["etcd at etcd.example is reached by https"]),
        ("sync run --every 5", 64, ["--every is for --watch"]),
        ("sync join folder words", 64, ["'words' is not six words of a device"]),
    ]

    private static let unsynced = ["approve x", "revoke x", "leave", "accept x", "repair", "status"].map { words in
        (typed: "sync \(words)", status: Int32(78), told: ["the vault is not in a sync", "'keyfob sync init REMOTE'"])
    }
    private static let all = mistakes + meant + NameMistakes.all + unsynced

    func home() throws -> Workplace {
        let place = try Workplace.withVault()
        try place.run("keyfob group create --quiet work && head -c 32 /dev/urandom > wrong && chmod 600 wrong")
            .expectSuccess()
        for (id, host, options) in [
            ("ada", "git.example", ""), ("ada", "hub.example", ""), ("eve", "git.example", "--group work"),
            ("dan", "git.example", "--group work --label Lab"), ("gone", "git.example", ""),
        ] {
            try place.run("printf t | keyfob add -q --account \(id) --host \(host) --scope repo \(options)")
                .expectSuccess()
        }
        try place.run("keyfob logout --quiet gone --offline").expectSuccess()
        try place.run(
            """
            echo s > s && keyfob client add -q secret --provider google --secret-fd 3 3< s && rm s \\
                && keyfob provider add -q --issuer https://sso.example --name sso && keyfob client add -q app --provider sso
            """
        ).expectSuccess()
        try place.run(
            "echo plain > plain; chmod 644 plain; : > empty; mkdir folder; echo 'x keyfob://nobody/repo' > reference"
        ).expectSuccess()
        return place
    }

    @Test("each is told what, why and what to do next, and changes nothing")
    func mistakes() throws {
        let place = try home()
        let before = try place.run("keyfob verify; keyfob account list; keyfob bindings; keyfob slot list; ls").text
        for mistake in Self.all {
            let outcome = try place.run("keyfob \(mistake.typed)")
            #expect(outcome.status == mistake.status, "\(outcome)")
            #expect(outcome.errors.hasPrefix("keyfob: ") && outcome.errors.hasSuffix("\n"), "\(outcome)")
            #expect(outcome.errors.split(separator: "\n").count == 1, "one line: \(outcome)")
            for part in mistake.told { #expect(outcome.errors.contains(part), "\(part): \(outcome)") }
            #expect(!outcome.errors.contains("pw"), "a password: \(outcome)")
        }
        #expect(
            try place.run("keyfob verify; keyfob account list; keyfob bindings; keyfob slot list; ls").text == before)
        #expect(Self.mistakes.count >= 90)
    }

    @Test(
        "a variable that decided is named, and no other",
        arguments: [
            ("KEYFOB_VAULT=nowhere", "status", "there is no vault at nowhere (named by KEYFOB_VAULT); "),
            (
                "KEYFOB_GROUP=nogroup", "account list",
                "there is no group 'nogroup' (named by KEYFOB_GROUP) (default, work); "
            ),
            (
                "KEYFOB_GROUP=work", "account show gone",
                "there is no account 'gone' (looked for in group 'work' alone, by KEYFOB_GROUP); "
            ),
            ("KEYFOB_ACCOUNT=nobody", "token", "there is no account 'nobody' (named by KEYFOB_ACCOUNT); "),
            ("KEYFOB_ACCOUNT=eve", "token --scope other", " (named by KEYFOB_ACCOUNT)"),
            ("KEYFOB_CA_FILE=nofile", "account refresh eve", "nofile cannot be read (named by KEYFOB_CA_FILE)"),
        ])
    func variables(variable: String, typed: String, told: String) throws {
        let place = try home()
        let outcome = try place.run("\(variable) keyfob \(typed)")
        #expect(outcome.status != 0 && outcome.errors.contains(told), "\(outcome)")
        for other in ["KEYFOB_ACCOUNT=eve keyfob account show nobody", "KEYFOB_ACCOUNT=eve keyfob token -a nobody"] {
            let outcome = try place.run(other)
            #expect(outcome.status == 13 && !outcome.errors.contains("KEYFOB_"), "\(outcome)")
        }
    }

    @Test("there is one of every command")
    func everyCommand() throws {
        let typed = Self.all.map { "keyfob \($0.typed) " }
        for words in try CommandList.all() where words.isLeaf {
            #expect(typed.contains { $0.hasPrefix(words.line + " ") }, "no mistake of '\(words.line)'")
        }
    }

    @Test("the way out of an ambiguity is typed as it is told, and leads out of it")
    func waysOut() throws {
        let place = try home()
        let id = "1f3a2b4c-0000-4000-8000-000000000000.11111111-aaaa-4aaa-8aaa-111111111111"
        let host = "login.microsoftonline.com"
        for id in [id, id.replacing("1f3a2b4c", with: "77777777")] {
            try place.run(
                "printf t | keyfob add -q --account \(id) --username twin@contoso.example --host \(host)"
            ).expectSuccess()
        }
        try place.run("printf t | keyfob add -q --account ada --host git.example --group work").expectSuccess()
        for command in [
            "token --authority git.example", "token --account twin", "token --account ada", "which -a twin",
        ] {
            let told = try place.run("keyfob \(command)").errors
            let option = try #require(told.firstMatch(of: /for example (--account .*)\n/)?.output.1, "\(told)")
            let base = command.split(separator: " ").prefix { $0 != "--account" && $0 != "-a" }.joined(separator: " ")
            try place.run("keyfob \(base) \(option)").expectSuccess()
        }
        let group = try place.run("keyfob token --account ada@git.example").errors
        let option = try #require(group.firstMatch(of: /for example (--group .*)\n/)?.output.1, "\(group)")
        try place.run("keyfob token --account ada@git.example \(option)").expectSuccess()
        for command in ["account show", "use", "logout --offline"] {
            let told = try place.run("keyfob \(command) twin").errors
            let name = try #require(told.firstMatch(of: /for example (.*)\n/)?.output.1, "\(told)")
            #expect(!told.contains("11111111-aaaa"), "\(told)")
            try place.run("keyfob \(command) \(name)").expectSuccess()
        }
        let current = try place.run("keyfob group current --group work").errors
        let command = try #require(
            current.firstMatch(of: /for example '(keyfob account default .*)'\n/)?.output.1, "\(current)")
        try place.run("\(command) --group work").expectSuccess()
    }
}
