internal import CLinux
internal import Glibc

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
    private let start: String
    /// The program that it became last.
    let image: Image

    /// A program that a process has become, as nothing else is.
    struct Image: Hashable {
        fileprivate let number: Int32
        fileprivate let start: String
        /// What the kernel gave it, at random addresses; nil where that is not for us to see.
        fileprivate let auxiliary: [UInt8]?
    }

    /// A process; nil where it has ended.
    ///
    /// - Parameters:
    ///   - descriptor: One of the process, from whoever vouched for its number, which is closed with this; nil to open one.
    package init?(
        _ number: Int32, user: UInt32, descriptor given: CInt? = nil, in table: ProcessTable = ProcessTable()
    ) {
        let before = table.start(of: number)
        descriptor = given ?? linux_open_process(number)
        (self.number, self.user, self.table, start) = (number, user, table, before ?? "")
        image = Image(number: number, start: start, auxiliary: table.read("auxv", of: number))
        // One without a start has ended, or is not for us to see; one that was given has been told from later ones already.
        guard before != nil, isThere, given != nil || table.start(of: number) == before else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether it still runs, so that what the table told of its number until now was told of it.
    var isThere: Bool {
        guard descriptor >= 0 else { return table.start(of: number) == start }
        // What can be read of a process is its end.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&waiting, 1, 0) == 0
    }

    /// Whether it still runs, and has become no other program since this was made.
    var isSame: Bool { table.read("auxv", of: number) == image.auxiliary && isThere }
}
