internal import KeyfobOAuth
internal import KeyfobSodium

/// What a connection has done with a request so far, as libcurl's callbacks tell.
final class Reception: TransferReceiver {
    /// Why an answer is not read on.
    enum Refusal {
        case notHTTP
        case tooLarge
        /// All the lines that were wanted are there.
        case whole
    }

    private(set) var head = AnswerHead()
    private(set) var refusal: Refusal?
    private var gathered = SecretBuffer(capacity: 4_096)
    private let hasBody: Bool
    private let limit: Int
    private var missingLines: Int?

    /// - Parameter lines: After how many lines of the body it is whole; nil for one that ends.
    init(hasBody: Bool, limit: Int, lines: Int? = nil) {
        self.hasBody = hasBody
        self.limit = limit
        missingLines = lines
    }

    override func takeHead(_ line: RawSpan) -> Bool {
        if !head.take(line) {
            refusal = .notHTTP
        } else if hasBody, head.isFinal, head.announcedCount ?? 0 > limit {
            refusal = .tooLarge
        }
        return refusal == nil
    }

    /// Takes a part of the body, from libcurl's buffer to guarded memory.
    override func takeBody(_ part: RawSpan) -> Int {
        guard gathered.makeRoom(for: part.byteCount, limit: limit) else {
            refusal = .tooLarge
            return 0
        }
        gathered.append(part)
        if let missing = missingLines {
            let lines = (0..<part.byteCount).count { part.byte(at: $0) == UInt8(ascii: "\n") }
            missingLines = missing - lines
            if missing <= lines { refusal = .whole }
        }
        return refusal == nil ? part.byteCount : 0
    }

    /// The body.
    var body: SecretBytes { gathered.withBytes { SecretBytes(copying: $0) } }
}
