//! A panic of the TUI is told on the user's own screen, after that was restored.

use std::cell::Cell;
use std::future::Future;
use std::panic;
use std::pin::Pin;
use std::sync::Once;
use std::task::{Context, Poll};

use super::terminal;

thread_local! {
    static IN_TUI: Cell<bool> = const { Cell::new(false) };
}

static INSTALL: Once = Once::new();

/// Installs the hook, once for the process. A panic on the TUI's own thread restores the terminal before its text is printed. One elsewhere,
/// which some guard may well contain, is logged while the TUI is up: printing it would only spoil the picture.
pub(super) fn install_hook() {
    INSTALL.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if IN_TUI.get() {
                terminal::restore();
            }
            if terminal::is_active() {
                tracing::error!("{info}");
            } else {
                before(info);
            }
        }));
    });
}

/// Runs a future as the TUI's own: the hook can tell its panics from those of others.
pub(super) struct Own<F>(pub(super) Pin<Box<F>>);

impl<F: Future> Future for Own<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let outer = IN_TUI.replace(true);
        let poll = self.0.as_mut().poll(cx);
        IN_TUI.set(outer);
        poll
    }
}
