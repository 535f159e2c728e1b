//! Who may be connected, and how many at a time. Where there is a token, whoever has not shown it yet is a stranger: all
//! strangers share a few places, and one who comes when those are taken gets the place of another stranger, since it may
//! be about to show the token. Those who have shown it are never turned away for the sake of strangers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::count::{Count, Counted};
use super::timeout_stream::{Phase, SharedPhase};

/// The most strangers at one time, where there is room for so many.
const MAX_STRANGERS: usize = 64;

/// All connections.
#[derive(Debug)]
pub(super) struct Connections {
    /// How many of those who may come in.
    max_known: usize,
    /// How many strangers; none where there is no token, since everybody is the same then.
    max_strangers: usize,
    places: Mutex<Places>,
    open: Count,
}

#[derive(Debug, Default)]
struct Places {
    known: usize,
    /// In the order in which they came.
    strangers: BTreeMap<u64, Stranger>,
    next: u64,
}

#[derive(Debug)]
struct Stranger {
    phase: SharedPhase,
    must_leave: Arc<Notify>,
}

/// The place of one connection, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    connections: Arc<Connections>,
    number: u64,
    is_known: AtomicBool,
    must_leave: Arc<Notify>,
    _open: Counted,
}

/// There is no place left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full;

impl Connections {
    /// So many places, some of them for strangers if there is a token to show.
    pub(super) fn new(most: usize, has_token: bool) -> Arc<Self> {
        let max_strangers = if has_token {
            MAX_STRANGERS.min(most / 4).max(1)
        } else {
            0
        };
        Arc::new(Self {
            max_known: most - max_strangers,
            max_strangers,
            places: Mutex::default(),
            open: Count::default(),
        })
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a new connection its place.
    pub(super) fn admit(self: &Arc<Self>, phase: &SharedPhase) -> Result<Place, Full> {
        let must_leave = Arc::new(Notify::new());
        let mut places = self.places();
        let number = places.next;
        places.next += 1;
        let is_known = self.max_strangers == 0;
        if is_known {
            places.take_known(self.max_known)?;
        } else {
            if places.strangers.len() >= self.max_strangers {
                places.send_a_stranger_away();
            }
            let stranger = Stranger {
                phase: phase.clone(),
                must_leave: Arc::clone(&must_leave),
            };
            places.strangers.insert(number, stranger);
        }
        drop(places);
        Ok(Place {
            connections: Arc::clone(self),
            number,
            is_known: AtomicBool::new(is_known),
            must_leave,
            _open: self.open.add(),
        })
    }

    /// Waits until nobody is connected any more.
    pub(super) async fn all_closed(&self) {
        self.open.none().await;
    }
}

impl Places {
    fn take_known(&mut self, most: usize) -> Result<(), Full> {
        if self.known >= most {
            return Err(Full);
        }
        self.known += 1;
        Ok(())
    }

    /// Takes the place of the stranger that was idle first, or else of the one that came first.
    fn send_a_stranger_away(&mut self) {
        let mut strangers = self.strangers.iter();
        let idle = strangers.find(|(_, stranger)| stranger.phase.get() == Phase::Idle);
        let chosen = idle.or_else(|| self.strangers.iter().next());
        let number = chosen.map(|(number, _)| *number);
        if let Some(stranger) = number.and_then(|number| self.strangers.remove(&number)) {
            stranger.must_leave.notify_one();
        }
    }
}

impl Place {
    /// Notes that the token was shown on this connection.
    pub(super) fn recognise(&self) -> Result<(), Full> {
        if self.is_known() {
            return Ok(());
        }
        let mut places = self.connections.places();
        places.take_known(self.connections.max_known)?;
        places.strangers.remove(&self.number);
        self.is_known.store(true, Ordering::SeqCst);
        Ok(())
    }

    /// Whether it is not, or no longer, a stranger's.
    pub(super) fn is_known(&self) -> bool {
        self.is_known.load(Ordering::SeqCst)
    }

    /// Waits until somebody else needs the place of this stranger. Never, once the token was shown.
    pub(super) async fn is_needed(&self) {
        loop {
            self.must_leave.notified().await;
            // It may have been recognised after it was chosen.
            if !self.is_known() {
                return;
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut places = self.connections.places();
        if self.is_known() {
            places.known -= 1;
        } else {
            places.strangers.remove(&self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn come(connections: &Arc<Connections>, phase: Phase) -> Result<Place, Full> {
        let shared = SharedPhase::default();
        shared.set(phase);
        connections.admit(&shared)
    }

    fn is_needed(place: &Place) -> bool {
        place.is_needed().now_or_never().is_some()
    }

    #[test]
    fn without_a_token_everybody_is_the_same() {
        let connections = Connections::new(4, false);
        let places: Vec<_> = (0..4).map(|_| come(&connections, Phase::Idle)).collect();
        assert!(places.iter().flatten().all(Place::is_known));
        assert_eq!(come(&connections, Phase::Idle).err(), Some(Full));
        drop(places);
        assert!(come(&connections, Phase::Idle).is_ok());
    }

    #[test]
    fn strangers_make_room_for_each_other_the_idle_first() {
        let connections = Connections::new(8, true);
        let first = come(&connections, Phase::ReadingHead).unwrap();
        let idle = come(&connections, Phase::Idle).unwrap();
        let third = come(&connections, Phase::ReadingHead).unwrap();
        assert_eq!([&first, &idle, &third].map(is_needed), [false, true, false]);
        drop(idle);
        let fourth = come(&connections, Phase::ReadingHead).unwrap();
        assert_eq!(
            [&first, &third, &fourth].map(is_needed),
            [true, false, false]
        );
    }

    #[test]
    fn who_has_shown_the_token_stays_whoever_comes() {
        let connections = Connections::new(8, true);
        let known: Vec<Place> = (0..6)
            .map(|_| come(&connections, Phase::Idle).unwrap())
            .inspect(|place| place.recognise().unwrap())
            .collect();
        let strangers: Vec<_> = (0..50).map(|_| come(&connections, Phase::Idle)).collect();
        assert!(!known.iter().any(is_needed));
        let strangers: Vec<Place> = strangers.into_iter().map(Result::unwrap).collect();
        assert_eq!(
            strangers.iter().filter(|place| !is_needed(place)).count(),
            2
        );
        assert_eq!(strangers.last().unwrap().recognise(), Err(Full));
        drop(known);
        assert_eq!(strangers.last().unwrap().recognise(), Ok(()));
    }
}
