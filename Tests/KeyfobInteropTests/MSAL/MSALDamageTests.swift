import KeyfobInterop
import KeyfobModel
import Testing

@Suite("Damaged and foreign files")
struct MSALDamageTests {
    static let whole =
        "{"
        + MSALSection.allCases.map { #""\#($0.rawValue)":{"k":\#(CacheFile.entity($0))}"# }.joined(separator: ",")
        + "}"

    static func error(_ bytes: [UInt8], limits: MSALLimits = MSALLimits()) -> MSALCacheError? {
        do {
            _ = try CacheFile(bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test("every truncation is refused as what it is")
    func truncations() {
        let bytes = Array(Self.whole.utf8)
        #expect(Self.error(bytes) == nil)
        for count in 0..<bytes.count {
            guard case .notJSON(line: 1, column: count + 1, _) = Self.error(Array(bytes[..<count])) else {
                Issue.record("\(count) bytes: \(String(describing: Self.error(Array(bytes[..<count]))))")
                return
            }
        }
    }

    @Test("any byte changed gives an answer, never a trap")
    func changedBytes() {
        let whole = Array(Self.whole.utf8)
        for index in whole.indices {
            for mask in [UInt8(1), 2, 4, 8, 16, 32, 64, 128] {
                var changed = whole
                changed[index] ^= mask
                guard let file = try? CacheFile(changed) else { continue }
                _ = file.secrets()
                #expect(Self.error(file.written()) == nil)
            }
        }
    }

    @Test(
        "what is no cache is refused with the reason",
        arguments: [
            ("[]", .notACache(.notAnObject)), ("\"x\"", .notACache(.notAnObject)), ("null", .notACache(.notAnObject)),
            ("{}", .notACache(.empty)), ("{\"accesstoken\":{}}", .notACache(.noSections)),
            ("{\"subscriptions\":[]}", .notACache(.noSections)),
            ("", .notJSON(line: 1, column: 1, what: "the text ends early")),
            ("{\n \"Account\": oops}", .notJSON(line: 2, column: 13, what: "a value was expected")),
        ] as [(String, MSALCacheError)])
    func notACache(text: String, error: MSALCacheError) {
        #expect(Self.error(Array(text.utf8)) == error)
    }

    @Test("nesting, size, strings and entities are limited")
    func limits() throws {
        let deep = #"{"Account":{"k":{"x":"# + String(repeating: "[", count: 10_000)
        #expect(Self.error(Array(deep.utf8)) == .tooDeep(limit: 64))
        let bytes = Array(Self.whole.utf8)
        #expect(Self.error(bytes, limits: MSALLimits(size: 100)) == .tooLarge(limit: 100))
        #expect(Self.error(bytes, limits: MSALLimits(entities: 4)) == .tooManyEntities(limit: 4))
        #expect(Self.error(bytes, limits: MSALLimits(entities: 5)) == nil)
        #expect(Self.error(bytes, limits: MSALLimits(stringCount: 10)) == .stringTooLong(limit: 10, line: 1))
        let long = #"{"Account":{"k":"\#(String(repeating: "x", count: 1 << 20))"}}"#
        #expect(Self.error(Array(long.utf8)) == nil)
        let longer = long.replacing("\"k\":\"", with: "\"k\":\"x")
        #expect(Self.error(Array(longer.utf8)) == .stringTooLong(limit: 1 << 20, line: 1))
    }

    @Test("a byte order mark does not matter")
    func byteOrderMark() throws {
        let file = try CacheFile([0xEF, 0xBB, 0xBF] + Array(Self.whole.utf8))
        #expect(file.secrets() == ["hidden", "hidden", "hidden"])
    }

    @Test("bytes that are not UTF-8 are refused")
    func badUTF8() {
        let bytes = Array(#"{"Account":{"k":{"username":""#.utf8) + [0xE9] + Array("\"}}}".utf8)
        #expect(Self.error(bytes) == .notJSON(line: 1, column: 30, what: "bytes that are not UTF-8"))
    }

    @Test("messages are one line, say what to do and hold nothing of the file")
    func messages() {
        let errors: [MSALCacheError] = [
            .notJSON(line: 1, column: 2, what: "x"), .tooDeep(limit: 1), .tooLarge(limit: 1),
            .stringTooLong(limit: 1, line: 1), .tooManyEntities(limit: 1), .tooManyValues(limit: 1),
            .notACache(.notAnObject), .notACache(.empty), .notACache(.noSections),
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
        #expect(errors.allSatisfy { $0.description.hasPrefix("the ") && !$0.description.contains("\n") })
        #expect("\(Self.error(Array(#"{"secret":"hunter2"}"#.utf8)).debugDescription)".contains("hunter2") == false)
    }
}
