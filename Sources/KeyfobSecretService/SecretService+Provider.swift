internal import Glibc

extension SecretService {
    /// The name of the program that is the service, such as "GNOME Keyring" or "KeePassXC"; nil when it cannot be told.
    ///
    /// For people to read, not to decide by.
    package var providerName: String? {
        let process = try? attempt(whenGone: .noService) { (deadline) throws(BusFailure) in
            try callBus(
                "GetConnectionUnixProcessID", [.string(findOwner(deadline))], returning: "(u)", deadline
            ).number ?? 0
        }
        guard let process, process > 0 else { return nil }
        let name = Self.processName(process)
        return name.map { name in Self.names.first { name.hasPrefix($0.0) }?.1 ?? name }
    }

    // The system cuts a process's name to 15 bytes.
    private static let names = [
        ("gnome-keyring", "GNOME Keyring"), ("keepassxc", "KeePassXC"), ("kwallet", "KWallet"), ("ksecretd", "KWallet"),
        ("oo7", "oo7"),
    ]

    private static func processName(_ process: UInt32) -> String? {
        let descriptor = unsafe open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        let name = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).prefix { $0 != "\n" }
        return name.isEmpty ? nil : String(name)
    }
}
