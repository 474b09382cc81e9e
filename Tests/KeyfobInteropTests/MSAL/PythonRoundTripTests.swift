import Foundation
import KeyfobInterop
import KeyfobModel
import Testing

@Suite("Round trip with MSAL for Python", .requiresMSAL)
struct PythonRoundTripTests {
    /// Runs `body` with a folder that goes away afterwards.
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keyfob-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test(
        "a cache that Python made, Keyfob read and wrote gives Python the same",
        arguments: [
            (1, false), (7, false), (7, true), (200, false),
        ])
    func roundTrip(accounts: Int, isExpired: Bool) throws {
        try withFolder { folder in
            let (made, written) = (folder.appending(path: "made").path, folder.appending(path: "written").path)
            if isExpired {
                try PythonMSAL.run("make", made, "\(accounts)", "--expired")
            } else {
                try PythonMSAL.run("make", made, "\(accounts)")
            }
            let file = try CacheFile([UInt8](Data(contentsOf: URL(filePath: made))))
            #expect(file.cache.skipped.isEmpty && file.cache.remarks.isEmpty && file.cache.foreign.isEmpty)
            #expect(file.cache.accounts.count == accounts)
            #expect(file.cache.accountsWithoutEntity == 0)
            #expect(file.cache.accounts.allSatisfy { $0.tenantProfiles.count == 2 && !$0.username.isEmpty })
            #expect(file.cache.credentials.count == accounts * 5)

            try Data(file.written()).write(to: URL(filePath: written))
            #expect(try PythonMSAL.run("compare", made, written).hasSuffix("differences 0\n"))
            let before = try PythonMSAL.run("silent", made)
            let after = try PythonMSAL.run("silent", written)
            #expect(before == after)
            let lines = after.split(separator: "\n")
            #expect(lines.count == accounts * 2)
            #expect(lines.allSatisfy { $0.contains(isExpired ? " identity_provider " : " cache ") })
        }
    }

    @Test("Python reads a cache that no Python made")
    func otherSDKs() throws {
        try withFolder { folder in
            let (made, written) = (folder.appending(path: "made").path, folder.appending(path: "written").path)
            try PythonMSAL.run("make", made, "2")
            // As another SDK might have left it: keys with capitals, numbers for times, environments in capitals.
            let text = try String(contentsOfFile: made, encoding: .utf8)
                .replacing("-accesstoken-", with: "-AccessToken-")
                .replacing(/"(expires_on|cached_at|refresh_on)": "(\d+)"/) { "\"\($0.output.1)\": \($0.output.2).5" }
                .replacing(
                    "\"environment\": \"login.microsoftonline.com\"",
                    with: "\"environment\": \"Login.MicrosoftOnline.com\"")
            let file = try CacheFile(text)
            #expect(file.cache.skipped.isEmpty && file.cache.remarks.isEmpty)
            try Data(file.written()).write(to: URL(filePath: written))
            #expect(try PythonMSAL.run("silent", written) == PythonMSAL.run("silent", made))
        }
    }
}
