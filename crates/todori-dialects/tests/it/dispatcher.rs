//! A board and somebody who asks: what stands between a dialect and the domain, without any store.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;
use todori_dialects::{Block, Context, Dialect, Fault, Reply, find};
use todori_domain::testing::{CountedIds, moment};
use todori_domain::{
    Answer, Board, Event, EventNumber, HistoryPage, NobodyElse, Request, Revision, TaskChange,
    Verdict, decide,
};

pub(crate) struct Dispatcher {
    pub(crate) dialect: &'static Dialect,
    pub(crate) board: Arc<Board>,
    pub(crate) history: Vec<Event>,
    ids: CountedIds,
    seconds: i64,
}

impl Dispatcher {
    pub(crate) fn new(dialect: &str, board: Board) -> Self {
        Self {
            dialect: find(dialect).expect("a dialect"),
            board: Arc::new(board),
            history: Vec::new(),
            ids: CountedIds::default(),
            seconds: 0,
        }
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Result<Reply, Fault> {
        let tool = self.dialect.tool(tool).expect("a tool");
        let arguments = arguments.as_object().expect("an object").clone();
        let call = self
            .dialect
            .decode(tool, arguments, &Context { ids: &self.ids })?;
        let answer = self.answer(call.request());
        call.finish(Ok(answer))
    }

    pub(crate) fn prompt(&mut self, name: &str, arguments: Value) -> String {
        let prompt = self
            .dialect
            .prompts
            .iter()
            .find(|prompt| prompt.name == name)
            .expect("a prompt");
        let arguments = arguments.as_object().expect("an object").clone();
        let answer = self.answer(prompt.request(&arguments).expect("complete"));
        prompt.render(&arguments, &answer).expect("rendered")
    }

    fn answer(&mut self, request: Request) -> Answer {
        self.seconds += 1;
        let moment = moment(self.seconds);
        let verdict = match request {
            Request::Read(_) => Verdict::Read,
            Request::Write(commands) => {
                match decide(&self.board, &commands, &moment, &NobodyElse) {
                    Err(refusal) => Verdict::Refused(refusal),
                    Ok(decision) => {
                        self.board = decision.board;
                        self.remember(&decision.change.tasks);
                        Verdict::Changed(decision.change)
                    }
                }
            }
            Request::Undo(_) | Request::RehearseUndo(_) => {
                unreachable!("no tool takes changes back")
            }
        };
        Answer {
            moment,
            verdict,
            board: Arc::clone(&self.board),
            revision: Revision::default(),
            history: HistoryPage {
                events: self.history.clone(),
                more: false,
            },
            live: BTreeSet::new(),
        }
    }

    fn remember(&mut self, changes: &[TaskChange]) {
        let moment = moment(self.seconds);
        for change in changes {
            let by = moment.actor.session.clone();
            self.history.insert(
                0,
                Event {
                    at: moment.at,
                    by,
                    client: None,
                    change: change.clone(),
                    number: EventNumber {
                        request: self.seconds.unsigned_abs(),
                        place: 0,
                    },
                    undoes: Arc::default(),
                    is_switch: false,
                },
            );
        }
    }
}

/// All bytes of text in a reply.
pub(crate) fn bytes(reply: &Reply) -> usize {
    reply.blocks.iter().map(|block| text(block).len()).sum()
}

pub(crate) fn text(block: &Block) -> &str {
    match block {
        Block::Text(text) | Block::Reminder(text) => text,
    }
}
