/// A value as it came over the bus.
///
/// It may have any type: a reader gives nil for another one.
package indirect enum BusValue: Sendable {
    /// A string, a path or a type.
    case string(String)
    case boolean(Bool)
    /// A whole number; the bits of a negative or a broken one.
    case number(UInt64)
    /// An `ay`.
    case bytes(BusText)
    case list([BusValue])
    /// An array of entries whose keys are texts.
    case entryList([String: BusValue])
    case tuple([BusValue])
    /// What a variant holds, and of which type that is.
    case boxed(type: String, BusValue)

    package var text: String? { if case .string(let text) = self { text } else { nil } }

    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

    package var number: UInt64? { if case .number(let value) = self { value } else { nil } }

    package var bytes: BusText? { if case .bytes(let bytes) = self { bytes } else { nil } }

    /// The elements of an array or a tuple.
    package var elements: [BusValue] {
        switch self {
        case .list(let elements), .tuple(let elements): elements
        default: []
        }
    }

    /// The texts of an array of strings or paths.
    package var texts: [String]? {
        guard case .list(let elements) = self else { return nil }
        let texts = elements.compactMap(\.text)
        return texts.count == elements.count ? texts : nil
    }

    /// The entries of an `a{ss}`, an `a{sv}` or an `a{o…}`, out of their variants.
    package var entries: [String: BusValue]? {
        switch self {
        case .entryList(let entries): entries.mapValues { $0.unboxed ?? $0 }
        // Nothing tells of what an empty array is.
        case .list(let elements) where elements.isEmpty: [:]
        default: nil
        }
    }

    /// What a variant holds.
    package var unboxed: BusValue? { if case .boxed(_, let value) = self { value } else { nil } }
}
