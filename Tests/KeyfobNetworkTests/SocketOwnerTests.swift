internal import Glibc
internal import KeyfobTestSupport
internal import Testing

@testable internal import KeyfobNetwork

@Suite("Whose a connection to this machine is")
struct SocketOwnerTests {
    /// Connects to a port of this machine, by a socket of IPv6 to an address of IPv4 where that is wanted.
    private func connect(to port: Int, mapped: Bool) -> CInt {
        let descriptor = socket(mapped ? AF_INET6 : AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_port = in_port_t(port).bigEndian
        four.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = four.sin_port
        unsafe inet_pton(AF_INET6, "::ffff:127.0.0.1", &six.sin6_addr)
        let result =
            mapped ? unsafe call(descriptor, &six) : unsafe call(descriptor, &four)
        #expect(result == 0)
        return descriptor
    }

    private func call<Address>(_ descriptor: CInt, _ address: UnsafePointer<Address>) -> CInt {
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
        }
    }

    private func accept(_ listening: CInt) throws -> CInt {
        var wait = pollfd(fd: listening, events: Int16(POLLIN), revents: 0)
        #expect(unsafe poll(&wait, 1, 10_000) == 1)
        return try #require(LoopbackSocket.accept(listening))
    }

    @Test(
        "the kernel and its tables name the same owner, of a socket of IPv6 as well, and nobody where it is closed",
        arguments: [false, true], [false, true])
    func owner(readsTables: Bool, mapped: Bool) throws {
        let listening = try #require(try LoopbackSocket.listen(isIPv6: false, port: 0))
        defer { close(listening) }
        let owner = try #require(SocketOwner(listening: listening, readsTables: readsTables))
        #expect(owner.readsTables == readsTables)
        let port = LoopbackSocket.port(of: listening)
        let others = (0..<20).map { _ in connect(to: port, mapped: !mapped) }
        let ends = try others.map { _ in try accept(listening) }
        let other = connect(to: port, mapped: mapped)
        let own = try accept(listening)
        #expect(owner.user(at: own) == geteuid())
        #expect(ends.allSatisfy { owner.user(at: $0) == geteuid() })
        close(other)
        #expect(owner.user(at: own) == nil)
        #expect(owner.user(at: ends[0]) == geteuid())
        for descriptor in others + ends + [own] { close(descriptor) }
    }

    @Test("connections of others are told once for each user, and at the end how many there were")
    func tally() {
        var tally = StrangerTally()
        let told = [65_534, nil, 65_534, 7, nil, 65_534].map { tally.note($0) }
        #expect(told.map { $0 != nil } == [true, true, false, true, false, false])
        #expect(told[0] == "a connection: it is of another user (65534); further ones are counted")
        #expect(
            tally.summary == [
                "2 more connections of another user (65534)",
                "1 more connection of nobody who could be told",
            ])
        for user in uid_t(1_000)..<2_000 { _ = tally.note(user) }
        #expect(tally.summary.last?.hasPrefix("1 more") == true && tally.summary.count == 3)
    }

    @Test("the owner of a connection is the one of its own line, and nobody where it is closed")
    func owner() {
        let text = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:1092 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 11 1 0 100 0 0 10 0
               1: 0100007F:9C40 0100007F:1092 01 00000000:00000000 00:00000000 00000000 65534        0 12 1 0 20 4 30 10 -1
               2: 0100007F:9C41 0100007F:1092 06 00000000:00000000 03:000017A8 00000000     0        0 0 3 0
            """
        let table = Array(text.utf8)
        #expect(SocketOwner.user(from: "0100007F:9C40", to: "0100007F:1092", in: table) == 65_534)
        #expect(SocketOwner.user(from: "0100007F:9C41", to: "0100007F:1092", in: table) == nil)
        #expect(SocketOwner.user(from: "0100007F:9C40", to: "0100007F:1093", in: table) == nil)
    }
}
