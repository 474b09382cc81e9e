# keyfob: `make help` says what there is.

PREFIX = /usr/local
DESTDIR =
JOBS =
# All that is built for work, tests and CI takes these, and Package.swift holds the rest, so that nothing is built twice.
SWIFT_BUILD_FLAGS = $(if $(JOBS),-j $(JOBS))
# Where CI is set nobody debugs, and a tenth less is compiled. The index stays: SwiftPM finds tests by it.
DEBUG_FLAGS = $(SWIFT_BUILD_FLAGS) $(if $(CI),-debug-info-format none)
# No folder of its own to find libraries in, all bound before it starts and read-only from then on; what is compiled
# of C checks its buffers, and does not abort on what others send.
HARDENING_FLAGS = --disable-local-rpath -Xswiftc -no-toolchain-stdlib-rpath \
	-Xlinker -z -Xlinker now -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker noexecstack \
	-Xcc -D_FORTIFY_SOURCE=3 -Xcc -DNDEBUG
# Types are found by calls in place of their names, which Swift's runtime would read letter by letter: most programs run for
# milliseconds, and a tenth of that was such reading.
START_FLAGS = -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
# What is installed is stripped: nothing to debug it by is compiled.
RELEASE_FLAGS = -c release --static-swift-stdlib --product keyfob -debug-info-format none $(HARDENING_FLAGS) $(START_FLAGS) \
	$(SWIFT_BUILD_FLAGS)
LIBRARY_FLAGS = $(subst --product keyfob,--product KeyfobC,$(RELEASE_FLAGS))

# The command that tests run: what ships, where it was built of these sources, as `make try` builds it.
KEYFOB = $(shell release=.build/release/keyfob; \
	[ -x $$release ] && [ -z "$$(Scripts/newer-source $$release)" ] || release=.build/debug/keyfob; realpath $$release)

# Tests of what does no input or output, and of what keeps records.
PURE_TESTS = KeyfobSodiumTests KeyfobModelTests KeyfobAgeTests KeyfobVaultTests KeyfobSelectionTests KeyfobOAuthTests \
	KeyfobSyncTests KeyfobInteropTests KeyfobTerminalTests
STORE_TESTS = KeyfobFilesTests KeyfobSQLiteTests KeyfobStoreTests KeyfobDesktopTests KeyfobSecretServiceTests

# That the stand-ins for providers do what their tables say.
PROVIDER_TESTS = .venv/bin/python3 -B -m unittest discover --start-directory Tests/Provider

# The names by which other tools call the command; `Sources/KeyfobModel/Requests/ToolCall.swift` has them too.
HELPERS = git-credential-keyfob docker-credential-keyfob kubectl-keyfob

BIN = $(DESTDIR)$(PREFIX)/bin
LIBEXEC = $(DESTDIR)$(PREFIX)/libexec/keyfob
MAN = $(DESTDIR)$(PREFIX)/share/man/man1
BASH_COMPLETIONS = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISH_COMPLETIONS = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
# Where desktops find which program opens the addresses of a scheme.
APPLICATIONS = $(DESTDIR)$(PREFIX)/share/applications
# Not share/keyfob, which below ~/.local is the vault.
DIRENV = $(DESTDIR)$(PREFIX)/share/direnv
# The library for other languages. Python finds its module by itself where all is the system's; the module finds the library
# three folders above.
LIB = $(DESTDIR)$(PREFIX)/lib
INCLUDE = $(DESTDIR)$(PREFIX)/include
PYTHON = $(DESTDIR)$(PREFIX)/$(if $(filter /usr,$(PREFIX)),lib/python3/dist-packages,lib/keyfob/python)/keyfob
VERSION = $(shell sed -nE 's/.*version = "([^"]*)".*/\1/p' Sources/KeyfobModel/Release.swift)
USER_UNITS = $(DESTDIR)$(PREFIX)/lib/systemd/user
UNITS = keyfob-backup@.service keyfob-backup@.timer keyfob-sync.service keyfob-sync.timer keyfob-sync-watch.service keyfob-agent.socket keyfob-agent.service

.PHONY: help try full front test test-build test-checks test-cases test-trials test-bare test-full test-python test-faults test-front test-suites test-az test-broker test-agent test-store test-cli quick docs api bench mcp-hour build command library sbom reproduce install uninstall deb wheel test-package test-wheel clean

help:
	@echo 'make try                     show the main job on sample data; builds first where there is no keyfob of this release'
	@echo 'make quick                   checks, and the tests that need no other program: while you work'
	@echo 'make test-store              the tests of what keeps records'
	@echo 'make test-cli                the tests that run the command'
	@echo 'make test                    everything that must pass: checks, strict build, all tests'
	@echo 'make test-bare               make try and make test as a newcomer has them: in a bare Debian 12, as an ordinary user (as root)'
	@echo 'make test-full               the same, with both storages and many more rounds, and the public library compared'
	@echo 'make test-python             the module for Python with the libraries of PyPI that it is for, at length'
	@echo 'make test-faults             a fault at each call that changes a file, for every command that writes'
	@echo 'make test-front              damaged vaults, writers beside readers and odd surroundings, for what starts as keyfob'
	@echo 'make test-suites SUITES=DIR  public suites for JSON, TOML, YAML and cryptography that lie in DIR, against the readers'
	@echo 'make test-az                 the real Azure CLI beside a mirror; installs it first: 700 MB'
	@echo 'make test-broker             real MSAL for Python, with keyfob as its broker; installs it first: 60 MB'
	@echo 'make test-agent              200 programs at once, some killed, and the agent killed too, for a minute; what came out is checked'
	@echo 'make docs                    the commands of README and docs as they are typed, and the links of all pages'
	@echo 'make build                   the command (make command: .build/release/keyfob and .build/front/keyfob, which starts it) and'
	@echo '                             the library for C and Python (make library)'
	@echo 'make sbom SBOM=FILE          what it is made of, as SPDX; .build/keyfob.spdx.json unless FILE is given'
	@echo 'make reproduce               build the last commit twice, and compare'
	@echo 'make install PREFIX=DIR      the command, its manual, completions and timers, and the library for C and Python; DESTDIR=DIR for packagers'
	@echo 'make uninstall PREFIX=DIR    remove them'
	@echo 'make deb                     pack what make build made: a Debian package and a tar.gz in .build/packages'
	@echo 'make wheel                   the module for Python with the library that make library made: a wheel, and its source, in dist'
	@echo 'make test-wheel              install the one, and then the other, in a bare Debian 12 and another (as root)'
	@echo 'make test-package            try both in a fresh Debian 12 (as root)'
	@echo 'make mcp-hour                an hour of MCP sessions in three minutes, beside those of the SDK'
	@echo 'make bench                   measure, beside MSAL for Python and other programs that keep tokens'
	@echo 'make clean                   remove what was built'
	@echo 'JOBS=N limits how many compilers run at once'

try:
	@MAKE='$(MAKE)' Scripts/try

build: command library

# The full program, and the front that starts it. The former's last modules are compiled one after the other: the front yields, and
# has the other processor to itself then.
command: .build/static/libstdc++.a
	Scripts/install-dependencies --build
	$(MAKE) --no-print-directory -j2 full front

full:
	swift build $(RELEASE_FLAGS)
	Scripts/check-executable .build/release/keyfob

front:
	nice -n 19 Scripts/build-front
	Scripts/check-executable .build/front/keyfob

# The library for C and Python.
library: .build/static/libstdc++.a
	Scripts/install-dependencies --build
	swift build $(LIBRARY_FLAGS)
	Scripts/check-executable --library .build/release/libKeyfobC.so

# The release has C++'s library within; the folder has nothing else, so that all others are the system's.
.build/static/libstdc++.a:
	mkdir -p .build/static
	ln -sf "$$(clang -print-file-name=libstdc++.a)" $@

# What the command is made of, as SPDX 2.3.
sbom:
	Scripts/dependencies.py sbom $(SBOM)

# Two builds of the last commit at the same path are the same bytes.
reproduce:
	RELEASE_FLAGS='$(RELEASE_FLAGS)' Scripts/reproduce

# Builds the named test targets alone, and what they need, and runs them.
run_only = export KEYFOB_TESTS='$(1)' && swift build --build-tests $(DEBUG_FLAGS) && Scripts/test

quick:
	Scripts/check
	$(call run_only,$(PURE_TESTS))

test-store:
	$(call run_only,$(STORE_TESTS))

test-cli:
	swift build --build-tests $(DEBUG_FLAGS)
	Scripts/test --filter KeyfobCLITests

# The tests of the network run by themselves: they have deadlines, and those that wait for programs would keep them busy. The
# others wait for other programs so often that there is time for the trials of the programs beside them.
test:
	Scripts/install-dependencies --build
	$(MAKE) --no-print-directory -j2 test-build test-checks
	Scripts/test --filter KeyfobNetworkTests
	$(MAKE) --no-print-directory $(if $(KEYFOB_FULL),,-j2) test-cases test-trials

test-build:
	swift build --build-tests $(DEBUG_FLAGS)
	Scripts/dependencies.py resolved
	Scripts/check-executable --debug .build/debug/keyfob

# Beside the compiler, which leaves a processor idle now and then.
test-checks:
	Scripts/install-dependencies $(if $(KEYFOB_FULL),--full)
	Scripts/check
	$(if $(KEYFOB_FULL),Scripts/check --self-test)

# The transcripts are played with what is installed, the front before the full program; in a full run with the latter alone too.
test-cases:
	KEYFOB_BINARY=$(KEYFOB) Scripts/test --skip KeyfobNetworkTests $(if $(KEYFOB_FULL),,--skip TranscriptTests)

test-trials: front
	$(PROVIDER_TESTS)
	Tests/Guides/run $(KEYFOB)
	.venv/bin/python3 Tests/Readers/run .build/debug/KeyfobReaders $(if $(KEYFOB_FULL),--full)
	.venv/bin/python3 Tests/Python/run .build/debug/keyfob $(if $(KEYFOB_FULL),--full)
	Tests/Front/run .build/front/keyfob --full $(KEYFOB) $(if $(KEYFOB_FULL),,--sample)
	.venv/bin/python3 Tests/Format/run $(KEYFOB) $(if $(KEYFOB_FULL),20000,200)
	Tests/Faults/run $(KEYFOB) $(if $(KEYFOB_FULL),,--sample 60)
	Scripts/test-front $(KEYFOB)
	$(if $(KEYFOB_FULL),Tests/Guides/run $(KEYFOB) --columns 120 --colour)
	$(if $(KEYFOB_FULL),Tests/Guides/run $(KEYFOB) --columns 40)
	$(if $(KEYFOB_FULL),Tests/Agent/run $(KEYFOB))
	$(if $(KEYFOB_FULL),Tests/Agent/run $(KEYFOB) --clocks)
	$(if $(KEYFOB_FULL),Tests/Agent/run $(KEYFOB) --clients --seconds 60)
	$(if $(KEYFOB_FULL),Tests/Agent/run $(KEYFOB) --clients --keys --seconds 60)
	$(if $(KEYFOB_FULL),Tests/Agent/run $(KEYFOB) --kills 60)

# As root: the last commit in a Debian of its own, with the Swift toolchain and nothing else of this machine.
test-bare:
	Scripts/test-bare

# What `make test` leaves out: that the checks notice each breach; histories of syncs over each kind of remote; the guides on terminals of 40 and of 120 columns; many programs at the agent, and its clocks; the second storage for every test of a keyring (a few always take both), and these few with
# KeePassXC before a screen; the rounds of tests that kill, race or try at random, which go from some 20 to 100 and more; a
# fault at each call that changes a file; and all damage that the front is tried with.
test-full: export KEYFOB_FULL = 1
test-full: test api

# Off by default: it installs azure-cli from PyPI into .build/azure-cli, 700 MB, unless AZ names the program.
test-az:
	swift build --product keyfob $(DEBUG_FLAGS)
	Tests/Azure/run $(KEYFOB)

test-broker:
	Scripts/install-dependencies --broker
	swift build --product keyfob $(DEBUG_FLAGS)
	Tests/Broker/run $(KEYFOB)

# Many programs at both doors of the agent, and what each got; then clocks that are set, and a sleep; then clients of four kinds while
# provider, disk and vault fail, and while keys change. 30 minutes with one that nobody kills: Tests/Agent/run $(KEYFOB) --steady 1800
test-agent:
	swift build --product keyfob $(DEBUG_FLAGS)
	swift build --product KeyfobC $(DEBUG_FLAGS)
	Tests/Agent/run $(KEYFOB)
	Tests/Agent/run $(KEYFOB) --clocks
	Tests/Agent/run $(KEYFOB) --clients
	Tests/Agent/run $(KEYFOB) --clients --keys
	Tests/Agent/run $(KEYFOB) --kills 300

# A million calls of many threads among forks, a thousand sequences of what programs do to a cache, 10,000 accounts.
test-python:
	Scripts/install-dependencies --full
	swift build --product keyfob $(DEBUG_FLAGS)
	swift build --product KeyfobC $(DEBUG_FLAGS)
	.venv/bin/python3 Tests/Python/run .build/debug/keyfob --full

# A fault at each call that changes a file, for every command that writes.
test-faults:
	swift build --product keyfob $(DEBUG_FLAGS)
	Tests/Faults/run $(KEYFOB)

# Public suites that somebody has checked out into a folder: Tests/Readers/suites says which.
SUITES =
test-suites:
	@test -n '$(SUITES)' || { echo 'test-suites: skipped: name the folder with JSONTestSuite, toml-test, yaml-test-suite and wycheproof, by SUITES=DIR'; exit 0; }; \
	swift build --product KeyfobReaders $(DEBUG_FLAGS) && \
	.venv/bin/python3 Tests/Readers/suites .build/debug/KeyfobReaders '$(SUITES)'

# What the front says of damaged vaults, beside writers, and in odd surroundings, held against the full program.
test-front:
	swift build --product keyfob $(DEBUG_FLAGS)
	Scripts/build-front
	Tests/Front/run .build/front/keyfob --full $(KEYFOB)

# The links of all pages, and every command of README and docs as it is typed.
docs:
	Scripts/check links
	swift build --product keyfob $(DEBUG_FLAGS)
	Tests/Guides/run $(KEYFOB)

# What a release would break for programs that use the library.
api:
	Scripts/compare-api

# Does not build, so that `sudo make install` compiles nothing as root. The full program comes first, and each comes as a
# whole, so that at every moment there is a command that works.
install:
	@test -x .build/release/keyfob -a -x .build/front/keyfob -a -r .build/release/libKeyfobC.so || { echo "install: run 'make build' first" >&2; exit 1; }
	install -d '$(BIN)' '$(LIBEXEC)' '$(MAN)' '$(BASH_COMPLETIONS)' '$(ZSH_COMPLETIONS)' '$(FISH_COMPLETIONS)' '$(USER_UNITS)' '$(APPLICATIONS)' '$(DIRENV)' '$(LIB)/pkgconfig' '$(INCLUDE)' '$(PYTHON)'
	install -m 755 -s .build/release/keyfob '$(LIBEXEC)/keyfob.new'
	mv -f '$(LIBEXEC)/keyfob.new' '$(LIBEXEC)/keyfob'
	install -m 755 .build/front/keyfob '$(BIN)/keyfob.new'
	mv -f '$(BIN)/keyfob.new' '$(BIN)/keyfob'
	for name in $(HELPERS); do ln -sf keyfob '$(BIN)'/"$$name" || exit 1; done
	'$(BIN)/keyfob' completions bash > '$(BASH_COMPLETIONS)/keyfob'
	'$(BIN)/keyfob' completions zsh > '$(ZSH_COMPLETIONS)/_keyfob'
	'$(BIN)/keyfob' completions fish > '$(FISH_COMPLETIONS)/keyfob.fish'
	'$(BIN)/keyfob' man --directory '$(MAN)'
	for unit in $(UNITS); do sed 's|@BIN@|$(PREFIX)/bin|' "Packaging/$$unit" > '$(USER_UNITS)'/"$$unit" || exit 1; done
	sed 's|@BIN@|$(PREFIX)/bin|' Packaging/io.keyfob.desktop > '$(APPLICATIONS)/io.keyfob.desktop'
	$(if $(DESTDIR),,-command -v update-desktop-database > /dev/null && update-desktop-database -q '$(APPLICATIONS)')
	install -m 644 Packaging/direnv/use_keyfob.sh '$(DIRENV)'
	install -m 644 -s .build/release/libKeyfobC.so '$(LIB)/libkeyfob.so.1.new'
	mv -f '$(LIB)/libkeyfob.so.1.new' '$(LIB)/libkeyfob.so.1'
	ln -sf libkeyfob.so.1 '$(LIB)/libkeyfob.so'
	$(if $(DESTDIR),,ldconfig 2> /dev/null || true)
	install -m 644 Sources/KeyfobC/include/keyfob.h '$(INCLUDE)'
	sed 's|@VERSION@|$(VERSION)|' Packaging/keyfob.pc > '$(LIB)/pkgconfig/keyfob.pc'
	rm -f '$(PYTHON).py'
	install -m 644 Packaging/python/keyfob/*.py Packaging/python/keyfob/py.typed '$(PYTHON)'

uninstall:
	rm -f '$(BIN)/keyfob' '$(LIBEXEC)/keyfob' $(addprefix '$(BIN)'/,$(HELPERS))
	rmdir '$(LIBEXEC)' 2>/dev/null || true
	rm -f '$(BASH_COMPLETIONS)/keyfob' '$(ZSH_COMPLETIONS)/_keyfob' '$(FISH_COMPLETIONS)/keyfob.fish'
	rm -f '$(MAN)'/keyfob.1 '$(MAN)'/keyfob-*.1
	rm -f '$(DIRENV)/use_keyfob.sh' '$(APPLICATIONS)/io.keyfob.desktop'
	$(if $(DESTDIR),,-command -v update-desktop-database > /dev/null && update-desktop-database -q '$(APPLICATIONS)')
	rm -f '$(LIB)/libkeyfob.so.1' '$(LIB)/libkeyfob.so' '$(LIB)/pkgconfig/keyfob.pc' '$(INCLUDE)/keyfob.h' '$(PYTHON).py'
	rm -rf '$(PYTHON)'
	rmdir '$(DIRENV)' 2>/dev/null || true
	rmdir '$(LIB)/keyfob/python' '$(LIB)/keyfob' 2>/dev/null || true
	for unit in $(UNITS); do rm -f '$(USER_UNITS)'/"$$unit"; done

# As install does, it packs what was built and builds nothing.
deb:
	@test -x .build/release/keyfob -a -x .build/front/keyfob || { echo "deb: run 'make build' first" >&2; exit 1; }
	Scripts/install-dependencies --package
	rm -rf .build/packages
	Scripts/package .build/packages

# As `make deb` does, it packs what was built.
wheel:
	Scripts/install-dependencies --wheel
	Scripts/wheel

test-wheel:
	Scripts/install-dependencies --package
	Scripts/test-wheel

# Installs, upgrades, removes and purges the package in a Debian 12 of its own, and unpacks the archive there.
test-package:
	Scripts/install-dependencies --package
	Scripts/test-package

bench:
	Benchmarks/run $(BENCH_FLAGS)

# An hour of MCP sessions with one sign-in by clocks that run faster, beside those of the SDK's own client.
mcp-hour:
	.venv/bin/python3 Benchmarks/mcp_hour.py .build/release/keyfob

clean:
	rm -rf .build Benchmarks/.build Benchmarks/results
