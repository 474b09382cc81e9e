import Foundation

/// The most memory that this process has held, VmHWM of Linux.
enum PeakMemory {
    static func mebibytes() throws -> Double {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kibibytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Double($0) }
        return (kibibytes ?? .nan) / 1_024
    }
}
