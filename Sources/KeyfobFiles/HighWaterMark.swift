package import KeyfobModel

/// How far a vault was seen to have come, kept outside it: a vault that shows less, or something else of the same
/// sequence, has been taken back to an earlier state, or has two histories.
///
/// One text file per vault (``Marks``). It holds no name and no secret; losing it loses only the knowledge of what was
/// seen.
package struct HighWaterMark: Sendable {
    private let path: String
    private let lock: String
    /// The folder that the mark is in.
    package let folder: String

    /// Enough for the most groups that a vault can have, and a finding about each.
    private static let limit = 1 << 20

    /// The mark of `vault` in the folder `state` (`$XDG_STATE_HOME/keyfob`).
    package init(state: String, vault: VaultID) {
        folder = state
        path = state + "/\(vault).mark"
        lock = state + "/\(vault).lock"
    }

    /// The mark of what `vault` knows of its sync: a file of its own, whose states are those of no group.
    package init(state: String, syncOf vault: VaultID) {
        folder = state
        path = state + "/\(vault).sync.mark"
        lock = state + "/\(vault).lock"
    }

    /// Whether anything was seen of the vault.
    package var isKnown: Bool { (try? POSIXFile.status(path)) != nil }

    /// The marks as they are now; what is damaged of them is a finding.
    ///
    /// - Throws: `notWritable`, `inputOutput` where they cannot be read for now.
    package func marks(now: Timestamp) throws(StorageFailure) -> Marks {
        guard let status = try POSIXFile.status(path) else { return Marks() }
        guard status.isRegularFile, let bytes = try bytes() else { return .damaged(now) }
        return Marks(text: bytes, now: now)
    }

    /// The file's bytes; nil for more than there can be.
    private func bytes() throws(StorageFailure) -> [UInt8]? {
        do {
            return try POSIXFile.read(path, limit: Self.limit) ?? []
        } catch StoreError.damaged {
            return nil
        }
    }

    /// Takes note of states that were read or written after `marks`; a finding stays until it is accepted.
    ///
    /// The file is not touched where nothing is new.
    ///
    /// - Returns: What could not be kept, and why; nil where all was.
    package func note(_ milestones: [Milestone], in marks: inout Marks, now: Timestamp) -> StorageFailure? {
        let earlier = marks
        guard marks.note(milestones, since: earlier, now: now) else { return nil }
        do {
            try change(now) { $0.note(milestones, since: earlier, now: now) }
            return nil
        } catch {
            return error
        }
    }

    /// Takes note that a group is there with the key of an earlier epoch than it was seen with.
    ///
    /// - Returns: Why that could not be kept; nil where it was.
    package func noteEarlierEpoch(
        _ milestone: Milestone, in marks: inout Marks, now: Timestamp
    ) -> StorageFailure? {
        guard marks.noteEarlierEpoch(milestone, now: now) else { return nil }
        do {
            try change(now) { $0.noteEarlierEpoch(milestone, now: now) }
            return nil
        } catch {
            return error
        }
    }

    /// Goes on from these states, because the owner of the vault says so.
    ///
    /// - Parameter isAll: Whether the vault has no others.
    /// - Returns: The findings that are dropped.
    /// - Throws: `notWritable`, `diskFull`, `inputOutput`.
    package func accept(_ milestones: [Milestone], isAll: Bool, now: Timestamp) throws(StorageFailure) -> [Marks
        .Finding]
    {
        var dropped: [Marks.Finding] = []
        try change(now) { marks in
            dropped = marks.accept(milestones, isAll: isAll)
            return true
        }
        return dropped
    }

    private func change(_ now: Timestamp, _ body: (inout Marks) -> Bool) throws(StorageFailure) {
        try POSIXFile.createDirectories(folder)
        let held = try FileLock(lock)
        TemporaryFile.removeAbandoned(in: folder)
        var marks = try marks(now: now)
        let wasDamaged = marks.isDamaged
        if body(&marks) || wasDamaged {
            // What cannot be read is not deleted.
            if wasDamaged { try POSIXFile.putAside(path, as: path + ".damaged-\(now.seconds)") }
            try POSIXFile.replace(path, with: Array(marks.text.utf8))
        }
        _ = consume held
    }
}
