internal import Glibc

/// The process the command runs in.
enum Process {
    /// Ends the process.
    static func exit(_ status: Int32) -> Never {
        Glibc.exit(status)
    }
}
