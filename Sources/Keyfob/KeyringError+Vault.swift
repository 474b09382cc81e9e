internal import KeyfobVault

extension KeyringError {
    init(_ error: VaultError) {
        switch error {
        case .notAVault:
            self.init(.damaged, "the header of the vault is not one of Keyfob's")
        case .unsupportedVersion(let found, let supported) where found < supported:
            self.init(
                .configuration,
                "the vault has format \(found), from before the first release; this Keyfob knows "
                    + "\(supported)", advice: .makeNewVault)
        case .unsupportedVersion(let found, let supported):
            self.init(
                .newerVersion, "the vault has format \(found), this Keyfob knows \(supported)",
                advice: .update(isReadable: false))
        case .unsupportedSuite(let found):
            self.init(
                .newerVersion, "the vault is sealed with cipher suite \(found), which this Keyfob does not know",
                advice: .update(isReadable: false))
        case .wrongKey:
            self.init(.wrongKey, "that key or passphrase does not open the vault")
        case .noSuchKindOfSlot:
            self.init(.wrongKey, "the vault has no slot for what was offered")
        case .corrupted(.header):
            self.init(.damaged, "the header of the vault is damaged", advice: .diagnose(.none))
        case .corrupted(.headerAuthentication):
            self.init(
                .damaged, "the header of the vault was altered by someone without its key",
                advice: .restoreBackup(path: nil, putsAside: true))
        case .keysReplaced(let time):
            self.init(
                .locked, "the keys of the vault were replaced at \(time.rfc3339), and what is held opens it no more",
                advice: .unlock)
        case .corrupted(let part):
            self.init(.damaged, "the \(part.words) does not open: it was altered", advice: .verify)
        case .costRefused(let operations, let memory):
            self.init(
                .damaged,
                "a passphrase slot asks for \(operations) passes over \(memory >> 20) MiB, outside what is accepted; "
                    + "nothing was computed",
                advice: .avoidSlot)
        case .outOfMemory:
            self.init(.unavailable, "there is not enough memory to derive a key from the passphrase")
        case .notGranted:
            self.init(.groupNotGranted, "the key opens other groups than the one asked for")
        case .needsVaultKey:
            self.init(
                .needsVaultKey, "the key opens one group only, and this needs the whole vault",
                advice: .unlockWholeVault)
        case .noSuchGroup: self.init(.noSuchGroup, "there is no group of that name")
        case .noSuchSlot: self.init(.noSuchSlot, "there is no slot with that id")
        case .lastSlot:
            self.init(.lastSlot, "it is the last way to unlock the vault", advice: .addSlot)
        case .tooManySlots(let limit): self.init(.limitExceeded, "there are \(limit) already, which is the most")
        case .tooLarge(let limit):
            self.init(.limitExceeded, "an item is larger than \(limit) bytes, the most a record holds")
        case .unsuitableKeyFile:
            self.init(
                .configuration, "a key file has between 32 bytes and 64 KiB",
                advice: .makeLongKeyFile)
        }
    }
}

extension VaultError.Part {
    var words: String {
        switch self {
        case .header, .headerAuthentication: "header"
        case .groupKey: "key of a group"
        case .groupName: "name of a group"
        case .manifest: "manifest of a group"
        case .record: "record"
        }
    }
}
