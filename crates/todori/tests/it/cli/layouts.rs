//! Boards in other layouts than the one that todori writes.

use crate::project::Project;

#[test]
fn a_file_that_is_laid_out_anew_is_told_of_once() {
    let project = Project::new();
    project.write_board(
        "version: 1\ntasks: {01890000-0000-7000-8000-000000000001: {title: One, mine: x}}\n",
    );
    let first = project.run(["add", "Two"]);
    assert_eq!(
        first.err,
        "todori: .todori/tasks.yaml was in another layout and is laid out anew: each task has lines of its own now, so \
         that later changes touch no others; no field and no comment is lost\n"
    );
    assert!(project.board_text().contains("    mine: x\n"));
    assert_eq!(project.run(["add", "Three"]).err, "");
}
