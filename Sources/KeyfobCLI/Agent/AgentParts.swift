internal import Keyfob
internal import KeyfobAgent

/// What an agent needs besides a vault and a door: made before keys are opened, because some of it starts programs.
struct AgentParts {
    /// Where it writes down what it was asked.
    let audit: AuditFiles
    /// Asks the person, and opens browsers.
    let companion: DesktopCompanion
    /// Finds out which programs ask.
    let inspection: InspectionApart
    private let network: @Sendable () throws(KeyringError) -> Network

    /// Those of this machine.
    init(_ location: KeyringLocation, _ options: NetworkOptions) throws(KeyringError) {
        companion = try DesktopCompanion()
        inspection = try InspectionApart()
        audit = AuditFiles(state: location.state)
        network = { () throws(KeyringError) in try options.network() }
    }

    /// Takes people through sign-ins for programs that open the browser themselves.
    var signInsOfPrograms: any AgentSignIns { AgentSignIn(network: network, open: { _ in true }) }

    /// Takes people through sign-ins in a browser that is opened here.
    var signIns: any AgentSignIns {
        AgentSignIn(network: network, open: { [companion] url in await companion.open(url) })
    }
}
