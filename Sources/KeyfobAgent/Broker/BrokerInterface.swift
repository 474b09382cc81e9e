internal import KeyfobBus

/// The methods of the identity broker that programs made with MSAL ask, as their traffic shows them.
enum BrokerMethod: String, CaseIterable, Sendable {
    case getAccounts
    case acquireTokenSilently
    case acquireTokenInteractively
    case cancelInteractiveFlow
    case removeAccount
    case acquirePrtSsoCookie
    case generateSignedHttpRequest
    case getLinuxBrokerVersion
}

extension BusObject {
    /// The broker: each method takes the protocol's version, a correlation id and a JSON document, and gives one.
    static let broker = BusObject(
        name: "com.microsoft.identity.broker1", path: "/com/microsoft/identity/broker1",
        interface: "com.microsoft.identity.Broker1",
        methods: BrokerMethod.allCases.map { method in
            Method(method.rawValue, ["protocol_version", "correlation_id", "request_json"], gives: "response_json")
        })
}
