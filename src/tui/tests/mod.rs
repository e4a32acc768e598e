//! Tests of the pure part, and of the loop with a client that is played.

mod arranging;
mod attaching;
mod ended;
mod exports;
mod fake;
mod fresh_eyes;
mod keyboard;
mod keymaps;
mod keys;
mod keys_page;
mod listing;
mod looping;
mod marks;
mod new_run;
mod palette;
mod pictures;
mod possible;
mod random;
mod reading;
mod renaming;
mod scrolling;
mod several;
mod showing;
mod shows;
mod split;
pub(super) mod stage;
mod themes;
