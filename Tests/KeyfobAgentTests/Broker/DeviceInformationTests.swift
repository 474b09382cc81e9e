import Foundation
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

@Suite("What Keyfob says of the machine") struct DeviceInformationTests {
    @Test("The id is the one that systemd derives for Keyfob, and not the machine's")
    func id() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/machine-id"
        try Data("3d1219c7c4c5404aaa1f6d2a48adfda4\n".utf8).write(to: URL(filePath: path))
        // Of "systemd-id128 machine-id --uuid --app-specific=…" with that machine id.
        #expect(DeviceInformation(machineID: path, sharedMark: path).id == "4e185d22-eef6-41e3-9e71-564afa4e28a6")
        for bad in ["", "uninitialized\n", "3d12\n", String(repeating: "a", count: 1_000)] {
            try Data(bad.utf8).write(to: URL(filePath: path))
            #expect(DeviceInformation(machineID: path, sharedMark: path).id == nil)
        }
        #expect(DeviceInformation(machineID: folder.path + "/none", sharedMark: path).id == nil)
    }

    @Test("It is shared where the mark is, and a folder is none")
    func shared() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/shared-device"
        #expect(!DeviceInformation(sharedMark: path).isShared)
        #expect(!DeviceInformation(sharedMark: folder.path).isShared)
        try Data().write(to: URL(filePath: path))
        #expect(DeviceInformation(sharedMark: path).isShared)
    }
}
