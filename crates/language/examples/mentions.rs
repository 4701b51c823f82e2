//! What is read in each line of the input: its language, a tab, the request.
#![allow(clippy::print_stdout, reason = "an example prints")]

use metnos_language::{Lattice, Lexicons, Reading, mentions};
use std::io::BufRead;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lexicons = Lexicons::shipped()?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let Some((language, request)) = line.split_once('\t') else { continue };
        let Some(lexicon) = lexicons.get(language) else { continue };
        let lattice = Lattice::new(request, lexicon);
        let now = jiff::civil::datetime(2026, 11, 15, 10, 0, 0, 0);
        println!("{request}");
        for found in mentions(Reading { request, lattice: &lattice, lexicon, now }) {
            let text = lattice.text(request, found.from, found.to);
            println!("    {text:?} {:?} {:?} {}", found.what, found.relation, found.cost);
        }
    }
    Ok(())
}
