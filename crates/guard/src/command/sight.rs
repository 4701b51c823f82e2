//! What the machine says about the words of a command: which program a name runs, and where a path leads.

/// Where a path leads, with every link followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lead {
    /// In full.
    pub path: String,
    /// It is somebody's home, or holds one.
    pub home: bool,
    /// It is all of what was opened to Metnos in one place, or holds that.
    pub territory: bool,
    /// It is a core path, or holds one.
    pub core: bool,
}

/// What is looked up while a command is judged.
pub trait Sight {
    /// The other names of the file that `program` would run: those its links lead to, and those of the same file.
    fn names(&self, program: &str) -> Vec<String>;

    /// Where `path` leads, seen from `folder`; an empty one is the folder the command starts in.
    fn lead(&self, path: &str, folder: &str) -> Option<Lead>;
}

/// Reading alone: nothing is looked up.
pub struct Unseen;

impl Sight for Unseen {
    fn names(&self, _program: &str) -> Vec<String> {
        Vec::new()
    }

    fn lead(&self, _path: &str, _folder: &str) -> Option<Lead> {
        None
    }
}
