//! The time of day. The only place of the program that asks for it.

use todori_domain::{Actor, Moment, Timestamp};

/// This moment, for this actor.
pub(crate) fn now(actor: Actor) -> Moment {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the module that owns the clock"
    )]
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let at = Timestamp::from_millis(i64::try_from(now.as_millis()).unwrap_or(i64::MAX));
    Moment { at, actor }
}
