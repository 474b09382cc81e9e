internal import Foundation
internal import Keyfob

/// The backups in a vault's folder, which can be told by their names without opening anything.
enum BackupList {
    /// A backup.
    struct Backup {
        let path: String
        let time: Timestamp
        /// In bytes.
        let size: Int
    }

    /// The backups, newest first; none where there is no folder of backups.
    static func read(_ location: KeyringLocation) throws(KeyringError) -> [Backup] {
        let folder = location.vault + "/backups"
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
            return []
        } catch {
            throw KeyringError(.inputOutput, "\(folder) cannot be read")
        }
        return names.compactMap(Name.init).sorted { $1 < $0 }.map { name in
            let path = folder + "/" + name.text
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return Backup(path: path, time: name.time, size: attributes?[.size] as? Int ?? 0)
        }
    }

    /// How many there are and how old the newest is: `2, the last one 3 days ago`.
    static func text(_ backups: [Backup], now: Timestamp) -> String {
        guard let newest = backups.first else { return "none ('keyfob backup' makes one)" }
        let age = TimeText.age(of: newest.time, now: now)
        return backups.count == 1 ? "1, \(age)" : "\(backups.count), the last one \(age)"
    }

    /// `keyfob-20261121T101500Z.age`, or `keyfob-20261121T101500Z_2.age` where one second made several.
    private struct Name: Comparable {
        let text: String
        let time: Timestamp
        private let number: Int

        init?(_ text: String) {
            guard let match = text.wholeMatch(of: /keyfob-([0-9]{8}T[0-9]{6}Z)(?:_([1-9][0-9]{0,8}))?\.age/) else {
                return nil
            }
            let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
            guard let date = try? style.parse(String(match.output.1)) else { return nil }
            self.text = text
            time = Timestamp(seconds: Int64(date.timeIntervalSince1970))
            number = match.output.2.flatMap { Int($0) } ?? 1
        }

        static func < (left: Name, right: Name) -> Bool {
            left.time == right.time ? left.number < right.number : left.time < right.time
        }
    }
}
