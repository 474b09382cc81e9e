package import KeyfobModel
internal import KeyfobVault

/// What is wrong with what a device has at the remote, or does not follow from what was seen of it.
package struct SyncFinding: Hashable, Sendable {
    /// What is wrong.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Its state is an earlier one than was seen.
        case rolledBack
        /// It has two histories: two machines have its keys, or somebody has stolen them.
        case forked
        /// Its head is not signed by it.
        case forged
        /// A file is not the one that its head names.
        case replaced
        /// What it says goes beyond the groups that it shares, or is no state of a device.
        case malformed
        /// This very device: its keys are in use elsewhere, or the vault was taken back to an earlier state.
        case cloned
        /// Nothing of it is there any more, or not yet.
        case missing
        /// Its head has not opened for a while, and is the same still: it was altered, or will never be whole.
        case altered
        /// A file of it is not whole, or not there: it may still be on its way.
        case incomplete
        /// Another device has seen a later state of it, which is not here: withheld, or still on its way.
        case withheld
        /// Another device has seen another history of it.
        case disputed
        /// It says that it has seen a state of this device which this one has not written.
        case mistaken
        /// What is there of it is not for this device: it does not know this one yet, or has revoked it.
        case closed
        /// It takes part in another sync at the same place.
        case apart
        /// A newer Keyfob wrote what is there of it.
        case newer
        /// It has taken in the same and does not hold the same; of this very device, it holds something else than it had told.
        case diverged

        /// Whether it is told until somebody accepts it; the others, as long as it is so.
        package var stays: Bool {
            switch self {
            case .rolledBack, .forked, .forged, .replaced, .altered, .malformed, .cloned, .disputed: true
            case .missing, .incomplete, .withheld, .mistaken, .closed, .apart, .newer, .diverged: false
            }
        }
    }

    /// What is wrong.
    package let kind: Kind
    /// The device.
    package let device: SyncDeviceID
    /// When it was found first.
    package let time: Timestamp
    /// The sequence that is there, and the one that was seen; 0 where there is none.
    package let found: UInt64
    /// The sequence that was seen.
    package let seen: UInt64
    /// The group that it is about; nil for none or several.
    package let group: SyncGroupTag?

    /// A finding.
    package init(
        _ kind: Kind, _ device: SyncDeviceID, at time: Timestamp, found: UInt64 = 0, seen: UInt64 = 0,
        group: SyncGroupTag? = nil
    ) {
        (self.kind, self.device, self.time, self.found, self.seen) = (kind, device, time, found, seen)
        self.group = group
    }

    /// 1 kind, 2 device, 3 time i64, 4 found u64, 5 seen u64, 6 group.
    var list: FieldList {
        var list = FieldList()
        list.append(1, kind.rawValue)
        list.append(2, device.bytes)
        list.append(3, time.seconds)
        list.append(4, found)
        list.append(5, seen)
        if let group { list.append(6, group.bytes) }
        return list
    }

    init(_ list: FieldList) throws(FieldList.Malformed) {
        guard let kind = Kind(rawValue: try list.requiredText(1)),
            let device = list.bytes(2).flatMap({ SyncDeviceID($0) }), let seconds: Int64 = try list.integer(3)
        else { throw FieldList.Malformed() }
        self.init(
            kind, device, at: Timestamp(seconds: seconds), found: try list.integer(4) ?? 0,
            seen: try list.integer(5) ?? 0, group: list.bytes(6).flatMap { SyncGroupTag($0) })
    }
}
