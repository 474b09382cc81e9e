internal import ArgumentParser

/// What a command does without asking, where it asks a person and nothing else hangs on it.
///
/// Commands whose `--force` means more, such as to replace a file, have one of their own.
struct ConsentOptions: ParsableArguments {
    @Flag(name: .long, help: "Do not ask.") var force = false
    @Flag(name: .long, help: ArgumentHelp("The same as --force.", visibility: .hidden)) var yes = false

    /// Whether nothing is asked.
    var isGiven: Bool { force || yes }
}
