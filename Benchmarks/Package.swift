// swift-tools-version:6.2
import PackageDescription

// A package of its own, so that nobody who uses Keyfob resolves or builds it.
let package = Package(
    name: "keyfob-benchmarks",
    products: [
        .executable(name: "KeyringBenchmark", targets: ["KeyringBenchmark"]),
        .executable(name: "selection-replay", targets: ["SelectionReplay"]),
    ],
    dependencies: [
        .package(name: "keyfob", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .executableTarget(
            name: "KeyringBenchmark",
            dependencies: [
                .product(name: "Keyfob", package: "keyfob"),
                .product(name: "KeyfobNetwork", package: "keyfob"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .executableTarget(
            name: "SelectionReplay",
            dependencies: [
                .product(name: "Keyfob", package: "keyfob"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
    ]
)

for target in package.targets {
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .strictMemorySafety(),
    ]
}
