//! The board as the file says it: read when it changed, compared byte by byte where metadata prove nothing. An empty
//! board never takes the place of one that was there.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use todori_domain::{Board, Position, StoreError, Timestamp};

use super::blocks::Loaded;
use super::failure::{BROKEN_ADVICE, Failure, VANISHED_ADVICE, is_transient};
use super::file_key::FileKey;
use super::half_written::is_half_written;
use super::other_layouts::says_nothing;
use super::own_texts::OwnTexts;
use super::paths::{BOARD_FILE, Paths};
use super::record;
use super::syntax::Fault;
use super::{atomic_file, denied};

/// How often reading starts over after an error that may pass.
const TRIES: usize = 3;
/// How long a file may be gone or empty while git or an editor replaces it, and how often it is looked for.
const GONE_FOR: Duration = Duration::from_millis(100);
const LOOKS: u32 = 10;

/// How long is waited for a file to be whole, where nothing whole is known, and how often it is looked at.
const HALF_FOR: Duration = Duration::from_secs(2);
const HALVES: u32 = 100;

/// What the file was last seen to hold.
#[derive(Debug, Default)]
pub(crate) struct Current {
    cache: Option<Cache>,
    /// Whether the file was ever there.
    seen: bool,
    /// Whether it had tasks when it was last read.
    had_tasks: bool,
    /// Whether the file was left alone at the last look because somebody was in the middle of writing it.
    held_back: bool,
    /// The text of tasks that were there when it was read before, where there was more in it than a task.
    vanished: OwnTexts,
}

/// What the file is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To show it: what was whole last is better than a half.
    Look,
    /// To change it: a half is nothing to decide on.
    Decide,
}

#[derive(Debug)]
pub(crate) struct Cache {
    pub(crate) loaded: Loaded,
    /// None while there is no file.
    pub(crate) key: Option<FileKey>,
    /// Whether an equal key proves that the file is the same.
    settled: bool,
}

/// Whether the board is another one than before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum News {
    Same,
    Changed,
}

/// Why the file could not be read.
enum Unread {
    Io(io::Error),
    Broken(Fault, FileKey),
    /// There was a board, and now there is no file, or nothing in it.
    Gone,
    /// Somebody is in the middle of writing it.
    Half,
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Current {
    /// Forgets what was read. Says whether there was anything.
    pub(crate) fn forget(&mut self) -> bool {
        self.cache.take().is_some()
    }

    pub(crate) fn board(&self) -> Arc<Board> {
        self.cache
            .as_ref()
            .map(|cache| Arc::clone(&cache.loaded.board))
            .unwrap_or_default()
    }

    /// Takes the text of tasks that somebody removed from the file.
    pub(crate) fn take_vanished(&mut self) -> OwnTexts {
        std::mem::take(&mut self.vanished)
    }

    pub(crate) fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// Notes that the file now is what was planned. Gives back the board as it was.
    pub(crate) fn replaced(
        &mut self,
        key: Option<FileKey>,
        apply: impl FnOnce(&mut Loaded) -> Arc<Board>,
    ) -> Option<Arc<Board>> {
        self.seen = true;
        let cache = self.cache.as_mut()?;
        let before = apply(&mut cache.loaded);
        (cache.key, cache.settled) = (key, false);
        self.had_tasks = !cache.loaded.board.is_empty();
        Some(before)
    }

    /// Whether the metadata of the file prove that it is the one in memory.
    pub(crate) fn is_current(&self, paths: &Paths) -> bool {
        let Some(cache) = self.cache.as_ref().filter(|cache| cache.settled) else {
            return false;
        };
        let now = paths.board.metadata().ok();
        now.is_some() && cache.key == now.as_ref().map(FileKey::of)
    }

    /// Whether the last look left the file alone, so that it is worth looking again soon.
    pub(crate) fn is_held_back(&self) -> bool {
        self.held_back
    }

    /// Reads the file to show it.
    pub(crate) fn look(&mut self, paths: &Paths) -> Result<News, StoreError> {
        match self.load_for(Purpose::Look, paths) {
            Ok(news) => Ok(news),
            Err(Failure::HalfWritten) => Ok(News::Same),
            Err(failure) => Err(failure.into()),
        }
    }

    /// Reads the file, whatever its metadata say, and compares it with what is in memory.
    pub(crate) fn load(&mut self, paths: &Paths) -> Result<News, Failure> {
        self.load_for(Purpose::Decide, paths)
    }

    fn load_for(&mut self, purpose: Purpose, paths: &Paths) -> Result<News, Failure> {
        let (mut tries, mut looks, mut halves) = (1, 0, 0);
        self.held_back = false;
        loop {
            match self.load_once(paths, halves < HALVES, looks < LOOKS) {
                Ok(news) => return Ok(news),
                // Nothing whole is known that could be shown meanwhile.
                Err(Unread::Half) if purpose == Purpose::Look && self.cache.is_none() => {
                    halves += 1;
                    std::thread::sleep(HALF_FOR / HALVES);
                    continue;
                }
                Err(Unread::Half) => {
                    self.held_back = true;
                    return Err(Failure::HalfWritten);
                }
                Err(Unread::Gone) if looks < LOOKS => {
                    looks += 1;
                    std::thread::sleep(GONE_FOR / LOOKS);
                    continue;
                }
                Err(Unread::Gone) => {
                    return Err(Failure::Store(StoreError::Vanished {
                        what: BOARD_FILE.to_owned(),
                        advice: VANISHED_ADVICE.to_owned(),
                    }));
                }
                // An editor that writes in place shows half a file for a moment.
                Err(Unread::Broken(_, key)) if tries < TRIES && !key.is_settled() => {}
                Err(Unread::Io(error)) if tries < TRIES && is_transient(&error) => {}
                Err(Unread::Broken(Fault { at, reason }, _)) => {
                    return Err(Failure::Store(StoreError::Broken {
                        what: BOARD_FILE.to_owned(),
                        at: Some(at),
                        reason,
                        advice: BROKEN_ADVICE.to_owned(),
                    }));
                }
                Err(Unread::Io(error)) => {
                    return Err(Failure::Store(StoreError::Unreadable {
                        reason: denied::explain(paths, &error),
                    }));
                }
            }
            tries += 1;
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Reads the file once; a half only if it may be one, and no file at all only if that may be.
    fn load_once(
        &mut self,
        paths: &Paths,
        must_be_whole: bool,
        must_be_there: bool,
    ) -> Result<News, Unread> {
        let file = match atomic_file::open(&paths.board) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return self.load_nothing(paths, must_be_there);
            }
            opened => opened?,
        };
        let key = FileKey::of(&file.metadata()?);
        self.seen = true;
        if let Some(cache) = &mut self.cache
            && cache.key.is_some()
            && atomic_file::holds(&file, cache.loaded.bytes())?
        {
            (cache.key, cache.settled) = (Some(key), key.is_settled());
            return Ok(News::Same);
        }
        let file = atomic_file::open(&paths.board)?;
        let key = FileKey::of(&file.metadata()?);
        let bytes = atomic_file::read(&file)?;
        if must_be_whole {
            let known = self.cache.as_ref().filter(|cache| cache.key.is_some());
            let known = known.map(|cache| cache.loaded.bytes());
            if is_half_written(paths, &key, &bytes, known) {
                return Err(Unread::Half);
            }
        }
        let text = String::from_utf8(bytes)
            .map_err(|error| Unread::Broken(not_utf8(error.as_bytes(), error.utf8_error()), key))?;
        let loaded = self.read(text, key.modified());
        let loaded = loaded.map_err(|fault| Unread::Broken(fault, key))?;
        if loaded.board.is_empty() && says_nothing(&loaded.text) && self.had_board(paths) {
            return Err(Unread::Gone);
        }
        self.had_tasks = !loaded.board.is_empty();
        if let Some(cache) = &self.cache {
            let texts = cache.loaded.own_texts();
            let gone = texts.filter(|(id, _)| loaded.board.get(*id).is_none());
            let gone = gone.map(|(id, text)| (id, text.to_owned()));
            self.vanished.extend(gone);
        }
        let changed = |cache: &Cache| cache.loaded.board != loaded.board;
        let changed = self.cache.as_ref().is_some_and(changed);
        self.cache = Some(Cache {
            loaded,
            key: Some(key),
            settled: false,
        });
        Ok(if changed { News::Changed } else { News::Same })
    }

    fn read(&self, text: String, written: Timestamp) -> Result<Loaded, Fault> {
        match &self.cache {
            Some(cache) => cache.loaded.read_again(text, written),
            None => Loaded::read(text, written),
        }
    }

    /// Whether there was a board with tasks on it, as far as this process or the history can tell.
    fn had_board(&self, paths: &Paths) -> bool {
        self.had_tasks || record::has_tasks(paths)
    }

    /// There is no file: that is an empty board only if there never was one.
    fn load_nothing(&mut self, paths: &Paths, must_be_there: bool) -> Result<News, Unread> {
        // Without its history (`git clean` removes that) a board may still be about to come back: git removes a file
        // before it puts another one in its place.
        let is_used = paths.gitignore.symlink_metadata().is_ok();
        if self.seen || record::exists(paths) || (must_be_there && is_used) {
            return Err(Unread::Gone);
        }
        self.cache.get_or_insert_with(|| Cache {
            loaded: Loaded::empty(),
            key: None,
            settled: false,
        });
        Ok(News::Same)
    }
}

fn not_utf8(bytes: &[u8], error: std::str::Utf8Error) -> Fault {
    let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
    let line_start = before
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    let in_line = String::from_utf8_lossy(before.get(line_start..).unwrap_or_default());
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let at = Position {
        line,
        column: in_line.chars().count() + 1,
    };
    Fault::new(at, "this is not text in UTF-8")
}
