import Keyfob
import Testing

@Suite("Where no token goes")
struct DestinationTests {
    @Test(
        "to what is not https, unless it is on this machine",
        arguments: [
            ("http://git.example", false), ("HTTP://git.example:443/x", false), ("http://ada@git.example/x", false),
            ("http://git.example#127.0.0.1", false), ("http://127.0.0.1.git.example/", false),
            ("http://127.0.0.1:80/x?a", true), ("http://ada@localhost/", true), ("http://[::1]:8080/#a", true),
            ("https://git.example/x", true), ("git.example/x", true),
        ])
    func insecure(url: String, isAllowed: Bool) {
        let error = KeyringError(insecureDestination: url)
        #expect((error == nil) == isAllowed && (isAllowed || error?.code == .hostNotAllowed), "\(url)")
    }
}
