import CLinux
import Glibc
import KeyfobConfinement
import Testing

@Suite("The filter of a confined program's system calls")
struct ProgramCallFilterTests {
    private static let allow: UInt32 = 0x7FFF_0000

    /// What the program says to a call, by the rules of classic BPF: nil where the call is made, else its error.
    private func failure(
        _ number: CInt, _ arguments: [UInt64] = [], architecture: UInt32 = SystemCallFilter.architecture
    ) throws -> CInt? {
        let program = ProgramCallFilter.program
        #expect(program.count < 4_096)
        var (index, accumulator) = (0, UInt32(0))
        while true {
            let step = try #require(program.indices.contains(index) ? program[index] : nil, "it runs off its end")
            index += 1
            switch step.code {
            case 0x20 where step.value == 0: accumulator = UInt32(number)
            case 0x20 where step.value == 4: accumulator = architecture
            case 0x20:
                let place = Int(step.value - 16) / 8
                accumulator = UInt32(truncatingIfNeeded: arguments.indices.contains(place) ? arguments[place] : 0)
            case 0x05: index += Int(step.value)
            case 0x15: index += Int(accumulator == step.value ? step.ifTrue : step.ifFalse)
            case 0x35: index += Int(accumulator >= step.value ? step.ifTrue : step.ifFalse)
            case 0x54: accumulator &= step.value
            case 0x06: return step.value == Self.allow ? nil : CInt(step.value & 0xFFFF)
            default: Issue.record("there is no instruction \(step.code)")
            }
        }
    }

    @Test("what is in the table is refused, and of the others those alone that have rules of their own")
    func table() throws {
        let denied = Set(ProgramCallFilter.denied)
        #expect(denied.count == ProgramCallFilter.denied.count)
        for number in 0...1_000 as ClosedRange<CInt> {
            let wanted: CInt? =
                denied.contains(number)
                ? EPERM : number == 435 ? ENOSYS : [SYS_socket, SYS_socketpair].contains(number) ? EAFNOSUPPORT : nil
            #expect(try failure(number) == wanted, "call \(number)")
        }
        #expect(try failure(SYS_execve, architecture: SystemCallFilter.architecture ^ 1) == EPERM)
        #expect(try failure(SYS_execve | 0x4000_0000) == EPERM)
    }

    @Test("sockets of the network and pairs of streams are made, and no other ones")
    func sockets() throws {
        for family in 0...64 as ClosedRange<UInt64> {
            #expect(try failure(SYS_socket, [family, 1]) == ([2, 10, 16].contains(family) ? nil : EAFNOSUPPORT))
            // The kernel looks at the lower half.
            #expect(
                try failure(SYS_socket, [family | 2 << 32, 1]) == ([2, 10, 16].contains(family) ? nil : EAFNOSUPPORT))
            #expect(try failure(SYS_socketpair, [family, 1]) == (family == 1 ? nil : EAFNOSUPPORT))
        }
        for kind in 0...15 as ClosedRange<UInt64> {
            for flags in [0, 0o4000, 0o2000000] as [UInt64] {
                #expect(try failure(SYS_socketpair, [1, kind | flags]) == ([1, 5].contains(kind) ? nil : EPERM))
            }
        }
    }

    @Test("processes are made in the same namespaces, and nobody types for a person")
    func arguments() throws {
        for bit in 0...31 as ClosedRange<UInt64> {
            let isNamespace = [17, 25, 26, 27, 28, 29, 30].contains(bit)
            #expect(try failure(SYS_clone, [1 << bit | 17]) == (isNamespace ? EPERM : nil), "\(bit)")
        }
        #expect(try failure(SYS_ioctl, [0, 0x5412]) == EPERM && failure(SYS_ioctl, [0, 0x541C]) == EPERM)
        #expect(try failure(SYS_ioctl, [0, 0x5412 | 1 << 40]) == EPERM)
        #expect(try failure(SYS_ioctl, [0x5412, 0x5413]) == nil && failure(SYS_ioctl, [0, 0x5401]) == nil)
    }
}
