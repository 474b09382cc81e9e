package import Keyfob

/// Why a word names no program that an agent could see.
package enum ProgramProblem: Error, Equatable, Sendable {
    /// `PATH` has no program of this name.
    case notInPath(String)
    /// The first of this name in `PATH` is in a folder that is not named from `/`: another one elsewhere.
    case inRelativeFolder(name: String, folder: String)
    /// The path leads to nothing.
    case missing(String)
    /// There was a file of this name, which was removed or replaced while it ran.
    case removed(String)
    /// It is a link to what is not there.
    case danglingLink(String, target: String)
    /// A folder.
    case folder(String)
    /// A device, a pipe or a socket.
    case notRegular(String)
    /// An executable that nobody may start, or not this user.
    case notExecutable(String)
    /// The kernel shows nobody else what runs a file that they may not read.
    case unreadable(String)
    /// A script that names no interpreter that is there.
    case noInterpreter(String, interpreter: String)
    /// A script in which another program is seen when it runs.
    case seenAs(Program, path: String)
    /// A script of which it cannot be told what runs it.
    case unclear(String)
    /// The front of another installation, which becomes that one's full program.
    case otherInstallation(String, fullProgram: String)
    /// A name that no program of this kind has; nil for a word of no kind.
    case noName(String, Program.Kind?)
}
