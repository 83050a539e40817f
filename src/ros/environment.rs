//! Environment variables that the allocator and the middleware read when the process starts.

use std::env;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// The variable with the prefixes of packages.
const PREFIXES: &str = "AMENT_PREFIX_PATH";
/// Profiles of Fast DDS, relative to the prefix of this package.
const PROFILES: &str = "share/urdf_ik/config/fastdds.xml";
/// "1" if the profiles also decide about memory.
const USE_PROFILES: &str = "RMW_FASTRTPS_USE_QOS_FROM_XML";
/// Names of the variable with the profiles, in older and newer versions of Fast DDS.
const PROFILE_FILES: [&str; 2] = ["FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"];
/// Options of the allocator.
const ALLOCATOR: &str = "MALLOC_CONF";
/// Free memory goes back to the system after a second, also without further allocations.
const ALLOCATOR_OPTIONS: &str = "background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";

/// Starts the executable once more in this process, with the variables that let the memory of large messages go back to
/// the system. Variables that are set already, and thus the profiles of a user, stay as they are.
pub(crate) fn enter() {
    let missing = missing_variables();
    let Some(executable) = env::current_exe().ok().filter(|_| !missing.is_empty()) else { return };
    let error = Command::new(executable).args(env::args_os().skip(1)).envs(missing).exec();
    // There is no log yet.
    eprintln!(
        "urdf_ik_node: it keeps the memory of large messages, because it could not start in its environment: {error}"
    );
}

/// The variables to be set. Empty once they are set.
fn missing_variables() -> Vec<(&'static str, PathBuf)> {
    let is_unset = |name: &&str| env::var_os(name).is_none();
    let mut missing = Vec::new();
    if is_unset(&ALLOCATOR) {
        missing.push((ALLOCATOR, ALLOCATOR_OPTIONS.into()));
    }
    let prefixes = env::var_os(PREFIXES).unwrap_or_default();
    let profiles = env::split_paths(&prefixes).map(|prefix| prefix.join(PROFILES)).find(|file| file.is_file());
    let is_free = is_unset(&USE_PROFILES) && PROFILE_FILES.iter().all(is_unset);
    if let Some(profiles) = profiles.filter(|_| is_free) {
        missing.push((USE_PROFILES, "1".into()));
        missing.extend(PROFILE_FILES.map(|name| (name, profiles.clone())));
    }
    missing
}
