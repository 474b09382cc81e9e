import Foundation
import Keyfob
import KeyfobFiles
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

/// Old lines give way to new ones; what is missing beyond that is told.
@Suite("The audit once old lines have given way")
struct AuditRotationTests {
    let home: DeskHome
    /// The part of the program that the entries are about.
    let place: AuditPlace
    private var path: String { place.log(in: home.location.state + "/audit").path }

    init() throws {
        home = try DeskHome()
        place = try AuditPlace(of: Self.entry(1, of: home.ada), in: .default, home.keyring)
    }

    private var files: AuditFiles { AuditFiles(state: home.location.state) }

    /// Writes lines until files have given way so often: a few lines each, with the rest of a file for itself.
    private func write(files count: Int, _ audit: AuditFiles) throws {
        for _ in 0..<count {
            for process in 1...2 { try audit.append(entry(Int32(process)), home.keyring) }
            // As full as thousands of lines would make it; the last line is where it was.
            let content = try Data(contentsOf: URL(filePath: path))
            let lines = content.split(separator: UInt8(ascii: "\n"))
            let filling = Data(repeating: UInt8(ascii: "\n"), count: AuditPlace.limitOfPart - content.count)
            try
                (lines.dropLast().reduce(Data()) { $0 + $1 + [UInt8(ascii: "\n")] } + filling + (lines.last ?? Data())
                + [UInt8(ascii: "\n")]).write(to: URL(filePath: path))
        }
        try audit.append(entry(3), home.keyring)
    }

    private func entry(_ process: Int32) throws -> AuditEntry { try Self.entry(process, of: home.ada) }

    private static func entry(_ process: Int32, of account: Account) throws -> AuditEntry {
        AuditEntry(
            time: DeskHome.noon, kind: .token, program: try #require(Program("executable:/usr/bin/mailer")),
            process: process, door: .socket, account: account.id, group: .default, scopes: ["mail.read"],
            clientID: "mailer", reason: nil, permission: .always, answer: "stored")
    }

    private func findings() throws -> [AuditReading.Finding.Kind] {
        try files.read(.default, home.keyring).findings.map(\.kind)
    }

    @Test("is whole as long as lines gave way that were to, whoever goes on with it", arguments: [1, 5, 6, 9])
    func whole(_ count: Int) throws {
        for _ in 0..<count { try write(files: 1, files) }
        let reading = try files.read(.default, home.keyring)
        #expect(reading.findings.isEmpty)
        #expect(reading.lines.last?.number == 3 * count)
        #expect(reading.lines.first?.number == (count <= LineLog.kept ? 1 : 3 * (count - LineLog.kept)))
    }

    @Test("A file beside it hides no missing start", arguments: [false, true])
    func emptyFile(hasGivenWay: Bool) throws {
        let audit = files
        try write(files: hasGivenWay ? 2 : 0, audit)
        for process in 1...4 { try audit.append(entry(Int32(process)), home.keyring) }
        let oldest = hasGivenWay ? path + ".2" : path
        let lines = try Data(contentsOf: URL(filePath: oldest)).split(separator: UInt8(ascii: "\n"))
        try lines.dropFirst().reduce(Data()) { $0 + $1 + [UInt8(ascii: "\n")] }.write(to: URL(filePath: oldest))
        #expect(try findings().first == .missing)
        try Data().write(to: URL(filePath: path + ".5"))
        #expect(try findings().first == .missing)
    }

    @Test("A file of those that are kept is missed", arguments: 1...LineLog.kept)
    func missingFile(_ number: Int) throws {
        try write(files: 8, files)
        #expect(try findings().isEmpty)
        try FileManager.default.removeItem(atPath: "\(path).\(number)")
        #expect(try !findings().isEmpty)
    }

    @Test(
        "One that was to give way, and did not because the agent was killed, is no finding, and the next time it does")
    func planned() throws {
        try write(files: 7, files)
        let mark = try #require(
            try home.keyring.programs.auditHeads(of: .default)[place.part].flatMap { AuditMark($0) })
        let last = try #require(try files.read(.default, home.keyring).lines.last?.number)
        try home.keyring.programs.noteAuditHead(
            mark.beginning(at: last + 1).text, of: .default, part: place.part)
        #expect(try findings().isEmpty)
        #expect(mark.beginning(at: last + 1).beginning(at: last + 1) == mark.beginning(at: last + 1))
        try write(files: 2, files)
        #expect(try findings().isEmpty)
    }

    @Test("While the vault cannot be written, lines give way all the same, and that is noted as soon as it can")
    func unwritable() throws {
        let audit = files
        try write(files: 2, audit)
        let vault = URL(filePath: home.location.vault)
        let journals = try FileManager.default.contentsOfDirectory(atPath: vault.path)
            .filter { $0.hasSuffix(".db") }.map { vault.appending(path: $0 + "-journal") }
        // No journal can be written where a folder has its name.
        for journal in journals {
            try FileManager.default.createDirectory(at: journal, withIntermediateDirectories: false)
        }
        #expect(!journals.isEmpty)
        #expect(throws: KeyringError.self) { try home.keyring.programs.noteAuditHead(nil, of: .default, part: "0") }
        try write(files: 8, audit)
        for journal in journals { try FileManager.default.removeItem(at: journal) }
        audit.noteHeads(in: home.keyring)
        let reading = try files.read(.default, home.keyring)
        #expect(reading.findings.isEmpty)
        #expect(reading.lines.last?.number == 22)
    }

    @Test("How far it has come is noted in the vault that it is of, and not in one that took its place")
    func anotherVault() throws {
        let (audit, other) = (files, try DeskHome())
        try audit.append(entry(1), home.keyring)
        audit.noteHeads(in: other.keyring)
        #expect(try other.keyring.programs.auditHeads(of: .default).isEmpty)
        try audit.append(entry(2), other.keyring)
        audit.noteHeads(in: other.keyring)
        #expect(try other.keyring.programs.auditHeads(of: .default)[place.part]?.hasPrefix("1 ") == true)
        #expect(try audit.read(.default, other.keyring).findings.isEmpty)
        audit.noteHeads(in: home.keyring)
        #expect(try home.keyring.programs.auditHeads(of: .default)[place.part]?.hasPrefix("1 ") == true)
        #expect(try findings().isEmpty)
    }

    @Test("What the vault says of it that makes no sense says nothing")
    func senseless() throws {
        for text in ["5 x 1,2,3,4,5,6,7", "5 x 0", "5 x 1,", "5 x ,", "5", "5 x 1 2", "5 x 99999999999999999999"] {
            #expect(AuditMark(text) == nil, "\(text)")
        }
        #expect(AuditMark("5 x")?.first == 1)
        #expect(AuditMark("5 x 1,2,3,4,5,6")?.first == 1)
        #expect(AuditMark("9 x 2,3,4,5,6,7")?.first == 2)
        #expect(AuditMark("9 x 2,3")?.text == "9 x 2,3")
    }
}
