internal import KeyfobModel
package import KeyfobVault

extension SyncHead {
    /// A file in which a device tells of a group: of everything in it, or of what the device has changed since.
    ///
    /// What a device tells of a group has positions, which only grow: the sequences of the heads with which it was told.
    package struct GroupFile: Hashable, Comparable, Sendable {
        /// The group.
        package let group: SyncGroupTag
        /// What ``SyncFileHash`` gives of the file.
        package let hash: [UInt8]
        /// How many bytes it has.
        package let size: UInt64
        /// The sequence of the head with which it was written.
        package let sequence: UInt64
        /// Where who has read it stands.
        package let position: UInt64
        /// From where on it tells; nil for one that has everything.
        package let after: UInt64?

        /// A file.
        package init(
            group: SyncGroupTag, hash: [UInt8], size: UInt64, sequence: UInt64, position: UInt64, after: UInt64? = nil
        ) {
            (self.group, self.hash, self.size, self.sequence) = (group, hash, size, sequence)
            (self.position, self.after) = (position, after)
        }

        /// Whether it has only what the device itself has changed.
        package var isSegment: Bool { after != nil }

        /// Its name in the device's folder.
        package var name: String { "\(sequence)-\(Hexadecimal.text(Array(hash.prefix(16)))).age" }

        /// 1 group, 2 hash, 3 size u64, 4 sequence u64, 5 position u64, 6 after u64.
        package var list: FieldList {
            var list = FieldList()
            list.append(1, group.bytes)
            list.append(2, hash)
            list.append(3, size)
            list.append(4, sequence)
            list.append(5, position)
            list.append(6, after)
            return list
        }

        /// The file that ``list`` describes.
        package init(_ list: FieldList) throws(FieldList.Malformed) {
            guard let group = list.bytes(1).flatMap({ SyncGroupTag($0) }), let hash = list.bytes(2), hash.count == 32,
                let size: UInt64 = try list.integer(3), let sequence: UInt64 = try list.integer(4),
                let position: UInt64 = try list.integer(5), case let after:UInt64? = try list.integer(6),
                position > after ?? 0
            else { throw FieldList.Malformed() }
            self.init(
                group: group, hash: Array(hash), size: size, sequence: sequence, position: position, after: after)
        }

        /// By group, in the order in which they are told; what has everything goes before what has less.
        package static func < (left: GroupFile, right: GroupFile) -> Bool {
            if left.group != right.group { return left.group < right.group }
            if left.position != right.position { return left.position < right.position }
            return (left.after ?? 0, left.sequence) < (right.after ?? 0, right.sequence)
        }
    }
}

extension SyncHead.GroupFile {
    /// Of what a file tells.
    fileprivate struct Stretch: Hashable {
        let group: SyncGroupTag
        let after: UInt64?
        let position: UInt64
    }

    fileprivate var stretch: Stretch { Stretch(group: group, after: after, position: position) }
}

extension [SyncHead.GroupFile] {
    /// Of the files of one group, those to read for who stands at a position; nil where they leave something out.
    package func path(from start: UInt64) -> [SyncHead.GroupFile]? {
        let end = self.map(\.position).max() ?? 0
        guard start < end else { return [] }
        if let path = segments(from: start, to: end) { return path }
        guard let whole = first(where: { !$0.isSegment }), whole.position > start else { return nil }
        return segments(from: whole.position, to: end).map { [whole] + $0 }
    }

    /// The segments from one position to another, as few as may be; nil where there are not all.
    private func segments(from start: UInt64, to end: UInt64) -> [SyncHead.GroupFile]? {
        var (path, position): ([SyncHead.GroupFile], UInt64) = ([], start)
        var rest = filter(\.isSegment).sorted { $0.after ?? 0 < $1.after ?? 0 }[...]
        var furthest: SyncHead.GroupFile?
        while position < end {
            while let next = rest.first, next.after ?? 0 <= position {
                if furthest.map({ $0.position < next.position }) ?? true { furthest = next }
                rest = rest.dropFirst()
            }
            guard let next = furthest, next.position > position else { return nil }
            path.append(next)
            position = next.position
        }
        return path
    }

    /// Whether others have another segment in the place of one of these: what was told once is never told otherwise.
    package func isContradicted(by others: [SyncHead.GroupFile]) -> Bool {
        let told = Dictionary(
            filter(\.isSegment).map { ($0.stretch, $0.hash) }, uniquingKeysWith: { first, _ in first })
        return others.contains { file in file.isSegment && told[file.stretch].map { $0 != file.hash } ?? false }
    }

    /// The file that is told last, which has the name of its group.
    package var latest: SyncHead.GroupFile? { self.max() }
}
