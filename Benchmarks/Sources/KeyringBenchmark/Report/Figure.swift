import Foundation

/// One figure of Keyfob's beside its peer's.
struct Figure: Encodable {
    let name: String
    /// Keyfob's; nil where it could not be measured.
    let keyfob: Double?
    let peer: String
    let peerValue: Double?
    /// How many times the peer's figure is Keyfob's; nil also where Keyfob's is nothing.
    let ratio: Double?

    init(_ name: String, _ keyfob: Double, _ peer: String, _ peerValue: Double) {
        self.name = name
        self.keyfob = keyfob.isNaN ? nil : keyfob
        self.peer = peer
        self.peerValue = peerValue.isNaN ? nil : peerValue
        ratio = keyfob.isNaN || keyfob == 0 || peerValue.isNaN ? nil : peerValue / keyfob
    }

    /// A line of the table.
    var text: String {
        name.padding(toLength: 37, withPad: " ", startingAt: 0) + Self.aligned(keyfob) + "   "
            + peer.padding(toLength: 26, withPad: " ", startingAt: 0) + Self.aligned(peerValue)
            + (ratio.map { Self.aligned($0) + " x" } ?? "")
    }

    private static func aligned(_ value: Double?) -> String {
        guard let value else { return "         –" }
        let digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 4
        let text = String(format: "%.\(digits)f", value)
        return String(repeating: " ", count: max(0, 10 - text.count)) + text
    }
}
