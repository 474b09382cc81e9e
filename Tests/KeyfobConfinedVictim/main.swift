// Tries what a process that holds keys must not be able to do, after it confined itself as the command does.
//
//   KeyfobConfinedVictim INSIDE OUTSIDE [--free]
//
// Prints a line for each attempt: its name, and `works` or the system's error number. OUTSIDE holds a file `secret`;
// INSIDE a folder `sub` and a link `out` to OUTSIDE. With --free nothing is confined.

import Glibc
import KeyfobConfinement

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { exit(64) }
let (inside, outside) = (arguments[1], arguments[2])
if !arguments.contains("--free") {
    let confinement = Confinement(
        reading: Confinement.systemFolders, writing: [inside] + Confinement.devices, allowsSockets: false)
    guard confinement.apply() else { exit(69) }
}

func tell(_ what: String, _ result: CInt) {
    print(what, result >= 0 ? "works" : "\(errno)")
}

func attempt(_ what: String, _ path: String, _ flags: CInt) {
    let descriptor = unsafe open(path, flags | O_CLOEXEC, 0o600)
    tell(what, descriptor)
    if descriptor >= 0 { close(descriptor) }
}

attempt("write-inside", inside + "/new", O_CREAT | O_WRONLY)
tell("move-inside", unsafe rename(inside + "/new", inside + "/sub/new"))
attempt("null", "/dev/null", O_WRONLY)
attempt("zones", "/etc/passwd", O_RDONLY)
attempt("read-outside", outside + "/secret", O_RDONLY)
attempt("list-outside", outside, O_RDONLY | O_DIRECTORY)
attempt("read-by-link", inside + "/out/secret", O_RDONLY)
attempt("write-outside", outside + "/new", O_CREAT | O_WRONLY)
tell("move-outside", unsafe rename(inside + "/sub/new", outside + "/new"))
tell("remove-outside", unsafe unlink(outside + "/secret"))
attempt("memory-of-parent", "/proc/\(getppid())/mem", O_RDONLY)

tell("internet", socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0))
tell("unix", socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0))

/// Starts a program that does nothing.
func start() -> CInt {
    var child: pid_t = 0
    var words: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("true"), nil]
    let failure = unsafe posix_spawn(&child, "/bin/true", nil, nil, &words, nil)
    errno = failure
    return failure == 0 ? 0 : -1
}
tell("program", start())
