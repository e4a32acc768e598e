//! The allocator's free memory, and when the kernel gets it back.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Gives memory that was freed back to the kernel, where the C library can.
#[cfg_attr(target_env = "gnu", expect(unsafe_code, reason = "malloc_trim has no wrapper"))]
pub fn give_back() {
    // SAFETY: works on the allocator's free memory only.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Takes note that so many bytes were freed which may lie between others that are in use: the kernel gets them back once they are worth a
/// walk through all free memory.
pub fn freed(bytes: usize) {
    /// Little of what a program with many runs has, and so much that the walk, some hundred microseconds, is seldom made.
    const WORTH_A_WALK: usize = 1024 * 1024;
    static FREED: AtomicUsize = AtomicUsize::new(0);
    if FREED.fetch_add(bytes, Ordering::Relaxed) + bytes >= WORTH_A_WALK {
        FREED.store(0, Ordering::Relaxed);
        give_back();
    }
}
