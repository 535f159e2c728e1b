//! The full screen: takes over the terminal, gives it back whatever happens, and runs the state in between. The only
//! place besides `cli::output` that writes to a terminal.

use std::io::{self, Stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ratatui_core::terminal::Terminal;
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::cursor::Show as ShowCursor;
use ratatui_crossterm::crossterm::event::{
    self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEvent, KeyEventKind,
    KeyModifiers,
};
use ratatui_crossterm::crossterm::execute;
use ratatui_crossterm::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use rustix::process::{Signal, getpgid, getpid, getsid, kill_current_process_group, kill_process};
use todori_domain::{HistoryQuery, Store, Tracker, Want};
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal as Signals, SignalKind, signal};
use tokio::sync::{Notify, mpsc};

use super::keys::{Action, Key};
use super::marking::mark;
use super::state::{Message, State, Tone};
use super::{output_closed, view};
use crate::clock;
use crate::config::Settings;
use crate::overview::Overview;

/// How many changes are remembered on the screen.
const HISTORY: usize = 200;
/// How often ages are looked at again.
const TICK: Duration = Duration::from_secs(20);

const WANT: Want = Want {
    history: HistoryQuery::newest(HISTORY),
    presence: true,
};

/// Runs the screen until somebody wants it to end or the terminal is gone.
pub(crate) fn run(
    state: State,
    tracker: &Tracker,
    settings: &Settings,
    runtime: &Runtime,
) -> io::Result<()> {
    runtime.block_on(async {
        let mut signals = TerminalSignals::new()?;
        let mut screen = Screen::take()?;
        let ended = watch(state, tracker, settings, &mut signals, &mut screen).await;
        drop(screen);
        ended
    })
}

async fn watch(
    mut state: State,
    tracker: &Tracker,
    settings: &Settings,
    signals: &mut TerminalSignals,
    screen: &mut Screen,
) -> io::Result<()> {
    let mut views = views(Arc::clone(tracker.store()));
    let mut keys = keys();
    let mut tick = tokio::time::interval(TICK);
    let gone = output_closed::wait();
    tokio::pin!(gone);
    loop {
        tokio::select! {
            Some(overview) = views.recv() => state.see(overview),
            Some(input) = keys.recv() => match input {
                Input::Resized => {}
                Input::Key(key) => match state.key(&key) {
                    Action::Nothing => {}
                    Action::Quit => return Ok(()),
                    Action::Suspend => match suspend_all() {
                        Ok(()) => {}
                        Err(message) => state.say(message),
                    },
                    Action::Redraw => screen.forget()?,
                    Action::Mark(id, status) => {
                        let message = mark(tracker, settings, id, status).await;
                        state.say(message);
                    }
                },
            },
            _ = tick.tick() => {}
            caught = signals.next() => match caught {
                SignalAction::Quit => return Ok(()),
                SignalAction::Suspend => screen.stop()?,
                SignalAction::Resume => screen.forget()?,
            },
            () = screen.panicked.notified() => return Ok(()),
            () = &mut gone => return Ok(()),
        }
        state.tick(clock::now(settings.person.clone()).at);
        screen.draw(&mut state)?;
    }
}

/// Everything that can be seen, whenever it changes.
fn views(store: Arc<dyn Store>) -> mpsc::Receiver<Overview> {
    let (sender, views) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut seen = Overview::look(&*store, &WANT).await;
        while sender.send(seen.clone()).await.is_ok() {
            seen = seen.next(&*store, &WANT).await;
        }
    });
    views
}

enum Input {
    Key(Key),
    Resized,
}

/// What is typed. Its thread ends with the process.
fn keys() -> mpsc::UnboundedReceiver<Input> {
    let (sender, keys) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        while let Ok(event) = event::read() {
            let input = match event {
                Event::Key(event) => key(event).map(Input::Key),
                Event::Paste(text) => Some(Input::Key(Key::Paste(text))),
                Event::Resize(..) => Some(Input::Resized),
                Event::FocusGained | Event::FocusLost | Event::Mouse(_) => None,
            };
            if input.is_some_and(|input| sender.send(input).is_err()) {
                return;
            }
        }
    });
    keys
}

fn key(event: KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let control = event.modifiers.contains(KeyModifiers::CONTROL);
    let other = event
        .modifiers
        .intersects(KeyModifiers::ALT | KeyModifiers::SUPER);
    let key = [
        (KeyCode::Up, Key::Up),
        (KeyCode::Down, Key::Down),
        (KeyCode::PageUp, Key::PageUp),
        (KeyCode::PageDown, Key::PageDown),
        (KeyCode::Home, Key::Home),
        (KeyCode::End, Key::End),
        (KeyCode::Enter, Key::Enter),
        (KeyCode::Esc, Key::Escape),
        (KeyCode::Tab, Key::Tab),
        (KeyCode::BackTab, Key::Tab),
        (KeyCode::Backspace, Key::Backspace),
    ];
    if let Some((_, key)) = key.into_iter().find(|(code, _)| *code == event.code) {
        return Some(key);
    }
    match (event.code.as_char()?, control, other) {
        (c, false, false) => Some(Key::Char(c)),
        ('c', true, _) => Some(Key::Interrupt),
        ('z', true, _) => Some(Key::Suspend),
        ('l', true, _) => Some(Key::Redraw),
        ('u', true, _) => Some(Key::Erase),
        _ => None,
    }
}

/// What a signal asks for.
enum SignalAction {
    Quit,
    Suspend,
    Resume,
}

/// The signals that must not leave the terminal as it is.
struct TerminalSignals {
    interrupt: Signals,
    terminate: Signals,
    hang_up: Signals,
    quit: Signals,
    stop: Signals,
    go_on: Signals,
}

impl TerminalSignals {
    fn new() -> io::Result<Self> {
        let caught = |number: i32| signal(SignalKind::from_raw(number));
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            quit: signal(SignalKind::quit())?,
            stop: caught(Signal::TSTP.as_raw())?,
            go_on: caught(Signal::CONT.as_raw())?,
        })
    }

    async fn next(&mut self) -> SignalAction {
        tokio::select! {
            _ = self.interrupt.recv() => SignalAction::Quit,
            _ = self.terminate.recv() => SignalAction::Quit,
            _ = self.hang_up.recv() => SignalAction::Quit,
            _ = self.quit.recv() => SignalAction::Quit,
            _ = self.stop.recv() => SignalAction::Suspend,
            _ = self.go_on.recv() => SignalAction::Resume,
        }
    }
}

/// Asks all of this job to stop, as Ctrl-Z does where keys are not taken one by one.
fn suspend_all() -> Result<(), Message> {
    let leads_nowhere = getpgid(None).ok() == getsid(None).ok();
    if leads_nowhere || kill_current_process_group(Signal::TSTP).is_err() {
        return Err(Message {
            text: "there is no shell to go back to here; q quits".to_owned(),
            tone: Tone::Refused,
        });
    }
    Ok(())
}

/// The terminal, taken over. Given back when it goes out of scope, and when anything panics.
struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    panicked: Arc<Notify>,
}

impl Screen {
    fn take() -> io::Result<Self> {
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
        let panicked = Arc::new(Notify::new());
        let (heard, before) = (Arc::clone(&panicked), std::panic::take_hook());
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
            heard.notify_one();
        }));
        enter()?;
        Ok(Self { terminal, panicked })
    }

    fn draw(&mut self, state: &mut State) -> io::Result<()> {
        let size = self.terminal.size()?;
        state.resize(size.width, size.height);
        self.terminal
            .draw(|frame| view::draw(state, frame.buffer_mut()))?;
        Ok(())
    }

    /// Draws everything anew next time.
    fn forget(&mut self) -> io::Result<()> {
        // Whoever had the terminal meanwhile may have changed how it takes keys.
        disable_raw_mode()?;
        self.enter()
    }

    /// Gives the terminal back, stops this process, and takes the terminal again once it goes on.
    fn stop(&mut self) -> io::Result<()> {
        give_back();
        kill_process(getpid(), Signal::STOP)?;
        self.enter()
    }

    /// Takes the terminal, and draws everything anew next time.
    fn enter(&mut self) -> io::Result<()> {
        enter()?;
        // Not `clear`: that asks the terminal where the cursor is, and the answer would come as keys.
        let size = self.terminal.size()?;
        self.terminal.resize(size.into())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Whether the terminal is taken: what is given back twice is not as it was.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

fn enter() -> io::Result<()> {
    // First: a process in the background is stopped here, before it has written anything.
    enable_raw_mode()?;
    IS_TAKEN.store(true, Ordering::SeqCst);
    let entered = execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste);
    if entered.is_err() {
        give_back();
    }
    entered
}

/// The terminal as it was. What can't be given back is gone.
fn give_back() {
    if !IS_TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let screen = execute!(
        io::stdout(),
        DisableBracketedPaste,
        LeaveAlternateScreen,
        ShowCursor
    );
    drop((screen, disable_raw_mode()));
}
