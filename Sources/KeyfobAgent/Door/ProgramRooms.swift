internal import Keyfob
internal import Synchronization

/// How many calls of each program are being answered: none has so many that there is no room for others, and those that nobody
/// has allowed anything have a part of it together, however many they are.
final class ProgramRooms: Sendable {
    /// The most of one program, by however many processes.
    static let ofProgram = 64
    /// How many calls there are before another one of a stranger is too many.
    static let ofStrangers = 128

    /// That of one call.
    struct Place: Sendable {
        fileprivate let program: Program
    }

    private let calls = Mutex<(all: Int, of: [Program: Int])>((0, [:]))

    /// A place for a call of a program; it has to be left.
    ///
    /// - Parameter isStranger: Whether nobody has allowed it anything, asked where there is little room.
    /// - Throws: `busy` where it has none.
    func enter(_ program: Program, isStranger: () -> Bool) throws(KeyringError) -> Place {
        let isCrowded = calls.withLock { $0.all >= Self.ofStrangers }
        let mayGoOn = !isCrowded || !isStranger()
        let hasRoom = calls.withLock { calls in
            guard mayGoOn, calls.of[program, default: 0] < Self.ofProgram else { return false }
            calls.all += 1
            calls.of[program, default: 0] += 1
            return true
        }
        guard hasRoom else { throw KeyringError(.busy, "too many programs ask at once") }
        return Place(program: program)
    }

    /// Leaves a place.
    func leave(_ place: Place) {
        calls.withLock { calls in
            let left = calls.of[place.program, default: 1] - 1
            calls.all -= 1
            calls.of[place.program] = left > 0 ? left : nil
        }
    }
}
