internal import Keyfob
internal import KeyfobSodium
internal import KeyfobTerminal

extension KeyringError {
    /// Something that could not be written to what has this name.
    init(_ failure: WritingFailure, to name: String) {
        switch failure {
        case .readerLeft: self.init(.inputOutput, "\(name) was closed before everything was written")
        case .diskFull: self.init(.diskFull, "the disk is full: \(name) is incomplete")
        case .closed: self.init(.inputOutput, "\(name) is closed")
        case .system(let number): self.init(.inputOutput, "\(name) could not be written (error \(number))")
        }
    }

    /// What a person was not asked, or did not answer.
    init(_ failure: TerminalFailure) {
        switch failure {
        case .absent:
            self.init(
                .unavailable, "there is no terminal to choose an account on",
                hint: "name the account, or use 'keyfob pick --filter'")
        case .gone: self.init(.unavailable, "the terminal is gone")
        case .cannotHide: self.init(.unavailable, "the terminal cannot be kept from showing what is typed")
        case .cannotTakeKeys: self.init(.unavailable, "the terminal cannot be set to take single keys")
        case .noDescriptors: self.init(.unavailable, "there are no file descriptors left")
        case .interrupted: self.init(.cancelled, "cancelled")
        case .nothingTyped: self.init(.cancelled, "nothing was typed")
        case .nothingChosen: self.init(.cancelled, "cancelled; no account was chosen")
        case .unanswered: self.init(.cancelled, "nobody chose an account in time")
        case .unwanted: self.init(.cancelled, "the program that needed an account has ended")
        case .noChoices: self.init(.noSuchAccount, "there are no accounts to choose from")
        }
    }
}

extension DescriptorWriter {
    /// Writes bytes of ordinary memory to a descriptor that people know by a name.
    static func write(_ bytes: [UInt8], to descriptor: CInt, name: String) throws(KeyringError) {
        do { try write(bytes, to: descriptor) } catch { throw KeyringError(error, to: name) }
    }

    /// Writes all of something to a descriptor that people know by a name.
    static func write(_ bytes: RawSpan, to descriptor: CInt, name: String) throws(KeyringError) {
        do { try write(bytes, to: descriptor) } catch { throw KeyringError(error, to: name) }
    }
}

extension Terminal {
    /// Asks for a line that is shown.
    func ask(_ question: String) throws(KeyringError) -> String {
        do { return try line(after: question) } catch { throw KeyringError(error) }
    }

    /// Asks for a line that is not shown.
    func askSecret(_ question: String, limit: Int = lineLimit) throws(KeyringError) -> SecretBytes {
        do { return try secret(after: question, limit: limit) } catch { throw KeyringError(error) }
    }
}

extension SignalPipe {
    /// Takes over what ends the process.
    static func ofEnd() throws(KeyringError) -> SignalPipe {
        do { return try SignalPipe(ending) } catch { throw KeyringError(error) }
    }
}
