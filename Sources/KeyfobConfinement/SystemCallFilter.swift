internal import CLinux

/// A filter of system calls (`seccomp(2)`): a few that a process with keys never makes fail with `EPERM`.
package struct SystemCallFilter {
    /// Whether sockets can be made.
    package let allowsSockets: Bool

    package init(allowsSockets: Bool) {
        self.allowsSockets = allowsSockets
    }

    /// Other programs, other processes, the kernel itself, and what would lead around this filter or Landlock.
    private static let always: [CInt] = [
        SYS_execve, SYS_execveat,
        SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_process_madvise, SYS_kcmp, SYS_pidfd_getfd,
        SYS_io_uring_setup, SYS_open_by_handle_at, SYS_userfaultfd, SYS_bpf, SYS_perf_event_open,
        SYS_unshare, SYS_setns, SYS_chroot, SYS_pivot_root, SYS_mount, SYS_umount2, SYS_move_mount, SYS_open_tree,
        SYS_fsopen, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_kexec_file_load,
        SYS_reboot,
    ]
    private static let sockets: [CInt] = [
        SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
    ]

    /// The calls that fail.
    package var denied: [CInt] { allowsSockets ? Self.always : Self.always + Self.sockets }

    /// Whether the numbers of this machine's system calls are known.
    static var isKnown: Bool { linux_architecture != 0 }

    /// The architecture whose calls are looked at.
    package static var architecture: UInt32 { linux_architecture }

    /// One instruction of classic BPF.
    package struct Instruction: Sendable {
        package let code: UInt16
        package let ifTrue: UInt8
        package let ifFalse: UInt8
        package let value: UInt32
    }

    /// Refuses all calls of another architecture and of x86's 32-bit pointers, then what is in the table.
    package var program: [Instruction] {
        let (load, jumpIfEqual, jumpIfAtLeast, end) = (0x20 as UInt16, 0x15 as UInt16, 0x35 as UInt16, 0x06 as UInt16)
        let (allow, refuse) = (0x7FFF_0000 as UInt32, 0x0005_0001 as UInt32)
        let calls = denied
        // Behind the table lies `allow`, behind that `refuse`.
        func toRefuse(from index: Int) -> UInt8 { UInt8(calls.count - index + 4) }
        var program = [
            Instruction(code: load, ifTrue: 0, ifFalse: 0, value: 4),
            Instruction(code: jumpIfEqual, ifTrue: 0, ifFalse: toRefuse(from: 1), value: Self.architecture),
            Instruction(code: load, ifTrue: 0, ifFalse: 0, value: 0),
            Instruction(code: jumpIfAtLeast, ifTrue: toRefuse(from: 3), ifFalse: 0, value: 0x4000_0000),
        ]
        for call in calls {
            let target = toRefuse(from: program.count)
            program.append(Instruction(code: jumpIfEqual, ifTrue: target, ifFalse: 0, value: UInt32(call)))
        }
        program.append(Instruction(code: end, ifTrue: 0, ifFalse: 0, value: allow))
        program.append(Instruction(code: end, ifTrue: 0, ifFalse: 0, value: refuse))
        return program
    }

    /// - Returns: Whether the filter holds for all threads.
    func apply() -> Bool { Self.apply(program) }

    /// - Returns: Whether the filter holds for all threads.
    static func apply(_ program: [Instruction]) -> Bool {
        guard isKnown else { return false }
        let program = program.map { sock_filter(code: $0.code, jt: $0.ifTrue, jf: $0.ifFalse, k: $0.value) }
        return unsafe program.withUnsafeBufferPointer {
            unsafe linux_filter_calls($0.baseAddress, UInt16($0.count)) == 0
        }
    }
}
