import Foundation
import Testing

@testable import KeyfobTerminal

@Suite("QR codes")
struct QRCodeTests {
    /// What `zbarimg` reads in a code, drawn in squares of four pixels.
    private func read(_ code: QRCode) throws -> String {
        let (scale, margin) = (4, QRCodeText.margin)
        let side = scale * (code.size + 2 * margin)
        var pixels = ""
        for row in 0..<side {
            for column in 0..<side {
                pixels += code.isDark(row / scale - margin, column / scale - margin) ? "1" : "0"
            }
            pixels += "\n"
        }
        return try Self.zbar("P1\n\(side) \(side)\n" + pixels)
    }

    /// What `zbarimg` reads in an image.
    private static func zbar(_ image: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "keyfob-\(UUID().uuidString).pbm")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(image.utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/zbarimg")
        process.arguments = ["--quiet", "--raw", "--nodbus", "-Sdisable", "-Sqr.enable", file.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        // zbarimg ends what it read with a line feed of its own.
        return output.hasSuffix("\n") ? String(output.dropLast()) : output
    }

    private static func text(_ count: Int, _ alphabet: String) -> String {
        let characters = Array(alphabet)
        return String((0..<count).map { characters[($0 * 7 + $0 / 5) % characters.count] })
    }

    @Test(
        "a reader reads what was written",
        arguments: [
            "A", "a", "0", "https://login.example/device?user_code=ABCD-EFGH", "HTTPS://LOGIN.EXAMPLE/DEVICE",
            "https://microsoft.com/devicelogin", "AC-42", "Grüße, 山田太郎", "a\nb", "%%%%%%%%", "0000000000000000",
        ])
    func contents(text: String) throws {
        let code = try #require(QRCode(text))
        #expect(try read(code) == text)
    }

    /// The longest texts of bytes with little correction, version by version (table 7 of the standard).
    static let capacities = [
        17, 32, 53, 78, 106, 134, 154, 192, 230, 271, 321, 367, 425, 458, 520, 586, 644, 718, 792, 858,
    ]

    @Test("each version holds as much as the standard says, and is read when full", arguments: 1...20)
    func versions(version: Int) throws {
        let count = Self.capacities[version - 1]
        let full = Self.text(count, "abcdefghijklmnopqrstuvwxyz0123456789-._~/?#")
        let code = try #require(QRCode(full))
        #expect(code.size == 17 + 4 * version)
        #expect(try read(code) == full)
        #expect((QRCode(full + "x")?.size ?? 101) == code.size + 4)
    }

    @Test("texts of capitals and digits take less room", arguments: [1, 2, 25, 26, 47, 48, 195, 335, 395, 1_249])
    func alphanumeric(count: Int) throws {
        let text = Self.text(count, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 $%*+-./:")
        let code = try #require(QRCode(text))
        #expect(try read(code) == text)
        #expect(code.size <= (QRCode(text.lowercased() + "a")?.size ?? 101))
    }

    @Test("what is too long for the largest version gives no code")
    func tooLong() {
        #expect(QRCode(Self.text(859, "abc")) == nil)
        #expect(QRCode(Self.text(1_250, "ABC")) == nil)
    }

    @Test("without the library there is no code")
    func missingLibrary() {
        #expect(QRCode("a", library: "libqrencode.so.0") == nil)
    }

    @Test("every length up to the seventh version is read", arguments: Array(stride(from: 1, through: 160, by: 13)))
    func lengths(start: Int) throws {
        for count in start..<start + 13 {
            let text = Self.text(count, "https://login.example/?code=0123456789")
            #expect(try read(#require(QRCode(text))) == text)
        }
    }

    @Test("finder patterns, timing patterns and the dark module are in their places", arguments: [10, 60, 150, 300])
    func patterns(count: Int) throws {
        let code = try #require(QRCode(Self.text(count, "abc")))
        let finder = [
            "#######.", "#.....#.", "#.###.#.", "#.###.#.", "#.###.#.", "#.....#.", "#######.", "........",
        ].map { Array($0) }
        for row in 0..<8 {
            for column in 0..<8 {
                let isDark = finder[row][column] == "#"
                #expect(code.isDark(row, column) == isDark)
                #expect(code.isDark(row, code.size - 1 - column) == isDark)
                #expect(code.isDark(code.size - 1 - row, column) == isDark)
            }
        }
        for place in 8..<code.size - 8 {
            #expect(code.isDark(6, place) == (place % 2 == 0) && code.isDark(place, 6) == (place % 2 == 0))
        }
        #expect(code.isDark(code.size - 8, 8))
        #expect(!code.isDark(-1, 0) && !code.isDark(0, code.size))
    }

    @Test("a code bears damage to a twentieth of it")
    func damage() throws {
        let text = "https://login.example/device"
        let code = try #require(QRCode(text))
        let modules = (0..<code.size).flatMap { row in
            (0..<code.size).map { code.isDark(row, $0) != ((10...11).contains(row) && (10...15).contains($0)) }
        }
        #expect(try read(QRCode(size: code.size, modules: modules)) == text)
    }

    /// The lines as an image, with the foreground dark or light.
    private func image(_ lines: [String], isForegroundDark: Bool) -> String {
        let scale = 4
        var rows: [[Bool]] = []
        for line in lines {
            rows.append(line.map { ("█▀".contains($0)) == isForegroundDark })
            rows.append(line.map { ("█▄".contains($0)) == isForegroundDark })
        }
        let pixels = rows.flatMap { row in
            let line = row.map { String(repeating: $0 ? "1" : "0", count: scale) }.joined() + "\n"
            return Array(repeating: line, count: scale)
        }
        return "P1\n\(scale * (rows.first?.count ?? 0)) \(scale * rows.count)\n" + pixels.joined()
    }

    @Test("the lines for a terminal are read, in colours and without", arguments: [true, false])
    func terminal(isColored: Bool) throws {
        let text = "https://login.example/device?user_code=ABCD-EFGH"
        let drawing = QRCodeText(try #require(QRCode(text)), isColored: isColored)
        let (start, end) = ("\u{1B}[38;5;16;48;5;231m", "\u{1B}[0m")
        let lines = drawing.lines.map { $0.replacing(start, with: "").replacing(end, with: "") }
        #expect(drawing.lines.allSatisfy { ($0.hasPrefix(start) && $0.hasSuffix(end)) == isColored })
        #expect(lines.allSatisfy { $0.count == drawing.width })
        #expect(try Self.zbar(image(lines, isForegroundDark: isColored)) == text)
    }

    @Test("where there is ASCII alone a module is two characters, in colours and without", arguments: [true, false])
    func ascii(isColored: Bool) throws {
        let text = "https://login.example/device?user_code=ABCD-EFGH"
        let drawing = QRCodeText(try #require(QRCode(text)), isColored: isColored, isASCII: true)
        let rows = drawing.lines.map { line in
            let plain = line.replacing("\u{1B}[48;5;16m  ", with: "1").replacing("\u{1B}[48;5;231m  ", with: "0")
                .replacing("\u{1B}[0m", with: "")
            return isColored ? plain : plain.replacing("##", with: "0").replacing("  ", with: "1")
        }
        #expect(drawing.lines.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
        #expect(rows.allSatisfy { 2 * $0.count == drawing.width })
        let pixels = rows.flatMap { row in
            Array(repeating: row.map { String(repeating: $0, count: 4) }.joined() + "\n", count: 4)
        }
        #expect(try Self.zbar("P1\n\(4 * rows.count) \(4 * rows.count)\n" + pixels.joined()) == text)
    }

    @Test("lines come only where the code is seen as it is")
    func conditions() {
        func lines(_ columns: Int?, isUTF8: Bool = true, _ text: String = "a") -> String? {
            QRCodeText.lines(for: text, isColored: false, columns: columns, isUTF8: isUTF8)
        }
        #expect(lines(29)?.split(separator: "\n").count == 15)
        #expect(lines(28) == nil && lines(nil) == nil)
        #expect(lines(58, isUTF8: false)?.split(separator: "\n").count == 29 && lines(57, isUTF8: false) == nil)
        #expect(lines(300, String(repeating: "a", count: 900)) == nil)
    }
}
