import KeyfobTestSupport
import Testing

extension MistakeTests {
    @Test(
        "who asks why, as they are told to, is told of the same request",
        arguments: [
            "token --tenant nowhere", "token --account eve --authority other.example",
            "token --scope nothing --group work",
            "token --account eve --authority other.example --tool gh", "token --tenant nowhere --scope 'a b'",
            "token --url https://git.example/x --tenant nowhere --client other", "whoami --tenant nowhere",
            "token --account eve --authority other.example --resource https://graph.example --group work",
        ])
    func why(typed: String) throws {
        let place = try home()
        let told = try place.run("keyfob \(typed)")
        let why = try #require(told.errors.firstMatch(of: /'(keyfob which [^']*)' says why/)?.1, "\(told)")
        let answer = try place.run(String(why))
        let message = told.errors.prefix { $0 != ";" }
        #expect(answer.status == told.status && answer.errors.hasPrefix(message), "\(told)\(answer)")
    }
}
