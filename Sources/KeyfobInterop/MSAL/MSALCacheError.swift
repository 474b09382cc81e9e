internal import KeyfobModel

/// Why a file was not read as a token cache.
///
/// No case holds any of its text.
package enum MSALCacheError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file is not JSON; `what` says why.
    case notJSON(line: Int, column: Int, what: String)
    /// Arrays and objects inside each other, more than the limit.
    case tooDeep(limit: Int)
    /// More bytes than the limit.
    case tooLarge(limit: Int)
    /// A string of more bytes than the limit.
    case stringTooLong(limit: Int, line: Int)
    /// More entities than the limit.
    case tooManyEntities(limit: Int)
    /// More JSON values than the limit.
    case tooManyValues(limit: Int)
    /// JSON, but no token cache.
    case notACache(Reason)

    /// Why JSON is no token cache.
    package enum Reason: Hashable, Sendable {
        /// Not an object.
        case notAnObject
        /// An object with nothing in it.
        case empty
        /// An object with none of the known sections.
        case noSections
    }

    init(_ error: JSONError) {
        self =
            switch error {
            case .tooLarge(let limit): .tooLarge(limit: limit)
            case .tooManyValues(let limit): .tooManyValues(limit: limit)
            case .tooDeep(let limit, _): .tooDeep(limit: limit)
            case .stringTooLong(let limit, let position): .stringTooLong(limit: limit, line: position.line)
            case .malformed(let problem, let position):
                .notJSON(line: position.line, column: position.column, what: problem.rawValue)
            }
    }

    package var description: String {
        switch self {
        case .notJSON(let line, let column, let what):
            "the file is not JSON: \(what) at line \(line), column \(column); if a program was writing it, try again"
        case .tooDeep(let limit):
            "the file nests more than \(limit) levels, as no token cache does; check that it is the right file"
        case .tooLarge(let limit):
            "the file is larger than \(limit) bytes; check that it is a token cache"
        case .stringTooLong(let limit, let line):
            "the file has a text of more than \(limit) bytes in line \(line); check that it is a token cache"
        case .tooManyEntities(let limit):
            "the cache has more than \(limit) entries; remove unused accounts with the program that wrote it"
        case .tooManyValues(let limit):
            "the file has more than \(limit) values; check that it is a token cache"
        case .notACache(.notAnObject):
            "the file is JSON but not a token cache: an MSAL cache is an object; check that it is the right file"
        case .notACache(.empty):
            "the file is an empty object: there is nothing to read; sign in with the program that owns it first"
        case .notACache(.noSections):
            "the file is JSON but has no AccessToken, RefreshToken, IdToken, Account or AppMetadata section; "
                + "check that it is an MSAL token cache"
        }
    }
}
