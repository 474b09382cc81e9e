internal import CLinux
internal import Glibc

/// Whose the other end of a connection on this machine is, as the kernel says.
///
/// It is asked for that one socket (sock_diag(7)), which takes it a few microseconds however many there are. Where it does not
/// offer that, all of its tables are read (`/proc/net/tcp`, proc(5)).
final class SocketOwner {
    private let diagnosis: CInt
    /// The number of the last question to the kernel.
    private var number: UInt32 = 0
    /// Whether the kernel is not asked for one socket.
    var readsTables: Bool { diagnosis < 0 }

    /// A table, and what stands in it before an address of IPv4: a socket of IPv6 can be connected to such a one (RFC 4291,
    /// section 2.5.5.2), as Java's are.
    private static let tables = [("/proc/net/tcp", ""), ("/proc/net/tcp6", "0000000000000000FFFF0000")]

    /// Asks the kernel, or reads its tables; nil where neither can be.
    ///
    /// - Parameters:
    ///   - listening: A socket of this process that listens, by which is seen whether the kernel answers.
    ///   - readsTables: Whether the tables are read in any case.
    init?(listening: CInt, readsTables: Bool = false) {
        let diagnosis = readsTables ? -1 : linux_open_socket_diagnosis()
        var isOffered = false
        if diagnosis >= 0, let own = unsafe Self.address(getsockname, listening) {
            isOffered = Self.owner(own, Address(host: 0, port: 0), diagnosis, number) == .user(geteuid())
        }
        self.diagnosis = isOffered ? diagnosis : -1
        if diagnosis >= 0, !isOffered { close(diagnosis) }
        if !isOffered, unsafe access(Self.tables[0].0, R_OK) != 0 { return nil }
    }

    deinit { if diagnosis >= 0 { close(diagnosis) } }

    /// The number of the user who opened the other end; nil where it is closed, or nobody's here.
    func user(at connection: CInt) -> uid_t? {
        guard let other = unsafe Self.address(getpeername, connection),
            let own = unsafe Self.address(getsockname, connection)
        else { return nil }
        if diagnosis >= 0 {
            number &+= 1
            switch Self.owner(other, own, diagnosis, number) {
            case .user(let user): return user
            case .nobody: return nil
            case .unknown: break
            }
        }
        return Self.user(from: other.text, to: own.text)
    }

    private enum Answer: Equatable { case user(uid_t), nobody, unknown }

    private static func owner(_ address: Address, _ other: Address, _ diagnosis: CInt, _ number: UInt32) -> Answer {
        let answer = linux_socket_owner(diagnosis, number, address.host, address.port, other.host, other.port)
        return answer >= 0 ? .user(uid_t(truncatingIfNeeded: answer)) : answer == -1 ? .nobody : .unknown
    }

    private static func user(from other: String, to own: String) -> uid_t? {
        // Tables are read in pieces, between which lines can move.
        for _ in 0..<3 {
            for (table, prefix) in tables {
                guard let content = content(of: table) else { continue }
                if let user = user(from: prefix + other, to: prefix + own, in: content) { return user }
            }
        }
        return nil
    }

    /// A table, of which the kernel gives a page at a time.
    private static func content(of table: String) -> [UInt8]? {
        let descriptor = unsafe open(table, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = unsafe read(descriptor, &part, part.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += part[..<count]
        }
    }

    /// The user of the line with these addresses, as they stand there.
    ///
    /// A table of thousands of lines is gone through for each connection, so only that line is taken apart.
    static func user(from other: String, to own: String, in table: [UInt8]) -> uid_t? {
        let addresses = Array(" \(other) \(own) ".utf8)
        let place = unsafe table.withUnsafeBytes { table in unsafe Self.place(of: addresses, in: table) }
        guard let place else { return nil }
        let line = table[(place + addresses.count)...].prefix { $0 != UInt8(ascii: "\n") }
        // State, queues, timer, retransmissions, user, timeout, inode.
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 7)
        // A socket that was closed is nobody's, and has the number of root.
        guard fields.count > 6, !fields[6].elementsEqual("0".utf8) else { return nil }
        return uid_t(String(decoding: fields[4], as: UTF8.self))
    }

    /// Where some bytes stand behind the first colon of a line.
    private static func place(of bytes: [UInt8], in table: UnsafeRawBufferPointer) -> Int? {
        guard let start = table.baseAddress else { return nil }
        var line = 0
        while line < table.count {
            guard let colon = unsafe memchr(start + line, 0x3A, table.count - line) else { return nil }
            let place = unsafe UnsafeRawPointer(colon) - start + 1
            guard place + bytes.count <= table.count else { return nil }
            if unsafe memcmp(start + place, bytes, bytes.count) == 0 { return place }
            guard let end = unsafe memchr(start + place, 0x0A, table.count - place) else { return nil }
            line = unsafe UnsafeRawPointer(end) - start + 1
        }
        return nil
    }

    private typealias Naming = (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt

    /// An address of IPv4 and a port, as they lie in memory.
    private struct Address {
        let host: in_addr_t
        let port: in_port_t

        /// As the table has it: in hexadecimal, and the port as a number.
        var text: String { Self.text(host, 8) + ":" + Self.text(in_port_t(bigEndian: port), 4) }

        private static func text(_ number: some BinaryInteger, _ digits: Int) -> String {
            let text = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: digits - text.count) + text
        }
    }

    private static func address(_ name: Naming, _ connection: CInt) -> Address? {
        var address = sockaddr_in()
        var count = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe name(connection, $0, &count) }
        }
        guard result == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
        return Address(host: address.sin_addr.s_addr, port: address.sin_port)
    }
}
