/// The beginnings of ids by which each is told from the others.
package enum UniquePrefix {
    /// The shortest beginning of each id that no other one has.
    ///
    /// - Parameter minimum: How many characters each has at least, as far as the id has so many.
    package static func all(of ids: [String], minimum: Int = 8) -> [String] {
        ids.map { id in
            let shared = ids.filter { $0 != id }.map { zip($0.utf8, id.utf8).prefix { $0 == $1 }.count }.max() ?? 0
            return String(id.prefix(max(minimum, shared + 1)))
        }
    }
}
