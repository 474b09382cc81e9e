/// Which release of Keyfob this is.
package enum Release {
    /// As `--version` prints it.
    package static let version = "0.1.0"
}
