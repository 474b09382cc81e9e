internal import KeyfobModel

/// Why a file was not read as a token cache of ADAL.
///
/// No case holds any of its text.
package enum ADALCacheError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A list that cannot be read as JSON.
    case json(MSALCacheError)
    /// An archive that cannot be read as a property list.
    case propertyList(PropertyListError)
    /// More entries than the limit.
    case tooManyEntries(limit: Int)
    /// A property list in which nothing is ADAL's.
    case notACache

    package var description: String {
        switch self {
        case .json(let error): error.description
        case .propertyList(let error): error.description
        case .tooManyEntries(let limit):
            "the cache has more than \(limit) entries; remove unused accounts with the program that wrote it"
        case .notACache:
            "the file is a property list without a token of ADAL; check that it is the right file"
        }
    }
}
