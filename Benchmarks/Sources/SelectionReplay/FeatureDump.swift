import Foundation
@_spi(Tuning) import Keyfob

/// What the parameters weigh, written for `fit-selection.py`.
///
/// A file for each history: for each choice the number of accounts, the place of the right one, and a row of features
/// for each account, all as 32-bit floating-point numbers. `names.txt` names the features.
struct FeatureDump {
    let folder: String

    func write(_ traces: [Trace]) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for trace in traces {
            try Data(values(of: trace).flatMap(Self.littleEndian)).write(
                to: URL(filePath: "\(folder)/\(trace.name).f32"))
        }
        try LearnedParameters.names.joined(separator: "\n").write(
            toFile: "\(folder)/names.txt", atomically: true, encoding: .utf8)
    }

    private static func littleEndian(_ value: Float) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
    }

    private func values(of trace: Trace) -> [Float] {
        let tags = trace.accounts.map(\.tag)
        var events: [UsageEvent] = []
        var values: [Float] = []
        for choice in trace.choices {
            let context = KeyfobRule.context(of: choice.address)
            let (used, rows) = AccountSelector().features(
                Evidence(history: UsageHistory(events, context: context), now: choice.time), among: tags)
            values += [Float(tags.count), Float(choice.account)]
            for tag in tags { values += rows[used.firstIndex(of: tag) ?? used.count].map { Float($0) } }
            events.append(UsageEvent(time: choice.time, account: tags[choice.account], context: context))
        }
        return values
    }
}
