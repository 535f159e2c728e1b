//! Forces a file to the disk on a thread of its own, while whoever asked forces another: both together take little longer
//! than one, since a file system writes its own notes about them at once.

use std::fs::File;
use std::io;
use std::sync::mpsc::{self, Receiver, Sender};

/// The thread. Started when it is first needed; it ends when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Forcer {
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    files: Sender<File>,
    done: Receiver<io::Result<()>>,
}

impl Forcer {
    /// Forces this file to the disk while `meanwhile` runs, and waits for both.
    pub(crate) fn force<T>(
        &mut self,
        file: File,
        meanwhile: impl FnOnce() -> T,
    ) -> (io::Result<()>, T) {
        if self.running.is_none() {
            self.running = start();
        }
        let Some(Running { files, done }) = &self.running else {
            // Without a thread, one after the other.
            return (file.sync_data(), meanwhile());
        };
        let is_handed_over = files.send(file);
        let other = meanwhile();
        let forced = match is_handed_over {
            Ok(()) => done.recv().unwrap_or_else(|_| Err(stopped())),
            Err(mpsc::SendError(file)) => file.sync_data(),
        };
        if forced.is_err() {
            self.running = None;
        }
        (forced, other)
    }
}

fn start() -> Option<Running> {
    let (files, queue) = mpsc::channel::<File>();
    let (answer, done) = mpsc::channel();
    let work = move || {
        for file in queue {
            if answer.send(file.sync_data()).is_err() {
                return;
            }
        }
    };
    let thread = std::thread::Builder::new().name("todori-force".to_owned());
    thread.spawn(work).ok()?;
    Some(Running { files, done })
}

fn stopped() -> io::Error {
    io::Error::other("the thread has stopped")
}
