//! Forces files to the disk on a thread of its own, so that nobody waits for it.

use std::fs::File;
use std::sync::mpsc::{self, Sender};
use std::thread::JoinHandle;

/// The thread. Started when it is first needed; ended, and waited for, when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Forcer {
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    files: Sender<File>,
    thread: JoinHandle<()>,
}

impl Forcer {
    /// Begins to force a file to the disk. Whether that succeeds is not told: it is for files that are never the truth.
    pub(crate) fn begin(&mut self, file: File) {
        if self.running.is_none() {
            self.running = start();
        }
        if let Some(running) = &self.running {
            drop(running.files.send(file));
        } else {
            // Without a thread, whoever asks has to wait.
            drop(file.sync_data());
        }
    }
}

fn start() -> Option<Running> {
    let (files, queue) = mpsc::channel::<File>();
    let work = move || queue.iter().for_each(|file| drop(file.sync_data()));
    let thread = std::thread::Builder::new().name("todori-force".to_owned());
    let thread = thread.spawn(work).ok()?;
    Some(Running { files, thread })
}

impl Drop for Forcer {
    fn drop(&mut self) {
        if let Some(Running { files, thread }) = self.running.take() {
            drop(files);
            drop(thread.join());
        }
    }
}
