# keyfob: `make help` says what there is.

PREFIX = /usr/local
DESTDIR =
JOBS =
SWIFT_BUILD_FLAGS = $(if $(JOBS),-j $(JOBS))
RELEASE_FLAGS = -c release --static-swift-stdlib --product keyfob $(SWIFT_BUILD_FLAGS)
STRICT_FLAGS = --explicit-target-dependency-import-check error $(SWIFT_BUILD_FLAGS)

BIN = $(DESTDIR)$(PREFIX)/bin
MAN = $(DESTDIR)$(PREFIX)/share/man/man1
BASH_COMPLETIONS = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISH_COMPLETIONS = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

.PHONY: help try test build install uninstall bench clean

help:
	@echo 'make try                     build, and show the main job on sample data'
	@echo 'make test                    everything that must pass: checks, strict build, all tests'
	@echo 'make build                   .build/release/keyfob'
	@echo 'make install PREFIX=DIR      the command, its manual and completions; DESTDIR=DIR for packagers'
	@echo 'make uninstall PREFIX=DIR    remove them'
	@echo 'make bench                   measure, beside MSAL for Python'
	@echo 'make clean                   remove what was built'
	@echo 'JOBS=N limits how many compilers run at once'

try: build
	Scripts/try .build/release/keyfob

build:
	Scripts/install-dependencies --build
	swift build $(RELEASE_FLAGS)

# The tests of the network run by themselves: they have deadlines, and those that wait for programs would keep them busy.
test:
	Scripts/install-dependencies
	Scripts/check
	Scripts/check --self-test
	KEYFOB_STRICT=1 swift build --build-tests $(STRICT_FLAGS)
	KEYFOB_STRICT=1 swift test --skip-build $(STRICT_FLAGS) --filter KeyfobNetworkTests
	KEYFOB_STRICT=1 swift test --skip-build $(STRICT_FLAGS) --skip KeyfobNetworkTests

# Does not build, so that `sudo make install` compiles nothing as root.
install:
	@test -x .build/release/keyfob || { echo "install: run 'make build' first" >&2; exit 1; }
	install -d '$(BIN)' '$(MAN)' '$(BASH_COMPLETIONS)' '$(ZSH_COMPLETIONS)' '$(FISH_COMPLETIONS)'
	install -m 755 -s .build/release/keyfob '$(BIN)/keyfob'
	'$(BIN)/keyfob' completions bash > '$(BASH_COMPLETIONS)/keyfob'
	'$(BIN)/keyfob' completions zsh > '$(ZSH_COMPLETIONS)/_keyfob'
	'$(BIN)/keyfob' completions fish > '$(FISH_COMPLETIONS)/keyfob.fish'
	'$(BIN)/keyfob' man --directory '$(MAN)'

uninstall:
	rm -f '$(BIN)/keyfob' '$(BASH_COMPLETIONS)/keyfob' '$(ZSH_COMPLETIONS)/_keyfob' '$(FISH_COMPLETIONS)/keyfob.fish'
	rm -f '$(MAN)'/keyfob.1 '$(MAN)'/keyfob-*.1

bench:
	Benchmarks/run $(BENCH_FLAGS)

clean:
	rm -rf .build Benchmarks/.build Benchmarks/results
