import Foundation
import Keyfob
import KeyfobFiles
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

/// What programs asked for is written down so that nobody without the group's key can change it unnoticed.
@Suite("The audit of what programs asked for")
struct AuditTests {
    let home: DeskHome
    let files: AuditFiles
    /// The part of the program that the entries are about.
    let place: AuditPlace
    private var path: String { place.log(in: home.location.state + "/audit").path }

    init() throws {
        home = try DeskHome()
        files = AuditFiles(state: home.location.state)
        place = try AuditPlace(of: Self.entry(1, of: home.ada), in: .default, home.keyring)
        for number in 1...5 { try files.append(entry(Int32(number)), home.keyring) }
    }

    private func entry(_ process: Int32) throws -> AuditEntry { try Self.entry(process, of: home.ada) }

    private static func entry(_ process: Int32, of account: Account) throws -> AuditEntry {
        AuditEntry(
            time: DeskHome.noon, kind: .token, program: try #require(Program("executable:/usr/bin/a\"b")),
            process: process,
            door: .bus, account: account.id, group: .default, scopes: ["mail.read", "openid"], clientID: "mailer",
            reason: nil, permission: .always, answer: "stored")
    }

    private func lines() throws -> [String] {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    private func findings(with lines: [String]) throws -> [AuditReading.Finding.Kind] {
        try Data((lines.joined(separator: "\n") + (lines.isEmpty ? "" : "\n")).utf8).write(to: URL(filePath: path))
        return try files.read(.default, home.keyring).findings.map(\.kind)
    }

    @Test("What was written is read again, in order, and holds")
    func holds() throws {
        let reading = try files.read(.default, home.keyring)
        #expect(reading.findings.isEmpty && reading.lines.map(\.number) == [1, 2, 3, 4, 5])
        #expect(try reading.lines.map(\.entry) == (1...5).map { try entry($0) })
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("Each change of a byte is noticed", arguments: 0..<5)
    func changed(_ line: Int) throws {
        let whole = try lines()
        let bytes = Array(whole[line].utf8)
        for position in stride(from: 0, to: bytes.count, by: 3) {
            var other = bytes
            other[position] ^= 1
            var changed = whole
            changed[line] = String(decoding: other, as: UTF8.self)
            #expect(try !findings(with: changed).isEmpty, "byte \(position)")
        }
    }

    @Test("A line that says something else is the one that is told, and not what follows it", arguments: [0, 2, 4])
    func alone(_ line: Int) throws {
        var changed = try lines()
        changed[line] = changed[line].replacing("\"stored\"", with: "\"provider\"")
        #expect(try findings(with: changed) == [.changed])
    }

    @Test("A line that is left out, moved or said twice is noticed, and so is one that somebody else wrote")
    func order() throws {
        let whole = try lines()
        #expect(try findings(with: whole).isEmpty)
        #expect(try findings(with: [whole[0], whole[1], whole[3], whole[4]]) == [.missing])
        #expect(try !findings(with: [whole[0], whole[2], whole[1], whole[3], whole[4]]).isEmpty)
        #expect(try !findings(with: whole + [whole[4]]).isEmpty)
        let stranger = whole[4].replacing("\"number\":5", with: "\"number\":6")
            .replacing(/"previous":"[0-9a-f]+"/, with: "\"previous\":\"\(AuditLine.hash(Array(whole[4].utf8)))\"")
        #expect(try findings(with: whole + [stranger]) == [.changed])
    }

    @Test("Lines that are cut from the end are noticed from the last head on that was noted")
    func end() throws {
        let whole = try lines()
        #expect(try findings(with: Array(whole.prefix(3))).isEmpty)
        files.noteHeads(in: home.keyring)
        #expect(try findings(with: Array(whole.prefix(3))) == [.endMissing])
        #expect(try findings(with: []) == [.endMissing])
        #expect(try findings(with: whole).isEmpty)
    }

    @Test("What was cut away stays noticed when lines are added, until the log begins anew")
    func anew() throws {
        files.noteHeads(in: home.keyring)
        try FileManager.default.removeItem(atPath: path)
        try AuditFiles(state: home.location.state).append(entry(6), home.keyring)
        let reading = try files.read(.default, home.keyring)
        #expect(reading.lines.map(\.number) == [6] && reading.findings.map(\.kind) == [.missing])
        #expect(try files.beginAnew(.default, home.keyring) == [path + ".aside"])
        try AuditFiles(state: home.location.state).append(entry(7), home.keyring)
        let new = try files.read(.default, home.keyring)
        #expect(new.lines.map(\.number) == [1] && new.findings.isEmpty)
    }

    @Test("Who has the log open goes on after it was put aside")
    func anewBesides() throws {
        files.noteHeads(in: home.keyring)
        _ = try AuditFiles(state: home.location.state).beginAnew(.default, home.keyring)
        try files.append(entry(6), home.keyring)
        let reading = try files.read(.default, home.keyring)
        #expect(reading.lines.map(\.number) == [1] && reading.findings.isEmpty)
    }

    @Test("Numbers that no log reaches stop nobody", arguments: ["9223372036854775807", "-9223372036854775808", "0"])
    func numbers(_ number: String) throws {
        let forged = try #require(try lines().last).replacing("\"number\":5", with: "\"number\":\(number)")
        #expect(try !findings(with: lines() + [forged]).isEmpty)
        try home.keyring.programs.noteAuditHead("\(number) x", of: .default, part: place.part)
        let other = AuditFiles(state: home.location.state)
        try other.append(entry(6), home.keyring)
        #expect(try other.read(.default, home.keyring).lines.map(\.number) == [1, 2, 3, 4, 5, 7])
    }

    @Test("A request that is too long for a line is not answered")
    func tooLong() throws {
        var entry = try entry(6)
        entry.scopes = ScopeSet((0..<10_000).map { "scope\($0)" })
        #expect(throws: KeyringError(.limitExceeded, "")) { try files.append(entry, home.keyring) }
        #expect(try files.read(.default, home.keyring).findings.isEmpty)
    }

    @Test("A line that a crash has cut short is told, and those behind it hold")
    func cutShort() throws {
        let whole = try lines()
        let torn = whole.prefix(4).joined(separator: "\n") + "\n" + whole[4].prefix(60)
        try Data(torn.utf8).write(to: URL(filePath: path))
        try files.append(entry(6), home.keyring)
        let reading = try files.read(.default, home.keyring)
        #expect(reading.findings.map(\.kind) == [.cutShort])
        #expect(
            reading.findings.first?.description == #"line 5 of what executable:/usr/bin/a"b was given was cut short"#)
        #expect(reading.lines.map(\.number) == [1, 2, 3, 4, 6])
    }

    @Test("What was written before the group got a new key holds as long as something was written since")
    func newKey() throws {
        var rekeying = try home.keyring.slots.beginRekey()
        try rekeying.keep(keyFile: keyFile(1))
        _ = try rekeying.commit(handingOver: { _ in })
        try files.append(entry(6), home.keyring)
        #expect(try files.read(.default, home.keyring).findings.isEmpty)
        var changed = try lines()
        changed[1] = changed[1].replacing("\"stored\"", with: "\"provider\"")
        #expect(try findings(with: changed) == [.missing])
    }

    @Test("A file that is large gives way to a new one, and the chain goes on")
    func rotation() throws {
        let log = LineLog(path: home.folder.path + "/log")
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 300_000)
        for number in 0..<25 {
            try log.append { last in
                #expect(last.isEmpty == (number == 0))
                return line + Array("\(number)".utf8)
            }
        }
        let lines = try log.lines()
        #expect(lines.last?.suffix(2) == Array("24".utf8)[...])
        #expect((3 * LineLog.kept...3 * (LineLog.kept + 1)).contains(lines.count))
        #expect(zip(lines, lines.dropFirst()).allSatisfy { $0 != $1 })
    }
}
