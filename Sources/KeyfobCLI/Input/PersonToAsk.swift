internal import KeyfobModel
internal import KeyfobTerminal

/// Whom a helper can ask in the middle of what a tool does.
enum PersonToAsk {
    /// A person at the terminal of the tool.
    case terminal
    /// A person at the desktop, where an agent shows windows.
    case desktop
    case nobody

    /// Who is there now.
    ///
    /// - Parameter isForGit: Whether git asks, which calls by programs of its own.
    static func now(_ global: GlobalOptions, isForGit: Bool, _ environment: Environment = .current) -> PersonToAsk {
        guard !global.noInput, !isUnattended(environment), !isApart(CallingProgram.chain(), isForGit: isForGit) else {
            return .nobody
        }
        if Terminal.isThere { return Terminal.isFree ? .terminal : .nobody }
        if isService(environment) { return .nobody }
        return environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil ? .desktop : .nobody
    }

    /// Whether the environment says that nobody is there: in CI, and where git is to ask nothing.
    static func isUnattended(_ environment: Environment) -> Bool {
        if let value = environment["CI"], !isFalse(value) { return true }
        if let value = environment["GIT_TERMINAL_PROMPT"], isFalse(value) { return true }
        // git sets these for its hooks.
        let ofHooks = ["GIT_INDEX_FILE", "GIT_QUARANTINE_PATH", "GIT_PUSH_OPTION_COUNT"]
        if ofHooks.contains(where: { environment[$0] != nil }) { return true }
        // As scheduled maintenance says it from git 2.48 on.
        let parameters = Identifier.folded(environment["GIT_CONFIG_PARAMETERS"] ?? "")
        guard let place = parameters.firstRange(of: "credential.interactive") else { return false }
        let value = parameters[place.upperBound...].drop { "'= ".contains($0) }.prefix { $0 != "'" && $0 != " " }
        return value == "never" || isFalse(String(value))
    }

    /// Whether a timer of systemd's has started this, or a service whose messages go to the journal.
    static func isService(_ environment: Environment, errors: String? = nil) -> Bool {
        if environment["TRIGGER_UNIT"] != nil || environment["TRIGGER_TIMER_REALTIME_USEC"] != nil
            || environment["TRIGGER_TIMER_MONOTONIC_USEC"] != nil
        {
            return true
        }
        guard let journal = environment["JOURNAL_STREAM"] else { return false }
        return journal == errors ?? StandardError.file
    }

    private static func isFalse(_ text: String) -> Bool {
        ["0", "false", "no", "off"].contains(Identifier.folded(text))
    }

    /// Whether the tool does something for another program than the person's: a hook of git's, or git's maintenance.
    ///
    /// - Parameter programs: Those that called, the nearest first.
    static func isApart(_ programs: [CallingProgram], isForGit: Bool) -> Bool {
        if programs.contains(where: { $0.isMaintenance || $0.isTimer }) { return true }
        if zip(programs, programs.dropFirst()).contains(where: { $0.isHook(of: $1) }) { return true }
        // What is between this program and git that asks is git's way to call it.
        let start = isForGit ? programs.firstIndex(where: \.isGits) ?? programs.endIndex : 0
        for (program, caller) in zip(programs[start...], programs[start...].dropFirst())
        where caller.isGits && !program.isGits {
            // An alias reads the terminal, and what git starts by itself does not.
            guard program.startsGit || program.readsTerminal else { return true }
        }
        return false
    }
}
