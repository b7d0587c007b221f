# A thin front for CMake and the scripts; every target does its own set-up.

PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
export FUZZ_SECONDS

.DEFAULT_GOAL := help
.PHONY: help build run test studio bench docs fuzz coverage install format tidy clean

help:
	@echo 'make run       build the command, and show the contacts of a dozen bodies, with a picture'
	@echo 'make test      run all tests and checks'
	@echo 'make build     build libraries, command, tests, examples and benchmarks'
	@echo 'make studio    build the pages of the browser studio, for ovoid studio'
	@echo 'make bench     run the benchmarks'
	@echo 'make docs      make the API reference and the guide in build/docs/html'
	@echo 'make fuzz      run each fuzz target for FUZZ_SECONDS (60) seconds'
	@echo 'make coverage  tell which lines of the core its tests run'
	@echo 'make install   install to PREFIX (/usr/local), below DESTDIR if set'
	@echo 'make format    format the sources'
	@echo 'make tidy      look for mistakes with clang-tidy'
	@echo 'make clean     remove everything that was built'
	@echo
	@echo 'Each target first installs the Debian packages that it needs and that are missing;'
	@echo 'scripts/setup --list names them all.'

build:
	@scripts/setup run build
	@scripts/build release

run:
	@scripts/run

test:
	@scripts/test

studio:
	@scripts/studio

bench:
	@scripts/bench

docs:
	@scripts/docs

fuzz:
	@scripts/fuzz

coverage:
	@scripts/setup run test
	@scripts/coverage

install: build
	@DESTDIR='$(DESTDIR)' cmake --install build/release --prefix '$(PREFIX)'

format:
	@scripts/setup format
	@scripts/sources | xargs clang-format-14 -i

tidy:
	@scripts/setup run build tidy
	@scripts/tidy

clean:
	@rm -rf build
