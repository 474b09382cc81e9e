import KeyfobModel
import KeyfobOAuth
import KeyfobSodium
import Testing

@Suite("Device authorizations") struct DeviceAuthorizationTests {
    static let full = """
        {"device_code":"dc","user_code":"ABCD-EFGH","verification_uri":"https://idp.example/device",\
        "verification_uri_complete":"https://idp.example/device?user_code=ABCD-EFGH","expires_in":"600","interval":7}
        """

    @Test("reads the codes and where they go")
    func reads() throws {
        let answer = try DeviceAuthorization(reading: secret(Self.full))
        #expect(text(answer.deviceCode) == "dc")
        #expect(answer.userCode == "ABCD-EFGH")
        #expect(answer.verificationURL.text == "https://idp.example/device")
        #expect(answer.completeURL?.query == "user_code=ABCD-EFGH")
        #expect(answer.expiresIn == 600)
        #expect(answer.interval == 7)
    }

    @Test("waits five seconds where nothing is said, and opens no other host's address")
    func defaults() throws {
        let json = """
            {"device_code":"dc","user_code":"A","verification_url":"https://idp.example/device",\
            "verification_uri_complete":"https://evil.example/device","expires_in":9}
            """
        let answer = try DeviceAuthorization(reading: secret(json))
        #expect(answer.interval == 5)
        #expect(answer.completeURL == nil)
    }

    @Test(
        "refuses what cannot be shown or polled",
        arguments: [
            #"{"user_code":"A","verification_uri":"https://i.example"}"#,
            #"{"device_code":"d","verification_uri":"https://i.example"}"#, #"{"device_code":"d","user_code":"A"}"#,
            #"{"device_code":"d","user_code":"A\u001b","verification_uri":"https://i.example"}"#,
            #"{"device_code":"d","user_code":"A","verification_uri":"http://i.example"}"#,
            #"{"device_code":"d","user_code":"A","verification_uri":"https://i.example","expires_in":0}"#,
        ])
    func refuses(json: String) {
        #expect(throws: ProtocolViolation.self) { _ = try DeviceAuthorization(reading: secret(json)) }
    }

    @Test("refuses every truncation", arguments: 0..<full.utf8.count)
    func truncated(count: Int) {
        #expect(throws: ProtocolViolation.self) {
            _ = try DeviceAuthorization(reading: secret(String(Self.full.prefix(count))))
        }
    }
}

@Suite("Device flows") struct DeviceFlowTests {
    static func refused(_ error: String) -> DeviceFlow.Event {
        .failed(ProviderFailure(Refusal(status: 400, error: error)))
    }

    /// The seconds after the start at which polls are due, while each gets the next of `events`.
    static func polls(
        _ events: [DeviceFlow.Event], expiresIn: Int64 = 900, waitingFor: Int64? = nil
    ) -> ([Int64], DeviceFlow.Action) {
        var flow = DeviceFlow(expiresIn: expiresIn, interval: 5, waitingFor: waitingFor, now: now)
        var time = now
        var polls: [Int64] = []
        var action = flow.poll(now: time)
        while true {
            switch action {
            case .wait(let until):
                time = until
                action = flow.poll(now: time)
            case .poll:
                guard polls.count < events.count else { return (polls, action) }
                let event = events[polls.count]
                polls.append(time.seconds - now.seconds)
                action = flow.receive(event, now: time)
            case .finished: return (polls, action)
            }
        }
    }

    @Test("polls at the interval until tokens come")
    func pending() {
        let pending = Self.refused("authorization_pending")
        #expect(Self.polls([pending, pending, .tokens]) == ([5, 10, 15], .finished(.tokens)))
    }

    @Test("slows down for good when told to")
    func slowDown() {
        let pending = Self.refused("authorization_pending")
        #expect(Self.polls([Self.refused("slow_down"), pending, .tokens]) == ([5, 15, 25], .finished(.tokens)))
    }

    @Test("doubles the pause while nobody answers")
    func backOff() {
        let events: [DeviceFlow.Event] = [
            .failed(.unreachable(.refused)), .failed(.outcomeUnknown), .failed(.serverDown(status: 500, retryAt: nil)),
            .tokens,
        ]
        #expect(Self.polls(events) == ([5, 15, 35, 75], .finished(.tokens)))
    }

    @Test("waits as long as a throttling provider says")
    func throttled() {
        #expect(
            Self.polls([.failed(.throttled(until: now.advanced(by: 65))), .tokens]) == ([5, 65], .finished(.tokens)))
    }

    @Test("ends by itself when the codes expire")
    func deadline() {
        let pending = [DeviceFlow.Event](repeating: Self.refused("authorization_pending"), count: 9)
        #expect(Self.polls(pending, expiresIn: 12) == ([5, 10], .finished(.expired)))
    }

    @Test(
        "ends at the earlier of the codes' end and its own patience",
        arguments: [
            (12, 11, [5, 10], .timedOut), (12, 12, [5, 10], .expired), (12, 13, [5, 10], .expired),
            (900, 3, [], .timedOut), (900, 0, [], .timedOut), (900, 10, [5], .timedOut),
        ] as [(Int64, Int64, [Int64], DeviceFlow.Ending)])
    func patience(expiresIn: Int64, waitingFor: Int64, polls: [Int64], ending: DeviceFlow.Ending) {
        let pending = [DeviceFlow.Event](repeating: Self.refused("authorization_pending"), count: 9)
        #expect(
            Self.polls(pending, expiresIn: expiresIn, waitingFor: waitingFor) == (polls, .finished(ending)))
    }

    @Test("wakes when its patience ends, however long the provider asks to wait")
    func wakes() {
        var flow = DeviceFlow(expiresIn: 900, interval: 5, waitingFor: 20, now: now)
        #expect(
            flow.receive(.failed(.throttled(until: now.advanced(by: 300))), now: now)
                == .wait(until: now.advanced(by: 20)))
    }

    @Test(
        "ends when the provider says so",
        arguments: [
            ("expired_token", DeviceFlow.Ending.expired), ("access_denied", .denied),
            ("authorization_declined", .denied),
            ("invalid_client", .failed(.clientRefused(Refusal(status: 400, error: "invalid_client")))),
            ("invalid_grant", .failed(.invalidGrant(Refusal(status: 400, error: "invalid_grant")))),
        ])
    func ends(error: String, ending: DeviceFlow.Ending) {
        #expect(Self.polls([Self.refused(error)]) == ([5], .finished(ending)))
    }

    @Test("stays ended")
    func staysEnded() {
        var flow = DeviceFlow(expiresIn: 60, interval: 5, now: now)
        #expect(flow.receive(.tokens, now: now) == .finished(.tokens))
        #expect(flow.receive(Self.refused("slow_down"), now: now) == .finished(.tokens))
        #expect(flow.poll(now: now.advanced(by: 99)) == .finished(.tokens))
    }
}
