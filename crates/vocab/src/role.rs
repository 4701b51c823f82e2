//! What an argument, or a value found in a request, is for.

use serde::{Deserialize, Serialize};

macro_rules! roles {
    ($($variant:ident = $name:literal,)*) => {
        /// The purpose of a value: how words in a request and arguments of executors meet.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
        #[allow(missing_docs, reason = "each variant is the word it is written as")]
        pub enum Role { $(#[serde(rename = $name)] $variant,)* }

        impl Role {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The word used in manifests.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

roles! {
    Action = "action",
    Add = "add",
    After = "after",
    Aggregate = "aggregate",
    ArchiveFormat = "archive_format",
    AtMost = "at_most",
    Attachments = "attachments",
    Attendees = "attendees",
    Before = "before",
    Birthday = "birthday",
    Body = "body",
    Calendar = "calendar",
    Classes = "classes",
    Command = "command",
    Contains = "contains",
    Content = "content",
    Context = "context",
    Coords = "coords",
    DayPart = "day_part",
    Dimension = "dimension",
    Dst = "dst",
    DstDir = "dst_dir",
    DstFolder = "dst_folder",
    Emails = "emails",
    Empty = "empty",
    End = "end",
    Expression = "expression",
    Faces = "faces",
    Field = "field",
    Fields = "fields",
    FirstText = "first_text",
    Folder = "folder",
    From = "from",
    GroupBy = "group_by",
    HasAttachment = "has_attachment",
    Health = "health",
    Hidden = "hidden",
    Ids = "ids",
    Index = "index",
    Key = "key",
    Kind = "kind",
    Limit = "limit",
    List = "list",
    LoadBy = "load_by",
    Location = "location",
    Messages = "messages",
    Minutes = "minutes",
    Mode = "mode",
    Name = "name",
    NameTemplate = "name_template",
    Names = "names",
    Negate = "negate",
    Numbers = "numbers",
    Order = "order",
    OutPath = "out_path",
    Paths = "paths",
    Pattern = "pattern",
    Patterns = "patterns",
    Paused = "paused",
    People = "people",
    PersonName = "person_name",
    Phones = "phones",
    Pids = "pids",
    Place = "place",
    Policy = "policy",
    ProposalState = "proposal_state",
    Quality = "quality",
    Queries = "queries",
    Query = "query",
    Question = "question",
    Recurrence = "recurrence",
    Recursive = "recursive",
    Reference = "reference",
    Regex = "regex",
    Remove = "remove",
    RenderFormat = "render_format",
    Repo = "repo",
    Schedule = "schedule",
    SecondText = "second_text",
    SetOp = "set_op",
    Sheet = "sheet",
    Shows = "shows",
    Signature = "signature",
    SimilarTo = "similar_to",
    Site = "site",
    SizeMax = "size_max",
    SizeMin = "size_min",
    SortBy = "sort_by",
    SpaceBy = "space_by",
    Start = "start",
    Stat = "stat",
    State = "state",
    Style = "style",
    Subject = "subject",
    SubjectContains = "subject_contains",
    Task = "task",
    TaskState = "task_state",
    Text = "text",
    TextOp = "text_op",
    Times = "times",
    Timezone = "timezone",
    Title = "title",
    To = "to",
    ToFormat = "to_format",
    ToUser = "to_user",
    Unread = "unread",
    Urls = "urls",
    Values = "values",
    Via = "via",
    WhereAfter = "where_after",
    WhereBefore = "where_before",
    WhereContains = "where_contains",
    WhereField = "where_field",
    WhereIn = "where_in",
    WhereMax = "where_max",
    WhereMin = "where_min",
    WhereStartsWith = "where_starts_with",
    WhereValue = "where_value",
    Width = "width",
    Window = "window",
    With = "with",
    WriteFormat = "write_format",
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.iter().find(|role| role.as_str() == text).copied().ok_or_else(|| {
            let names = || Self::ALL.iter().map(|role| role.as_str());
            match crate::nearest(text, names()) {
                Some(near) => format!("expected a role (nearest: {near:?})"),
                None => format!("expected a role, one of {}", names().collect::<Vec<_>>().join(" ")),
            }
        })
    }
}
