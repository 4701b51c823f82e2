//! What waits for a yes.

use super::{AdminPage, For};
use crate::answer::Card;
use crate::house::House;
use crate::pages::Shell;
use crate::who::Who;
use askama::Template;
use metnos_executor::Failure;
use serde::Serialize;

/// How many cards are shown; the rest comes when these are answered.
const MOST: usize = 50;

#[derive(Serialize)]
pub(super) struct View {
    approvals: Vec<Card>,
    count: usize,
}

#[derive(Template)]
#[template(path = "admin/approvals.html")]
pub(super) struct Page {
    shell: Shell,
    view: View,
}

impl AdminPage for Page {
    const NAME: &'static str = "approvals";
    const FOR: For = For::Everybody;
    type Asked = ();
    type View = View;

    fn look(house: &House, who: &Who, (): Self::Asked) -> Result<View, Failure> {
        let mut approvals = house.waiting(who)?;
        let count = approvals.len();
        approvals.truncate(MOST);
        Ok(View { approvals, count })
    }

    fn draw(shell: Shell, view: View) -> Self {
        Self { shell, view }
    }
}
