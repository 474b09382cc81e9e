internal import FoundationEssentials
internal import KeyfobOAuth
internal import KeyfobSodium

/// Tells of changes that others make of one key of etcd, at whichever member answers.
struct EtcdWatch: Sendable {
    /// How long one call waits for a change, in seconds: after that it is known that the member still lives.
    private static let callSeconds: Int64 = 30
    private static let answerLimit = 1 << 20
    /// A member that has lost its leader ends the watch, instead of telling nothing for ever.
    private static let headers = [HTTPHeader(name: "Grpc-Metadata-hasleader", value: "true")]

    let endpoints: [EndpointURL]
    let key: Data
    /// What the key holds after this device has changed it.
    let own: String
    let token: String?
    let network: Network
    /// The member that is asked first.
    let first: Int
    /// What is known already.
    let revision: UInt64?

    /// What one call brought.
    private enum Outcome: Sendable {
        /// Changes up to a revision, by others or by this device alone.
        case changed(upTo: UInt64, byOthers: Bool)
        /// The member does not know any more what happened since.
        case forgotten
        /// Nothing happened for so long.
        case quiet
        case failed
    }

    /// Rings for each change that another device made, until the task is cancelled.
    func run(_ ring: @Sendable () -> Void) async {
        var (index, known, pause) = (first, revision, Duration.milliseconds(50))
        while !Task.isCancelled {
            switch await call(endpoints[index % endpoints.count], after: known) {
            case .changed(let latest, let byOthers):
                (known, pause) = (latest, .milliseconds(50))
                if byOthers { ring() }
            case .forgotten:
                known = nil
                ring()
                try? await Task.sleep(for: .seconds(1))
            case .quiet: pause = .milliseconds(50)
            case .failed:
                index += 1
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(5))
                // What happens before the next watch begins would be missed.
                if known == nil { ring() }
            }
        }
    }

    private func call(_ endpoint: EndpointURL, after revision: UInt64?) async -> Outcome {
        let start = revision.map { "\($0 + 1)" }
        guard let url = try? EndpointURL(endpoint.text + "/v3/watch"),
            let body = try? EtcdClient.encoded(
                EtcdWatchRequest(create_request: .init(key: key, start_revision: start)))
        else { return .failed }
        let request = HTTPRequest(
            posting: body.withBytes { SecretBytes(copying: $0) }, to: url, headers: Self.headers,
            authorization: EtcdClient.secret(token), answerLimit: Self.answerLimit, answerLines: 2)
        let begin = ContinuousClock.now
        switch await network.send(request, Self.callSeconds) {
        case .answered(let response):
            let bytes = response.body.withBytes { [UInt8]($0) }
            return response.status == 200 ? outcome(bytes) : .failed
        case .failed(.outcomeUnknown):
            return ContinuousClock.now - begin >= .seconds(Self.callSeconds) ? .quiet : .failed
        case .failed: return .failed
        }
    }

    private func outcome(_ bytes: [UInt8]) -> Outcome {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
            .compactMap { try? JSONDecoder().decode(EtcdWatchLine.self, from: Data($0)).result }
        let entries = lines.flatMap { $0.events ?? [] }.compactMap(\.kv)
        guard let latest = entries.compactMap({ $0.mod_revision.flatMap { UInt64($0) } }).max() else {
            return lines.contains { $0.canceled == true && $0.compact_revision != nil } ? .forgotten : .failed
        }
        return .changed(upTo: latest, byOthers: entries.contains { $0.value != Data(own.utf8) })
    }
}
