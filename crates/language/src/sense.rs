//! What a word can mean. Closed grammar is an enum; open vocabulary is an interned name.

use std::fmt;
use std::sync::{LazyLock, Mutex, PoisonError};

/// A name of the open vocabulary: an act, a thing, a place. Equal names have equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(u16);

static NAMES: LazyLock<Mutex<Vec<&'static str>>> = LazyLock::new(Mutex::default);

impl Id {
    /// The number of a name; a new one gets the next.
    pub fn of(name: &str) -> Self {
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let at = names.iter().position(|known| *known == name).unwrap_or_else(|| {
            // Names come from lexicons, which are few and loaded once.
            names.push(Box::leak(name.to_owned().into_boxed_str()));
            names.len() - 1
        });
        Self(u16::try_from(at).unwrap_or(u16::MAX))
    }

    /// The name.
    pub fn name(self) -> &'static str {
        let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        names.get(usize::from(self.0)).copied().unwrap_or_default()
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A closed set of words of the grammar, written in lexicons by name.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$what])* $variant,)* }

        impl $name {
            fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }

            /// As lexicons write it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

words! {
    /// How a value is tied to what stands before it.
    Relation {
        /// in, on, inside
        In = "in",
        /// from, out of
        From = "from",
        /// to, into
        To = "to",
        /// of
        Of = "of",
        /// by, per
        By = "by",
        /// with
        With = "with",
        /// about
        About = "about",
        /// for
        For = "for",
        /// before, until
        Before = "before",
        /// after, since
        After = "after",
        /// until, up to, the end included
        Until = "until",
        /// between … and
        Between = "between",
        /// than
        Than = "than",
        /// at
        At = "at",
        /// as
        As = "as",
        /// like, similar to
        Like = "like",
    }
}

words! {
    /// A comparison with an amount.
    Compare {
        /// more than, over
        More = "more",
        /// less than, under
        Less = "less",
        /// at least
        Least = "least",
        /// at most, no more than
        Most = "most",
        /// exactly
        Exactly = "exactly",
        /// older than
        Older = "older",
        /// newer than
        Newer = "newer",
        /// about, around: an amount that is not exact
        About = "about",
    }
}

words! {
    /// A unit of time.
    TimeUnit {
        /// seconds
        Second = "second",
        /// minutes
        Minute = "minute",
        /// hours
        Hour = "hour",
        /// days
        Day = "day",
        /// weeks
        Week = "week",
        /// months
        Month = "month",
        /// years
        Year = "year",
        /// weekends
        Weekend = "weekend",
        /// quarters of a year
        Quarter = "quarter",
    }
}

words! {
    /// Which of several periods.
    Period {
        /// this, current
        This = "this",
        /// last, past, previous
        Last = "last",
        /// next, coming
        Next = "next",
        /// ago
        Ago = "ago",
        /// in, before a length: so long from now
        Hence = "hence",
        /// from now, hence, after a length
        Later = "later",
    }
}

words! {
    /// A part of the day.
    DayPart {
        /// morning
        Morning = "morning",
        /// noon
        Noon = "noon",
        /// afternoon
        Afternoon = "afternoon",
        /// evening
        Evening = "evening",
        /// night
        Night = "night",
        /// midnight
        Midnight = "midnight",
    }
}

words! {
    /// Words around an hour.
    Hour {
        /// o'clock, h
        OClock = "oclock",
        /// a.m.
        Am = "am",
        /// p.m.
        Pm = "pm",
        /// past: minutes after the hour
        Past = "past",
        /// to: minutes before the hour
        To = "to",
        /// a quarter of an hour
        Quarter = "quarter",
        /// half an hour
        Half = "half",
        /// at: an hour follows
        At = "at",
        /// and: minutes after the hour that stands before it
        Plus = "plus",
        /// less: minutes before the hour that stands before it
        Less = "less",
    }
}

words! {
    /// Words that dates and lengths of time are tied with.
    TimeWord {
        /// since: what began then and goes on
        Since = "since",
        /// on the: a bare number after it is a day of the month
        On = "on",
        /// on, onwards: what began then has no end
        Onward = "onward",
        /// or later, or less: everything after it too
        OrLater = "or_later",
        /// or earlier, or more: everything before it too
        OrEarlier = "or_earlier",
        /// the first day of
        Start = "start",
        /// the last day of
        End = "end",
        /// early, late, the middle of: a part without exact ends
        Part = "part",
        /// a, an: one of the unit that follows
        An = "an",
        /// touched, opened, changed
        Touch = "touch",
        /// the age of a file, as commands write it
        Age = "age",
        /// summer, a while ago: no exact time
        Vague = "vague",
    }
}

words! {
    /// That something comes again.
    Every {
        /// every, each
        Each = "each",
        /// every other
        Other = "other",
        /// daily
        Daily = "daily",
        /// hourly
        Hourly = "hourly",
        /// weekly
        Weekly = "weekly",
        /// monthly
        Monthly = "monthly",
        /// yearly
        Yearly = "yearly",
        /// on weekdays
        Weekdays = "weekdays",
        /// at weekends
        Weekends = "weekends",
        /// once, a single time
        Once = "once",
        /// twice, two times a period
        Twice = "twice",
    }
}

words! {
    /// What points back.
    Pronoun {
        /// them
        Them = "them",
        /// it
        It = "it",
        /// these, those
        These = "these",
        /// ones
        Ones = "ones",
        /// there
        There = "there",
        /// the same
        Same = "same",
        /// me, myself
        Me = "me",
    }
}

words! {
    /// What changes how the rest is meant.
    Operator {
        /// not
        Not = "not",
        /// except, but not
        Except = "except",
        /// without
        Without = "without",
        /// only
        Only = "only",
        /// also
        Also = "also",
        /// other, the rest
        Other = "other",
        /// or
        Or = "or",
        /// and
        And = "and",
        /// then
        Then = "then",
        /// if
        If = "if",
        /// no wait, I mean
        Correction = "correction",
        /// because
        Because = "because",
        /// both … and
        Both = "both",
        /// keep, leave alone
        Spare = "spare",
        /// a question: may I, should I
        Wonder = "wonder",
        /// a question word
        Ask = "ask",
    }
}

words! {
    /// How many of the things.
    Quantity {
        /// all
        All = "all",
        /// some
        Some = "some",
        /// any
        Any = "any",
        /// none
        None = "none",
        /// a single one
        One = "one",
        /// a few
        Few = "few",
        /// half of them
        Half = "half",
    }
}

words! {
    /// What the words after it are.
    Cue {
        /// named, called
        Named = "named",
        /// whose name contains
        NameContains = "name_contains",
        /// whose name starts with
        NameStarts = "name_starts",
        /// whose name ends with
        NameEnds = "name_ends",
        /// that contain, mentioning
        Contains = "contains",
        /// the word, the phrase
        Word = "word",
        /// saying, with the text
        Saying = "saying",
        /// with the subject
        Subject = "subject",
        /// titled
        Titled = "titled",
        /// the column
        Column = "column",
        /// with the extension
        Extension = "extension",
        /// the folder
        Folder = "folder",
        /// the file
        File = "file",
        /// search for
        Search = "search",
        /// the web, the site: where is searched
        Site = "site",
        /// the name: "with X in the name"
        Name = "name",
        /// that show: photos
        Shows = "shows",
        /// the event
        Event = "event",
        /// the contact
        Contact = "contact",
        /// the label
        Label = "label",
        /// the prefix
        Prefix = "prefix",
        /// the street, the square: an address
        Street = "street",
        /// aunt, doctor: what stands before a person's name
        Title = "title",
        /// the sheet of a workbook
        Sheet = "sheet",
        /// the password of
        Secret = "secret",
        /// rows where
        Where = "where",
        /// equal to
        Equals = "equals",
        /// top, the first: the number after it is how many
        Count = "count",
        /// number, no.: the number after it is which one
        Index = "index",
    }
}

words! {
    /// Arithmetic.
    Math {
        /// the mark before decimals
        Point = ".",
        /// plus
        Plus = "+",
        /// minus
        Minus = "-",
        /// times
        Times = "*",
        /// divided by
        Over = "/",
        /// to the power of
        Power = "^",
        /// squared
        Square = "^2",
        /// cubed
        Cube = "^3",
        /// modulo
        Modulo = "mod",
        /// percent
        Percent = "%",
        /// the square root of
        Root = "sqrt",
        /// the cube root of
        CubeRoot = "cbrt",
        /// add, the sum of
        Sum = "sum",
        /// subtract, the difference of
        Difference = "difference",
        /// multiply, the product of
        Product = "product",
        /// divide, split
        Quotient = "quotient",
        /// twice
        Double = "double",
        /// three times
        Triple = "triple",
        /// how much, how many: asks for a result
        Ask = "?",
    }
}

/// One meaning of a word or phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sense {
    /// A whole number in words.
    Number(i64),
    /// hundred, thousand, million: multiplies what stands before it.
    Scale(i64),
    /// half: of one of what follows
    Half,
    /// first, second; -1 is the last.
    Ordinal(i64),
    /// Bytes of a unit of size.
    Bytes(u64),
    /// A unit of time.
    TimeUnit(TimeUnit),
    /// A unit of length, mass, volume, temperature: its symbol.
    Measure(Id),
    /// An operator of arithmetic.
    Math(Math),
    /// 1 to 12
    Month(i8),
    /// 1 is Monday.
    Weekday(i8),
    /// Mondays: that day of every week.
    Weekdays(i8),
    /// today is 0, yesterday -1
    Day(i32),
    /// A part of the day.
    DayPart(DayPart),
    /// this, last, next, ago
    Period(Period),
    /// Words around an hour.
    Hour(Hour),
    /// That something comes again.
    Every(Every),
    /// Words that dates are tied with.
    TimeWord(TimeWord),
    /// A folder that everybody has, as a path.
    Place(Id),
    /// A city or country, as a time zone.
    Zone(Id),
    /// What ties a value to what stands before it.
    Relation(Relation),
    /// A comparison.
    Compare(Compare),
    /// What points back.
    Pronoun(Pronoun),
    /// What changes how the rest is meant.
    Operator(Operator),
    /// How many.
    Quantity(Quantity),
    /// What the words after it are.
    Cue(Cue),
    /// What is done.
    Act(Id),
    /// What it is done to.
    Thing(Id),
    /// A kind of file.
    Kind(Id),
    /// A quality that narrows things: empty, hidden, unread.
    Quality(Id),
    /// Something that records have: size, date, sender.
    Field(Id),
    /// An order: biggest, newest.
    Order(Id),
    /// A computation: how many, average.
    Stat(Id),
    /// What things are grouped by.
    Group(Id),
    /// A form of output: table, chart, csv.
    Format(Id),
    /// A way messages go: mail, telegram.
    Channel(Id),
    /// Talk that asks for nothing: a greeting, thanks, help.
    Talk(Id),
    /// Says nothing of what is meant.
    Idle,
}

impl Sense {
    /// The sense that section `section` of a lexicon calls `key`.
    pub fn parse(section: &str, key: &str) -> Option<Self> {
        let id = || Some(Id::of(key));
        match section {
            "number" => key.parse().ok().map(Self::Number),
            "scale" => key.parse().ok().map(Self::Scale),
            "half" => Some(Self::Half),
            "ordinal" => key.parse().ok().map(Self::Ordinal),
            "bytes" => key.parse().ok().map(Self::Bytes),
            "time_unit" => TimeUnit::parse(key).map(Self::TimeUnit),
            "measure" => id().map(Self::Measure),
            "math" => Math::parse(key).map(Self::Math),
            "month" => key.parse().ok().filter(|n| (1..=12).contains(n)).map(Self::Month),
            "weekday" => key.parse().ok().filter(|n| (1..=7).contains(n)).map(Self::Weekday),
            "weekdays" => key.parse().ok().filter(|n| (1..=7).contains(n)).map(Self::Weekdays),
            "day" => key.parse().ok().map(Self::Day),
            "day_part" => DayPart::parse(key).map(Self::DayPart),
            "period" => Period::parse(key).map(Self::Period),
            "hour" => Hour::parse(key).map(Self::Hour),
            "every" => Every::parse(key).map(Self::Every),
            "time_word" => TimeWord::parse(key).map(Self::TimeWord),
            "place" => id().map(Self::Place),
            "zone" => id().map(Self::Zone),
            "relation" => Relation::parse(key).map(Self::Relation),
            "compare" => Compare::parse(key).map(Self::Compare),
            "pronoun" => Pronoun::parse(key).map(Self::Pronoun),
            "operator" => Operator::parse(key).map(Self::Operator),
            "quantity" => Quantity::parse(key).map(Self::Quantity),
            "cue" => Cue::parse(key).map(Self::Cue),
            "act" => id().map(Self::Act),
            "thing" => id().map(Self::Thing),
            "kind" => id().map(Self::Kind),
            "quality" => id().map(Self::Quality),
            "field" => id().map(Self::Field),
            "order" => id().map(Self::Order),
            "stat" => id().map(Self::Stat),
            "group" => id().map(Self::Group),
            "format" => id().map(Self::Format),
            "channel" => id().map(Self::Channel),
            "talk" => id().map(Self::Talk),
            "idle" => Some(Self::Idle),
            _ => None,
        }
    }
}
