internal import Glibc

extension VarlinkServer {
    /// How much programs may take.
    package struct Limits: Sendable {
        /// The most connections at once.
        package var connections = 256
        /// The most of one process.
        package var ofProcess = 64
        /// The most calls that are being answered, those of programs included that have gone meanwhile.
        package var calls = 512
        /// The most of one process.
        package var callsOfProcess = 64
        /// How many more connections and calls there may be where all are taken: of whoever says at once what the owner's
        /// command says.
        ///
        /// Of those that say nothing the oldest makes room for the next.
        package var guests = 64
        /// The longest message, in bytes.
        package var message = 1 << 20
        /// How much may wait for a program to read it, in bytes.
        package var output = 4 << 20
        /// How long the rest of a message may take, in milliseconds.
        package var halfMessage: Int64 = 60_000
        /// How long a program may read nothing of what waits for it, in milliseconds.
        package var stall: Int64 = 30_000

        /// What holds unless told otherwise.
        package init() {}
    }
}

extension VarlinkServer.Limits {
    /// What a process can give that may have so many descriptors: a connection takes two, one of them for the process at its other
    /// end, and what is answered takes some.
    ///
    /// The fewer there are, the more of them are for the owner's command.
    package init(descriptors: UInt64) {
        let own = max(40, min(descriptors, 1 << 20) / 4)
        let places = descriptors > own ? Int(min(descriptors - own, 1 << 20) / 2) : 0
        guests = min(guests, max(4, places / 5))
        connections = min(connections, max(4, places - guests))
        ofProcess = min(ofProcess, max(2, connections / 2))
        calls = min(calls, 2 * connections)
        callsOfProcess = min(callsOfProcess, max(2, connections / 2))
    }

    /// Those for the descriptors that this process may have (getrlimit(2)).
    package static var ofThisProcess: Self {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return Self() }
        return Self(descriptors: UInt64(limit.rlim_cur))
    }
}

/// Descriptors that are held for nothing, and given up when somebody could not be let in without.
struct SpareDescriptors: ~Copyable {
    /// For a connection and its process, twice.
    private static let count = 4
    private var held: [CInt] = []

    /// Takes as many as are missing, and there are.
    mutating func fill() {
        while held.count < Self.count {
            let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return }
            held.append(descriptor)
        }
    }

    /// Gives two of them up.
    ///
    /// - Returns: Whether there were any.
    mutating func release() -> Bool {
        for descriptor in held.suffix(2) { close(descriptor) }
        let wereThere = !held.isEmpty
        held.removeLast(min(2, held.count))
        return wereThere
    }

    deinit { for descriptor in held { close(descriptor) } }

    /// Whether the process has all descriptors that it may have.
    static var areLacking: Bool {
        let descriptor = fcntl(0, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return errno == EMFILE || errno == ENFILE }
        close(descriptor)
        return false
    }
}
