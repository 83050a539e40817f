# The two that a newcomer needs: `make run` and `make test`. Both set up whatever is missing first.
.PHONY: help run view keys play example node build test check moveit wheel deb supply-chain coverage loom ros2_control soak fuzz bench-solves bench bench-node bench-peers figures clean

help:  ## what can be made
	@sed -n 's/^\([a-z0-9_-]*\):.*## /make \1\t/p' Makefile | expand -t 18

run: node  ## the node with a moving target and a page to see it, or: make run URDF=FILE [BASE=LINK] [TIP=LINK] [VIEW=0]
	@exec scripts/with-ros python3 scripts/run.py

example: node  ## a program of examples/ beside a node of its own: make example NAME=query
	@exec scripts/example.sh $(NAME)

view: node  ## the page in the browser alone, for a node that runs, or: make view [NODE=NAME] [PORT=NUMBER]
	@exec scripts/with-ros python3 scripts/view.py --ros-args -p node:=$(or $(NODE),urdf_ik) -p port:=$(or $(PORT),8080)

keys: node  ## keys in this terminal that steer a node that runs, or: make keys [NODE=NAME]
	@exec scripts/with-ros python3 scripts/keys.py --ros-args -p node:=$(or $(NODE),urdf_ik)

play:  ## a skeleton or an arm to play with in the browser, or: make play [MODEL=FILE OR NAME] [PORT=NUMBER]
	@exec scripts/play.sh --model '$(or $(MODEL),humanoid)' --port $(or $(PORT),8080)

build:  ## set-up: whatever is missing of tools and ROS 2, and the package itself
	@scripts/setup.sh

node:  ## set-up as for build, but without the command line
	@scripts/setup.sh --without-command-line

test: check  ## everything that has to pass before a change is accepted

check:  ## the same: formatting, lints, documentation, Rust tests, node tests
	@scripts/check.sh

moveit:  ## the plug-in for MoveIt, built and tested with the MoveIt of the ROS 2 that is sourced

ros2_control:  ## the plug-in for ros2_control, built and tested with the kinematics_interface of the ROS 2 that is sourced

moveit ros2_control:
	@cmake -S $@ -B build/$@ -DBUILD_TESTING=ON
	@cmake --build build/$@
	@ctest --test-dir build/$@ --output-on-failure

wheel:  ## the Python module as a wheel for any Linux and as a source distribution, in target/wheels
	@exec scripts/wheel.sh

deb:  ## Debian packages in target/deb: of the command line with the C library, and of the node with its ROS 2
	@exec scripts/deb.sh

supply-chain:  ## advisories about crates, a build from vendored crates, a bill of materials: [ADVISORIES=CLONE OF THE DATABASE]
	@exec scripts/supply_chain.sh

coverage:  ## lines and functions that the Rust tests reach, without node and Python module; first: cargo install --locked cargo-llvm-cov
	@cargo llvm-cov --locked --workspace --exclude urdf_ik_node --lib --tests --ignore-filename-regex '(tests|testing|benches|python)/'

loom: node  ## models of concurrent commands, stops and robot changes in all orders of their locks; compiles r2r once more
	@scripts/cargo-ros test --locked --release --config profile.release.package.urdf_ik_node.opt-level=1 \
	  -p urdf_ik_node --features loom --lib models

fuzz:  ## a fuzz target, whose inputs are chosen by coverage: make fuzz TARGET=NAME [MINUTES=10]; crates/fuzz lists the targets
	@exec scripts/fuzz.sh $(TARGET) $(or $(MINUTES),10)

bench:  ## what an iteration and a solve cost; FABRIK on points and on robots beside other methods; long arms; batches
	@cargo bench --locked --bench solve --bench skeleton --bench fabrik --bench noodle --bench batch

bench-node: node  ## the running node: latency beside a bare echo, and 1000 targets a second, or: make bench-node SECONDS=60
	@ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST scripts/cargo-ros bench --locked -p urdf_ik_node --bench node -- $(SECONDS)

bench-solves:  ## random problems of all robots and options, judged: [PROBLEMS=100000] [BLOCK=FIRST BLOCK] [THREADS=2]
	@cargo bench --locked -p urdf_ik_fuzz --bench solves -- $(or $(PROBLEMS),100000) $(or $(BLOCK),0) $(or $(THREADS),2)

bench-peers:  ## our solver beside published ones, also among obstacles: [CASES=N] [ROBOTS=NAMES] [PEERS=NAMES] [PART=poses or scenes]
	@benches/peers/run.sh

soak: node  ## the node under load for hours, with large messages and kills, and plots; needs matplotlib: [HOURS=1] [KILLS=100]
	@python3 -c 'import matplotlib'
	@PYTHONPATH=$(CURDIR)/tests/node scripts/with-ros python3 benches/soak/soak.py $(or $(HOURS),1) $(or $(KILLS),100)
	@python3 benches/soak/plot.py

figures:  ## docs/figures, drawn anew; first: pip install matplotlib ./crates/python
	@cargo build --locked --release --bin urdf_ik
	@exec python3 scripts/figures

clean:  ## removes all that was built or downloaded into this folder
	rm -rf .ros build install log target
