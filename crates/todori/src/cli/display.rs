//! Text that changes: drawn again in its own place on a terminal, printed as one block after another elsewhere. Never
//! takes the whole screen and hides nothing, so that there is nothing to restore.

use super::output::Output;

/// Where the last block stands.
#[derive(Debug, Default)]
pub(super) struct Display {
    /// How many lines it takes, if nothing was printed below it.
    height: usize,
    /// How wide the terminal was then.
    columns: usize,
    /// Whether anything was shown.
    begun: bool,
}

impl Display {
    /// Shows a block in the place of the last one. The lines must fit the terminal.
    pub(super) fn show(&mut self, lines: &[String], output: &mut Output) {
        output.measure();
        let mut text = String::new();
        match output.size() {
            // Where the terminal has changed its width, nobody knows where the lines are now; and what has scrolled
            // out of sight can't be reached.
            Some((columns, rows))
                if columns == self.columns && self.height > 0 && self.height < rows =>
            {
                text += &format!("\u{1b}[{}A\r\u{1b}[J", self.height);
            }
            Some(_) | None if self.begun => text.push('\n'),
            Some(_) | None => {}
        }
        for line in lines {
            text += line;
            text.push('\n');
        }
        self.begun = true;
        self.height = lines.len();
        self.columns = output.size().map_or(0, |(columns, _)| columns);
        output.print(&text);
    }

    /// Says that something else was printed: the next block begins below it.
    pub(super) fn leave(&mut self) {
        self.height = 0;
    }
}
