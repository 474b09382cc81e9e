internal import CLinux

/// A filter of system calls (`seccomp(2)`) for a program that is to reach nothing of Keyfob's: it can start others and speak
/// over the network, and neither looks into processes, nor mounts, nor asks kernel keyrings, nor connects to unix sockets.
package struct ProgramCallFilter {
    package typealias Instruction = SystemCallFilter.Instruction

    /// What an argument of a call may be.
    struct ArgumentRule {
        let call: CInt
        let argument: UInt32
        /// The bits of it that count.
        var mask: UInt32 = .max
        let values: [UInt32]
        /// Whether these are what it may be, or what it may not be.
        let areAllowed: Bool
        let failure: UInt32
    }

    private static let (notPermitted, unknownCall, noSuchFamily) = (1 as UInt32, 38 as UInt32, 97 as UInt32)
    /// Calls by numbers that are the same everywhere, and that older headers lack.
    private static let (clone3, mountSetAttributes, openTreeAttributes) = (435 as CInt, 442 as CInt, 467 as CInt)

    /// Calls that fail with `EPERM`.
    package static let denied: [CInt] = [
        // Other processes and the kernel.
        SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_process_madvise, SYS_kcmp, SYS_pidfd_getfd,
        SYS_userfaultfd, SYS_bpf, SYS_perf_event_open, SYS_init_module, SYS_finit_module, SYS_delete_module,
        SYS_kexec_load, SYS_kexec_file_load, SYS_reboot, SYS_acct, SYS_swapon, SYS_swapoff, SYS_quotactl,
        // Kernel keyrings.
        SYS_keyctl, SYS_add_key, SYS_request_key,
        // What this filter does not see.
        SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
        // Another view of the files.
        SYS_unshare, SYS_setns, SYS_chroot, SYS_pivot_root, SYS_mount, SYS_umount2, SYS_move_mount, SYS_open_tree,
        SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick, mountSetAttributes, openTreeAttributes,
        SYS_open_by_handle_at,
    ]

    static let rules: [ArgumentRule] = [
        // IPv4, IPv6, and netlink, by which a program learns its addresses.
        ArgumentRule(call: SYS_socket, argument: 0, values: [2, 10, 16], areAllowed: true, failure: noSuchFamily),
        // Two ends of one's own: streams and packets. One of datagrams could be connected elsewhere.
        ArgumentRule(call: SYS_socketpair, argument: 0, values: [1], areAllowed: true, failure: noSuchFamily),
        ArgumentRule(
            call: SYS_socketpair, argument: 1, mask: 0xF, values: [1, 5], areAllowed: true, failure: notPermitted),
        // Typing in the place of a person: TIOCSTI and TIOCLINUX.
        ArgumentRule(call: SYS_ioctl, argument: 1, values: [0x5412, 0x541C], areAllowed: false, failure: notPermitted),
        // New namespaces: CLONE_NEWNS, and CLONE_NEWCGROUP up to CLONE_NEWNET.
        ArgumentRule(
            call: SYS_clone, argument: 0, mask: 0x7E02_0000, values: [0], areAllowed: true, failure: notPermitted),
    ]

    /// All of it.
    ///
    /// The flags of `clone3(2)` lie in memory: as if there were no such call, so that libc takes `clone(2)`.
    package static var program: [Instruction] {
        var program = [
            load(4), Instruction(code: jumpIfEqual, ifTrue: 1, ifFalse: 0, value: SystemCallFilter.architecture),
            fail(notPermitted),
            load(0), Instruction(code: jumpIfAtLeast, ifTrue: 0, ifFalse: 1, value: 0x4000_0000), fail(notPermitted),
        ]
        for (call, failure) in denied.map({ ($0, notPermitted) }) + [(clone3, unknownCall)] {
            program += [Instruction(code: jumpIfEqual, ifTrue: 0, ifFalse: 1, value: UInt32(call)), fail(failure)]
        }
        for rule in rules { program += block(rule) }
        return program + [Instruction(code: end, ifTrue: 0, ifFalse: 0, value: 0x7FFF_0000)]
    }

    private static let (loadWord, jump, jumpIfEqual, jumpIfAtLeast, and, end) =
        (0x20 as UInt16, 0x05 as UInt16, 0x15 as UInt16, 0x35 as UInt16, 0x54 as UInt16, 0x06 as UInt16)

    /// Loads a word of what a filter sees of a call: its number at 0, the architecture at 4, arguments of 8 bytes from 16 on.
    private static func load(_ offset: UInt32) -> Instruction {
        Instruction(code: loadWord, ifTrue: 0, ifFalse: 0, value: offset)
    }

    private static func fail(_ error: UInt32) -> Instruction {
        Instruction(code: end, ifTrue: 0, ifFalse: 0, value: 0x0005_0000 | error)
    }

    /// Looks at one argument of one call; behind it the number of the call is loaded again.
    private static func block(_ rule: ArgumentRule) -> [Instruction] {
        let count = rule.values.count
        // The kernel takes the lower half of these arguments, which lies first.
        let inner = [
            load(16 + 8 * rule.argument), Instruction(code: and, ifTrue: 0, ifFalse: 0, value: rule.mask),
        ]
        let comparisons = rule.values.enumerated().map { index, value in
            Instruction(code: jumpIfEqual, ifTrue: UInt8(count - index), ifFalse: 0, value: value)
        }
        let rest =
            rule.areAllowed
            ? [fail(rule.failure), load(0)]
            : [Instruction(code: jump, ifTrue: 0, ifFalse: 0, value: 1), fail(rule.failure), load(0)]
        let body = inner + comparisons + rest
        return [Instruction(code: jumpIfEqual, ifTrue: 0, ifFalse: UInt8(body.count), value: UInt32(rule.call))] + body
    }
}
