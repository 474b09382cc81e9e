import Testing

extension Workplace {
    /// A vault that the file `key` opens, with the account ada, whose token is `ADA`; nothing unlocks it by itself.
    static func withAda() throws -> Workplace {
        let place = try Workplace()
        try place.makeKey("key")
        try place.run("keyfob init -q --key-file key --recovery-file recovery").expectSuccess()
        try place.run(
            "keyfob add -q --key-file key --account ada --host git.example --scope repo", text: "ADA"
        ).expectSuccess()
        return place
    }

    /// The shell's lines that start `keyfob agent`, which ends with the shell, and wait until it listens: its number is
    /// `$agent`, and what it says is in the files `said` and `told`.
    ///
    /// - Parameters:
    ///   - options: What is typed behind it.
    ///   - variables: Variables that are set for it alone.
    static func agent(_ options: String = "", variables: String = "") -> String {
        """
        trap 'kill -KILL $agent 2> /dev/null || :' EXIT; trap exit TERM
        # What an earlier one has said is not its word.
        rm -f told
        (\(variables) \(alone) keyfob agent \(options) > said 2> told) &
        agent=$!
        until grep -qs listening told || ! kill -0 $agent; do sleep 0.01; done
        """
    }
}
