//! Errors: a status, and a message for the calling thread.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of a call. urdf_ik_error() has the message of a failure.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrdfIkStatus {
    /// Success.
    Ok = 0,
    /// A required pointer is NULL, or a text is not UTF-8.
    InvalidArgument = 1,
    /// The URDF is invalid or cannot be read.
    Urdf = 2,
    /// The robot has no such chain, or the solver does not apply to it.
    Chain = 3,
    /// The problem is invalid for the arm, such as a quaternion of length 0 or a tolerance of 0.
    Problem = 4,
    /// A bug in the library.
    Internal = 5,
    /// The world is invalid, or belongs to another arm.
    World = 6,
    /// The description of a skeleton is invalid or cannot be read.
    Skeleton = 7,
}

/// A status with its message.
pub(crate) struct Failure {
    status: UrdfIkStatus,
    sentence: String,
}

impl Failure {
    pub fn new(status: UrdfIkStatus, sentence: impl Display) -> Self {
        Self { status, sentence: sentence.to_string() }
    }

    pub fn argument(sentence: impl Display) -> Self {
        Self::new(UrdfIkStatus::InvalidArgument, sentence)
    }

    pub fn problem(sentence: impl Display) -> Self {
        Self::new(UrdfIkStatus::Problem, sentence)
    }
}

thread_local! {
    static SENTENCE: RefCell<CString> = RefCell::default();
}

/// Runs the body of a function. A failure or a panic becomes a status, and its message is stored for this thread.
pub(crate) fn guarded(work: impl FnOnce() -> Result<(), Failure>) -> UrdfIkStatus {
    let Failure { status, sentence } = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return UrdfIkStatus::Ok,
        Ok(Err(failure)) => failure,
        Err(_) => {
            Failure::new(UrdfIkStatus::Internal, "a fault inside urdf_ik, which its developers would like to hear of")
        }
    };
    SENTENCE.set(c_text(&sentence));
    status
}

/// Runs the body of a function that has no status; returns `otherwise` on a panic.
pub(crate) fn guarded_or<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(otherwise)
}

/// A C string, cut at the first zero byte.
pub(crate) fn c_text(text: &str) -> CString {
    CString::new(text.split('\0').next().unwrap_or_default()).unwrap_or_default()
}

/// The message of the last failure in this thread (UTF-8), valid until the next failure in this thread.
#[unsafe(no_mangle)]
pub extern "C" fn urdf_ik_error() -> *const c_char {
    SENTENCE.with_borrow(|sentence| sentence.as_ptr())
}

/// The version of the library, such as "0.2.0".
#[unsafe(no_mangle)]
pub extern "C" fn urdf_ik_version() -> *const c_char {
    let version = concat!(env!("CARGO_PKG_VERSION"), "\0");
    CStr::from_bytes_with_nul(version.as_bytes()).unwrap_or_default().as_ptr()
}
