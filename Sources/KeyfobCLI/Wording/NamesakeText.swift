internal import Keyfob

extension Keyring.Namesake {
    /// What a person should know, and can do.
    var text: String {
        "\(imported) stays apart from \(known), which has the same user name: a file proves nothing; "
            + "'keyfob login --account \(ShellWord.inMessage(imported.description))' makes them one once that person signs in"
    }
}
