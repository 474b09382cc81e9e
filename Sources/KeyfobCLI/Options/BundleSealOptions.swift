internal import ArgumentParser
internal import Keyfob
internal import KeyfobSodium
internal import KeyfobTerminal

/// Whom a bundle is written for.
struct BundleSealOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("Encrypt for this age recipient; repeatable.", valueName: "age1…"))
    var to: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Encrypt for the age recipients in this file, one a line.", valueName: "file"))
    var recipientsFile: String?

    @Option(name: .long, help: ArgumentHelp("Encrypt with the passphrase on this descriptor.", valueName: "n"))
    var bundlePassphraseFd: Int32?

    /// Whether any of the options was given.
    var isGiven: Bool { !to.isEmpty || recipientsFile != nil || bundlePassphraseFd != nil }

    func validate() throws {
        if bundlePassphraseFd != nil, !to.isEmpty || recipientsFile != nil {
            throw ValidationError("a bundle is for recipients or for a passphrase, not for both")
        }
        if let bundlePassphraseFd, bundlePassphraseFd < 0 {
            throw ValidationError("--bundle-passphrase-fd is the number of an open descriptor")
        }
    }

    /// The recipients, or the passphrase: given, or typed twice.
    func seal(_ global: GlobalOptions) throws(KeyringError) -> BundleSeal {
        var recipients = to
        if let recipientsFile { recipients += try RecipientsFile.read(recipientsFile) }
        guard recipients.isEmpty else { return .recipients(recipients) }
        return .passphrase(
            try NewPassphraseInput.read(
                descriptor: bundlePassphraseFd, mayAsk: !global.noInput, what: "the bundle", guarding: "the file",
                hint: "give it with --bundle-passphrase-fd, or say who it is for with --to"))
    }
}

/// A file with age recipients, one a line; empty lines and comments (`#`) are passed over, as `age -R` does.
///
/// Recipients of plugins and of SSH, for whom Keyfob cannot write, are told and left out.
enum RecipientsFile {
    static func read(_ path: String) throws(KeyringError) -> [String] {
        let text = try SecretInput.ownFile(path).withBytes { String(validating: [UInt8]($0), as: UTF8.self) }
        guard let text else { throw KeyringError(.damaged, "\(path) is not text") }
        var recipients: [String] = []
        var others: [String] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.hasSuffix("\r") ? line.dropLast() : line
            if line.isEmpty || line.hasPrefix("#") { continue }
            if let kind = otherKind(line) {
                others.append("line \(index + 1) is \(kind)")
                continue
            }
            guard line.hasPrefix("age1"), line.allSatisfy({ $0.isASCII && ($0.isLowercase || $0.isNumber) }) else {
                throw KeyringError(.damaged, "line \(index + 1) of \(path) is not an age recipient (age1…)")
            }
            recipients.append(String(line))
        }
        guard !recipients.isEmpty else {
            let found = others.isEmpty ? "" : " for whom Keyfob can write: \(others.prefix(3).joined(separator: "; "))"
            throw KeyringError(.damaged, "\(path) holds no age recipient (age1…)\(found)")
        }
        for other in others {
            StandardError.write(
                line: "keyfob: warning: \(path): \(other), for whom Keyfob cannot write: they cannot open the file")
        }
        return recipients
    }

    /// What a line is that `age` takes and Keyfob does not.
    private static func otherKind(_ line: Substring) -> String? {
        if ["ssh-", "ecdsa-sha2-"].contains(where: line.hasPrefix) { return "a key of SSH" }
        // age1NAME1…; neither the separator nor a key's own letters hold another 1.
        let isPlugin = line.hasPrefix("age1") && !line.hasPrefix("age1pq1") && line.dropFirst(4).contains("1")
        return isPlugin ? "a plugin's recipient" : nil
    }
}
