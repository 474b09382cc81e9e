import Foundation
import Glibc
import Synchronization
import Testing

/// Members of a cluster of etcd on this machine, for as long as somebody holds this.
final class EtcdServers {
    fileprivate let place: Workplace
    private var processes: [pid_t] = []
    private var dead: Set<Int> = []
    fileprivate var ports: [Int] = []

    /// How keyfob names the cluster.
    var remote: String { "etcd+\(scheme)://" + hosts + "/test" }
    /// The file with the authority that its certificate is from; nil without TLS.
    var authority: String? { scheme == "https" ? place.path + "/ca.pem" : nil }
    private let scheme: String
    private var hosts: String { ports.map { "127.0.0.1:\($0)" }.joined(separator: ",") }

    init(members: Int = 1, isSecure: Bool = false) throws {
        scheme = isSecure ? "https" : "http"
        place = try Workplace()
        if isSecure {
            try place.run(
                """
                key() { openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "$@" 2> /dev/null; }
                key -subj /CN=authority -keyout ca.key -out ca.pem
                key -subj /CN=etcd -keyout key.pem -out cert.pem -CA ca.pem -CAkey ca.key -addext subjectAltName=IP:127.0.0.1 \
                    -addext basicConstraints=critical,CA:FALSE
                """
            ).expectSuccess()
        }
        // Where somebody else has one of the ports, others are taken.
        for _ in 0..<10 where processes.isEmpty { try start(members) }
        try #require(!processes.isEmpty, "etcd does not start")
    }

    /// No two of these tests have the same.
    private static let nextPort = Mutex(Int.random(in: 20_000..<24_000))

    private func start(_ members: Int) throws {
        let first = Self.nextPort.withLock { port in
            defer { port += 2 * members }
            return port
        }
        ports = (0..<members).map { first + 2 * $0 }
        let cluster = ports.enumerated().map { "m\($0)=http://127.0.0.1:\($1 + 1)" }.joined(separator: ",")
        for (index, port) in ports.enumerated() {
            let (client, peer) = ("\(scheme)://127.0.0.1:\(port)", "http://127.0.0.1:\(port + 1)")
            let files = scheme == "https" ? "--cert-file cert.pem --key-file key.pem" : ""
            let started = try place.run(
                """
                \(Workplace.alone) etcd --name m\(index) --data-dir m\(index) --logger zap --listen-client-urls \(client) \
                    --advertise-client-urls \(client) --listen-peer-urls \(peer) --initial-advertise-peer-urls \(peer) \
                    \(files) --initial-cluster '\(cluster)' --initial-cluster-token \(place.path) --unsafe-no-fsync \
                    > m\(index).log 2>&1 &
                echo $!
                """)
            processes.append(try #require(pid_t(started.text.trimmingCharacters(in: .newlines))))
        }
        if try ask("range", #"{"key":"YQ=="}"#, port: ports[0], attempts: 200).contains("header") { return }
        for process in processes { Glibc.kill(process, SIGKILL) }
        processes = []
        try place.run("rm -rf m*").expectSuccess()
    }

    private func ask(_ call: String, _ body: String, port: Int, attempts: Int = 1) throws -> String {
        try place.run(
            """
            for try in $(seq \(attempts)); do
                curl -skf -X POST \(scheme)://127.0.0.1:\(port)/v3/kv/\(call) -d '\(body)' && break
                sleep 0.05
            done
            """
        ).text
    }

    /// Every key, and what it holds, one after the other.
    func contents() throws -> Data {
        struct Answer: Decodable {
            struct Entry: Decodable { let key: Data, value: Data }
            let kvs: [Entry]?
        }
        let answer = try ask("range", #"{"key":"AA==","range_end":"AA=="}"#, port: ports[0])
        let entries = try JSONDecoder().decode(Answer.self, from: Data(answer.utf8)).kvs ?? []
        return entries.reduce(into: Data()) { $0 += $1.key + [0x0A] + $1.value }
    }

    /// The number of the member that leads.
    func leader() throws -> Int {
        struct Status: Decodable {
            struct Header: Decodable { let member_id: String }
            let header: Header, leader: String
        }
        // For a moment nobody may.
        for _ in 0..<600 {
            for (index, port) in ports.enumerated() where !dead.contains(index) {
                let text = try place.run("curl -sf -X POST http://127.0.0.1:\(port)/v3/maintenance/status -d '{}'").text
                guard let status = try? JSONDecoder().decode(Status.self, from: Data(text.utf8)) else { continue }
                if status.leader == status.header.member_id { return index }
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
        throw CocoaError(.fileNoSuchFile)
    }

    /// Kills a member, as a power failure would.
    func kill(_ member: Int) {
        Glibc.kill(processes[member], SIGKILL)
        dead.insert(member)
    }

    deinit {
        for (index, process) in processes.enumerated() where !dead.contains(index) { Glibc.kill(process, SIGKILL) }
    }
}

extension EtcdServers {
    /// Makes the user `root`, without whom nothing can be read from now on.
    func enableUsers(root password: String) throws {
        struct User: Encodable { let name: String, password: String }
        struct Grant: Encodable { let user: String, role: String }
        let encoder = JSONEncoder()
        func text(_ value: some Encodable) throws -> String {
            String(decoding: try encoder.encode(value), as: UTF8.self)
        }
        for (call, body) in [
            ("auth/user/add", try text(User(name: "root", password: password))),
            ("auth/role/add", #"{"name":"root"}"#), ("auth/user/grant", try text(Grant(user: "root", role: "root"))),
            ("auth/enable", "{}"),
        ] {
            let outcome = try place.run(
                "curl -sf -X POST http://127.0.0.1:\(ports[0])/v3/\(call) -d @-", text: body)
            outcome.expectSuccess()
        }
    }
}
