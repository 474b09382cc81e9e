internal import Glibc

/// Whose the other end of a connection on this machine is, as the kernel's table says (`/proc/net/tcp`, proc(5)).
enum SocketOwner {
    private static let table = "/proc/net/tcp"

    /// Whether there is such a table here.
    static var isKnown: Bool { unsafe access(table, R_OK) == 0 }

    /// The number of the user who opened the other end; nil where it is closed, or nobody's here.
    static func user(at connection: CInt) -> uid_t? {
        guard let other = unsafe address(getpeername, connection), let own = unsafe address(getsockname, connection)
        else {
            return nil
        }
        // The table is read in pieces, between which lines can move.
        for _ in 0..<3 {
            guard let table = content() else { return nil }
            if let user = user(from: other, to: own, in: table) { return user }
        }
        return nil
    }

    /// The table, of which the kernel gives a page at a time.
    private static func content() -> String? {
        let descriptor = unsafe open(table, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = unsafe read(descriptor, &part, part.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += part.prefix(count)
        }
    }

    /// The user of the line with these addresses, as they stand there.
    static func user(from other: String, to own: String, in table: String) -> uid_t? {
        for line in table.utf8.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 10)
            // A socket that was closed is nobody's, and has the number of root.
            guard fields.count > 9, fields[1].elementsEqual(other.utf8), fields[2].elementsEqual(own.utf8),
                !fields[9].elementsEqual("0".utf8)
            else { continue }
            return uid_t(Substring(fields[7]))
        }
        return nil
    }

    private typealias Naming = (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt

    /// An address of a connection as the table has it: in hexadecimal, as it lies in memory, and the port.
    private static func address(_ name: Naming, _ connection: CInt) -> String? {
        var address = sockaddr_in()
        var count = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe name(connection, $0, &count) }
        }
        guard result == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
        return text(address.sin_addr.s_addr, 8) + ":" + text(in_port_t(bigEndian: address.sin_port), 4)
    }

    private static func text(_ number: some BinaryInteger, _ digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: digits - text.count) + text
    }
}
