/// Names that a person gives and nothing may have, and what they are told; typed in the home of ``MistakeTests``.
enum NameMistakes {
    /// What is typed behind `keyfob`, the status, and parts of the message.
    static let all: [(typed: String, status: Int32, told: [String])] = [
        ("group create ..", 64, ["'..' is no name for a group, but for a folder"]),
        ("group create 'a/b c'", 64, ["a group's name cannot hold '/' or '\\'"]),
        ("group create Work", 73, ["there is a group 'work', from which 'Work' differs", "'keyfob group list'"]),
        ("group rename default WORK", 73, ["there is a group 'work', from which 'WORK' differs"]),
        ("account label eve ' Lab'", 64, ["a label cannot start or end with a space"]),
        ("sync init folder --name ' '", 64, ["a device's name cannot be blank"]),
        (
            "add zoe@git.example --host other.example", 64,
            [
                "zoe@git.example names the host git.example, and --host names other.example",
                "'keyfob add --account zoe@git.example --host other.example'",
            ]
        ),
    ]
}
