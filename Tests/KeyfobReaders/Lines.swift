internal import KeyfobInterop
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

/// Readers of lines and fields.
enum Lines {
    /// The first line names the sections, separated by commas.
    static func gitConfiguration(_ document: [UInt8]) -> String {
        let end = document.firstIndex(of: 0x0A) ?? document.endIndex
        let sections = String(decoding: document[..<end], as: UTF8.self).split(separator: ",").map(String.init)
        let text = GitConfigurationText(Array(document[min(end + 1, document.count)...]), sections: sections)
        let entries = text.entries.map { entry in
            let subsection = entry.subsection.map { "." + Hex.text($0) } ?? ""
            return
                "\(Hex.text(entry.section))\(subsection).\(Hex.text(entry.name))\(entry.value.map { "=" + Hex.text($0) } ?? "")"
        }
        return ([text.isSound ? "sound" : "unsound"] + entries).joined(separator: " ")
    }

    static func gitCredential(_ document: [UInt8]) -> String {
        do throws(GitCredentialRequest.Flaw) {
            let text = document.withBytes { SecretBytes(copying: $0) }
            let request = try GitCredentialRequest(reading: text)
            let secret: String? = request.secret?.withBytes { Hex.text([UInt8]($0)) }
            return [
                "url=" + (request.url.map { Hex.text($0.text) } ?? "-"),
                "user=" + (request.username.map { Hex.text($0) } ?? "-"), "secret=" + (secret ?? "-"),
            ].joined(separator: " ")
        } catch {
            return "refused \(error)"
        }
    }

    /// What a `.git-credentials` has: `user@host secret` of each line.
    static func gitCredentialFile(_ document: [UInt8]) -> String {
        document.withBytes { bytes in
            do throws(ToolFileError) {
                guard let file = try ToolFile(reading: bytes), file.format == .gitCredentials else { return "refused" }
                return file.contents.credentials.map { item in
                    let secret = item.secret.secret(in: bytes).withBytes { Hex.text([UInt8]($0)) }
                    return "\(Hex.text(item.credential.account.description))=\(secret)"
                }.joined(separator: " ")
            } catch {
                return "refused \(error)"
            }
        }
    }

    /// The fields that are called `a` to `f`.
    static func form(_ document: [UInt8]) -> String {
        document.withBytes { bytes in
            do throws(FormFields.Flaw) {
                let fields = try FormFields(reading: bytes)
                return ["a", "b", "c", "d", "e", "f"].compactMap { name in
                    guard let secret = fields.secret(name, in: bytes) else { return nil }
                    let value = secret.withBytes { [UInt8]($0) }
                    guard Array((fields.string(name, in: bytes) ?? "").utf8) == value else { return "?" }
                    return "\(name)=\(Hex.text(value))"
                }.joined(separator: " ")
            } catch {
                return "refused \(error)"
            }
        }
    }

    /// Code and message of an error of AWS's token service.
    static func refusal(_ document: [UInt8]) -> String {
        let text = document.withBytes { SecretBytes(copying: $0) }
        guard let refusal = WebIdentityRefusal(reading: text) else { return "refused" }
        return "\(Hex.text(refusal.code)) \(refusal.message.map { Hex.text($0) } ?? "-")"
    }
}
