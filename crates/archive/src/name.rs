//! Which names may be in an archive. What does not hold here is refused, whoever wrote the archive.

use std::path::{Component, Path, PathBuf};

/// The longest name.
const LONGEST: usize = 4096;

/// Why `path` must not be in an archive with these folders; `None` when it may.
pub(crate) fn flaw(path: &Path, sections: &[&str]) -> Option<&'static str> {
    let bytes = path.as_os_str().len();
    if bytes == 0 || bytes > LONGEST {
        return Some("its name is empty or too long");
    }
    if path.is_absolute() {
        return Some("it names an absolute path");
    }
    if !path.components().all(|part| matches!(part, Component::Normal(_))) {
        return Some("its name leads out of its folder");
    }
    // What a tool writes as `a//b` or `a/./b` is another spelling of a name that may be there already.
    if path.components().collect::<PathBuf>().as_os_str() != path.as_os_str() {
        return Some("its name is not written plainly");
    }
    match path.components().next() {
        Some(Component::Normal(first)) if sections.iter().any(|section| first == *section) => None,
        _ => Some("it belongs to no folder of a house"),
    }
}

/// True when a link at `path` that leads to `target` stays in the first folder of `path`.
pub fn stays_inside(path: &Path, target: &Path) -> bool {
    if target.is_absolute() {
        return false;
    }
    let Some(parent) = path.parent() else { return false };
    let mut depth = parent.components().count();
    for part in target.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 1 => depth -= 1,
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_below_known_folders_are_taken() {
        let flawed = |name: &str| flaw(Path::new(name), &["config", "state"]).is_some();
        for good in ["config", "config/keys/instance.key", "state/..a", "state/a b"] {
            assert!(!flawed(good), "{good}");
        }
        for bad in
            ["", "/etc/passwd", "../x", "config/../../x", "config/./x", "config//x", "config/", "etc/x"]
        {
            assert!(flawed(bad), "{bad}");
        }
        assert!(flawed(&format!("config/{}", "x".repeat(5000))));
    }

    #[test]
    fn a_link_may_not_lead_out_of_its_folder() {
        let stays = |path: &str, target: &str| stays_inside(Path::new(path), Path::new(target));
        assert!(stays("workspace/a", "b"));
        assert!(stays("workspace/d/a", "../b"));
        assert!(!stays("workspace/a", "../b"));
        assert!(!stays("workspace/d/a", "../../config/keys"));
        assert!(!stays("workspace/a", "/etc/passwd"));
    }
}
