internal import Keyfob

extension Keyring.RememberedRefusal {
    /// How it is shown: what reaches how far, since when, and what to do.
    var line: String {
        let request = verdict.request
        let scopes = request.scopes.isEmpty ? "the default scopes" : "\(request.scopes)"
        let what =
            switch verdict.reach {
            case .request: "\(scopes) for client \(request.clientID)" + place
            case .tenant: verdict.isOfClient ? "client \(request.clientID)" + place : "everything" + place
            case .client: "client \(request.clientID)"
            case .provider: "everything"
            case .grant: "the sign-in with client \(request.clientID)"
            }
        return "refused   \(TimeText.moment(verdict.time)): \(what): \(message)"
            + (continuation.map { "; \($0.advice)" } ?? "")
    }

    private var place: String {
        verdict.request.tenant.isEmpty ? "" : " in tenant \(verdict.request.tenant)"
    }
}

/// A refused request in a document.
struct RefusalDocument: Encodable {
    let id: String
    let reach: String
    let remedy: String?
    let isOfClientAlone: Bool
    let refusedOn: String
    /// Until when the provider is not asked for the same.
    let pausedUntil: String
    let clientID: String
    let tenant: String?
    let scopes: [String]
    let claims: String?
    let error: String?
    let suberror: String?
    let errorCodes: [Int64]
    let message: String
    let continuation: ContinuationDocument?

    init(_ refusal: Keyring.RememberedRefusal) {
        let verdict = refusal.verdict
        id = verdict.id
        reach = verdict.reach.rawValue
        remedy = verdict.remedy?.rawValue
        isOfClientAlone = verdict.isOfClient
        refusedOn = verdict.time.rfc3339
        pausedUntil = verdict.pausedUntil.rfc3339
        clientID = verdict.request.clientID
        tenant = verdict.request.tenant.isEmpty ? nil : verdict.request.tenant
        scopes = verdict.request.scopes.scopes
        claims = verdict.request.claims
        error = verdict.answer.error
        suberror = verdict.answer.suberror
        errorCodes = verdict.answer.codes
        message = refusal.message
        continuation = refusal.continuation.map(ContinuationDocument.init)
    }
}
