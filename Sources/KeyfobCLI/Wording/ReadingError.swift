internal import Glibc
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobSodium

extension KeyringError {
    /// Why a file was not read.
    init(_ path: String, _ refusal: SecretFile.Refusal) {
        switch refusal {
        case .unopened(let number): self.init(opening: path, number)
        case .notRegular where FileAccess.status(path, following: true)?.isDirectory == true:
            self.init(.configuration, "\(path) is a folder", hint: "name the file in it")
        case .notRegular: self.init(.configuration, "\(path) is not a regular file")
        case .foreign: self.init(.configuration, "\(path) belongs to another user")
        case .openToOthers: self.init(.configuration, "\(path) is open to other users", hint: "chmod 600 it")
        case .writableByOthers:
            self.init(.configuration, "\(path) can be changed by other users", hint: "chmod go-w it")
        case .silent: self.init(.inputOutput, "nothing came through the pipe \(path) in 10 seconds")
        case .unread(let error): self.init(reading: path, error)
        }
    }

    /// Why a file could not be opened.
    init(opening path: String, _ number: CInt) {
        switch number {
        case ENOENT, ENOTDIR: self.init(.noSuchFile, "there is no file \(path)")
        case EACCES, EPERM: self.init(.noSuchFile, "\(path) cannot be read: permission denied")
        case EISDIR: self.init(.configuration, "\(path) is a folder")
        default: self.init(.inputOutput, "\(path) cannot be opened (error \(number))")
        }
    }

    /// Why something could not be read to its end.
    init(reading name: String, _ error: SodiumError) {
        switch error {
        case .tooLong(let limit):
            self.init(.limitExceeded, "\(name) holds more than \(limit) bytes, the most that is read")
        case .unreadable(EBADF): self.init(.usage, "\(name) is not open")
        case .unreadable(EISDIR): self.init(.configuration, "\(name) is a folder")
        default: self.init(.inputOutput, "\(name) cannot be read")
        }
    }
}
