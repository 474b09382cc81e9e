/// Why a text was not read as JSON.
///
/// No case holds any of the text.
package enum JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Longer than the limit, in bytes.
    case tooLarge(limit: Int)
    /// More values than the limit.
    case tooManyValues(limit: Int)
    /// More arrays and objects inside each other than the limit.
    case tooDeep(limit: Int, at: JSONPosition)
    /// A string longer than the limit, in bytes.
    case stringTooLong(limit: Int, at: JSONPosition)
    /// Not JSON.
    case malformed(Problem, at: JSONPosition)

    /// What is wrong at the place where reading stopped.
    package enum Problem: String, Hashable, Sendable {
        case endsEarly = "the text ends early"
        case noValue = "a value was expected"
        case noName = "a name in quotation marks was expected"
        case noColon = "a colon was expected"
        case noCommaOrEnd = "a comma or the closing bracket was expected"
        case textBehindTheEnd = "there is text behind the end"
        case badLiteral = "a word that is not true, false or null"
        case badNumber = "a number that is not written as JSON has them"
        case badEscape = "an unknown escape in a string"
        case controlCharacter = "a control character in a string"
        case loneSurrogate = "half of a surrogate pair in a string"
        case badUTF8 = "bytes that are not UTF-8"
    }

    package var description: String {
        switch self {
        case .tooLarge(let limit): "the text is longer than \(limit) bytes"
        case .tooManyValues(let limit): "there are more than \(limit) values"
        case .tooDeep(let limit, let position): "more than \(limit) levels deep at \(position)"
        case .stringTooLong(let limit, let position): "a string longer than \(limit) bytes at \(position)"
        case .malformed(let problem, let position): "\(problem.rawValue) at \(position)"
        }
    }
}
