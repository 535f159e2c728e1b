//! The rows of one list, where the cursor is and from where on they are seen. Knows tasks only by where they are.

use todori_domain::{BoardKey, TaskId};

/// One task on one list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) board: BoardKey,
    pub(crate) id: TaskId,
}

/// One line of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Row {
    /// Whose list follows, by its number among the sessions.
    Heading(usize),
    /// A task, and its number on its list, from 1.
    Task { place: Place, number: usize },
}

/// Which way to go, and how far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Up(usize),
    Down(usize),
    First,
    Last,
}

/// The rows of one list.
#[derive(Debug, Clone, Default)]
pub(super) struct Listing {
    rows: Vec<Row>,
    cursor: usize,
    top: usize,
}

impl Listing {
    /// Shows other rows. The cursor stays on its task, and that at its height; if it is gone, at its place.
    pub(super) fn show(&mut self, rows: Vec<Row>) {
        let found = self.selected().and_then(|selected| {
            let is_selected =
                |row: &Row| matches!(row, Row::Task { place, .. } if place == selected);
            rows.iter().position(is_selected)
        });
        self.rows = rows;
        let to = found.unwrap_or(self.cursor);
        self.top = (self.top + to).saturating_sub(self.cursor);
        self.cursor = to;
        self.settle();
    }

    /// Puts the cursor on the first task that is meant; nowhere else if there is none.
    pub(super) fn find(&mut self, is_meant: impl Fn(&Place) -> bool) -> bool {
        let mut rows = self.rows.iter();
        let found = rows.position(|row| matches!(row, Row::Task { place, .. } if is_meant(place)));
        self.cursor = found.unwrap_or(self.cursor);
        found.is_some()
    }

    pub(super) fn step(&mut self, step: Step) {
        let last = self.rows.len().saturating_sub(1);
        let (to, forward) = match step {
            Step::Up(rows) => (self.cursor.saturating_sub(rows), false),
            Step::Down(rows) => ((self.cursor + rows).min(last), true),
            Step::First => (0, true),
            Step::Last => (last, false),
        };
        let is_task = |row: &usize| matches!(self.rows.get(*row), Some(Row::Task { .. }));
        // A heading is stepped over, unless nothing comes after it.
        let found = if forward {
            (to..=last).find(is_task)
        } else {
            (0..=to).rev().find(is_task)
        };
        self.cursor = found.unwrap_or(self.cursor);
    }

    /// Makes sure that the cursor is on a task, if there is one.
    fn settle(&mut self) {
        let last = self.rows.len().saturating_sub(1);
        self.cursor = self.cursor.min(last);
        if self.selected().is_none() {
            self.step(Step::Down(0));
        }
        if self.selected().is_none() {
            self.step(Step::Up(0));
        }
    }

    /// Moves what is seen of the list, so that the cursor is seen and no line is wasted.
    pub(super) fn scroll(&mut self, height: usize) {
        let height = height.max(1);
        // The heading above the first task is seen with it.
        let first = match self
            .cursor
            .checked_sub(1)
            .and_then(|row| self.rows.get(row))
        {
            Some(Row::Heading(_)) if height > 1 => self.cursor - 1,
            Some(Row::Heading(_) | Row::Task { .. }) | None => self.cursor,
        };
        self.top = self.top.min(first);
        self.top = self.top.max((self.cursor + 1).saturating_sub(height));
        self.top = self.top.min(self.rows.len().saturating_sub(height));
    }

    pub(super) fn selected(&self) -> Option<&Place> {
        match self.rows.get(self.cursor)? {
            Row::Task { place, .. } => Some(place),
            Row::Heading(_) => None,
        }
    }

    /// The rows that are seen in so many lines, and whether the cursor is on them.
    pub(super) fn seen(&self, height: usize) -> impl Iterator<Item = (&Row, bool)> {
        let rows = self.rows.iter().enumerate().skip(self.top).take(height);
        rows.map(|(number, row)| (row, number == self.cursor))
    }

    /// Which of the tasks the cursor is on, from 1, and how many there are.
    pub(super) fn count(&self) -> (usize, usize) {
        let is_task = |row: &&Row| matches!(row, Row::Task { .. });
        let before = self.rows.iter().take(self.cursor + 1).filter(is_task);
        (before.count(), self.rows.iter().filter(is_task).count())
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(number: usize) -> Row {
        let byte = u8::try_from(number).unwrap();
        Row::Task {
            place: Place {
                board: BoardKey::Project,
                id: TaskId::from_bytes([byte; 16]),
            },
            number,
        }
    }

    fn listing(rows: Vec<Row>) -> Listing {
        let mut listing = Listing::default();
        listing.show(rows);
        listing
    }

    /// The cursor and the first row seen, after some steps in five lines.
    fn check(listing: &mut Listing, steps: &[Step], expected: (usize, usize)) {
        for &step in steps {
            listing.step(step);
            listing.scroll(5);
        }
        assert_eq!((listing.cursor, listing.top), expected);
    }

    #[test]
    fn what_is_seen_follows_the_cursor() {
        let mut list = listing((0..20).map(task).collect());
        check(&mut list, &[Step::Down(1), Step::Down(1)], (2, 0));
        check(&mut list, &[Step::Down(4)], (6, 2));
        check(&mut list, &[Step::Last], (19, 15));
        check(&mut list, &[Step::Up(2)], (17, 15));
        check(&mut list, &[Step::First, Step::Up(9)], (0, 0));
        check(&mut list, &[Step::Down(999)], (19, 15));
    }

    #[test]
    fn headings_are_stepped_over() {
        let rows = vec![Row::Heading(0), task(1), task(2), Row::Heading(1), task(3)];
        let mut list = listing(rows);
        assert_eq!(list.cursor, 1);
        check(&mut list, &[Step::Down(1), Step::Down(1)], (4, 0));
        check(&mut list, &[Step::Up(1)], (2, 0));
        check(&mut list, &[Step::First], (1, 0));
        assert_eq!(list.count(), (1, 3));
    }

    #[test]
    fn the_cursor_stays_on_its_task_and_that_at_its_height() {
        let mut list = listing((10..30).map(task).collect());
        check(&mut list, &[Step::Down(9)], (9, 5));
        list.show((0..30).map(task).collect());
        list.scroll(5);
        assert_eq!((list.cursor, list.top), (19, 15));
        // Its task is gone: the cursor stays where it is.
        list.show((0..15).map(task).collect());
        list.scroll(5);
        assert_eq!((list.cursor, list.top), (14, 10));
        list.show(Vec::new());
        list.scroll(5);
        assert_eq!((list.cursor, list.top, list.selected()), (0, 0, None));
    }
}
