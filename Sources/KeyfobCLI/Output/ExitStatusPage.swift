extension ExitStatus {
    /// What `keyfob help` calls the page.
    static let pageName = "exit-status"

    /// The page: `keyfob help exit-status`.
    static func page() -> String {
        HelpText.broken(
            """
            The status with which a command ends. 'keyfob help COMMAND' tells what is particular about one.

            \(table)
            """)
    }

    /// What each status means, a line each.
    static let table = """
         0  done
         1  any other failure
        10  sign-in needed
        11  ambiguous account
        12  locked: nothing unlocks the vault without asking
        13  no such account, group, slot, binding, provider or client; nothing to undo
        14  the provider granted fewer scopes than were asked for
        15  cancelled
        64  usage
        65  input malformed or damaged
        66  no vault here, or no such file
        69  a service is missing, its certificate is not to be trusted (nothing was sent, and trying again
            does not help: --ca-file), or a provider refuses or makes no sense
        73  would overwrite; not created
        74  input/output error, disk full
        75  busy, or the provider cannot be reached or asks to wait: try again
        77  wrong key or passphrase; group not granted; no token goes to the host; an organisation does not let the
            account, the device or the client in
        78  configuration error
        126 a program that was to run cannot be started
        127 there is no such program
        """
}
