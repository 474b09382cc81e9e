internal import Foundation
internal import Glibc
internal import KeyfobFiles
import KeyfobSodium

@testable internal import KeyfobNetwork

/// Stands in for a browser: writes bytes to a port and reads what comes until the other side ends.
enum Browser {
    /// That nobody listens.
    struct Refused: Error {}

    /// Everything that a server on this machine answers to `text`.
    static func send(_ text: String, to port: Int, host: String = "127.0.0.1") async throws -> String {
        try await withConnection(to: port, host: host) { browser in
            await browser.write(text)
            return await browser.rest()
        }
    }

    /// Calls `body` with an open connection.
    static func withConnection<Result>(
        to port: Int, host: String = "127.0.0.1", _ body: (borrowing Open) async throws -> Result
    ) async throws -> Result {
        try await body(try Open(to: port, host: host))
    }

    /// An open connection.
    struct Open: ~Copyable {
        private let descriptor: CInt

        fileprivate init(to port: Int, host: String) throws {
            let isIPv6 = host.contains(":")
            descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            var result: CInt
            if isIPv6 {
                var address = sockaddr_in6()
                address.sin6_family = sa_family_t(AF_INET6)
                address.sin6_port = in_port_t(port).bigEndian
                address.sin6_addr = in6addr_loopback
                result = unsafe Self.connect(descriptor, &address)
            } else {
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = in_port_t(port).bigEndian
                unsafe inet_pton(AF_INET, host, &address.sin_addr)
                result = unsafe Self.connect(descriptor, &address)
            }
            guard result == 0 else { throw Refused() }
        }

        private static func connect<Address>(_ descriptor: CInt, _ address: UnsafePointer<Address>) -> CInt {
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }

        deinit { _ = close(descriptor) }

        /// Writes a text.
        ///
        /// That the listener closes meanwhile is no error: what it has said is there to be read.
        borrowing func write(_ text: String) async {
            let (descriptor, bytes) = (descriptor, Array(text.utf8))
            _ = await BlockingThread.run {
                var start = 0
                while start < bytes.count {
                    let count = unsafe bytes.withUnsafeBytes {
                        unsafe Glibc.send(
                            descriptor, $0.baseAddress?.advanced(by: start), bytes.count - start,
                            CInt(MSG_NOSIGNAL))
                    }
                    if count <= 0 { return }
                    start += count
                }
            }
        }

        /// Reads to the end, whichever it is.
        borrowing func rest() async -> String {
            let descriptor = descriptor
            let text = Handover<String>()
            _ = await BlockingThread.run {
                var (all, part) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
                while true {
                    // A reset is an end too.
                    let count = unsafe recv(descriptor, &part, part.count, 0)
                    if count <= 0 { break }
                    all += part.prefix(count)
                }
                text.put(String(decoding: all, as: UTF8.self))
            }
            return text.take() ?? ""
        }
    }
}

extension Browser {
    /// A callback by GET.
    static func get(_ target: String, port: Int, host: String = "127.0.0.1") -> String {
        "GET \(target) HTTP/1.1\r\nHost: \(host):\(port)\r\n\r\n"
    }

    /// A callback by POST.
    static func post(
        _ body: String, port: Int, type: String = "application/x-www-form-urlencoded", length: Int? = nil
    ) -> String {
        "POST /callback HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: \(type)\r\n"
            + "Content-Length: \(length ?? body.utf8.count)\r\n\r\n" + body
    }
}
