/// What `NSKeyedArchiver` writes: a property list with a table of objects that point to each other.
struct KeyedArchive {
    /// More keys than any object has that is of interest here.
    static let mostKeys = 64

    let list: BinaryPropertyList
    private let objects: BinaryPropertyList.Object

    /// The archive that a property list is, or nil.
    init?(_ list: BinaryPropertyList, _ bytes: RawSpan) {
        guard let members = list.members(of: list.root, in: bytes, limit: Self.mostKeys),
            let archiver = members["$archiver"], list.string(of: archiver, in: bytes) == "NSKeyedArchiver",
            let objects = members["$objects"], list.kind(of: objects) == .array
        else { return nil }
        self.list = list
        self.objects = objects
    }

    /// Calls `body` with each object that is one of these classes, each once, in the order of the table.
    ///
    /// The table alone is gone through, no path from object to object, so it does not matter how they are nested
    /// in arrays and dictionaries, nor whether they point in circles.
    func forEachObject<Failure: Error>(
        of classes: Set<String>, in bytes: RawSpan,
        _ body: (BinaryPropertyList.Object) throws(Failure) -> Void
    ) throws(Failure) {
        var seen: Set<BinaryPropertyList.Object> = []
        for index in 0..<list.count(of: objects) {
            let object = list.element(index, of: objects, in: bytes)
            guard list.kind(of: object) == .dictionary, seen.insert(object).inserted,
                let name = className(of: object, in: bytes), classes.contains(name)
            else { continue }
            try body(object)
        }
    }

    /// What an object has under its keys, each followed to what it points to, nulls left out; nil for an object
    /// with too many keys.
    func fields(
        of object: BinaryPropertyList.Object, in bytes: RawSpan
    ) -> [String: BinaryPropertyList.Object]? {
        list.members(of: object, in: bytes, limit: Self.mostKeys)?.compactMapValues { target(of: $0, in: bytes) }
    }

    /// The text object, or the text inside an `NSMutableString`.
    func text(_ object: BinaryPropertyList.Object, in bytes: RawSpan) -> BinaryPropertyList.Object? {
        switch list.kind(of: object) {
        case .ascii, .utf16: object
        case .dictionary: list.members(of: object, in: bytes, limit: 4)?["NS.string"]
        default: nil
        }
    }

    /// The seconds since 2001 of a date.
    func date(_ object: BinaryPropertyList.Object, in bytes: RawSpan) -> Double? {
        let inner = list.members(of: object, in: bytes, limit: 4)?["NS.time"]
        return list.real(of: inner ?? object, in: bytes)
    }

    private func className(of object: BinaryPropertyList.Object, in bytes: RawSpan) -> String? {
        guard let description = fields(of: object, in: bytes)?["$class"],
            let name = list.members(of: description, in: bytes, limit: 8)?["$classname"]
        else { return nil }
        return list.string(of: name, in: bytes, limit: 256)
    }

    /// What a value is or points to; nil for the null object, and for a pointer to nothing.
    private func target(
        of value: BinaryPropertyList.Object, in bytes: RawSpan
    ) -> BinaryPropertyList.Object? {
        guard let number = list.uid(of: value, in: bytes) else { return value }
        guard number > 0, number < UInt64(list.count(of: objects)) else { return nil }
        return list.element(Int(number), of: objects, in: bytes)
    }
}
