//! Dereferences pointers of the caller; a failure names the pointer.

use std::ffi::{CStr, c_char};
use std::slice;

use crate::failure::Failure;

fn null(what: &str) -> Failure {
    Failure::argument(format!("{what} is NULL"))
}

/// # Safety
/// `pointer` is NULL, or points to a `T` that lives for `'a` and is not changed meanwhile.
pub unsafe fn reference<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Failure> {
    unsafe { pointer.as_ref() }.ok_or_else(|| null(what))
}

/// # Safety
/// `pointer` is NULL, or points to a `T` that lives for `'a` and is not used otherwise meanwhile.
pub unsafe fn exclusive<'a, T>(pointer: *mut T, what: &str) -> Result<&'a mut T, Failure> {
    unsafe { pointer.as_mut() }.ok_or_else(|| null(what))
}

/// # Safety
/// `pointer` is NULL, or points to `count` entries that live for `'a` and is not changed meanwhile.
pub unsafe fn entries<'a, T>(pointer: *const T, count: usize, what: &str) -> Result<&'a [T], Failure> {
    match count {
        0 => Ok(&[]),
        _ if pointer.is_null() => Err(null(what)),
        _ => Ok(unsafe { slice::from_raw_parts(pointer, count) }),
    }
}

/// Joint positions, which must be finite.
///
/// # Safety
/// As [`entries`].
pub unsafe fn finite_positions<'a>(pointer: *const f64, count: usize) -> Result<&'a [f64], Failure> {
    let positions = unsafe { entries(pointer, count, "positions") }?;
    if positions.iter().all(|position| position.is_finite()) {
        Ok(positions)
    } else {
        Err(Failure::problem("positions has an entry that is not a finite number"))
    }
}

/// # Safety
/// `pointer` is NULL, or points to `count` entries that live for `'a` and is not used otherwise meanwhile.
pub unsafe fn exclusive_entries<'a, T>(pointer: *mut T, count: usize, what: &str) -> Result<&'a mut [T], Failure> {
    match count {
        0 => Ok(&mut []),
        _ if pointer.is_null() => Err(null(what)),
        _ => Ok(unsafe { slice::from_raw_parts_mut(pointer, count) }),
    }
}

/// # Safety
/// `pointer` is NULL, or points to a text that ends with a zero byte, lives for `'a`, and is not changed meanwhile.
pub unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(null(what));
    }
    unsafe { CStr::from_ptr(pointer) }.to_str().map_err(|_| Failure::argument(format!("{what} is not UTF-8")))
}

/// # Safety
/// As [`text`].
pub unsafe fn optional_text<'a>(pointer: *const c_char, what: &str) -> Result<Option<&'a str>, Failure> {
    if pointer.is_null() { Ok(None) } else { unsafe { text(pointer, what) }.map(Some) }
}

/// Passes a new handle to the caller.
///
/// # Safety
/// `place` is NULL, or a pointer can be written there.
pub unsafe fn hand_out<T>(place: *mut *mut T, made: T, what: &str) -> Result<(), Failure> {
    let place = unsafe { exclusive(place, what) }?;
    *place = Box::into_raw(Box::new(made));
    Ok(())
}

/// Frees a handle.
///
/// # Safety
/// `handle` is NULL, or was handed out, and is not used again.
pub unsafe fn take_back<T>(handle: *mut T) {
    if !handle.is_null() {
        drop(unsafe { Box::from_raw(handle) });
    }
}
