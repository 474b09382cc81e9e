internal import KeyfobAge
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobSync
internal import KeyfobVault

extension Keyring {
    /// Bundles: encrypted files for another keyring; and backups, which are bundles of all there is.
    public struct Bundles: KeyringPart {
        let keyring: Keyring
    }
}

extension Keyring {
    /// What was written into a bundle.
    public struct BundleReport: Hashable, Sendable {
        /// What is in it.
        public let summary: BundleSummary
        /// What was left out, one line each, with the reason.
        public let skipped: [String]
        /// Whether records that do not open had to be left out.
        public let isIncomplete: Bool
        /// How many access tokens an export has left out only because it was not to have any.
        public let accessTokensLeftOut: Int
        /// How many of those never expire, so that no refresh brings them back.
        public let lastingTokensLeftOut: Int
    }
}

extension Keyring.Bundles {
    /// Writes accounts, tokens and what else the groups hold into an encrypted bundle for another keyring.
    ///
    /// Everything is of one state of the vault. The ciphertext goes out in pieces of up to 64 KiB, in constant
    /// memory, however large the vault is. Access tokens go only where `content` says so; what is for this device
    /// alone never goes.
    ///
    /// - Parameters:
    ///   - content: What to write.
    ///   - seal: Whom it is for.
    ///   - isArmored: Whether it is written as text.
    ///   - output: Takes a piece, which it must not keep.
    /// - Throws: `usage` for a recipient that is none, `limitExceeded` for more than a bundle may hold,
    ///   `groupNotGranted`, `noSuchGroup`, `unavailable`, and what `output` throws.
    public func export(
        _ content: BundleContent = BundleContent(), for seal: borrowing BundleSeal, isArmored: Bool = false,
        to output: (RawSpan) throws -> Void
    ) throws(KeyringError) -> Keyring.BundleReport {
        let encoding: Age.Encoding = isArmored ? .armored : .binary
        let encryptor: AgeEncryptor
        switch seal {
        case .recipients(let texts):
            let recipients = try AgeRecipient.parsing(texts)
            encryptor = try Self.encryptor { () throws(AgeError) in
                try AgeEncryptor(recipients: recipients, encoding: encoding)
            }
        case .passphrase(let passphrase):
            let failure: AgeError
            do {
                let made = try AgeEncryptor(passphrase: passphrase, encoding: encoding)
                return try write(content, .export, made, isArmored, output).report
            } catch let error as AgeError {
                failure = error
            } catch {
                throw KeyringError(error)
            }
            throw KeyringError(BundleError(written: failure))
        }
        return try write(content, .export, encryptor, isArmored, output).report
    }

    private static func encryptor(_ make: () throws(AgeError) -> AgeEncryptor) throws(KeyringError) -> AgeEncryptor {
        do {
            return try make()
        } catch {
            throw KeyringError(BundleError(written: error))
        }
    }

    private func write(
        _ content: BundleContent, _ purpose: BundlePurpose, _ encryptor: consuming AgeEncryptor, _ isArmored: Bool,
        _ output: (RawSpan) throws -> Void
    ) throws(KeyringError) -> BundleWriting.Written {
        // A closure cannot consume what it has captured, except by taking it out.
        var encryptor: AgeEncryptor? = consume encryptor
        do {
            return try withVault { state in
                var groups = try state.groups(content.groups)
                if let account = content.account {
                    // Whoever gets one account learns of no other group.
                    groups = try groups.filter { try database.account(account, in: $0.keys) != nil }
                }
                let writing = BundleWriting(
                    database: database, vault: state.vault.header.vault, header: nil, groups: groups, content: content,
                    purpose: purpose, isArmored: isArmored, milliseconds: clock.milliseconds())
                return try writing.run(
                    sealing: { _ in
                        guard let encryptor = encryptor.take() else { throw StoreError.staleKeys }
                        return encryptor
                    }, output)
            }
        } catch {
            throw KeyringError(error)
        }
    }
}

extension BundleError {
    /// What an error of age's means while a bundle is written.
    init(written error: AgeError) {
        switch error {
        case .tooManyRecipients(let limit): self = .limitExceeded(.recipients(limit))
        case .outOfMemory: self = .outOfMemory
        default: self = .noRecipients
        }
    }
}
