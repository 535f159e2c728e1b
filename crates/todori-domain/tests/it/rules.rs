//! Each rule and each refusal, through one `check`.

use std::collections::BTreeSet;
use std::sync::Arc;

use todori_domain::testing::{letter, moment, name_of, second, task};
use todori_domain::{
    Actor, Board, Command, Description, Moment, NewTask, NextFilter, NobodyElse, Priority, Rank,
    Refusal, SessionName, Stats, Status, SubtaskEdit, SubtaskRef, Task, TaskEdit, TaskRef, Title,
    decide, recommend,
};

/// Reads `a>b,c b+ c=`: a waits for b and c; `+` marks done, `*` in progress, `-` cancelled, `!` high priority.
fn board(text: &str) -> Arc<Board> {
    let tasks = text.split_whitespace().map(|word| {
        let (name, targets) = word.split_once('>').unwrap_or((word, ""));
        let mut made = task(&name[..1]);
        for mark in name[1..].chars() {
            match mark {
                '+' => made.status = Status::Done,
                '*' => made.status = Status::InProgress,
                '-' => made.status = Status::Cancelled,
                '#' => made.status = Status::Blocked,
                '!' => made.priority = Priority::High,
                other => panic!("unknown mark {other}"),
            }
        }
        made.waits_for = targets
            .split(',')
            .filter(|t| !t.is_empty())
            .map(letter)
            .collect();
        Arc::new(made)
    });
    Arc::new(Board::from_tasks(tasks))
}

fn show(board: &Board) -> String {
    let word = |task: &Arc<Task>| {
        let mark = match task.status {
            Status::Pending => "",
            Status::InProgress => "*",
            Status::Blocked => "#",
            Status::Done => "+",
            Status::Deferred => "=",
            Status::Cancelled => "-",
        };
        let targets: Vec<String> = task.waits_for.iter().map(|&id| name_of(id)).collect();
        let waits = if targets.is_empty() {
            String::new()
        } else {
            format!(">{}", targets.join(","))
        };
        format!("{}{mark}{waits}", name_of(task.id))
    };
    board.in_order().map(word).collect::<Vec<_>>().join(" ")
}

fn words(refusal: &Refusal) -> String {
    let names = |ids: &[todori_domain::TaskId]| {
        ids.iter()
            .map(|&id| name_of(id))
            .collect::<Vec<_>>()
            .join(" ")
    };
    match refusal {
        Refusal::TaskNotFound { given } => format!("no task {given}"),
        Refusal::AmbiguousId {
            given,
            candidates,
            total,
        } => {
            format!("{given} means {total}: {}", names(candidates))
        }
        Refusal::SubtaskNotFound { subtask, known } => {
            format!("no step {} in {known:?}", subtask.number)
        }
        Refusal::DependencyNotFound { given } => format!("no dependency {given}"),
        Refusal::Cycle { path } => format!("circle {}", names(path)),
        Refusal::NoSuchPlace { place, count } => format!("place {place} of {count}"),
        Refusal::TitleNotFound { given } => format!("no title {given}"),
        Refusal::AmbiguousTitle {
            given,
            candidates,
            total,
        } => {
            format!("{given} could be {total}: {}", names(candidates))
        }
        Refusal::IncompleteOrder { missing, repeated } => {
            format!("order lacks {} repeats {}", names(missing), names(repeated))
        }
        Refusal::SeveralInProgress { count } => format!("{count} in progress"),
        Refusal::ChangedSince { tasks } => format!("changed since {}", names(tasks)),
    }
}

/// Reads `c>a,b` (wait for), `a+` (set done), `a*` (start), `~a` (delete), `?x` (add).
fn command(text: &str) -> Command {
    if let Some(name) = text.strip_prefix('~') {
        return Command::Delete {
            task: letter(name).into(),
        };
    }
    if let Some(name) = text.strip_prefix('?') {
        return Command::Add(NewTask::titled(letter(name), Title::parse(name).unwrap()));
    }
    let mut edit = TaskEdit::default();
    if let Some((_, targets)) = text.split_once('>') {
        let targets = targets.split(',').filter(|t| !t.is_empty());
        edit.waits_for = Some(targets.map(|name| letter(name).into()).collect());
    } else {
        edit.status = Some(match &text[1..] {
            "+" => Status::Done,
            "*" => Status::InProgress,
            "-" => Status::Cancelled,
            "" => Status::Pending,
            other => panic!("unknown mark {other}"),
        });
    }
    Command::Edit {
        task: letter(&text[..1]).into(),
        edit,
    }
}

fn check(before: &str, commands: &str, expected: &str) {
    let before = board(before);
    let commands: Vec<Command> = commands.split_whitespace().map(command).collect();
    let told = match decide(&before, &commands, &moment(9), &NobodyElse) {
        Ok(decision) => show(&decision.board),
        Err(refusal) => format!("refused: {}", words(&refusal)),
    };
    assert_eq!(told, expected);
}

#[test]
fn what_is_added_goes_last() {
    check("", "?a ?b", "a b");
    check("a b", "?0", "a b 0");
}

#[test]
fn a_task_may_not_wait_for_itself_through_others() {
    check("a>b b>c c", "c>a", "refused: circle c a b");
    check("a", "a>a", "refused: circle a");
    check("a>b b c", "c>a", "a>b b c>a");
}

#[test]
fn a_task_waits_only_for_tasks_that_exist() {
    check(
        "a",
        "a>z",
        &format!("refused: no dependency {}", letter("z")),
    );
}

#[test]
fn what_was_waited_for_and_is_gone_may_stay() {
    check("a>z", "a>z", "a>z");
    check("a>z b", "a>z,b", "a>z,b b");
}

#[test]
fn the_same_dependency_twice_counts_once() {
    check("a b", "a>b,b", "a>b b");
}

#[test]
fn deleting_a_task_frees_those_that_wait_for_it() {
    check("a b>a c>a,b", "~a", "b c>b");
    check("a", "~a ~a", &format!("refused: no task {}", letter("a")));
}

#[test]
fn a_refused_request_does_nothing_of_it() {
    let before = board("a");
    let refused = decide(
        &before,
        &[command("?b"), command("~x")],
        &moment(1),
        &NobodyElse,
    );
    assert!(refused.is_err());
    assert_eq!(show(&before), "a");
}

#[test]
fn a_prefix_names_a_task_if_it_is_the_only_one() {
    let two = |first, second| {
        let mut other = task(first);
        other.id = todori_domain::TaskId::parse(second).unwrap();
        Board::from_tasks([Arc::new(task(first)), Arc::new(other)])
    };
    let board = two("a", "61616161-1111-4111-8111-111111111111");
    let found = |given: &str| {
        board
            .resolve(&TaskRef::new(given))
            .map(|task| task.id)
            .map_err(|refusal| words(&refusal))
    };
    assert_eq!(found("61616161-0"), Ok(letter("a")));
    assert_eq!(found("6161"), Err("6161 means 2: a a".to_owned()));
    assert_eq!(found("616"), Err("no task 616".to_owned()));
    assert_eq!(found("7777"), Err("no task 7777".to_owned()));
    assert_eq!(board.short_id(letter("a"), 6), "61616161-0");
}

#[test]
fn starting_a_task_gives_it_to_the_session_and_leaving_frees_it() {
    let start = decide(&board("a"), &[command("a*")], &moment(1), &NobodyElse).unwrap();
    let task = start.board.get(letter("a")).unwrap();
    assert_eq!(task.assignee, Some(SessionName::new("tester")));
    let done = decide(&start.board, &[command("a+")], &moment(2), &NobodyElse).unwrap();
    let task = done.board.get(letter("a")).unwrap();
    assert_eq!(
        (task.assignee.clone(), task.completed),
        (None, Some(moment(2).at))
    );
    let reopened = decide(&done.board, &[command("a")], &moment(3), &NobodyElse).unwrap();
    assert_eq!(reopened.board.get(letter("a")).unwrap().completed, None);
}

#[test]
fn a_started_task_stays_with_a_live_session_and_is_taken_over_from_a_dead_one() {
    let start = decide(&board("a"), &[command("a*")], &moment(1), &NobodyElse).unwrap();
    let second = Moment {
        actor: Actor::session("second"),
        ..moment(2)
    };
    let live: BTreeSet<_> = [SessionName::new("tester")].into();
    let kept = decide(&start.board, &[command("a*")], &second, &live).unwrap();
    assert!(kept.change.is_empty());
    let taken = decide(&start.board, &[command("a*")], &second, &NobodyElse).unwrap();
    let task = taken.board.get(letter("a")).unwrap();
    assert_eq!(task.assignee, Some(SessionName::new("second")));
}

#[test]
fn what_is_set_to_what_it_is_does_not_change() {
    let board = board("a+ b>a");
    let same = [command("a+"), command("b>a")];
    let mut done = Task::clone(board.get(letter("a")).unwrap());
    done.completed = Some(moment(1).at);
    let mut with_time = Board::clone(&board);
    with_time.put(Arc::new(done));
    let decision = decide(&Arc::new(with_time), &same, &moment(5), &NobodyElse).unwrap();
    assert!(decision.change.is_empty(), "{:?}", decision.change);
}

#[test]
fn what_is_changed_back_within_a_request_is_no_change() {
    let decision = decide(
        &board("a"),
        &[command("a*"), command("a")],
        &moment(5),
        &NobodyElse,
    )
    .unwrap();
    assert!(decision.change.is_empty());
}

#[test]
fn numbers_of_subtasks_are_never_reused() {
    let add = |title: &str| Command::AddSubtask {
        task: letter("a").into(),
        title: Title::parse(title).unwrap(),
        description: Description::parse("more").unwrap(),
    };
    let step = |number| SubtaskRef {
        task: letter("a").into(),
        number,
    };
    let delete = |number| Command::DeleteSubtask {
        subtask: step(number),
    };
    let commands = [add("one"), add("two"), delete(2), add("three")];
    let decision = decide(&board("a"), &commands, &moment(1), &NobodyElse).unwrap();
    let numbers = |board: &Board| {
        let task = board.get(letter("a")).unwrap();
        task.subtasks
            .iter()
            .map(|step| step.number)
            .collect::<Vec<_>>()
    };
    assert_eq!(numbers(&decision.board), [1, 3]);
    let edit = SubtaskEdit {
        status: Some(Status::Done),
        ..SubtaskEdit::default()
    };
    let edit = |number| Command::EditSubtask {
        subtask: step(number),
        edit: edit.clone(),
    };
    let refused = decide(&decision.board, &[edit(2)], &moment(2), &NobodyElse).unwrap_err();
    assert_eq!(words(&refused), "no step 2 in [1, 3]");
    let edited = decide(&decision.board, &[edit(3)], &moment(2), &NobodyElse).unwrap();
    assert_eq!(edited.board.get(letter("a")).unwrap().open_subtasks(), 1);
}

#[test]
fn tasks_without_a_rank_get_one_before_something_is_added_behind_them() {
    let mut by_hand = task("b");
    by_hand.rank = Rank::unset();
    let mut board = Board::clone(&board("a"));
    board.put(Arc::new(by_hand));
    let decision = decide(&Arc::new(board), &[command("?c")], &moment(1), &NobodyElse).unwrap();
    assert_eq!(show(&decision.board), "a b c");
    assert!(decision.board.in_order().all(|task| !task.rank.is_unset()));
    let filled = decision.board.get(letter("b")).unwrap();
    assert_eq!(filled.updated, task("b").updated, "nobody changed it");
}

/// What is recommended to session `tester`, while session `live` is alive; tasks in progress belong to `holder`.
fn check_next(tasks: &str, holder: &str, expected: &str) {
    let mut board = Board::clone(&board(tasks));
    let started = board
        .in_order()
        .filter(|task| task.status == Status::InProgress);
    let started: Vec<Task> = started.map(|task| Task::clone(task)).collect();
    for mut task in started {
        task.assignee = Some(SessionName::new(holder));
        board.put(Arc::new(task));
    }
    let live: BTreeSet<_> = [SessionName::new("live"), SessionName::new("tester")].into();
    let next = recommend(
        &board,
        &NextFilter::default(),
        &SessionName::new("tester"),
        &live,
    );
    let name = next.task.map_or("none".to_owned(), |task| name_of(task.id));
    assert_eq!(format!("{name}: {}", next.rationale), expected);
}

#[test]
fn the_next_task_is_the_best_one_that_is_free() {
    check_next(
        "a! b",
        "",
        "a: Recommended: high priority, no dependencies, topologically first",
    );
    check_next(
        "a b!",
        "",
        "b: Recommended: high priority, no dependencies, topologically first",
    );
    check_next(
        "a b>a c+",
        "",
        "a: Recommended: medium priority, no dependencies, topologically first, 1 task waits for it",
    );
    check_next(
        "a+ b>a",
        "",
        "b: Recommended: medium priority, all dependencies completed",
    );
    check_next(
        "a- b>a",
        "",
        "b: Recommended: medium priority, all dependencies completed",
    );
    check_next(
        "x a b>a c>a",
        "",
        "a: Recommended: medium priority, no dependencies, topologically first, 2 tasks wait for it",
    );
}

#[test]
fn what_was_begun_comes_first_unless_somebody_else_has_it() {
    let own = "b: Recommended: you have it in progress, medium priority, no dependencies, topologically first";
    check_next("a! b*", "tester", own);
    let left = "b: Recommended: left in progress by a session that ended, medium priority, no dependencies, topologically first";
    check_next("a! b*", "gone", left);
    check_next(
        "a b!*",
        "live",
        "a: Recommended: medium priority, no dependencies, topologically first",
    );
    check_next(
        "a b!*",
        "person:ada",
        "a: Recommended: medium priority, no dependencies, topologically first",
    );
}

#[test]
fn where_nothing_is_ready_the_reason_is_said() {
    check_next("", "", "none: No task is ready: the list is empty");
    check_next("a+ b-", "", "none: No task is ready: everything is done");
    check_next(
        "a# b>a",
        "",
        "none: No task is ready: 1 waits for open dependencies",
    );
    check_next("a#", "", "none: No task is ready: 1 is blocked");
    check_next(
        "a* b>a c>a",
        "live",
        "none: No task is ready: 2 wait for open dependencies, 1 is in progress in another session",
    );
}

#[test]
fn stats_count_what_is_held_up_and_how_deep() {
    let stats = Stats::of(&board("a b>a c>b d# e>d+ f+ g+>a"));
    assert_eq!(stats.progress.held_up, 4, "b, c, d and e");
    assert_eq!(stats.max_depth, 2);
    assert!((stats.average_dependencies - 0.6).abs() < 1e-9);
    assert!(stats.average_completion_days.abs() < 1e-9);
}

fn told(before: &str, command: Command) -> String {
    match decide(&board(before), &[command], &moment(9), &NobodyElse) {
        Ok(decision) => show(&decision.board),
        Err(refusal) => format!("refused: {}", words(&refusal)),
    }
}

#[test]
fn a_new_order_names_every_task_that_can_be_seen_once() {
    let order = |names: &str| Command::Reorder {
        order: names.split(' ').map(|name| letter(name).into()).collect(),
        new: vec![letter("d")],
    };
    assert_eq!(told("a b c", order("c a b")), "c a b");
    assert_eq!(
        told("a b- c e", order("e c a")),
        "e b- c a",
        "what can't be seen stays where it is"
    );
    assert_eq!(
        told("a b c d", order("b a c")),
        "b a c d",
        "what is new may be left out, and goes last"
    );
    assert_eq!(told("a d e", order("e a")), "e a d");
    assert_eq!(
        told("a b c", order("a b")),
        "refused: order lacks c repeats "
    );
    assert_eq!(
        told("a b", order("a b a")),
        "refused: order lacks  repeats a"
    );
    assert_eq!(
        told("a b", order("a b z")),
        format!("refused: no task {}", letter("z"))
    );
}

#[test]
fn moving_one_task_changes_one_task() {
    let order = ["c", "a", "b", "d"]
        .map(|name| letter(name).into())
        .to_vec();
    let command = Command::Reorder {
        order,
        new: Vec::new(),
    };
    let decision = decide(&board("a b c d"), &[command], &moment(1), &NobodyElse).unwrap();
    assert_eq!(decision.change.tasks.len(), 1);
    assert_eq!(show(&decision.board), "c a b d");
}

#[test]
fn an_order_among_equal_ranks_ranks_that_run_anew() {
    let same = |name: &str| {
        let mut made = task(name);
        made.rank = Rank::parse("a5").unwrap();
        Arc::new(made)
    };
    let board = Arc::new(Board::from_tasks(["a", "b", "c"].map(same)));
    let order = ["b", "c", "a"].map(|name| letter(name).into()).to_vec();
    let command = Command::Reorder {
        order,
        new: Vec::new(),
    };
    let decision = decide(&board, &[command], &moment(1), &NobodyElse).unwrap();
    assert_eq!(show(&decision.board), "b c a");
}

#[test]
fn a_task_is_completed_by_id_place_or_title() {
    use todori_domain::Which;
    let complete = |which| Command::Complete {
        which,
        completed: true,
    };
    assert_eq!(
        told("a b-", complete(Which::Id(letter("a").into()))),
        "a+ b-"
    );
    assert_eq!(
        told("a- b c", complete(Which::Place(1))),
        "a- b+ c",
        "places count what can be seen"
    );
    assert_eq!(
        told("a b", complete(Which::Place(3))),
        "refused: place 3 of 2"
    );
    assert_eq!(
        told("a b", complete(Which::Place(0))),
        "refused: place 0 of 2"
    );
    assert_eq!(told("a b", complete(Which::Title("A".to_owned()))), "a+ b");
    assert_eq!(
        told("a b", complete(Which::Title("z".to_owned()))),
        "refused: no title z"
    );
    let reopen = Command::Complete {
        which: Which::Place(1),
        completed: false,
    };
    assert_eq!(told("a+ b", reopen.clone()), "a b");
    assert_eq!(
        told("a# b", reopen),
        "a# b",
        "what is not done stays as it is"
    );
}

#[test]
fn a_title_is_exact_or_the_only_one_that_contains_it() {
    use todori_domain::Which;
    let titled = |name: &str, title: &str| {
        let mut made = task(name);
        made.title = Title::parse(title).unwrap();
        made
    };
    let mut done = titled("c", "Buy oat milk");
    done.status = Status::Done;
    let tasks = [
        titled("a", "Buy milk"),
        titled("b", "Buy milk and bread"),
        done,
    ];
    let board = Arc::new(Board::from_tasks(tasks.map(Arc::new)));
    let check = |given: &str, expected: &str| {
        let command = Command::Complete {
            which: Which::Title(given.to_owned()),
            completed: true,
        };
        let told = match decide(&board, &[command], &moment(1), &NobodyElse) {
            Ok(decision) => show(&decision.board),
            Err(refusal) => format!("refused: {}", words(&refusal)),
        };
        assert_eq!(told, expected, "{given}");
    };
    check("buy milk", "a+ b c+");
    check("BREAD", "a b+ c+");
    check("Buy milk", "a+ b c+");
    check("milk", "refused: milk could be 2: a b");
    check("oat", "a b c+");
}

#[test]
fn a_whole_list_is_replaced_and_what_was_there_stays_the_same_task() {
    use todori_domain::{Item, Stage};
    let item = |name: &str, id: &str, stage| Item {
        id: letter(id),
        title: Title::parse(name).unwrap(),
        active_form: None,
        stage,
    };
    let replace = |items: Vec<Item>| Command::Replace { items };
    let items = vec![
        item("c", "x", Stage::Completed),
        item("n", "n", Stage::InProgress),
        item("a", "y", Stage::Pending),
    ];
    assert_eq!(told("a b c", replace(items)), "c+ n* a");
    assert_eq!(told("a b", replace(Vec::new())), "");
    let same = vec![
        item("a", "x", Stage::Pending),
        item("a", "y", Stage::Pending),
    ];
    assert_eq!(
        told("", replace(same)),
        "x y",
        "the same words twice are two items"
    );
    let two = vec![
        item("a", "x", Stage::InProgress),
        item("b", "y", Stage::InProgress),
    ];
    assert_eq!(told("c", replace(two)), "refused: 2 in progress");
}

#[test]
fn what_is_on_the_board_already_is_not_added_again_if_so_asked() {
    use todori_domain::OnDuplicate;
    let add = |name: &str, id: &str| {
        let new = NewTask::titled(letter(id), Title::parse(name).unwrap());
        Command::Add(NewTask {
            on_duplicate: OnDuplicate::Skip,
            ..new
        })
    };
    assert_eq!(told("a b+", add("a", "x")), "a b+");
    assert_eq!(
        told("a b+", add("b", "x")),
        "a b+ x",
        "what is done may be wanted again"
    );
}

#[test]
fn a_state_of_three_leaves_what_already_looks_so() {
    use todori_domain::Stage;
    let edit = |stage| Command::Edit {
        task: letter("a").into(),
        edit: TaskEdit {
            stage: Some(stage),
            ..TaskEdit::default()
        },
    };
    assert_eq!(told("a#", edit(Stage::Pending)), "a#");
    assert_eq!(told("a#", edit(Stage::Completed)), "a+");
    assert_eq!(told("a-", edit(Stage::Pending)), "a");
}

/// A task with a past: two steps, done long ago.
fn with_past(name: &str) -> NewTask {
    use todori_domain::{Past, Subtask};
    let step = |number, title: &str| Subtask {
        number,
        title: Title::parse(title).unwrap(),
        description: None,
        status: Status::Done,
    };
    NewTask {
        active_form: Some(Title::parse("Doing it").unwrap()),
        status: Status::Done,
        subtasks: vec![step(4, "four"), step(2, "two"), step(2, "two again")],
        past: Some(Past {
            created: Some(second(1)),
            updated: Some(second(3)),
            completed: Some(second(2)),
            assignee: Some(SessionName::new("somebody")),
            next_subtask: 9,
        }),
        ..NewTask::titled(letter(name), Title::parse(name).unwrap())
    }
}

#[test]
fn a_task_may_bring_its_past_along() {
    let before = board("a");
    // What it waits for may come after it; that is no later change.
    let commands = [
        Command::Add(with_past("x")),
        Command::Add(NewTask::titled(letter("y"), Title::parse("y").unwrap())),
        command("x>y"),
    ];
    let decision = decide(&before, &commands, &moment(9), &NobodyElse).unwrap();
    assert_eq!(show(&decision.board), "a x+>y y");
    let task = decision.board.get(letter("x")).unwrap();
    assert_eq!(
        (task.created, task.updated, task.completed),
        (second(1), second(3), Some(second(2)))
    );
    let numbers: Vec<u32> = task.subtasks.iter().map(|step| step.number).collect();
    assert_eq!((numbers, task.next_subtask), (vec![2, 4], 9));
    assert_eq!(task.active_form.as_ref().unwrap().as_str(), "Doing it");
    assert_eq!(task.assignee, None, "nobody has what is done");
}

#[test]
fn what_was_begun_elsewhere_is_not_taken_by_who_adds_it() {
    let begun = |assignee: Option<&str>| {
        let mut new = with_past("x");
        new.status = Status::InProgress;
        new.past.as_mut().unwrap().assignee = assignee.map(SessionName::new);
        let decision = decide(&board(""), &[Command::Add(new)], &moment(9), &NobodyElse).unwrap();
        let task = decision.board.get(letter("x")).unwrap();
        assert_eq!(task.completed, None);
        task.assignee.clone()
    };
    assert_eq!(begun(None), None);
    assert_eq!(begun(Some("them")), Some(SessionName::new("them")));
}

#[test]
fn what_is_not_known_of_a_past_is_now() {
    let new = NewTask {
        past: Some(todori_domain::Past::default()),
        status: Status::Done,
        ..NewTask::titled(letter("x"), Title::parse("x").unwrap())
    };
    let decision = decide(&board(""), &[Command::Add(new)], &moment(9), &NobodyElse).unwrap();
    let task = decision.board.get(letter("x")).unwrap();
    assert_eq!(
        (
            task.created,
            task.updated,
            task.completed,
            task.next_subtask
        ),
        (second(9), second(9), Some(second(9)), 1)
    );
}

#[test]
fn a_task_that_is_there_is_not_added_over_itself() {
    check("a+ b>a", "?a", "a+ b>a");
}
