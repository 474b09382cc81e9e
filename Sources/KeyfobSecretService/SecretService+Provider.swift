internal import KeyfobBus
internal import KeyfobFiles

extension SecretService {
    /// The name of the program that is the service, such as "GNOME Keyring" or "KeePassXC"; nil when it cannot be told.
    ///
    /// For people to read, not to decide by.
    package var providerName: String? {
        let process = try? attempt(whenGone: .noService) { (deadline) throws(ServiceFailure) in
            try callBus(
                "GetConnectionUnixProcessID", [.string(findOwner(deadline))], returning: "(u)", deadline
            ).number ?? 0
        }
        guard let process, process > 0, let name = ProcessName.of(Int32(clamping: process)) else { return nil }
        return Self.names.first { name.hasPrefix($0.0) }?.1 ?? name
    }

    // The system cuts a process's name to 15 bytes.
    private static let names = [
        ("gnome-keyring", "GNOME Keyring"), ("keepassxc", "KeePassXC"), ("kwallet", "KWallet"), ("ksecretd", "KWallet"),
        ("oo7", "oo7"),
    ]
}
