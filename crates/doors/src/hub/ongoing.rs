//! A turn that asks for something goes on: with an answer, a choice, a credential, or to its end.

use super::{Started, Work};
use crate::house::House;
use crate::watched::Watched;
use crate::who::Who;
use metnos_executor::Failure;
use metnos_gateway::{Asked, Told};
use std::sync::Arc;

impl House {
    /// Answers what a turn asked for.
    pub(crate) async fn reply(
        self: &Arc<Self>,
        who: &Who,
        turn: &str,
        text: String,
    ) -> Result<Started, Failure> {
        self.goes_on(who, turn, move |house, turn, asked, door| {
            door.all_welcome()?;
            house.gateway.answer(turn, &text, asked, door)
        })
        .await
    }

    /// Chooses from the offer of a turn that has this number.
    pub(crate) async fn choose(
        self: &Arc<Self>,
        who: &Who,
        turn: &str,
        offer: u32,
        text: String,
    ) -> Result<Started, Failure> {
        self.goes_on(who, turn, move |house, turn, asked, door| {
            door.all_welcome()?;
            house.gateway.choose(turn, offer, &text, asked, door)
        })
        .await
    }

    /// Goes on with a turn whose step lacked a credential, at that step.
    pub(crate) async fn go_on(self: &Arc<Self>, who: &Who, turn: &str) -> Result<Started, Failure> {
        self.goes_on(who, turn, |house, turn, asked, door| {
            door.all_welcome()?;
            house.gateway.supplied(turn, asked, door)
        })
        .await
    }

    /// Ends a turn that asks for something, without an answer.
    pub(crate) async fn give_up(self: &Arc<Self>, who: &Who, turn: &str) -> Result<Started, Failure> {
        self.goes_on(who, turn, |house, turn, asked, door| house.gateway.give_up(turn, asked, door)).await
    }

    /// Goes on with a turn of this person.
    async fn goes_on(
        self: &Arc<Self>,
        who: &Who,
        turn: &str,
        how: impl FnOnce(&House, &str, &Asked, &mut Watched) -> Result<Told, Failure> + Send + 'static,
    ) -> Result<Started, Failure> {
        let ((asked, asker), id) = (self.asked_before(who, turn)?, turn.to_owned());
        let work: Work = Box::new(move |house, door| how(house, &id, &asked, door).map(Some));
        self.run(turn, who, Some(asker), work).await
    }
}
