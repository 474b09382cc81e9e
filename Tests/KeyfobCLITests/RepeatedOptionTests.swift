import Keyfob
import Testing

@testable import KeyfobCLI

@Suite("Options that are typed twice")
struct RepeatedOptionTests {
    @Test(
        "are refused where a command takes them once, however they are written",
        arguments: [
            "token -a ada -a eve", "token --account ada -a eve", "token -aada --account=eve", "token --url a --url b",
            "account list --vault a --vault b", "bind eve --host a --host b", "add --account a --host b --host c",
            "exec -a ada --env T -a eve -- x", "init --recovery-file a --recovery-file=b", "log --since 1d --since 2d",
        ])
    func refused(line: String) {
        let error = RepeatedOption.error(in: line.split(separator: " ").map(String.init))
        #expect(error?.code == .usage && error?.message.contains("is given twice") == true)
    }

    @Test(
        "are taken where a command takes several, where one stands behind '--', and where a value looks like one",
        arguments: [
            "token --scope a --scope b -s c", "setup docker --host a --host b", "token --group a --group b",
            "exec --env A --env B --allow x --allow y -- x", "exec --env A -- gh -a x -a y",
            "token -q -q --json --json",
            "rekey --keep-key-file a --keep-key-file b", "export --to a --to b x", "token -a ada", "",
            "token --account --account", "import --with bindings --with clients x",
        ])
    func taken(line: String) {
        #expect(RepeatedOption.error(in: line.split(separator: " ").map(String.init)) == nil)
    }

    @Test("are told without what may be a password")
    func secrets() {
        let error = RepeatedOption.error(in: ["token", "--url", "https://a:SECRET@x.example", "--url", "y"])
        #expect(error?.message == "--url is given twice")
    }
}
