import Foundation
import KeyfobTestSupport
import Testing

@Suite("The certificate of a provider", .waitsForPrograms)
struct CertificateTests {
    private static let started = Result { try ProviderServer(.init(isSecure: true)) }
    private let server: ProviderServer
    private let place: Workplace
    private let browser = SignInPlace.browser("alice")

    init() throws {
        server = try Self.started.get()
        place = try Workplace.withVault()
        try place.run("cp \(try #require(server.authorityFile)) ca.pem").expectSuccess()
    }

    private func addProvider(_ options: String) throws {
        try place.run(
            """
            keyfob provider add --quiet --replace --issuer \(server.issuer) --name local \(options) && \\
                keyfob client add --quiet --replace \(ProviderServer.publicClient) --provider local
            """
        ).expectSuccess()
    }

    @Test("one that nobody trusts is an error of its own, at each step, with the way to trust it")
    func untrusted() throws {
        try addProvider("")
        let words = ["authority that this machine does not trust", "nothing was sent", "--ca-file"]
        let login = "\(browser) keyfob login local --quiet"
        try place.run(login).expectError(69, words[0], words[1], words[2])
        try place.run(login + " --ca-file ca.pem").expectSuccess()
        // The provider's document is kept by now, so that the next request is the one with the refresh token.
        for line in ["keyfob account refresh alice", "keyfob token --force-refresh"] {
            let outcome = try place.run(line).expectError(69, words[0], words[1], words[2])
            #expect(!outcome.errors.contains("try again"), "\(outcome)")
        }
        let document = try place.run("keyfob token --force-refresh --json")
        #expect(document.status == 69 && document.errors.contains("\"untrustedCertificate\""), "\(document)")
        // Within the same second too: who did not wait for the answer of the one before does not share it.
        try place.run("keyfob token --force-refresh --ca-file ca.pem").expectSuccess()
    }

    @Test("the file that a provider's description names counts for it, by its whole path; --ca-file overrules it")
    func ownFile() throws {
        try addProvider("--ca-file ca.pem")
        #expect(try place.run("keyfob provider show local").text.contains(place.path + "/ca.pem"))
        #expect(try place.document("keyfob provider show local --json")["caFile"] as? String == place.path + "/ca.pem")
        try place.run("\(browser) keyfob login local --quiet && cd / && keyfob account refresh alice").expectSuccess()
        // An API of its own host has it too, and another host has not.
        try place.run("keyfob request \(server.base)/api/me --account alice").expectSuccess()
        let other = server.base.replacing("127.0.0.1", with: "localhost")
        try place.run("keyfob request \(other)/api/me --account alice --allow-host \(other)").expectError(
            69, "--ca-file")
        // Adding it anew keeps the file, unless another one, or none, is named.
        let again = "keyfob provider add --replace --issuer \(server.issuer) --name local"
        let kept = try place.run(again).expectSuccess()
        #expect(kept.errors.contains("it keeps its certificates, \(place.path)/ca.pem"), "\(kept)")
        #expect(try place.run("keyfob provider show local").text.contains(place.path + "/ca.pem"))
        try place.run("\(again) --ca-file ''").expectSuccess()
        #expect(try !place.run("keyfob provider show local").text.contains("ca.pem"))
        try place.run("\(again) --quiet --ca-file ca.pem").expectSuccess()
        try place.run("mv ca.pem gone.pem").expectSuccess()
        try place.run("keyfob token --force-refresh")
            .expectError(78, "provider 'local'", place.path + "/ca.pem cannot be read", "--ca-file FILE")
        try place.run("keyfob token --force-refresh --ca-file gone.pem").expectSuccess()
        try place.run("KEYFOB_CA_FILE=gone.pem keyfob token --force-refresh").expectError(78)
        try place.run("keyfob logout alice").expectSuccess()
    }

    @Test("what is no file of certificates is refused when it is named", arguments: ["none", "pipe", "text"])
    func badFile(name: String) throws {
        try place.run("mkfifo pipe; echo text > text").expectSuccess()
        try place.run("keyfob provider add --issuer \(server.issuer) --ca-file \(name)").expectError(
            78, place.path + "/\(name)")
    }
}
