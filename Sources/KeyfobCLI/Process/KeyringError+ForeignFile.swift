internal import Keyfob
internal import KeyfobFiles

extension KeyringError {
    /// What is wrong with a file of another program's.
    ///
    /// - Parameter byHand: What can be done where the file is not one to be replaced.
    init(_ failure: ForeignFile.Failure, of path: String, byHand: String? = nil) {
        self =
            switch failure {
            case .danglingLink:
                KeyringError(.configuration, "\(path) is a link to nothing", hint: "make the file that it leads to")
            case .missingFolder:
                KeyringError(
                    .noSuchFile, "the folder of \(path) is not there",
                    hint: "start the program once, or make the folder")
            case .notAFile: KeyringError(.configuration, "\(path), or its lock, is not a regular file")
            case .tooLarge(let limit): KeyringError(.limitExceeded, "\(path) has more than \(limit) bytes")
            case .readOnly:
                KeyringError(
                    .inputOutput, "\(path), or its folder, cannot be written; nothing was changed",
                    hint: byHand.map { "\($0) where the file comes from" })
            case .hasOtherNames:
                KeyringError(
                    .configuration, "\(path) has other names too (hard links), which would go on showing what it was",
                    hint: byHand.map { "\($0) by hand" } ?? "remove the other names")
            case .hasAccessList:
                KeyringError(
                    .configuration,
                    "\(path) has an access control list (ACL), which would be lost; it was not changed",
                    hint: byHand.map { "\($0) by hand" } ?? "remove it with 'setfacl -b \(ShellWord.quoted(path))'")
            case .belongsToAnother:
                KeyringError(.configuration, "\(path) belongs to another user, or another group; nothing was changed")
            case .changed:
                KeyringError(.busy, "\(path) was changed meanwhile; it was not written", hint: "try again")
            case .locked(let lock):
                KeyringError(
                    .busy, "\(lock) is there: another program is changing the file, or was stopped while it did",
                    hint: "try again, or remove it where no such program runs")
            case .inUse(let lock):
                KeyringError(.busy, "another program keeps \(lock) locked", hint: "try again when it is done")
            case .diskFull: KeyringError.diskFull(writing: path, "\(path) is as it was")
            case .failed(let number):
                KeyringError(.inputOutput, "\(path) could not be read or written (error \(number)); it is as it was")
            case .unconfirmed:
                KeyringError(.unconfirmed, "\(path) was written, but the disk does not confirm it")
            }
    }
}
