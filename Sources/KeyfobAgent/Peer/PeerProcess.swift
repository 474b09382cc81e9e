internal import CLinux
internal import Glibc
internal import Keyfob
internal import KeyfobFiles
internal import Synchronization

/// A process that asks for something, which cannot be taken for a later one of its number.
///
/// Held by a descriptor of the process (pidfd_open(2)), or by when it started where the kernel gives none.
package final class PeerProcess: Sendable {
    /// Its number.
    package let number: Int32
    /// The user who runs it.
    package let user: UInt32
    /// The table that tells of it.
    let table: ProcessTable
    private let descriptor: CInt
    /// When it started, where there is no descriptor.
    private let start: String?
    /// How much code the program had that it was when this was made.
    private let code: String?
    /// The program that it was when it was looked at first.
    private let first = Mutex<Image?>(nil)

    /// A program that a process has become, as nothing else is.
    package struct Image: Hashable, Sendable {
        /// When the process started, where the program is in memory, and the number of the file that runs.
        ///
        /// The places are the same for several programs where the process asked for no random ones.
        let text: String

        init(text: String) { self.text = text }

        /// The program that a process is now; nil where that is not for us to see.
        ///
        /// A process that becomes another program can have whoever asks this wait without end.
        init?(_ number: Int32, in table: ProcessTable) {
            guard let status = table.status(of: number),
                let file = KnownFile(link: table.path(of: number, "exe"))?.look.number
            else { return nil }
            text = ([String(number), status.start, file] + status.addresses).joined(separator: " ")
        }
    }

    /// A process; nil where it has ended.
    ///
    /// Nothing here waits for the process, whatever it does.
    ///
    /// - Parameters:
    ///   - descriptor: One of the process, from whoever vouched for its number, which is closed with this; nil to open one.
    package init?(
        _ number: Int32, user: UInt32, descriptor given: CInt? = nil, in table: ProcessTable = ProcessTable()
    ) {
        descriptor = given ?? linux_open_process(number)
        start = descriptor < 0 ? table.start(of: number) : nil
        code = table.codeSize(of: number)
        (self.number, self.user, self.table) = (number, user, table)
        guard isThere else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether it still runs, so that what the table told of its number until now was told of it.
    var isThere: Bool {
        guard descriptor >= 0 else { return start != nil && table.start(of: number) == start }
        // What can be read of a process is its end.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&waiting, 1, 0) == 0
    }

    /// The program that it was when it was looked at first; nil before, or where it was not for us to see.
    var image: Image? { first.withLock { $0 } }

    /// Notes the program that it is now, if none was noted before.
    func noteFirst(by inspection: any PeerInspection) {
        if image == nil { try? requireSame(by: inspection) }
    }

    /// Whether it runs a program, and is not just becoming another one: then there is no code yet.
    var runsProgram: Bool { table.codeSize(of: number).map { $0 != "0" } ?? false }

    /// Whether it still runs, and has become no other program since it was looked at first, which this may be.
    func isSame(by inspection: any PeerInspection) -> Bool {
        do throws(KeyringError) {
            try requireSame(by: inspection)
            return true
        } catch {
            return false
        }
    }

    /// Requires that it still runs, and has become no other program since it was looked at first, which this may be.
    ///
    /// - Throws: `notPermitted` where it has, and as ``PeerInspection/image(of:)``.
    func requireSame(by inspection: any PeerInspection) throws(KeyringError) {
        // How much code it has is known from the moment when it connected.
        guard table.codeSize(of: number) == code, let now = try inspection.image(of: self) else {
            throw .becameAnother(number)
        }
        let isFirst = first.withLock { first in
            if first == nil { first = now }
            return first == now
        }
        guard isFirst, isThere else { throw .becameAnother(number) }
    }
}
