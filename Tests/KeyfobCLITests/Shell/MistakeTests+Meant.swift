extension MistakeTests {
    /// What is typed nearly right: the message names what was meant, never of a removal; of an address, never a password.
    static let meant: [(typed: String, status: Int32, told: [String])] = [
        ("token -a evee", 13, ["there is no account 'evee', but 'eve'; 'keyfob account list'"]),
        ("token -a evee@git.example", 13, ["there is no account 'evee@git.example', but 'eve@git.example'; "]),
        ("account remove evee", 13, ["there is no account 'evee'; 'keyfob account list'"]),
        ("account remove evee@git.example --force", 13, ["there is no account 'evee@git.example'; "]),
        ("logout evee", 13, ["there is no account 'evee'; 'keyfob account list'"]),
        ("group remove wrk", 13, ["there is no group 'wrk' (default, work); "]),
        ("login gitub", 13, ["there is no provider 'gitub', but 'github'; 'keyfob provider list'"]),
        ("provider show ssoo", 13, ["there is no provider 'ssoo', but 'sso'; 'keyfob provider list'"]),
        ("provider remove ssoo", 13, ["there is no provider 'ssoo'; 'keyfob provider list'"]),
        (
            "token --url https://me:pw@git.example/x?t=pw", 64,
            [
                "--url: the URL holds a user name or a password; type https://git.example/x, and name"
            ]
        ),
        (
            "bind --url https://me@git.example/x eve", 64,
            ["--url: the URL holds a user name", "type https://git.example/x,"]
        ),
        ("bind --host me:pw@git.example eve", 64, ["--host: it holds a user name", "type git.example, and name"]),
        (
            "bind https://me:pw@git.example/x eve", 64,
            ["Unexpected argument", "'keyfob bind --url https://git.example/x eve'"]
        ),
        (
            "token https://me:pw@git.example/x", 64,
            ["Unexpected argument 'https://…@git.example/x'", "'keyfob token --url https://git.example/x'"]
        ),
        ("request https://me:pw@git.example/x", 64, ["the URL holds a user name", "type https://git.example/x,"]),
        (
            "which --url intranet", 77,
            ["an address looks so: https://github.com/intranet; ", "'keyfob bind --host https://intranet NAME'"]
        ),
        ("bind --host 'a b' eve", 64, ["keyfob: --host: it holds a blank, a backslash or a character"]),
        ("import --merge --replace x", 64, ["--merge and --replace exclude one another"]),
        (
            "use eve --none", 64,
            ["Unknown option '--none'; to have no default account: 'keyfob account default --none'"]
        ),
        ("account default eve --none", 64, ["--none goes without an account: 'keyfob account default --none'"]),
        (
            "add zoe@git.example --expires-in -5", 64,
            ["'-5' is no value for '--expires-in <seconds>': none begins with a dash"]
        ),
        ("token --foo", 64, ["Unknown option '--foo'; did you mean '--tool'? See 'keyfob token --help'\n"]),
    ]
}
