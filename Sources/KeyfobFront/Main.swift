internal import Glibc

#if hasFeature(Embedded)
/// Where the program starts: Embedded Swift has no `CommandLine`.
@_cdecl("main")
func main(
    _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> CInt {
    unsafe Front.run(arguments)
}
#else
@main
enum Main {
    static func main() { exit(unsafe Front.run(CommandLine.unsafeArgv)) }
}
#endif
