//! Notices when nobody is left to look: the reader of a pipe went, or the terminal was closed. Nobody says so to a
//! process that does not write just then.

use std::io;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use tokio::sync::oneshot;

/// Waits until nobody can see standard output any more. Its thread ends with the process.
pub(super) fn wait() -> impl Future<Output = ()> {
    let (sender, gone) = oneshot::channel();
    std::thread::spawn(move || {
        let stdout = io::stdout();
        loop {
            // Nothing is asked for, so that only what is always told ends the waiting: an error, or the end.
            let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
            match poll(&mut watched, None) {
                Err(Errno::INTR) => {}
                Err(_) => return,
                Ok(_) => break,
            }
        }
        let _ = sender.send(());
    });
    async {
        // Where it can't be noticed, the next write will tell.
        if gone.await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
