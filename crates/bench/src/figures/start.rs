//! How long the command needs to be there at all, and how large it is.

use crate::Result;
use crate::figure::{Figure, Unit};
use crate::house::{House, run};
use crate::peer;
use crate::sample::alternate;
use std::process::{Command, Stdio};

pub(super) fn measure(house: &House) -> Result<()> {
    let truth = peer::program("true").ok_or("no `true` on this machine")?;
    let (ours, theirs) = alternate(
        50,
        || run(house.command(&["--version"]).stdout(Stdio::null())),
        || run(Command::new(&truth).stdin(Stdio::null())),
    )?;
    Figure::timing("start", Unit::Ms, &ours).against("true", &theirs).print();

    for (figure, file) in [("size_metnos", "metnos"), ("size_metnos_host", "metnos-host")] {
        let path = house.metnos().with_file_name(file);
        Figure::value(figure, "MB", std::fs::metadata(path)?.len() as f64 / 1e6).print();
    }
    Ok(())
}
