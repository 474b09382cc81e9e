#if DEBUG
/// Called in place of ArgumentParser's look at how a command is declared (`wrapping` in Package.swift).
///
/// A debug build of it looks dozens of times whenever a line is parsed, which took a third of all time of the tests; a test
/// looks at each command once. Nothing is thrown.
@_cdecl("__wrap_$s14ArgumentParser17ParsableArgumentsPAAE9_validate6parentyAA8InputKeyVSg_tKFZ")
func acceptDeclaration() {}
#endif
