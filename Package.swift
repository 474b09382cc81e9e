// swift-tools-version:6.2
import PackageDescription

// How the command is linked in a release. Exporting nothing, relocations in a few words each, and C++'s library within
// (which the Makefile puts there) start it in three quarters of the time; with the script its constants are read-only.
let folder = Context.packageDirectory
let linking =
    ["-use-ld=lld", "-L", "\(folder)/.build/static", "-Xclang-linker", "-static-libgcc"]
    + ["-z", "pack-relative-relocs", "--no-export-dynamic", "-T", "\(folder)/Scripts/constants.ld"]
    .flatMap { ["-Xlinker", $0] }

// A debug build of ArgumentParser looks at a command's declaration again and again while it parses. This calls what is in
// Sources/KeyfobCLI/Process/DeclarationValidation.swift instead.
let wrapping = [
    "-Xlinker", "--wrap=$s14ArgumentParser17ParsableArgumentsPAAE9_validate6parentyAA8InputKeyVSg_tKFZ",
]

// How the library for C is linked: it shows what its header declares and nothing else, and has Swift's runtime within
// where it is released, so that who links it needs none. What it lacks fails here, and not where it is loaded.
let libraryLinking =
    ["-use-ld=lld"]
    + ["--version-script=\(folder)/Sources/KeyfobC/keyfob.map", "-soname=libkeyfob.so.1", "-z", "defs"]
    .flatMap { ["-Xlinker", $0] }
let releasedLibraryLinking =
    ["-static-stdlib", "-L", "\(folder)/.build/static", "-Xclang-linker", "-static-libgcc"]
    + ["-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--gc-sections"]

let package = Package(
    name: "keyfob",
    products: [
        .library(name: "Keyfob", targets: ["Keyfob"]),
        // For programs that refresh tokens.
        .library(name: "KeyfobNetwork", targets: ["KeyfobNetwork"]),
        // For programs that sign people in with a browser; has both of the above.
        .library(name: "KeyfobSignIn", targets: ["KeyfobSignIn"]),
        .executable(name: "keyfob", targets: ["KeyfobCLI"]),
        // For programs in other languages: installed as libkeyfob.so.1, with include/keyfob.h.
        .library(name: "KeyfobC", type: .dynamic, targets: ["KeyfobC"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
    ],
    targets: [
        // C libraries. Each is imported by exactly one Swift target (CLinux by several), and never publicly.
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CKeyutils", providers: [.apt(["libkeyutils-dev"])]),
        // Declared and loaded when they are needed, never linked; so they need no pkg-config.
        .systemLibrary(name: "CLibcrypto"),
        .systemLibrary(name: "CLibcurl"),
        .systemLibrary(name: "CLibsecret"),
        .systemLibrary(name: "CLibsystemd"),
        .systemLibrary(name: "CQRencode"),

        // Leaves: no I/O.
        .target(name: "KeyfobSodium", dependencies: ["CSodium"]),
        .target(name: "KeyfobModel"),

        // One responsibility each.
        .target(name: "KeyfobAge", dependencies: ["KeyfobSodium"]),
        // Whoever reads a vault with another key than a recovery key links no BoringSSL.
        .target(
            name: "KeyfobAgeHybrid",
            dependencies: ["KeyfobAge", "KeyfobSodium", .product(name: "Crypto", package: "swift-crypto")]
        ),
        .target(name: "KeyfobVault", dependencies: ["KeyfobAge", "KeyfobModel", "KeyfobSodium"]),
        .target(name: "KeyfobFiles", dependencies: ["CLinux", "KeyfobModel", "KeyfobSodium"]),
        .target(name: "KeyfobRecords", dependencies: ["KeyfobFiles", "KeyfobModel", "KeyfobSodium", "KeyfobVault"]),
        .target(
            name: "KeyfobSQLite",
            dependencies: ["CSQLite", "KeyfobFiles", "KeyfobModel", "KeyfobRecords", "KeyfobSodium", "KeyfobVault"]
        ),
        .target(
            name: "KeyfobStore",
            dependencies: [
                "KeyfobFiles", "KeyfobModel", "KeyfobRecords", "KeyfobSQLite", "KeyfobSodium", "KeyfobVault",
            ]
        ),
        .target(
            name: "KeyfobDesktop",
            dependencies: [
                "KeyfobFiles", "KeyfobModel", "KeyfobRecords", "KeyfobSecretService", "KeyfobSodium", "KeyfobStore",
                "KeyfobVault",
            ]
        ),
        .target(name: "KeyfobKernelKeyring", dependencies: ["CKeyutils"]),
        .target(name: "KeyfobConfinement", dependencies: ["CLinux"]),
        .target(
            name: "KeyfobSecretService",
            dependencies: ["CLibsecret", "KeyfobBus", "KeyfobFiles", "KeyfobModel", "KeyfobSodium"]
        ),
        // The session bus: calls, and an object of one's own.
        .target(
            name: "KeyfobBus", dependencies: ["CLibsystemd", "CLinux", "KeyfobFiles", "KeyfobModel", "KeyfobSodium"]
        ),
        .target(name: "KeyfobInterop", dependencies: ["KeyfobModel", "KeyfobSodium"]),
        .target(name: "KeyfobSelection", dependencies: ["KeyfobModel"]),
        .target(name: "KeyfobOAuth", dependencies: ["KeyfobModel", "KeyfobSodium"]),
        // The only one that opens sockets; whoever reads what is stored does not link it.
        .target(
            name: "KeyfobNetwork",
            dependencies: [
                "CLibcrypto", "CLibcurl", "CLinux", "KeyfobFiles", "KeyfobModel", "KeyfobOAuth", "KeyfobSodium",
            ]
        ),
        .target(name: "KeyfobSync", dependencies: ["KeyfobAge", "KeyfobModel", "KeyfobSodium", "KeyfobVault"]),

        // What an answer from the cache takes; a front that starts in a millisecond links this alone.
        .target(
            name: "KeyfobLookup",
            dependencies: [
                "KeyfobFiles", "KeyfobKernelKeyring", "KeyfobModel", "KeyfobRecords", "KeyfobSQLite",
                "KeyfobSelection", "KeyfobSodium", "KeyfobVault",
            ]
        ),

        // Where they meet, and what people run.
        .target(
            name: "Keyfob",
            dependencies: [
                "KeyfobAge", "KeyfobAgeHybrid", "KeyfobDesktop", "KeyfobFiles", "KeyfobInterop", "KeyfobKernelKeyring",
                "KeyfobLookup", "KeyfobModel", "KeyfobOAuth", "KeyfobRecords", "KeyfobSQLite", "KeyfobSecretService",
                "KeyfobSelection",
                "KeyfobSodium", "KeyfobStore", "KeyfobSync", "KeyfobVault",
            ]
        ),
        // A sign-in in a browser of this machine, and the network as it is set up here.
        .target(name: "KeyfobSignIn", dependencies: ["Keyfob", "KeyfobFiles", "KeyfobModel", "KeyfobNetwork"]),
        // What programs ask, by whatever door they come: who they are, what they may have, and what was asked of it.
        .target(
            name: "KeyfobAgent",
            dependencies: [
                "CLinux", "Keyfob", "KeyfobBus", "KeyfobFiles", "KeyfobModel", "KeyfobOAuth", "KeyfobSodium",
            ]
        ),
        // How a person is spoken to: knows neither a command nor a keyring.
        .target(name: "KeyfobTerminal", dependencies: ["CQRencode", "KeyfobModel", "KeyfobSodium"]),
        .executableTarget(
            name: "KeyfobCLI",
            dependencies: [
                "CLinux", "Keyfob", "KeyfobAgent", "KeyfobConfinement", "KeyfobFiles", "KeyfobInterop", "KeyfobLookup",
                "KeyfobModel", "KeyfobNetwork", "KeyfobOAuth", "KeyfobSignIn", "KeyfobSodium", "KeyfobTerminal",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            linkerSettings: [
                .unsafeFlags(linking, .when(configuration: .release)),
                .unsafeFlags(wrapping, .when(configuration: .debug)),
            ]
        ),

        // Speaks in the words of the command, and asks an agent as it does: Wording and Asking are folders of both.
        .target(
            name: "KeyfobC",
            dependencies: [
                "Keyfob", "KeyfobFiles", "KeyfobLookup", "KeyfobModel", "KeyfobNetwork", "KeyfobOAuth", "KeyfobSignIn",
                "KeyfobSodium",
            ],
            exclude: ["include", "keyfob.map"],
            linkerSettings: [
                .unsafeFlags(libraryLinking),
                .unsafeFlags(releasedLibraryLinking, .when(configuration: .release)),
            ]
        ),

        // What starts for `keyfob`. Scripts/build-front makes what is installed of these sources, without Swift's runtime.
        .executableTarget(
            name: "KeyfobFront",
            dependencies: [
                "CLinux", "KeyfobConfinement", "KeyfobFiles", "KeyfobInterop", "KeyfobLookup", "KeyfobModel",
                "KeyfobSelection", "KeyfobSodium",
            ],
            exclude: ["Embedded"]
        ),

        // Tests: one target per source target, plus support that never ships. Data and other programs'
        // files are no sources.
        .target(
            name: "KeyfobTestSupport", dependencies: ["KeyfobAge", "KeyfobSodium"], path: "Tests/KeyfobTestSupport"
        ),
        .target(
            name: "KeyfobSQLiteTestSupport", dependencies: ["KeyfobSQLite"], path: "Tests/KeyfobSQLiteTestSupport"
        ),
        .target(
            name: "KeyfobStoreTestSupport",
            dependencies: [
                "KeyfobFiles", "KeyfobModel", "KeyfobRecords", "KeyfobSQLiteTestSupport", "KeyfobStore",
                "KeyfobTestSupport", "KeyfobVault",
            ],
            path: "Tests/KeyfobStoreTestSupport"
        ),
        .executableTarget(
            name: "KeyfobAgeVectors", dependencies: ["KeyfobAge", "KeyfobAgeHybrid", "KeyfobSodium"],
            path: "Tests/KeyfobAgeVectors"
        ),
        .executableTarget(
            name: "KeyfobRefreshVictim", dependencies: ["Keyfob", "KeyfobOAuth", "KeyfobSodium"],
            path: "Tests/KeyfobRefreshVictim"
        ),
        .executableTarget(
            name: "KeyfobCachedToken", dependencies: ["KeyfobLookup", "KeyfobModel", "KeyfobSodium"],
            path: "Tests/KeyfobCachedToken"
        ),
        // The sample is a package of its own too.
        .executableTarget(name: "KeyfobSample", dependencies: ["KeyfobSignIn"], path: "Samples/Program/Sources"),
        .executableTarget(
            name: "KeyfobConfinedVictim", dependencies: ["KeyfobConfinement"], path: "Tests/KeyfobConfinedVictim"
        ),
        .executableTarget(
            name: "KeyfobReaders",
            dependencies: ["Keyfob", "KeyfobInterop", "KeyfobModel", "KeyfobOAuth", "KeyfobSodium", "KeyfobTerminal"],
            path: "Tests/KeyfobReaders"
        ),
        .testTarget(
            name: "KeyfobConfinementTests", dependencies: ["CLinux", "KeyfobConfinedVictim", "KeyfobConfinement"]
        ),
        .testTarget(name: "KeyfobSodiumTests", dependencies: ["KeyfobSodium", "KeyfobTestSupport"]),
        .testTarget(name: "KeyfobModelTests", dependencies: ["KeyfobModel"], exclude: ["Support"]),
        .testTarget(
            name: "KeyfobAgeTests",
            dependencies: ["KeyfobAge", "KeyfobAgeHybrid", "KeyfobAgeVectors", "KeyfobSodium", "KeyfobTestSupport"],
            exclude: ["Support"]
        ),
        .testTarget(
            name: "KeyfobInteropTests",
            dependencies: ["KeyfobInterop", "KeyfobModel", "KeyfobSodium", "KeyfobTestSupport"],
            exclude: ["Support"]
        ),
        .testTarget(
            name: "KeyfobNetworkTests",
            dependencies: [
                "KeyfobFiles", "KeyfobModel", "KeyfobNetwork", "KeyfobOAuth", "KeyfobSodium", "KeyfobTestSupport",
            ],
            exclude: ["Support/libcrypto-surroundings.c", "Support/scripted-server.py", "Support/signed-tokens.py"]
        ),
        .testTarget(
            name: "KeyfobOAuthTests", dependencies: ["KeyfobModel", "KeyfobOAuth", "KeyfobSodium", "KeyfobTestSupport"]),
        .testTarget(
            name: "KeyfobSecretServiceTests",
            dependencies: ["KeyfobBus", "KeyfobSecretService", "KeyfobSodium", "KeyfobTestSupport"]
        ),
        .testTarget(
            name: "KeyfobBusTests", dependencies: ["KeyfobBus", "KeyfobSodium", "KeyfobTestSupport"]
        ),
        .testTarget(
            name: "KeyfobSelectionTests", dependencies: ["KeyfobModel", "KeyfobSelection", "KeyfobTestSupport"]
        ),
        .testTarget(
            name: "KeyfobSyncTests",
            dependencies: [
                "KeyfobAge", "KeyfobAgeHybrid", "KeyfobModel", "KeyfobSodium", "KeyfobSync", "KeyfobTestSupport",
                "KeyfobVault",
            ]
        ),
        .testTarget(
            name: "KeyfobVaultTests",
            dependencies: [
                "KeyfobAge", "KeyfobAgeHybrid", "KeyfobModel", "KeyfobSodium", "KeyfobTestSupport", "KeyfobVault",
            ]
        ),
        .testTarget(
            name: "KeyfobFilesTests", dependencies: ["KeyfobFiles", "KeyfobModel", "KeyfobSodium", "KeyfobTestSupport"]),
        .testTarget(
            name: "KeyfobSQLiteTests",
            dependencies: [
                "KeyfobFiles", "KeyfobModel", "KeyfobRecords", "KeyfobSQLite", "KeyfobSQLiteTestSupport", "KeyfobStore",
                "KeyfobStoreTestSupport", "KeyfobTestSupport", "KeyfobVault",
            ]
        ),
        .testTarget(
            name: "KeyfobStoreTests",
            dependencies: [
                "KeyfobFiles", "KeyfobModel", "KeyfobRecords", "KeyfobSQLite", "KeyfobSQLiteTestSupport",
                "KeyfobSodium", "KeyfobStore", "KeyfobStoreTestSupport", "KeyfobTestSupport", "KeyfobVault",
            ]
        ),
        .testTarget(
            name: "KeyfobDesktopTests",
            dependencies: [
                "KeyfobDesktop", "KeyfobFiles", "KeyfobModel", "KeyfobRecords", "KeyfobSecretService", "KeyfobSodium",
                "KeyfobStore", "KeyfobStoreTestSupport", "KeyfobTestSupport", "KeyfobVault",
            ]
        ),
        .testTarget(
            name: "KeyfobTests",
            dependencies: [
                "Keyfob", "KeyfobAge", "KeyfobAgeHybrid", "KeyfobCachedToken", "KeyfobDesktop", "KeyfobFiles",
                "KeyfobLookup",
                "KeyfobModel", "KeyfobOAuth", "KeyfobRecords", "KeyfobRefreshVictim", "KeyfobSQLite",
                "KeyfobSQLiteTestSupport", "KeyfobSecretService", "KeyfobSodium", "KeyfobStore", "KeyfobSync",
                "KeyfobTestSupport", "KeyfobVault",
            ]
        ),
        .testTarget(
            name: "KeyfobAgentTests",
            dependencies: [
                "Keyfob", "KeyfobAgent", "KeyfobFiles", "KeyfobModel", "KeyfobOAuth", "KeyfobSodium",
                "KeyfobTestSupport",
            ],
            exclude: ["Support/caller.c", "Support/starts.py"]
        ),
        .testTarget(
            name: "KeyfobFrontTests", dependencies: ["KeyfobFront", "KeyfobModel", "KeyfobTestSupport"]
        ),
        .testTarget(
            name: "KeyfobTerminalTests", dependencies: ["KeyfobTerminal", "KeyfobTestSupport"]
        ),
        .testTarget(
            name: "KeyfobCLITests",
            dependencies: [
                "Keyfob", "KeyfobAgent", "KeyfobCLI", "KeyfobFront", "KeyfobInterop", "KeyfobModel", "KeyfobOAuth",
                "KeyfobRecords", "KeyfobSample", "KeyfobSignIn", "KeyfobSodium", "KeyfobTerminal", "KeyfobTestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Support/C", "Support/Python", "Transcripts", "Screens"]
        ),
    ]
)

// The same language rules everywhere. In a debug build a warning is an error, so that work, tests and CI share one
// build; in a release build it stays a warning, and those who depend on the package are not told of any.
for target in package.targets where [.regular, .executable, .test].contains(target.type) {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .swiftLanguageMode(.v6),
            .enableUpcomingFeature("ExistentialAny"),  // SE-0335
            .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
            .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
            .strictMemorySafety(),  // SE-0458
            .treatAllWarnings(as: .error, .when(configuration: .debug)),
        ]
}

// `KEYFOB_TESTS` names test targets: then only those are there, and what they need. All tests of a package are one
// program; so this is how `make quick` compiles and links little.
if let names = Context.environment["KEYFOB_TESTS"] {
    var needed: Set<String> = []
    var waiting = names.split(separator: " ").map(String.init)
    while let name = waiting.popLast() {
        guard needed.insert(name).inserted else { continue }
        for case .byNameItem(let dependency, _) in package.targets.first(where: { $0.name == name })?.dependencies ?? []
        {
            waiting.append(dependency)
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
