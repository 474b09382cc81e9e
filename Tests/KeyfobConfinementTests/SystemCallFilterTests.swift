import KeyfobConfinement
import Testing

@Suite("The filter of system calls")
struct SystemCallFilterTests {
    private static let allow: UInt32 = 0x7FFF_0000
    private static let refuse: UInt32 = 0x0005_0001

    /// What the program says to a call, by the rules of classic BPF.
    private func verdict(_ filter: SystemCallFilter, _ number: UInt32, _ architecture: UInt32) throws -> UInt32 {
        let program = filter.program
        var (index, accumulator) = (0, UInt32(0))
        while true {
            let step = try #require(program.indices.contains(index) ? program[index] : nil, "it runs off its end")
            index += 1
            switch step.code {
            case 0x20: accumulator = step.value == 0 ? number : architecture
            case 0x15: index += Int(accumulator == step.value ? step.ifTrue : step.ifFalse)
            case 0x35: index += Int(accumulator >= step.value ? step.ifTrue : step.ifFalse)
            case 0x06: return step.value
            default: Issue.record("there is no instruction \(step.code)")
            }
        }
    }

    @Test("what is in the table is refused and nothing else", arguments: [false, true])
    func table(allowsSockets: Bool) throws {
        let filter = SystemCallFilter(allowsSockets: allowsSockets)
        let denied = Set(filter.denied.map(UInt32.init))
        #expect(denied.count == filter.denied.count)
        for number in 0...1_000 as ClosedRange<UInt32> {
            let wanted = denied.contains(number) ? Self.refuse : Self.allow
            #expect(try verdict(filter, number, SystemCallFilter.architecture) == wanted, "call \(number)")
        }
    }

    @Test("another architecture's calls, and those with 32-bit pointers, are refused")
    func others() throws {
        let filter = SystemCallFilter(allowsSockets: false)
        for number in [0, 1, 11, 59] as [UInt32] {
            #expect(try verdict(filter, number, SystemCallFilter.architecture ^ 1) == Self.refuse)
            #expect(try verdict(filter, number | 0x4000_0000, SystemCallFilter.architecture) == Self.refuse)
        }
    }

    @Test("sockets are what the network needs, and no more")
    func sockets() {
        let all = SystemCallFilter(allowsSockets: false).denied
        let some = SystemCallFilter(allowsSockets: true).denied
        #expect(all.count - some.count == 7 && Set(some).isSubset(of: all))
    }
}
