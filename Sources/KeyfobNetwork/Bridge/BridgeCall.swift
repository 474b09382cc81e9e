internal import KeyfobModel
internal import KeyfobOAuth

/// What a bridge does at its service: a message on its way with its answers, or a stream that it listens to.
final class BridgeCall {
    /// What it is for.
    enum Purpose {
        case message
        /// What the service says of itself.
        case listening
        /// The stream of an older service (2024-11-05), which first says where messages go.
        case olderStream
        /// The end of the session.
        case goodbye
    }

    /// How an answer comes.
    enum Form {
        case unknown, document, events, nothing
    }

    let purpose: Purpose
    /// What is sent; nothing where it only listens.
    let bytes: [UInt8]
    let message: BridgeMessage?
    /// Whether the client knows nothing of it: it begins a session anew.
    let isOwn: Bool
    /// Its requests that have no answer.
    var unanswered: [BridgeMessage.ID]
    /// Whether the session that it begins has taken the place of the one before.
    var hasBegun = false
    /// Which session it belongs to.
    var session = 0

    var transfer: BridgeTransfer?
    var form = Form.unknown
    var isHeadTaken = false
    var document: [UInt8] = []
    var stream: EventStream
    /// Ids of events that have come, the latest last.
    var seen: [String] = []

    /// Where it was sent with the proof of a key; nil without one.
    var provedAt: EndpointURL?
    /// What its proof named.
    var nonce: String?
    /// How often it was sent again because another nonce was wanted.
    var nonceTries = 0
    /// Which token it was sent with.
    var token = 0
    /// The refusals that another token was got for.
    var refusals: Set<String> = []
    /// The refusal that another token is to be asked for with, while it waits for that.
    var refusal: BridgeRefusal?
    /// Whether it goes on behind the last event, over another connection.
    var isResuming = false
    /// How often it has gone on without anything new.
    var attempts = 0
    /// When it is to be sent, where that is later.
    var sendAt: ContinuousClock.Instant?
    /// When it is over, though its stream is not.
    var overAt: ContinuousClock.Instant?

    init(_ purpose: Purpose, _ bytes: [UInt8] = [], _ message: BridgeMessage? = nil, isOwn: Bool = false, limit: Int) {
        (self.purpose, self.bytes, self.message, self.isOwn) = (purpose, bytes, message, isOwn)
        unanswered = message?.requests ?? []
        stream = EventStream(limit: limit)
    }

    /// Whether it begins a session.
    var isInitialize: Bool { message?.isInitialize ?? false }
    /// Whether others wait until it is over: what begins a session.
    var isGate: Bool {
        guard purpose == .message else { return false }
        return isInitialize ? isOwn || !unanswered.isEmpty : message?.isInitialized ?? false
    }

    /// Forgets what came of it, to be sent again.
    func reset() {
        transfer = nil
        (form, isHeadTaken, document, sendAt) = (.unknown, false, [], nil)
        stream.begin()
    }

    /// Whether an event has come before.
    func hasSeen(_ event: EventStream.Event) -> Bool {
        guard let id = event.id else { return false }
        if seen.contains(id) { return true }
        seen.append(id)
        if seen.count > 64 { seen.removeFirst() }
        return false
    }
}
