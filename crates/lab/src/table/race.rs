//! What changes between the daemon's check and the cell's use.

use crate::attack::{Attack, Swap};
use crate::house::{Done, House, make_dir, write};
use serde_json::{Value, json};
use std::path::Path;

fn fresh(house: &House) -> Done {
    let _ = std::fs::remove_dir_all(house.at("home/race"));
    let _ = std::fs::remove_file(house.at("home/race"));
    let _ = std::fs::remove_dir_all(house.at("home/race-away"));
    make_dir(&house.at("home/race"))?;
    write(&house.at("home/race/secret.txt"), "harmless")
}

fn given(house: &House) -> Value {
    json!({ "attack": "read-first", "paths": [house.text("home/race/secret.txt")] })
}

fn io(outcome: std::io::Result<()>) -> Done {
    outcome.map_err(|e| e.to_string())
}

/// Another file takes the name: the same bytes under the same path, from elsewhere.
fn file_for_file(root: &Path) -> Done {
    let name = root.join("home/race/secret.txt");
    io(std::fs::remove_file(&name))?;
    io(std::fs::hard_link(root.join("home/other/secret.txt"), name))
}

/// A link takes the name.
fn link_for_file(root: &Path) -> Done {
    let name = root.join("home/race/secret.txt");
    io(std::fs::remove_file(&name))?;
    io(std::os::unix::fs::symlink(root.join("home/other/secret.txt"), name))
}

/// A link takes the name of the folder above.
fn link_for_parent(root: &Path) -> Done {
    let name = root.join("home/race");
    io(std::fs::rename(&name, root.join("home/race-away")))?;
    io(std::os::unix::fs::symlink(root.join("home/other"), name))
}

pub(super) fn attacks() -> Vec<Attack> {
    let swaps: [(&str, Swap); 3] =
        [("swap-file", file_for_file), ("swap-symlink", link_for_file), ("swap-parent", link_for_parent)];
    let mut attacks = Vec::new();
    for (name, swap) in swaps {
        // A seed sees the territory, so that its cell may have been waiting.
        attacks.push(
            Attack::new(name, "native", "fence-identity", "read_files")
                .before(fresh)
                .with(|house| json!({ "paths": [house.text("home/race/secret.txt")] }))
                .harmless(|house| json!({ "paths": [house.text("home/docs/open.txt")] }))
                .swap(swap)
                .steals(),
        );
        for (runtime, executor) in
            [("python", "read_urls_candidates"), ("cpython", "read_contacts_candidates")]
        {
            // Its cell is built for exactly this path, after the swap.
            attacks.push(
                Attack::new(name, runtime, "fence-identity", executor)
                    .before(fresh)
                    .with(given)
                    .swap(swap)
                    .steals()
                    .cold_only(),
            );
        }
    }
    attacks
}
