internal import CLinux
internal import Glibc

/// A program that is started beside this one.
///
/// It blocks no signals, whatever the thread that starts it does, and has no open file but the three that it is given.
package struct ChildProgram {
    /// How it ended.
    package enum End: Equatable {
        /// By itself, with a status of 0 to 255.
        case status(Int32)
        /// By a signal.
        case signal(Int32)
    }

    /// Where it lies.
    package let path: String
    package let arguments: [String]
    /// Its variables; nil for those of this process.
    package var environment: [String: String]?
    /// What it reads, and where it writes to: file descriptors; nil for nothing.
    package var input: Int32?
    package var output: Int32?
    package var errors: Int32?
    /// Whether it writes to where this process does: it is a program that speaks to the person by itself.
    package var speaks = false

    /// A program.
    package init(
        path: String, arguments: [String], environment: [String: String]? = nil, input: Int32? = nil,
        output: Int32? = nil, errors: Int32? = nil, speaks: Bool = false
    ) {
        (self.path, self.arguments, self.environment) = (path, arguments, environment)
        (self.input, self.output, self.errors, self.speaks) = (input, output, errors, speaks)
    }

    /// Starts it; nil where that cannot be.
    package func start() -> Process? { launch(isApart: false).map(Process.init) }

    /// Starts it as a program that goes on without this process, in a session of its own; nil where that cannot be.
    ///
    /// It is nobody's child here, so that a program of others' that this is done in hears nothing of it: its end sends no
    /// signal, and is nothing that anybody waits for.
    package func startApart() -> Apart? { launch(isApart: true).map(Apart.init) }

    /// The process's number.
    private func launch(isApart: Bool) -> Int32? {
        var files = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard unsafe posix_spawn_file_actions_init(&files) == 0 else { return nil }
        defer { unsafe posix_spawn_file_actions_destroy(&files) }
        guard unsafe posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { unsafe posix_spawnattr_destroy(&attributes) }

        // First out of the way of 0, 1 and 2, which may be among them.
        let outputs = speaks ? [STDOUT_FILENO, STDERR_FILENO] : [output, errors]
        let given = ([input] + outputs).map { descriptor in
            unsafe descriptor.map { fcntl($0, F_DUPFD_CLOEXEC, 3) } ?? open("/dev/null", O_RDWR | O_CLOEXEC)
        }
        defer { for descriptor in given where descriptor >= 0 { close(descriptor) } }
        guard given.allSatisfy({ $0 >= 0 }) else { return nil }
        for (number, descriptor) in given.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&files, descriptor, Int32(number))
        }
        unsafe linux_close_from(&files, 3)

        var (none, all) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        // POSIX_SPAWN_SETSID, which <spawn.h> has for GNU's programs alone.
        let session = isApart ? CInt(0x80) : 0
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | session))

        let words = unsafe Self.texts([path] + arguments)
        defer { unsafe Self.free(words) }
        let variables = unsafe environment.map { unsafe Self.texts($0.map { "\($0)=\($1)" }) }
        defer { if let variables = unsafe variables { unsafe Self.free(variables) } }
        return unsafe withUnsafePointer(to: files) { files in
            unsafe withUnsafePointer(to: attributes) { attributes in
                unsafe path.withCString { path in
                    var call = unsafe SpawnCall(
                        path: path, files: files, attributes: attributes, words: words, variables: variables ?? environ)
                    unsafe isApart ? call.runInBetween() : call.run()
                    return unsafe call.result == 0 ? call.process : nil
                }
            }
        }
    }

    /// Runs it to its end; nil where it cannot be started.
    package func run() -> End? { start()?.end() }

    /// A file without a name that holds these bytes, for a program to read; nil where the system gives none.
    package static func file(holding bytes: [UInt8]) -> Int32? {
        let descriptor = unsafe linux_memory_file("keyfob")
        guard descriptor >= 0 else { return nil }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || count < 0 && errno == EINTR else {
                close(descriptor)
                return nil
            }
            rest = rest.dropFirst(max(count, 0))
        }
        lseek(descriptor, 0, SEEK_SET)
        return descriptor
    }

    /// An empty file that only this user reads, for a program to write to; nil where that cannot be.
    package static func newFile(_ path: String) -> Int32? {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        return descriptor >= 0 ? descriptor : nil
    }

    /// A program that was started, whose end has to be waited for once.
    package struct Process {
        package let id: Int32

        /// Waits for its end.
        package func end() -> End {
            var status: Int32 = 0
            while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7f
            return signal == 0 ? .status(status >> 8 & 0xff) : .signal(signal)
        }

        /// Has a thread of its own wait for its end.
        package func leave() { _ = BlockingThread.start { _ = end() } }
    }

    /// A program that was started apart.
    package struct Apart {
        package let id: Int32

        /// Whether this process is given those whose parents have ended, and has to wait for its end after all.
        package var isOwn: Bool { linux_is_given_orphans() != 0 }

        /// Waits for its end where that is this process's to do; it has to be about to end.
        package func collect() {
            guard isOwn else { return }
            while waitpid(id, nil, 0) < 0, errno == EINTR {}
        }
    }

    private static func texts(_ words: [String]) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
        let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: words.count + 1)
        for (index, word) in words.enumerated() { unsafe list[index] = unsafe strdup(word) }
        unsafe list[words.count] = nil
        return unsafe list
    }

    private static func free(_ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) {
        var index = 0
        while let word = unsafe list[index] {
            unsafe Glibc.free(word)
            index += 1
        }
        unsafe list.deallocate()
    }
}

/// A call of posix_spawn(3), and what came of it.
@unsafe
private struct SpawnCall {
    let path: UnsafePointer<CChar>
    let files: UnsafePointer<posix_spawn_file_actions_t>
    let attributes: UnsafePointer<posix_spawnattr_t>
    let words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    let variables: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    var process: pid_t = 0
    /// 0, or why there is no process.
    var result = ECANCELED

    mutating func run() { unsafe result = posix_spawn(&process, path, files, attributes, words, variables) }

    /// Runs in a process in between, which has ended then.
    mutating func runInBetween() {
        let size = 1 << 18
        let stack = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        defer { unsafe stack.deallocate() }
        // A handler of this process's would change memory that both have.
        var (all, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        _ = unsafe linux_do_in_between(
            { call in
                unsafe call?.assumingMemoryBound(to: SpawnCall.self).pointee.run()
                return 0
            }, stack + size, &self)
    }
}
