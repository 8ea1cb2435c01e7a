# The two main commands are `make run` and `make test`. `make quick` is a short `make test`; `make help` lists the rest.

SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help build run quick test race long judge torture replay attack load backlog cost batch large pages fair fuzz bench clients \
  pictures release lint \
  fmt clean verify.html FORCE

# The binary embeds its version, from api/VERSION. The linker adds the commit.
COMMIT  ?= $(shell git rev-parse --verify --quiet --short=12 HEAD 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.commit=$(COMMIT)

# The version is part of the path, so a new version is installed when this line changes.
GOLANGCI_VERSION := v2.14.0
GOLANGCI := $(CURDIR)/.tools/golangci-lint-$(GOLANGCI_VERSION)/golangci-lint

FUZZTIME ?= 30s

# The benchmarks are a module of their own, so that go.mod never lists the peers that they measure.
BENCH := $(wildcard bench/go.mod)

# The harness is another module (docs/adr/0021-harness-module.md). With its
# workspace file, one go test runs the tests of the service and of the harness
# together. In two separate runs, processors would be idle at the end of each.
HARNESS := GOWORK='$(CURDIR)/proof/go.work'

# The race detector does not watch SQLite, which is C translated to Go: that would
# take five times as long and find no race of ours. No other package may be left
# out. Two packages can share the compiled code of a generic type, such as the map
# that encoding/json synchronizes with. If the linker uses the copy that is not
# watched, the detector reports races that do not exist.
RACE := -race -gcflags='modernc.org/...=-race=false'

# make test runs every test without the race detector. With the race detector a test
# takes five to ten times as long, and the detector finds only errors in data that
# goroutines share. So a second run, with the detector, has:
#
# - the packages of STORAGE on both databases. They have the code that differs
#   between the databases: the committer, the transactions, the dialects.
# - every package that UNRACED does not name, so every new package too, in short form,
#   which leaves out PostgreSQL, and without the tests that SEQUENTIAL names. These are
#   the servers, the jobs, the use cases, and the scenarios of the API and of the
#   console.
# - the tests of the pure ring that SHARED names.
#
# make race, a part of make long, runs all of them on both databases.

# The pure ring. Its packages start no goroutines, except training (see SHARED).
# They share plans and catalogues, which the tests of the API also share, with the
# race detector.
PURE := ./api ./internal/advice ./internal/application ./internal/backtest ./internal/backtest/page \
  ./internal/capsule ./internal/chart ./internal/civil ./internal/compress ./internal/engine ./internal/engine/analysis \
  ./internal/engine/prover ./internal/engine/prover/smt ./internal/engine/space ./internal/evidence \
  ./internal/exact ./internal/exposure ./internal/fault ./internal/feature ./internal/field ./internal/list ./internal/loan ./internal/offer ./internal/place \
  ./internal/policytest ./internal/policytest/generate ./internal/recovery ./internal/report ./internal/rule ./internal/sealing ./internal/sheet ./internal/signal \
  ./internal/store/archive ./internal/table ./internal/training ./internal/webhook ./internal/wire

# Tests of the pure ring that share a value between goroutines. They run with the
# race detector, and again without it. TestFitTwice fits on all processors.
SHARED := TestLesson01ScoreIsFoldedInOrder TestLesson02PlanIsImmutable TestSharedPlanUnderGoroutines \
  TestTallyAgreesWithTheDecisions TestConcurrentUse TestFree TestFitTwice
SHARED_IN := ./internal/engine ./internal/rule ./internal/wire ./internal/training

# Further packages whose tests are not repeated with the race detector. Some make one
# call after the other (replay, demo, reference). In some, the service is another
# process, which is built without the race detector anyway (faults). Some wait for
# Chromium; the tests of internal/console cover its pages with the race detector.
OUTSIDE := ./internal/replay ./internal/demo ./internal/reference ./proof/torture ./proof/cmd/torture ./proof/console

UNRACED := $(PURE) $(OUTSIDE)

# Long tests of other packages, which are not repeated with the race detector. In each,
# a single caller sends many requests, one after the other, or starts many processes:
# attacks on every operation, the contract's examples, isolation, every feature of a
# vector, random inputs, inputs of fuzz targets, scripts, query plans, limits of large
# data, allocations, memory during attacks. The scenarios of the same packages run this
# code with the race detector.
SEQUENTIAL := TestAttack TestAttackTiming TestIsolation TestExamples TestBlocksAreAdditive TestNullIsLeftOut \
  TestContractIsNoticed TestEveryCodeHasAPage TestEveryOperationIsExecuted TestPagesAreCompressed TestDocumentAsJSON \
  TestFeatureVector TestFeatureFilters TestFeatureProvenance \
  FuzzPreview FuzzAgents FuzzQuery FuzzHeaders FuzzUpload FuzzPath \
  TestEveryPageIsDrawn TestFilledConsole FuzzDraft FuzzMemo \
  TestScript TestDemo TestReadme TestReadmeCommands TestTutorial TestStoredBytes TestPolicyPage \
  TestBackupEndedHalfWay TestLargeReplay \
  TestPoliciesAreBoundedByWhatTheyCost TestPoliciesAreBoundedByTheirRules \
  TestPlantedRingsAreFound \
  TestFirstEditionIsRepeated TestSecondEditionIsRepeated TestThirdEditionIsRepeated TestGoldenMemos \
  TestEveryStatementOfAMemoCanBeChecked \
  TestPlans TestBacktestPlans TestRunPlans TestReferralPlan TestLargeRing TestRingReference TestManyPincodeRisks \
  TestScanLimit TestCountingIsBounded TestRingReadsAreBounded TestRareDecisionsAreBounded TestRestoreOlder \
  TestAllocations TestNeighbours
STORAGE := ./internal/store ./internal/store/storetest

# Corpora and properties of the pure ring that make quick leaves out.
CORPORA := TestComputeIsTheDefinition TestExplainAgreesWithCompute \
  TestCorpusHashes TestCompiledEqualsReference TestEveryReasonIsACause TestChecksumIsOfWhatDecides TestSoleKnockout \
  TestLeavingOutIsNeverBetter TestLimitIsMonotone TestNoBetterApplicantIsWorseOff TestOfferInvariants \
  TestAnalysisIsSound TestAnalysisIsExact TestAnalysisIsBounded \
  TestHoldOutIsNotLearntFrom TestLeak TestEngineScoresAsTrained TestLoans TestIdentifiers TestWeights TestEqualWeights \
  TestMutations

# $(call only,NAMES) is a pattern for -run and -skip that matches only these tests.
none :=
only = ^($(subst $(none) $(none),|,$(strip $(1))))$$

# The packages that take longest. They start first, because a long package that
# starts last would run alone while the other processors are idle. The tests of faults
# and of the browser mostly wait, so one more package runs than there are processors.
LONGEST := ./proof/torture ./proof/console ./internal/httpapi ./internal/engine/prover ./internal/replay ./internal/app \
  ./internal/store/storetest ./internal/console ./internal/store
AT_ONCE := $$(($$(nproc) + 1))

# Lists the packages of both modules except those that a pattern names. The name of
# the module is verdict.
except = $(HARNESS) go list ./... ./proof/... | grep -vxE 'verdict/($(subst $(none) $(none),|,$(patsubst ./%,%,$(strip $(1)))))'

# What make quick leaves out. It skips CORPORA by name. The other tests call testing.Short, and their message contains
# one of these words when they are skipped.
LEFTOUT := PostgreSQL, browser, attacks, faults, load, corpora, clients, bench, lint

# These tests read files only and take seconds, so they run first: a line that is too long fails before the long tests.
STRUCTURE := TestLayers TestLayersAreDescribed TestLayersAreDrawn TestLayersTableAllowsNoMore TestLayersTableOnlyPointsDown \
  TestLinesFit TestRacedOrNot TestSharedValuesAreRaced TestMakeQuickSaysWhatItLeavesOut TestSecurityNamesTests \
  TestOperationsAreValues TestHarnessRequiresTheSameVersions TestConfigurationPageIsCurrent

# Fails if a file is not formatted, and names it.
FORMATTED = unformatted=$$(gofmt -s -l .); [ -z "$$unformatted" ] || { echo "not formatted (make fmt):"; echo "$$unformatted"; exit 1; }

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z.]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: bin/verdict ## build the static binary bin/verdict

# This target always runs, because Go's own cache knows what has changed. The first build takes minutes and go build
# prints nothing meanwhile, so with -v every 50th of the packages is counted. Lines with spaces are messages. Version 3.81
# of make, which macOS has, ignores .SHELLFLAGS, so the recipe sets its options itself.
BUILD := -trimpath -buildvcs=false -ldflags '$(LDFLAGS)'
bin/verdict: export CGO_ENABLED := 0
bin/verdict: FORCE
	@set -eu -o pipefail; \
	if [ -x $@ ]; then go build $(BUILD) -o $@ ./cmd/verdict; exit; fi; \
	echo 'compiling bin/verdict; the first time takes some minutes'; \
	total=$$(go list -deps ./cmd/verdict | wc -l); count=0; \
	go build -v $(BUILD) -o $@ ./cmd/verdict 2>&1 | while IFS= read -r line; do \
	  case $$line in \
	  *' '*) echo "$$line" ;; \
	  *) count=$$((count+1)); [ $$((count%50)) -ne 0 ] || echo "compiling package $$count of at most $$((total))" ;; \
	  esac; \
	done

# One file that opens from disk and checks capsules (docs/EVIDENCE.md). It is always built; Go's cache finds changes.
verify.html: ## build bin/verify.html, the check of a capsule for a browser
	@mkdir -p bin
	@go run ./internal/verifypage/build bin/verify.html
	@echo "bin/verify.html: $$(wc -c < bin/verify.html) bytes"

run: build ## build, then serve at http://127.0.0.1:8080 (VERDICT_ variables change that)
	@exec bin/verdict serve -welcome

# Tests whose package and inputs have not changed are not run again. go vet has
# just run, so go test need not run it.
quick: ## the checks and the short form of the tests, in under two minutes
	@echo '== gofmt'
	@$(FORMATTED)
	@echo '== go vet'
	@$(HARNESS) go vet ./... ./proof/...
	@echo '== structure'
	@go test -vet=off -run '$(call only,$(STRUCTURE))' ./internal/app
	@echo '== tests in short form, without the race detector'
	@echo '   LEFT OUT (make test runs them): $(LEFTOUT)'
	@$(HARNESS) go test -short -vet=off -skip '$(call only,$(CORPORA))' $(LONGEST) ./... ./proof/...

test: ## install what the tests need, then run every check and test
	@scripts/deps test
	@echo '== gofmt'
	@$(FORMATTED)
	@echo '== go vet'
	@go vet ./...
	@cd proof && GOWORK=off go vet ./...
	@echo '== structure'
	@go test -vet=off -run '$(call only,$(STRUCTURE))' ./internal/app
	@echo '== every test, without the race detector'
	@$(HARNESS) go test -vet=off -p $(AT_ONCE) -timeout 40m $(LONGEST) ./... ./proof/...
	@echo '== tests with the race detector: storage on both databases, the others on SQLite'
	@go test $(RACE) -vet=off -timeout 40m -skip '$(call only,$(SEQUENTIAL))' $(STORAGE)
	@raced=$$($(call except,$(UNRACED) $(STORAGE))); \
	  $(HARNESS) go test $(RACE) -short -vet=off -timeout 40m -skip '$(call only,$(SEQUENTIAL))' $$raced
	@go test $(RACE) -vet=off -run '$(call only,$(SHARED))' $(SHARED_IN)
ifneq ($(BENCH),)
	@echo '== bench: vet and correctness'
	@cd bench && go vet ./... && go test ./...
endif
	@echo '== log: checked by the fsck of Tessera'
	@cd proof/fsck && GOWORK=off go vet ./... && GOWORK=off go test -count=1 ./...
	@echo '== clients: generated, compiled and called'
	@cd clients && go vet ./... && go test -count=1 -timeout 40m ./...
	@echo '== release: built twice, installed and started'
	@cd release && go vet . && go test -count=1 -timeout 40m .
	@if [ -x '$(GOLANGCI)' ]; then $(MAKE) --no-print-directory lint; else echo '== lint left out (make lint installs it)'; fi

race: ## every test of a package with goroutines, on both databases, with the race detector
	@scripts/deps test
	@raced=$$($(call except,$(UNRACED))); \
	  $(HARNESS) go test $(RACE) -vet=off -timeout 90m -skip '$(call only,$(SEQUENTIAL))' $$raced

# The long tests run without the race detector, with which a million pairs would take
# half an hour each.
long: ## the long forms of the tests, then the same hashes on arm64 under qemu
	@scripts/deps long
	@echo '== tests with the race detector on both databases'
	@$(MAKE) --no-print-directory race
	@echo '== long tests'
	@VERDICT_LONG=1 $(HARNESS) go test -count=1 -timeout 60m -skip '$(call only,$(JUDGES))' ./... ./proof/...
	@echo '== a batch of ten million rows'
	@VERDICT_LONG=1 VERDICT_BATCH_ROWS=10000000 go test -count=1 -timeout 12h -v -run '^TestBatchNodeKilled$$' ./internal/app
	@echo '== two solvers judge the prover'
	@$(MAKE) --no-print-directory judge
	@echo '== release: every target, a new Debian root, the chart, Compose, Prometheus'
	@cd release && VERDICT_LONG=1 go test -count=1 -timeout 180m ./...
	@echo '== determinism on arm64'
	@mkdir -p bin
	@GOARCH=arm64 CGO_ENABLED=0 go test -c -o bin/engine.arm64.test ./internal/engine
	@qemu=$$(command -v qemu-aarch64 || command -v qemu-aarch64-static); cd internal/engine && \
	  "$$qemu" ../../bin/engine.arm64.test -test.v -test.run TestCorpusHashes | tee ../../bin/engine.arm64.log
	@grep -q '^--- PASS: TestCorpusHashes' bin/engine.arm64.log || { echo 'TestCorpusHashes did not run on arm64'; exit 1; }
	@GOARCH=arm64 CGO_ENABLED=0 go test -c -o bin/place.arm64.test ./internal/place
	@GOARCH=arm64 CGO_ENABLED=0 go test -c -o bin/feature.arm64.test ./internal/feature
	@GOARCH=arm64 CGO_ENABLED=0 go test -c -o bin/backtest.arm64.test ./internal/backtest
	@GOARCH=arm64 CGO_ENABLED=0 go test -c -o bin/capsule.arm64.test ./internal/capsule
	@qemu=$$(command -v qemu-aarch64 || command -v qemu-aarch64-static); \
	  (cd internal/place && "$$qemu" ../../bin/place.arm64.test -test.v -test.run TestDistanceHash | tee ../../bin/place.arm64.log) && \
	  (cd internal/feature && "$$qemu" ../../bin/feature.arm64.test -test.v -test.run TestHashIsStable | tee ../../bin/feature.arm64.log) && \
	  (cd internal/backtest && "$$qemu" ../../bin/backtest.arm64.test -test.v -test.run TestBookHashes | tee ../../bin/backtest.arm64.log) && \
	  (cd internal/capsule && "$$qemu" ../../bin/capsule.arm64.test -test.v -test.run '^TestCorpus$$' | tee ../../bin/capsule.arm64.log)
	@grep -q '^--- PASS: TestDistanceHash' bin/place.arm64.log || { echo 'TestDistanceHash did not run on arm64'; exit 1; }
	@grep -q '^--- PASS: TestHashIsStable' bin/feature.arm64.log || { echo 'TestHashIsStable did not run on arm64'; exit 1; }
	@grep -q '^--- PASS: TestBookHashes' bin/backtest.arm64.log || { echo 'TestBookHashes did not run on arm64'; exit 1; }
	@grep -q '^--- PASS: TestCorpus ' bin/capsule.arm64.log || { echo 'TestCorpus of the capsules did not run on arm64'; exit 1; }

# The solvers need hours for all questions. Each piece writes its row when it is done, so a run can be stopped and
# continued, for example with PIECES="300-399 400-499". A row replaces the row of the same piece.
JUDGES := TestSolversAgree TestSolversAgreeOnGuarantees
PIECES ?= 0-99 100-199 200-299 300-399 400-499 500-599 600-699 700-799 800-899 900-999
judge: ## z3 and cvc5 judge 1,000 comparisons and 1,000 proofs, in PIECES
	@scripts/deps test
	@mkdir -p bin
	@go test -c -o bin/prover.test ./internal/engine/prover
	@cd internal/engine/prover && failed=; for test in $(JUDGES); do for piece in $(PIECES); do \
	  VERDICT_PAIRS=$$piece VERDICT_PROOF='$(CURDIR)/docs/PROOF.md' ../../../bin/prover.test -test.v \
	    -test.timeout 3h -test.run "^$$test\$$" || failed="$$failed $$test:$$piece"; \
	done; done; [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

# The targets below write their results into docs/PROOF.md. A short form of each is
# part of make test.
torture: build ## kill, cut, fill and slow the running service, and check every answer
	@scripts/deps test
	@go -C proof run ./cmd/torture -binary ../bin/verdict -proof ../docs/PROOF.md

replay: ## replay the committed corpora on both databases, verify a million decisions, back up under load
	@scripts/deps test
	@VERDICT_LONG=1 VERDICT_PROOF='$(CURDIR)/docs/PROOF.md' go test -p 1 -count=1 -timeout 90m -run 'TestLong|TestReplay|TestBackupUnderLoad' ./internal/replay ./internal/app

# The tests compare times, so the packages run one after the other, and nothing else should run.
attack: ## every attack of the suite on every operation of the contract, and the timing of 1,000 tries
	@scripts/deps test
	@VERDICT_LONG=1 VERDICT_PROOF='$(CURDIR)/docs/PROOF.md' go test -p 1 -count=1 -timeout 40m -run '^TestAttack' ./internal/httpapi ./internal/app ./internal/console

load: build ## rising rates to saturation, beyond and back, on both databases
	@scripts/deps test
	@go -C proof run ./cmd/load -rounds 3 -binary ../bin/verdict -proof ../docs/PROOF.md

backlog: build ## decisions beside webhooks with 10,000 undelivered events and a dead receiver, on both databases
	@scripts/deps test
	@go -C proof run ./cmd/load -backlog 10000 -rounds 7 -stage 5s -binary ../bin/verdict -proof ../docs/PROOF.md

# OLD is a binary of the commit to compare with. A relative path is relative to proof/.
cost: build ## the rate of an older binary (OLD=FILE) and of this one, in turn, on both databases
	@scripts/deps test
	@go -C proof run ./cmd/load -old '$(OLD)' -rounds 9 -stage 5s -binary ../bin/verdict -proof ../docs/PROOF.md

# ROWS=10000000 is the largest batch; it takes hours on two cores.
ROWS ?= 1000000
batch: ## a batch of a million rows (ROWS) on two nodes, one of which is killed, and its rate, and the rate of a stream
	@scripts/deps test
	@VERDICT_LONG=1 VERDICT_BATCH_ROWS=$(ROWS) VERDICT_PROOF='$(CURDIR)/docs/PROOF.md' go test -count=1 -timeout 12h -parallel 1 -v -run '^(TestBatchNodeKilled|TestStreamRate)$$' ./internal/app

# DECISIONS=50000 is enough for a trial.
DECISIONS ?= 5000000
large: ## a list of a million entries, and own exposure beside five million decisions (DECISIONS)
	@scripts/deps test
	@VERDICT_LONG=1 VERDICT_ROWS=$(DECISIONS) VERDICT_PROOF='$(CURDIR)/docs/PROOF.md' go test -p 1 -count=1 -timeout 12h -parallel 1 -v -run '^(TestMillion|TestMillionOverHTTP|TestOwnIsFlat)$$' ./internal/listdesk ./internal/app ./internal/exposuredesk

# A trial with PAGES=20000 fails only because its list of referrals has a single page.
PAGES ?= 1000000
pages: ## the time and size of every page of the console beside a million decisions (PAGES)
	@scripts/deps test
	@VERDICT_PAGES=$(PAGES) VERDICT_PROOF='$(CURDIR)/docs/PROOF.md' go test -count=1 -timeout 6h -v -run '^TestPagesAtSize$$' ./internal/console

fair: build ## what a tenant gets while another, or a stranger, does its worst on every operation
	@scripts/deps test
	@go -C proof run ./cmd/load -fair -stage 5s -binary ../bin/verdict -proof ../docs/PROOF.md

fuzz: ## run every fuzz target for FUZZTIME (30s)
	@FUZZTIME=$(FUZZTIME) scripts/fuzz -proof docs/PROOF.md

bench: ## measure against the peers and the targets
	@cd bench && go run .

# The pictures show the console with the demonstration and with the data of the tutorial. Check each picture before
# you commit it.
pictures: build ## draw the pictures of the console in README and tutorial again
	@scripts/deps test
	@VERDICT_PICTURES='$(CURDIR)/docs/pictures' $(HARNESS) go test -count=1 -v -run '^TestPictures$$' ./proof/console

# The typed parts of the clients are generated from api/openapi.yaml. A test checks that they are up to date.
clients: ## generate the typed parts of the clients from the API description
	@scripts/deps test
	@cd clients && go run ./generate
	@cd clients && go tool oapi-codegen -generate types,skip-prune -package api -o go/api/types.gen.go ../api/openapi.yaml
	@cd clients && ../.tools/clients/node_modules/.bin/openapi-typescript ../api/openapi.yaml -o typescript/schema.d.ts

# This builds the binaries for all systems. The same commit gives the same bytes.
release: ## build archives, image, packages, bills of materials and checksums into dist/
	@go -C release run . -out ../dist

lint: $(GOLANGCI) ## run golangci-lint (the first time builds it: about four minutes)
	@echo '== lint'
	@$(GOLANGCI) run ./...
	@cd proof && $(GOLANGCI) run --config ../.golangci.yml ./...
ifneq ($(BENCH),)
	@cd bench && $(GOLANGCI) run --config ../.golangci.yml ./...
endif
	@cd clients && $(GOLANGCI) run --config ../.golangci.yml ./...
	@cd release && $(GOLANGCI) run --config ../.golangci.yml ./...

$(GOLANGCI):
	@echo 'building golangci-lint $(GOLANGCI_VERSION); this takes about four minutes'
	@GOBIN='$(@D)' go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

fmt: ## format the Go code
	@gofmt -s -w .

clean: ## remove what was built (the linter in .tools stays)
	@rm -rf bin
