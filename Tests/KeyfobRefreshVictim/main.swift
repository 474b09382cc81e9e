// Asks for a token silently, once, at a provider whose state is a file; and dies where it is told to.
//
//   KeyfobRefreshVictim VAULT STATE KEY PROVIDER [--before N | --at-provider before|after | --pause MILLISECONDS] [--wordless]
//
// It prints `token TEXT` or `error CODE MESSAGE`. N counts the steps of a refresh from 1: it kills itself before that
// step. With --pause the provider takes its time before and after it acts, for somebody else to kill the process; with --wordless it refuses
// with an empty body.

import Foundation
import Keyfob

guard let victim = Victim(CommandLine.arguments) else {
    print("usage: KeyfobRefreshVictim VAULT STATE KEY PROVIDER [OPTION VALUE]")
    exit(64)
}
do {
    print("token " + (try await victim.token()))
} catch let error as KeyringError {
    print("error \(error.code.rawValue) \(error.message)")
}
