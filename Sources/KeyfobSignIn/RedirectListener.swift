package import KeyfobModel
package import KeyfobNetwork

/// Where the answer of a sign-in comes in.
package enum RedirectListener: Sendable {
    /// At a port of this machine.
    case loopback(LoopbackListener)
    /// From the program that the desktop starts for the scheme.
    case scheme(SchemeListener)

    /// Where the provider should lead the browser.
    package var redirectURI: String {
        switch self {
        case .loopback(let listener): listener.redirectURI
        case .scheme(let listener): listener.redirectURI
        }
    }

    /// The scheme of an app's own that the address has; nil for one of this machine.
    package var scheme: PrivateUseScheme? { PrivateUseScheme(ofRedirectURI: redirectURI) }

    /// Stops listening.
    package func close() async {
        switch self {
        case .loopback(let listener): await listener.close()
        case .scheme(let listener): await listener.close()
        }
    }
}
