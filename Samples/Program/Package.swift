// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "program",
    dependencies: [.package(name: "keyfob", path: "../..")],
    targets: [
        .executableTarget(
            name: "Program", dependencies: [.product(name: "KeyfobSignIn", package: "keyfob")], path: "Sources")
    ]
)
