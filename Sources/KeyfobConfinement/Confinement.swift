internal import CLinux

/// What a process that holds keys can do no more: programs to start, other processes to look into, sockets, and files
/// elsewhere than in the folders it works in.
///
/// It lasts until the process ends, and nothing it starts gets out of it. Where the kernel does not offer a part, the
/// process goes on without: ``offers`` tells.
package struct Confinement: Sendable {
    /// Files and folders that can be read, with all that is in them.
    package var reading: [String]
    /// Files and folders that can be read and changed, with all that is in them; nil for all there are.
    package var writing: [String]?
    /// Whether new sockets can be made.
    package var allowsSockets: Bool

    package init(reading: [String], writing: [String]?, allowsSockets: Bool) {
        self.reading = reading
        self.writing = writing
        self.allowsSockets = allowsSockets
    }

    /// What the kernel offers.
    package struct Offers: Sendable {
        /// The version of Landlock's interface; 0 where there is none.
        package let landlock: Int
        /// Whether system calls can be filtered.
        package let seccomp: Bool
    }

    package static var offers: Offers {
        Offers(landlock: FileRules.version, seccomp: linux_can_filter_calls() == 1 && SystemCallFilter.isKnown)
    }

    /// The first version of Landlock that is used: older ones let no file be moved from one folder to another.
    package static let oldestLandlock = 2

    /// Folders of the system that a process reads in passing: time zones, names of users, its own state.
    package static let systemFolders = ["/usr", "/lib", "/lib64", "/etc", "/proc"]
    /// Devices that a process works with.
    package static let devices = ["/dev/tty", "/dev/null", "/dev/urandom", "/dev/random"]

    /// Confines the calling process, which should have one thread: Landlock holds for this one and those it starts.
    ///
    /// - Returns: Whether each part holds that the kernel offers.
    @discardableResult
    package func apply() -> Bool {
        guard linux_renounce_privileges() == 0 else { return false }
        let areFilesHeld = writing.map { FileRules(reading: reading, writing: $0).apply() } ?? true
        return SystemCallFilter(allowsSockets: allowsSockets).apply() && areFilesHeld
    }
}
