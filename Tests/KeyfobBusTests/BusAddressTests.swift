import KeyfobBus
import Testing

@Suite struct BusAddressTests {
    @Test(arguments: [
        ("unix:path=/run/user/1000/bus", [BusAddress.path(Array("/run/user/1000/bus".utf8))]),
        ("unix:abstract=/tmp/dbus-x,guid=0123", [.abstract(Array("/tmp/dbus-x".utf8))]),
        ("unix:guid=0123,path=/a%20b%2c", [.path(Array("/a b,".utf8))]),
        ("tcp:host=example.org,port=1;unix:path=/a;unix:path=/b", [.path([47, 97]), .path([47, 98])]),
        ("unix:path=/a;", [.path([47, 97])]),
    ])
    func areReadAsDBusWritesThem(text: String, expected: [BusAddress]) {
        #expect(BusAddress.addresses(text) == expected)
    }

    @Test(arguments: [
        "", ";", "unix:", "unix:path", "unix:path=", "unix:path=relative", "unix:path=/a,path=/b",
        "unix:path=/a,abstract=b", "unix:abstract=", "unix:runtime=yes", "unix:tmpdir=/tmp", "unix:path=/a%2",
        "unix:path=/a%", "unix:path=/a%zz", "unix:path=/a%00b", "autolaunch:", "autolaunch:scope=*",
        "unixexec:path=/bin/true", "tcp:host=localhost,port=1", "nonce-tcp:host=localhost", "launchd:env=X",
        "UNIX:path=/a", " unix:path=/a", "unix:path=/" + String(repeating: "a", count: 107),
    ])
    func thatWouldStartSomethingOrMakeNoSenseArePassedOver(text: String) {
        #expect(BusAddress.addresses(text) == [])
    }

    @Test func canBeAsLongAsASocketsName() {
        let path = "/" + String(repeating: "a", count: 106)
        #expect(BusAddress.addresses("unix:path=\(path)") == [.path(Array(path.utf8))])
    }

    @Test func ofTheEnvironmentComeFirst() {
        let environment = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/a", "XDG_RUNTIME_DIR": "/run"]
        #expect(BusAddress.session(environment) == [.path([47, 97])])
    }

    @Test(arguments: [["XDG_RUNTIME_DIR": "/run"], ["XDG_RUNTIME_DIR": "/run", "DBUS_SESSION_BUS_ADDRESS": ""]])
    func ofTheRuntimeFolderComeNext(environment: [String: String]) {
        #expect(BusAddress.session(environment) == [.path(Array("/run/bus".utf8))])
    }

    @Test(arguments: [
        [:], ["XDG_RUNTIME_DIR": ""], ["XDG_RUNTIME_DIR": "run"],
        // An address that is none is not replaced by another bus than the one that was meant.
        ["XDG_RUNTIME_DIR": "/run", "DBUS_SESSION_BUS_ADDRESS": "disabled:"],
    ])
    func areNeverInvented(environment: [String: String]) {
        #expect(BusAddress.session(environment) == [])
    }
}
