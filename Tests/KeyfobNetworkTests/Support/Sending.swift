internal import KeyfobOAuth
internal import KeyfobSodium
internal import Synchronization

@testable internal import KeyfobNetwork

/// A network whose log can be read.
final class LoggedNetwork: Sendable {
    private let lines = Mutex<[String]>([])

    /// The lines so far.
    var log: [String] { lines.withLock { $0 } }

    /// Sends a form with a refresh token in it.
    func post(
        _ url: String, seconds: Int64 = 120, certificateFile: String? = nil, environment: [String: String] = [:]
    ) async throws -> Outcome {
        var form = FormBody()
        form.append("grant_type", "refresh_token")
        form.append("refresh_token", secret("SECRET-TOKEN"))
        return await send(
            HTTPRequest(posting: form, to: try EndpointURL(url), authorization: secret("Basic SECRET-CLIENT")),
            try network(certificateFile, environment), seconds)
    }

    /// Asks for a document.
    func get(_ url: String, seconds: Int64 = 120) async throws -> Outcome {
        await send(HTTPRequest(getting: try EndpointURL(url)), try network(nil, [:]), seconds)
    }

    private func network(_ certificateFile: String?, _ environment: [String: String]) throws -> Network {
        try Network.system(
            NetworkConfiguration(userAgent: "Keyfob/test", certificateFile: certificateFile, environment: environment) {
                line in self.lines.withLock { $0.append(line) }
            })
    }

    private func send(_ request: consuming HTTPRequest, _ network: Network, _ seconds: Int64) async -> Outcome {
        switch await network.send(request, seconds) {
        case .answered(let response):
            .answered(status: response.status, body: text(response.body), type: response.header("content-type"))
        case .failed(let failure): .failed(failure)
        }
    }
}

/// What became of a request, to compare.
enum Outcome: Equatable, Sendable {
    case answered(status: Int, body: String, type: String? = nil)
    case failed(ProviderFailure)
}
