internal import Glibc
package import KeyfobFiles
internal import KeyfobModel
package import KeyfobSodium

extension KeyringError {
    /// Why a file was not read.
    package init(_ path: String, _ refusal: SecretFile.Refusal) {
        switch refusal {
        case .unopened(let number): self.init(opening: path, number)
        case .notRegular where FileAccess.status(path, following: true)?.isDirectory == true:
            self.init(.configuration, "\(path) is a folder", advice: .nameFileWithin)
        case .notRegular: self.init(.configuration, "\(path) is not a regular file")
        case .foreign: self.init(.configuration, "\(path) belongs to another user")
        case .openToOthers: self.init(.configuration, "\(path) is open to other users", advice: .keepFileToOneself)
        case .writableByOthers:
            self.init(.configuration, "\(path) can be changed by other users", advice: .letNobodyElseWrite)
        case .silent(let seconds): self.init(silent: "the pipe \(path)", seconds: Int(seconds))
        case .unread(let error): self.init(reading: path, error)
        }
    }

    /// Why a file could not be opened.
    package init(opening path: String, _ number: Int32) {
        switch number {
        case ENOENT, ENOTDIR: self.init(.noSuchFile, "there is no file \(path)")
        case EACCES, EPERM: self.init(.noSuchFile, "\(path) cannot be read: permission denied")
        case EISDIR: self.init(.configuration, "\(path) is a folder")
        default: self.init(.inputOutput, "\(path) cannot be opened (error \(number))")
        }
    }

    /// Whoever writes into a pipe has written nothing, or nothing more.
    package init(silent name: String, seconds: Int) {
        self.init(
            .inputOutput, "nothing came through \(name) in \(seconds) seconds",
            advice: .writeIntoPipe)
    }

    /// Why something could not be read to its end.
    package init(reading name: String, _ error: SodiumError) {
        switch error {
        case .tooLong(let limit):
            self.init(.limitExceeded, "\(name) holds more than \(limit) bytes, the most that is read")
        case .unreadable(EBADF): self.init(.usage, "\(name) is not open")
        case .unreadable(EISDIR): self.init(.configuration, "\(name) is a folder")
        default: self.init(.inputOutput, "\(name) cannot be read")
        }
    }
}
