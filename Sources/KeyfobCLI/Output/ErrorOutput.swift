internal import Keyfob
internal import KeyfobTerminal

/// An error as JSON; `Schemas/error.schema.json`.
struct ErrorDocument: JSONDocument {
    let formatVersion = 1
    let error: Body

    struct Body: Encodable {
        let code: String
        let message: String
        let hint: String?
        let advice: String?
        let candidates: [String]
        let exitStatus: Int32
        /// How a person continues a refused request.
        let continuation: ContinuationDocument?
    }

    init(_ error: KeyringError, status: ExitStatus) {
        self.error = Body(
            code: error.code.rawValue, message: error.message, hint: error.hint.map(NamedVault.completing),
            advice: error.advice?.code,
            candidates: error.candidates, exitStatus: status.rawValue,
            continuation: error.continuation.map(ContinuationDocument.init))
    }
}

/// Tells of an error on standard error: one line, or one document.
enum ErrorOutput {
    static func tell(_ error: KeyringError, isJSON: Bool) {
        if isJSON, let text = try? JSONOutput.text(ErrorDocument(error, status: ExitStatus(error.code))) {
            return StandardError.write(lines: text + "\n")
        }
        StandardError.write(
            line:
                "keyfob: \(error.message)\(error.candidateText)\(error.hint.map { "; \(NamedVault.completing($0))" } ?? "")"
        )
    }
}
