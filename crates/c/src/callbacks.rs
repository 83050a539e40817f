//! The functions of the caller that a problem calls about configurations.

use std::ffi::{c_int, c_void};

use urdf_ik::solver::{Acceptance, Cost};

/// Whether joint positions (n entries [rad or m]) will do: not 0 for yes. It is called with the `context` of the problem. It must not throw, nor
/// use the workspace.
pub type UrdfIkAccepts = Option<unsafe extern "C" fn(context: *mut c_void, positions: *const f64) -> c_int>;

/// What joint positions (n entries [rad or m]) cost; INFINITY or NAN refuses them. It is called with the `context` of the problem. It must not
/// throw, nor use the workspace.
pub type UrdfIkCost = Option<unsafe extern "C" fn(context: *mut c_void, positions: *const f64) -> f64>;

/// The callbacks of a problem as the library calls them.
pub struct Callbacks<A, C> {
    accepts: Option<A>,
    cost: Option<C>,
}

/// A function of the caller's with its context. In batches several threads call it at once, which is the caller's to allow.
#[derive(Clone, Copy)]
struct Callback<T> {
    function: unsafe extern "C" fn(*mut c_void, *const f64) -> T,
    context: *mut c_void,
}

unsafe impl<T> Sync for Callback<T> {}

impl<T> Callback<T> {
    fn about(&self, positions: &[f64]) -> T {
        unsafe { (self.function)(self.context, positions.as_ptr()) }
    }
}

/// # Safety
/// The functions may be called with the context, as long as the callbacks live.
pub unsafe fn callbacks(
    accepts: UrdfIkAccepts,
    cost: UrdfIkCost,
    context: *mut c_void,
) -> Callbacks<impl Fn(&[f64]) -> bool + Sync, impl Fn(&[f64]) -> f64 + Sync> {
    Callbacks {
        accepts: accepts.map(|function| {
            let callback = Callback { function, context };
            move |positions: &[f64]| callback.about(positions) != 0
        }),
        cost: cost.map(|function| {
            let callback = Callback { function, context };
            move |positions: &[f64]| callback.about(positions)
        }),
    }
}

impl<A: Fn(&[f64]) -> bool + Sync, C: Fn(&[f64]) -> f64 + Sync> Callbacks<A, C> {
    pub fn accepts(&self) -> Option<Acceptance<'_>> {
        self.accepts.as_ref().map(|accepts| accepts as _)
    }

    pub fn cost(&self) -> Option<Cost<'_>> {
        self.cost.as_ref().map(|cost| cost as _)
    }
}
