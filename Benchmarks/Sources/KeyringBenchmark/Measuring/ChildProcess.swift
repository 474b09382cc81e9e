import ArgumentParser
import Foundation
import Glibc

/// A program that is run to its end.
///
/// By `posix_spawn` and `waitpid`: Foundation's `Process` adds some 50 ms, many times what is to be measured.
struct ChildProcess {
    let program: String
    let arguments: [String]
    var environment: [String: String] = [:]

    /// Runs it.
    ///
    /// - Returns: Its standard output, and the milliseconds from before its start to after its end.
    @discardableResult
    func run() throws -> (output: Data, milliseconds: Double) {
        let surroundings = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let variables = surroundings.map { "\($0.key)=\($0.value)" }
        var ends: [CInt] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw ValidationError("no pipe: error \(errno)") }
        let stopwatch = Stopwatch()
        let child: pid_t
        do {
            defer { close(ends[1]) }
            child = try spawn([program] + arguments, variables, output: ends[1])
        } catch {
            close(ends[0])
            throw error
        }
        let output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readDataToEndOfFile()
        var status: CInt = 0
        while unsafe waitpid(child, &status, 0) < 0 && errno == EINTR {}
        let milliseconds = stopwatch.seconds * 1_000
        guard status == 0 else {
            throw ValidationError("\(program) \(arguments.joined(separator: " ")) failed with wait status \(status)")
        }
        return (output, milliseconds)
    }

    /// Runs it and reads the measurements that it writes, the time of the whole process with them.
    func measure() throws -> Measurements {
        let (output, milliseconds) = try run()
        return try Measurements(parsing: output).merging(Measurements([.processMilliseconds: milliseconds]))
    }

    private func spawn(_ arguments: [String], _ variables: [String], output: CInt) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_addclose(&actions, output)
        var child: pid_t = 0
        var (argv, envp) = unsafe (arguments.map { unsafe strdup($0) }, variables.map { unsafe strdup($0) })
        defer { unsafe (argv + envp).forEach { unsafe free($0) } }
        unsafe argv.append(nil)
        unsafe envp.append(nil)
        let result = unsafe posix_spawn(&child, program, &actions, nil, argv, envp)
        guard result == 0 else { throw ValidationError("\(program) cannot be run: error \(result)") }
        return child
    }
}
