internal import Glibc
internal import KeyfobModel
package import KeyfobSodium

/// Brings an address that the desktop gave a program to the sign-in that waits for it.
package enum SchemeDelivery {
    /// What became of an address.
    package enum Outcome: Hashable, Sendable {
        /// A sign-in took it.
        case accepted
        /// It ended a sign-in, for this reason.
        case failed(String)
        /// So many wait, and none took it; the reason that the last one gave.
        case ignored(Int, String)
        /// No sign-in waits.
        case nobody
    }

    /// The longest address, in bytes.
    package static let limit = SchemeSocket.addressLimit

    /// Offers `address` to those who listen in `folder`, one after the other.
    ///
    /// Each knows by its `state` whether it is the answer. Sockets at which nobody listens any more are removed.
    package static func hand(_ address: borrowing SecretBytes, in folder: String) -> Outcome {
        var outcome = Outcome.nobody
        var count = 0
        for name in names(in: folder) {
            let path = folder + "/" + name
            switch offer(address, at: path) {
            case .accepted?: return .accepted
            case .failed(let reason)?: return .failed(reason)
            case .ignored(let reason)?:
                count += 1
                outcome = .ignored(count, reason)
            case nil: continue
            }
        }
        return outcome
    }

    /// The most sockets that are tried.
    private static let most = 256

    private static func names(in folder: String) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while names.count < most, let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            let digits = name.dropFirst(SchemeSocket.prefix.count).utf8
            guard name.hasPrefix(SchemeSocket.prefix), digits.count == 16,
                digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
            else { continue }
            names.append(name)
        }
        return names.sorted()
    }

    /// What the one who listens there says of an address; nil where nobody does, or nothing is said in time.
    private static func offer(_ address: borrowing SecretBytes, at path: String) -> SchemeVerdict? {
        guard let place = SchemeSocket.address(path) else { return nil }
        let socket = SchemeSocket.make()
        guard socket >= 0 else { return nil }
        defer { _ = close(socket) }
        guard unsafe SchemeSocket.with(place, { unsafe connect(socket, $0, $1) == 0 }) else {
            if errno == ECONNREFUSED { unsafe unlink(path) }
            return nil
        }
        let isSent = address.withBytes { bytes in
            unsafe bytes.withUnsafeBytes {
                unsafe send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) == $0.count
            }
        }
        guard isSent, let reply = SchemeSocket.receive(socket) else { return nil }
        return reply.withBytes { bytes in SchemeVerdict(message: (0..<bytes.byteCount).map { bytes.byte(at: $0) }) }
    }
}
