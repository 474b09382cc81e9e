import Foundation

/// What was measured of bundles.
struct BundleReport {
    /// One number of accounts.
    struct Row {
        let accounts: Int
        let mebibytes: Double
        let export: Measurements
        let restore: Measurements

        var figures: [Figure] {
            [
                Figure("export, s", export[.exportSeconds], "age -r", export[.ageEncryptSeconds]),
                Figure("restore into a new vault, s", restore[.restoreSeconds], "age -d", restore[.ageDecryptSeconds]),
                Figure(
                    "export, MiB a second", mebibytes / export[.exportSeconds], "age -r",
                    mebibytes / export[.ageEncryptSeconds]),
                Figure("peak memory of the export, MiB", export[.peakMemory], "–", .nan),
                Figure("peak memory of the restore, MiB", restore[.peakMemory], "–", .nan),
            ]
        }
    }

    let rows: [Row]

    /// Whether the export's memory stays what it is, whatever there is to export.
    var requirements: [Requirement] {
        guard let first = rows.first, let last = rows.last else { return [] }
        let growth = last.export[.peakMemory] / first.export[.peakMemory]
        return [
            Requirement(
                name: "peak memory of an export of \(last.accounts) accounts to one of \(first.accounts): at most 2",
                value: growth, isMet: growth <= 2)
        ]
    }

    var text: String {
        var lines: [String] = []
        for row in rows {
            lines.append(String(format: "%d accounts, a bundle of %.1f MiB", row.accounts, row.mebibytes))
            lines += row.figures.map { "  " + $0.text }
            lines.append("")
        }
        return (lines + requirements.map(\.text)).joined(separator: "\n") + "\n"
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let document = Document(
            sizes: rows.map { .init(accounts: $0.accounts, mebibytes: $0.mebibytes, figures: $0.figures) },
            requirements: requirements)
        return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }

    private struct Document: Encodable {
        let formatVersion = 1
        let sizes: [Size]
        let requirements: [Requirement]

        struct Size: Encodable {
            let accounts: Int
            let mebibytes: Double
            let figures: [Figure]
        }
    }
}
