//! A fuzz target under libFuzzer, which keeps the inputs that reach more code: `make fuzz TARGET=NAME`.

#![no_main]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

use std::sync::LazyLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use urdf_ik_fuzz::Target;
use urdf_ik_fuzz::mutation::mutate;
use urdf_ik_testing::Random;

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    Target::named(&std::env::var("TARGET").expect("the environment variable TARGET is the name of a target"))
});
static CORPUS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| TARGET.corpus());

fuzz_target!(|bytes: &[u8]| (TARGET.run)(bytes));

// Half of the mutations know the format.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed % 2 == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let mut input = data[..size].to_vec();
    mutate(&mut input, &CORPUS, TARGET.words, &mut Random::new(seed.into()));
    input.truncate(max_size);
    data[..input.len()].copy_from_slice(&input);
    input.len()
});
