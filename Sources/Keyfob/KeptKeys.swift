internal import KeyfobFiles
internal import KeyfobKernelKeyring
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobVault

extension LockedKeyring {
    /// Forgets what earlier unlocks left in kernel keyrings, in whatever session of the user's, also from within a namespace
    /// of users.
    ///
    /// - Returns: Whether there was anything.
    /// - Throws: `unavailable` where nobody can tell whether a key is kept: the kernel lets this process forget nothing, or does
    ///   not show what it keeps, and no folder is known under whose secret keys are wrapped.
    public func forgetKeptKeys() throws(KeyringError) -> Bool { try Self.forgetKeptKeys(of: location) }

    /// The same for the vault at a place, also where it cannot be read or another one is there by now: by what was noted when
    /// its key was kept, and of what was there when it was unlocked.
    ///
    /// - Throws: As ``forgetKeptKeys()``; `unavailable` as well where keys are kept and nothing says of which vaults.
    public static func forgetKeptKeys(of location: KeyringLocation) throws(KeyringError) -> Bool {
        let place = VaultPlace(location)
        let notes = KeptNote.all(at: location)
        var vaults = Set(notes.filter { place.isSame(as: $0.place) }.map(\.vault))
        let own = try? LockedKeyring(at: location).header.vault
        if let own { vaults.insert(own) }
        vaults.formUnion(place.knownVaults)
        let table = KernelKeyTable()
        guard own != nil || !vaults.isEmpty || table.serials(named: "keyfob:").isEmpty else {
            throw KeyringError(
                .unavailable, "a key is kept, and nothing says of which vault", advice: .lockInSession)
        }
        let runtimes = Set([location.runtime].compactMap(\.self) + notes.map(\.runtime))
        var wasThere = false
        for vault in vaults.sorted(by: { $0.description < $1.description }) {
            let cache = SessionCache(vault: vault, runtime: location.runtime)
            let removed = try cache.removeEverywhere(
                table, runtimes.sorted(), unseen: notes.first { $0.vault == vault && !$0.isRuntimeSeen }?.runtime)
            wasThere = wasThere || removed
        }
        return wasThere
    }

    /// In how many sessions the key is kept that this one has no part in; nil where that cannot be told, and it may be.
    package var keysKeptElsewhere: Int? {
        let table = KernelKeyTable()
        guard table.isTrue else {
            let runtimes = Set([location.runtime].compactMap(\.self) + KeptNote.all(at: location).map(\.runtime))
            return runtimes.contains { RuntimeFolder(path: $0).hasSecret } ? nil : 0
        }
        let cache = SessionCache(vault: header.vault, runtime: location.runtime)
        let here = KeyPlace.allCases.count { cache.end(in: $0.keyring) != nil }
        return max(0, table.serials(named: cache.family).count - here)
    }

    /// Why what is known of this vault says nothing of the one that the folder had when it was last unlocked on this machine; nil
    /// where it is that one.
    package var problemOfPlace: KeyringError? {
        do throws(KeyringError) {
            try requireSamePlace()
            return nil
        } catch {
            return error
        }
    }
}

extension SessionCache {
    /// Forgets the key in every session.
    ///
    /// Where the kernel's calls are closed to this process, or do not show what is there, as in some containers, what all keys of
    /// the login are wrapped under is removed: those who can read one cannot open it any more.
    ///
    /// - Parameters:
    ///   - runtimes: The folders with what keys may be wrapped under.
    ///   - unseen: One of them with what this key was wrapped under, which this process does not see.
    /// - Returns: Whether there was any.
    func removeEverywhere(
        _ table: KernelKeyTable, _ runtimes: [String], unseen: String?
    ) throws(KeyringError) -> Bool {
        let serials = table.serials(named: family)
        let forgotten = serials.count { KernelKeyring.forget(serial: $0) }
        var wasThere = forgotten > 0
        let failure: KeyringError
        do throws(KernelKeyring.Failure) {
            let removed = try remove()
            wasThere = wasThere || removed
            guard forgotten < serials.count || !table.isTrue else { return wasThere }
            failure = KeyringError(.unavailable, "the kernel does not show here which keys are kept")
        } catch {
            if table.isTrue, serials.count == forgotten { return wasThere }
            failure = KeyringError(error)
        }
        guard !runtimes.isEmpty else { throw failure.saying(advice: .lockInSession) }
        var problem = unseen.map { path in
            KeyringError(
                .unavailable, "a key was kept by what lay in \(path), which is not seen here", advice: .lockInSession)
        }
        for runtime in runtimes {
            do throws(KeyringError) {
                let removed = try KeyringError.translating { try RuntimeFolder(path: runtime).removeSecret() }
                wasThere = wasThere || removed
            } catch {
                problem = problem ?? error
            }
        }
        if let problem { throw problem }
        return wasThere
    }
}

/// The keys that the kernel shows to this process: those that their owner may see, whatever session keeps them
/// (`/proc/keys`, proc_keys(5)).
struct KernelKeyTable {
    private struct Row {
        let serial: Int32
        let name: Substring
    }

    private let rows: [Row]
    /// Whether it is the kernel's, which shows what there is: containers put an empty one in its place.
    let isTrue: Bool

    /// The table as it is now.
    init(_ path: String = "/proc/keys") {
        var text = Self.text(path)
        let isShown = KernelKeyring.withProbe { serial in
            text = Self.text(path)
            return Self.rows(text, ofUsers: false).contains { $0.serial == serial }
        }
        rows = Self.rows(text, ofUsers: true)
        // Where no key can be made for the trial, a table that has any is taken for one.
        isTrue = isShown ?? !Self.rows(text, ofUsers: false).isEmpty
    }

    /// The numbers of the keys of the type `user` whose names begin so.
    func serials(named prefix: String) -> [Int32] { rows.filter { $0.name.hasPrefix(prefix) }.map(\.serial) }

    /// The same of the table as it is now, whether or not it is the kernel's.
    static func serials(named prefix: String) -> [Int32] {
        rows(text("/proc/keys"), ofUsers: true).filter { $0.name.hasPrefix(prefix) }.map(\.serial)
    }

    private static func text(_ path: String) -> [UInt8] {
        guard case .bytes(let bytes, _) = FileAccess.read(path, limit: 1 << 24, following: false) else { return [] }
        return bytes
    }

    private static func rows(_ table: [UInt8], ofUsers: Bool) -> [Row] {
        table.split(separator: UInt8(ascii: "\n")).compactMap { line in
            // Number, flags, uses, time left, rights, owner, group, type, name with its length.
            let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard fields.count > 8, let serial = Int32(fields[0], radix: 16) else { return nil }
            // Neither revoked, dead nor invalidated.
            let isAlive = fields[3] != "expd" && !fields[1].contains(where: { "RDi".contains($0) })
            let isProbe = fields[8].hasPrefix(KernelKeyring.probes)
            guard !ofUsers || fields[7] == "user" && isAlive && !isProbe else { return nil }
            return Row(serial: serial, name: fields[8])
        }
    }
}
