public import KeyfobOAuth

extension Network {
    /// The network of this machine: HTTP/1.1 with the system's trust, and signatures checked with JWTKit.
    ///
    /// The configuration is read at once; sockets, threads and the system's certificates wait for the first request.
    ///
    /// - Throws: `NetworkError` for a file of certificates or a proxy that cannot be used.
    public static func system(_ configuration: NetworkConfiguration) throws(NetworkError) -> Network {
        let transport = HTTPTransport(
            userAgent: configuration.userAgent,
            certificates: try TrustedCertificates(path: configuration.certificateFile),
            proxies: try ProxySettings(environment: configuration.environment),
            log: configuration.log)
        return Network(
            send: { request, seconds in await transport.send(request, seconds: seconds) },
            flaw: { token, keys in await SignatureCheck.flaw(of: token, keys: keys) })
    }
}
