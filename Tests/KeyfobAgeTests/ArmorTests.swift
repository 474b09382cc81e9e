import KeyfobAge
import Testing

@Suite("An ASCII armor")
struct ArmorTests {
    /// The lines of a file of 7 full lines and a shorter one, without their line feeds.
    private let lines: [String]

    init() throws {
        let recipients = [CraftedFile.identity().recipient]
        let file = try written(pattern(200), AgeEncryptor(recipients: recipients, encoding: .armored))
        lines = String(decoding: file, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func error(_ lines: [String], lineFeed: String = "\n", end: String? = nil) -> AgeError? {
        let text = lines.joined(separator: lineFeed) + (end ?? lineFeed)
        return Opening([UInt8](text.utf8), with: CraftedFile.identity(), encoding: .armored).error
    }

    /// The lines, one of them changed.
    private func changing(_ index: Int, _ change: (inout String) -> Void) -> [String] {
        var lines = lines
        change(&lines[index])
        return lines
    }

    private var last: Int { lines.count - 2 }

    @Test("has lines of 64 columns, a shorter one, and nothing else")
    func form() {
        #expect(lines.first == "-----BEGIN AGE ENCRYPTED FILE-----")
        #expect(lines.last == "-----END AGE ENCRYPTED FILE-----")
        #expect(lines[1..<last].allSatisfy { $0.utf8.count == 64 })
        #expect(lines[last].utf8.count < 64)
        #expect(error(lines) == nil)
    }

    @Test("may end its lines with CRLF, and the last one with nothing")
    func lineEndings() {
        #expect(error(lines, lineFeed: "\r\n") == nil)
        #expect(error(changing(2) { $0 += "\r" }) == nil)
        #expect(error(lines, end: "") == nil)
        #expect(error(lines, end: "\r") == nil)
    }

    @Test("does not end its lines with CR alone, nor twice")
    func carriageReturns() {
        #expect(error(lines, lineFeed: "\r") != nil)
        #expect(error(lines, lineFeed: "\r\r\n") != nil)
        #expect(error(changing(2) { $0 += "\r\r" }) == .malformedArmor(.longLine))
        #expect(error(changing(last) { $0 += "\r\r" }) == .malformedArmor(.base64))
    }

    @Test("may have lines of whitespace around it, up to a limit")
    func whitespaceAround() {
        let blank = String(repeating: " ", count: 499)
        #expect(error(["", " \t", "\r"] + lines + ["", " \t\u{0B}\u{0C}", ""]) == nil)
        #expect(error([blank, blank] + lines + [blank, blank]) == nil)
        #expect(error([blank, blank, blank] + lines) == .malformedArmor(.leadingWhitespace))
        #expect(error(lines + [blank, blank, blank]) == .malformedArmor(.trailingData))
    }

    @Test("is recognised after whitespace without being told")
    func recognition() {
        let text = "\n \n" + lines.joined(separator: "\n")
        #expect(Opening([UInt8](text.utf8), with: CraftedFile.identity()).error == nil)
    }

    @Test("must not have anything else around it")
    func garbageAround() {
        #expect(error(["x"] + lines) == .malformedArmor(.openingLine))
        #expect(error(lines + ["x"]) == .malformedArmor(.trailingData))
        #expect(error(lines + lines) == .malformedArmor(.trailingData))
        #expect(error([]) == .malformedArmor(.truncated))
    }

    @Test("must have its first and last line exactly")
    func outerLines() {
        let closing = lines.count - 1
        #expect(error(changing(0) { $0 = " " + $0 }) == .malformedArmor(.openingLine))
        #expect(error(changing(0) { $0 += " " }) == .malformedArmor(.openingLine))
        #expect(error(changing(0) { $0 = $0.lowercased() }) == .malformedArmor(.openingLine))
        #expect(error(changing(0) { $0 = "-----BEGIN AGE ENCRYPTED MESSAGE-----" }) == .malformedArmor(.openingLine))
        #expect(error(changing(closing) { $0 = " " + $0 }) == .malformedArmor(.closingLine))
        #expect(error(changing(closing) { $0 += " " }) == .malformedArmor(.closingLine))
        #expect(error(Array(lines.dropLast())) == .malformedArmor(.truncated))
        #expect(error(Array(lines.dropFirst())) == .malformedArmor(.openingLine))
    }

    @Test("must have no headers, checksum or empty lines")
    func extraLines() {
        func inserting(_ line: String, at index: Int) -> [String] {
            var lines = lines
            lines.insert(line, at: index)
            return lines
        }
        #expect(error(inserting("Comment: none", at: 1)) == .malformedArmor(.base64))
        #expect(error(inserting("", at: 1)) == .malformedArmor(.emptyLine))
        #expect(error(inserting("", at: 3)) == .malformedArmor(.emptyLine))
        #expect(error(inserting("", at: last + 1)) == .malformedArmor(.closingLine))
        #expect(error(inserting("=AAAA", at: last + 1)) == .malformedArmor(.closingLine))
    }

    @Test("must have canonical base64 with padding in full lines")
    func base64() throws {
        #expect(lines[last].hasSuffix("="), "the file's length must need padding")
        #expect(error(changing(last) { $0.removeAll { $0 == "=" } }) == .malformedArmor(.base64))
        #expect(error(changing(last) { $0 += "=" }) == .malformedArmor(.base64))
        #expect(error(changing(last) { $0 = $0.replacing("=", with: "\n=") }) != nil)
        #expect(error(changing(2) { $0 = String($0.dropLast()) + "*" }) == .malformedArmor(.base64))
        #expect(error(changing(2) { $0 = String($0.dropLast()) + " " }) == .malformedArmor(.base64))
        #expect(error(changing(2) { $0 += "AAAA" }) == .malformedArmor(.longLine))
        #expect(error(changing(2) { $0 = String($0.dropLast(4)) }) == .malformedArmor(.closingLine))
        // The last symbol before the padding has bits that encode nothing.
        let digits = lines[last].prefix { $0 != "=" }
        #expect(
            error(changing(last) { $0 = digits.dropLast() + "B" + $0.dropFirst(digits.count) })
                == .malformedArmor(.base64))
    }

    @Test("around something else fails as the header that it is not")
    func otherContent() {
        #expect(error([lines[0], "Z2FyYmFnZQo=", lines[lines.count - 1]]) == .malformedHeader(.versionLine))
        #expect(error([lines[0], lines[lines.count - 1]]) == .malformedHeader(.truncated))
    }
}
