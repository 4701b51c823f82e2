# What a person may say to a card, in lower case, separated by commas.
words-yes = yes, y, yes please, ok, okay, sure, go ahead
words-no = no, n, nope, no thanks, cancel, cancel that, cancel it, never mind, nevermind, forget it, don't, do not, stop
words-details = details, detail, more, show details
words-on = go on, continue, resume, carry on, done

# The way in.
login-how = To come in, open the link that this command prints on the machine where Metnos runs:
login-lost = Metnos does not answer. Is it running?
login-other = { $here } is logged in in this browser. Log in as { $next } instead?
login-switch = Log in as somebody else

# Around every page.
skip = Skip to the content
nav-main = Main
nav-house = House
leave = Log out
lost = Metnos does not answer. Is it running?
working = At work…

# The chat.
title-chat = Chat
ask-label = Say what you want
ask-send = Send
ask-keys = Enter sends, Shift+Enter makes a new line, Esc cancels what is at work.
welcome = At your service
welcome-how = Say what you need in plain words. Before anything is changed that matters, you are asked; what was changed can be taken back.
example-time = What time is it?
example-find = Find the largest files in Documents
example-disk = How much disk space is left?
older = Show older
elsewhere = Asked elsewhere, waiting for your answer
rows-more = { $shown } of { $count } rows are shown.
answer-here = Answer yes or no here (card { $code }; “details” shows more), or at { $link }
lost-now = The connection is lost. Trying again…
thinking = A model is thinking…
progress = { $n } so far…
progress-looks = Looked at { $n } of { $m }…
progress-of = { $n } of { $m }…
cancelling = Stopping at the next safe point…
steps = Steps: { $n }
steps-show = How it was done
step-planned = planned
step-begins = at work
step-done = done
step-partly = partly done
step-waits = waits for a yes
step-failed = failed
step-ok = { $n } done
step-failed-count = { $n } failed
arg-base_path = in
arg-by = by
arg-contains = containing
arg-content = with the text
arg-dst = to
arg-dst_dir = to
arg-expression = of
arg-field = of
arg-format = as
arg-hidden = hidden too:
arg-kind = of the kind
arg-limit = at most
arg-max_results = at most
arg-mode = by
arg-modified_after = changed from
arg-modified_before = changed before
arg-name_template = with the name
arg-order = in the order
arg-path = in
arg-paths = which:
arg-patterns = named
arg-query = about
arg-recursive = with all that is in it:
arg-size_max = at most
arg-size_min = at least
arg-to = to
arg-top = the first
arg-value = the value
arg-where = where
taken-wholly = Taken back
taken-partly = Taken back in part
table-label = The list, scrolls sideways
table-rows = { $n } of { $m } rows
table-more = More rows
file-take = Take this file
column-content = content
column-copy = copy
column-count = how many
column-cpu = processor
column-dst = to
column-ext = extension
column-files = files
column-free = free
column-group = group
column-key = group
column-kind = kind
column-line = line
column-memory = memory
column-mtime = changed
column-name = name
column-ok = done
column-pages = pages
column-path = where
column-size = size
column-src = from
column-text = text
column-title = title
column-to = to
column-type = kind
column-user = user
column-value = value
picture-alt = Picture: { $text }
by-model = A model made this plan.
card-once = Yes, this once
card-session = Yes, in this conversation
card-always = Yes, always here
card-no = No
card-never = Never do this
card-details = Details
card-until = Until { $when }
card-expired = The time to answer is over. Ask again if you still want it.
card-by = Asked by { $who }
form-send = Answer
offer-none = None of these
form-credential = This needs the credential “{ $name }”. It is kept encrypted and never shown again.
form-credential-field = { $field } of { $name }
form-keep = Keep and go on
act-star = ★ Keep
act-star-why = Keep this plan for the next time you ask for this
act-undo = Undo
act-repeat = Repeat
act-cancel = Cancel
act-go-on = Go on
act-retry = Try again
act-details = Details
starred = Kept: the same request is answered by this plan from now on.
starred-none = Nothing is kept of this turn, so there is nothing to star.
undone = Taken back: { $n }

# How a turn stands.
status-running = at work
status-done = done
status-partly = partly done
status-failed = failed
status-waits = waits for a yes
status-asks = asks
status-cancelled = cancelled
status-unclear = not understood
status-gap = nothing can do this yet
status-dormant = needs something switched on
status-interrupted = interrupted

# The pages about the house.
title-overview = Overview
title-approvals = Waiting
title-turns = Turns
title-turn = Turn
title-undo = Undo
title-plans = Plans
title-executors = Executors
title-executor = Executor
title-gaps = Gaps
title-safety = Safety
title-people = People
title-models = Models
title-system = System
host-only = Only the host may look at this.
host-only-how = Your turns, your plans and what you changed are in the menu.
pages = Pages
page-older = Older
page-newest = To the newest
filter-all = all
filter-show = Show
save = Save
revoke = Revoke
revoke-sure = Really revoke?
revoked-at = revoked { $when }
not-chosen = not chosen
days = { $n ->
    [one] { $n } day
   *[other] { $n } days
}

# Columns.
col-acts = What can be done
col-args = With
col-by = By
col-capability = May
col-changes = Changes
col-channel = Channel
col-command = Command
col-context = Context
col-decision = Decision
col-default = Default
col-does = What it does
col-executor = Executor
col-failed = Failed
col-from = From
col-guard = Guard
col-id = Id
col-kept = Kept
col-key = Key
col-kind = Kind
col-last = Last used
col-list = List
col-model = Model
col-name = Name
col-ok = Done
col-outcome = Outcome
col-person = Person
col-reason = Reason
col-request = Request
col-role = Role
col-root = Comes from
col-rule = Rule
col-scope = Holds for
col-sender = Sender
col-signature = Signature
col-since = Since
col-stage = Planned by
col-state = State
col-status = Status
col-target = Where
col-timeout = Time limit
col-tokens-in = Tokens in
col-tokens-out = Tokens out
col-took = Took
col-until = Until
col-url = Address
col-uses = Uses
col-value = Value
col-what = What
col-when = When
col-words = Not understood

# Overview.
overview-now = Now
overview-lately = The last 30 days
tile-state = State
tile-good = At work
tile-stopped = Stopped
tile-waiting = Waiting for a yes
tile-knocking = Knocking at the door
tile-running = Turns at work
tile-queued = { $n } waiting for room
tile-out-of-use = { $n } out of use
tile-streams = { $n } open streams
plot-turns = Turns a day; the strong part did what was asked
plot-turns-most = Turns a day, at most { $n }
plot-latency = How long a turn took: half of them (strong), 95 of 100 (pale)
plot-latency-most = How long a turn took on each day, at most { $n }
sizes = What is kept
kept-turns = Lists of turns
kept-undo = For undo
kept-logs = Log
kept-database = Database
kept-audit = Audit
is-stopped = Everything is stopped.

# Facts.
fact-version = Version
fact-versions = Installed versions
fact-memory = Memory
fact-up = Running for
fact-streams = Open streams
fact-warm = Warm cells
warm-hits = { $n } calls found one
warm-misses = { $n } had to wait for one
fact-state = State
fact-roots = Open folders
fact-born = Birth tests
born-yes = passed on this machine
born-no = not passed on this machine yet
fact-effects = Effects
fact-digest = Digest
fact-language = Language
fact-zone = Time zone
fact-tokens = Tokens
fact-cost = Cost
fact-per-turn = Tokens of one turn, at most

# Turns.
turns-none = Nothing was asked here yet.
turn-answer = Answer
turn-steps = Steps
turn-no-steps = No step was planned.
turn-phases = How long it took
turn-why = Why was it allowed?
turn-replay = Decide it again
turn-log = Log
turn-log-count = Entries: { $n }. They are enough to decide the turn again.
replay-same = Decided again from its log: { $n } entries, the same every time.
replay-differs = Decided again from its log: of { $n } entries { $m } are decided differently now, the first at line { $line }.
stage-literal = a fixed word
stage-fastpath = a kept plan
stage-autopath = a kept shape
stage-embedded = the embedded planner
stage-model = a model
phase-literal = fixed words
phase-memory = memory
phase-intent = understanding
phase-exec = doing
phase-model = models

# Executors.
executors-lead = The small signed programs Metnos is made of. Each is checked again at every call.
executors-none = No executor is installed.
signature-good = verified
signature-bad = not verified
state-proposed = proposed
state-synthesised = written
state-active = in use
state-below_threshold = below the threshold
state-fused = fused
state-archived = archived
state-quarantined = in quarantine
state-disabled = switched off
state-learning = learning
state-retired = retired
root-seed = shipped with Metnos
root-synt = built here
root-skills = imported
root-builtin = part of the daemon
part-input = What it takes
part-output = What it gives
part-sandbox = What it may touch
part-reverse = How it is taken back
part-error_classes = How it can fail
part-runtime = How it runs

# Plans.
plans-lead = Plans that did what was asked. A starred one answers the same request from now on.
plans-none = No plan is kept yet. Plans come by themselves when requests are answered.
plankind-exact = this request
plankind-shape = every request of this shape
plan-star = Keep
plan-starred = Starred
plan-reject = Reject
plan-forget = Forget
plan-forget-sure = Really forget?

# What waits.
approvals-none = Nothing waits for an answer.
approvals-more = { $n } wait; the newest are shown.

# Gaps.
gaps-lead = Requests that no executor could fulfil.
gaps-none = Nothing that was asked was out of reach.

# Undo.
undo-lead = What was changed. What is still kept can be taken back.
undo-none = Nothing was changed yet.
undo-sure = Really take back?
undo-freed-at = let go of { $when }
change-open = at work
change-done = done
change-undoing = being taken back
change-partly_undone = taken back in part
change-undone = taken back
change-rolled_back = cut off and taken back
change-freed = can no longer be undone
change-permanent = deleted permanently
change-damaged = damaged

# Models.
models-bound = Bound
models-none = No model is bound: the embedded planner does it all. [tiers] in metnos.toml binds one.
models-today = Today
models-no-calls = No model was asked anything today.
of-budget = of { $n }
key-vault = in the vault

# Safety.
audit = Audit
audit-lines = Lines
audit-last = Last checked
audit-never = not since the start
audit-good = { $n } lines, the chain holds
audit-bad = the chain is damaged
audit-verify = Check the whole chain now
levels = Levels
levels-none = No level was set: everybody has the usual one.
grants = Standing permissions
grants-none = Nothing was allowed for longer than once.
rules = Never this
rules-none = Nothing was forbidden for good.
commands = Commands
commands-none = Nothing was decided about commands.
verdicts = What the guards said lately
verdicts-none = The guards had nothing to say yet.
damaged = Damaged records: no change is made until they are removed
damaged-remove = Remove
scope-always = always
scope-session = one conversation
scope-schedule = a schedule
list-allow = runs
list-grey = asks
list-deny = never runs
decision-allow = allowed
decision-ask = asked
decision-deny = denied
decision-yes = yes

# People.
everybody = Everybody
knocks = At the door
knocks-none = Nobody waits to be let in.
knock-code = The code they were told
knock-admit = Let in
pairings = Pairings
pairings-none = No sender of another channel is paired.
unpair = Unpair
tokens = Sessions and devices
tokens-none = No session and no device is open.
token-this = this one
tokenkind-login = login link
tokenkind-session = browser
tokenkind-device = device
role-host = host
role-member = member
role-guest = guest

# System.
halt = Stop everything
halt-lead = Ends all work at its next safe point, until you let it go on. Undo still works meanwhile.
stop = Stop everything
stop-sure = Really stop everything?
resume = Let work go on
doctor = Examine everything now
config = Configuration in force


# A page that is not there, and a request that says nothing.
nowhere = There is nothing here
nowhere-back = Back to the chat
empty-request = (empty)

# Telegram.
tg-code = Your code is { $code }. Read it to whoever runs this Metnos, within five minutes.
tg-no-invitation = This invitation was used, is too old, or is none of ours. Ask for another one.
tg-admitted = { $name } is let in as a guest, under the name { $id }.
tg-welcome = Welcome, { $name }. Say what you want; /help shows how.
tg-help = Say what you want in plain words. Photos and files you send go into your inbox.
    /undo takes the last change back
    /stop stops what runs
    /lang CODE changes the language: { $codes }
    /pair CODE lets in whoever was told this code (for whoever runs this Metnos)
tg-undo-request = undo
tg-progress-over = It has ended.
tg-stopping = It stops at the next safe point.
tg-nothing-runs = Nothing runs here.
tg-language = From now on I speak English.
tg-only-text = I understand text, photos and files.
tg-passed-on = That was written by somebody else, so nothing is done with it. Write it yourself if you want it done.
tg-edited = A message that was changed is not done again. Send it anew if you want it.
tg-empty = Done.
tg-as-file = The answer is long, so it comes as a file.
tg-interrupted = Metnos was stopped while it worked on “{ $request }”. A change that was cut off is taken back, what was finished stands. Look before you ask again.
tg-details = Details
tg-yes = Yes
tg-no = No
tg-session = Yes, in this conversation
tg-always = Yes, always here
tg-asks = { $name } asks:
tg-not-sent = What you sent to { $name } did not arrive: { $why }
tg-perhaps-sent = Whether what you sent to { $name } arrived is not known: { $why }
tg-host-asked = The host was asked.
tg-host-only = Only the host may answer this.
tg-not-yours = This question is not for you.
tg-over = This question is over.
tg-chosen = Chosen: { $says }
tg-said-yes = Yes. It goes on.
tg-said-no = No. Nothing is done.
tg-expired = It was not answered in time.
tg-decided-yes = ✓ { $name } said yes.
tg-decided-session = ✓ { $name } said yes, for this conversation.
tg-decided-always = ✓ { $name } said yes, always here.
tg-decided-no = ✗ { $name } said no.
tg-kept = Kept as { $path }
tg-too-large = This file is larger than the 20 MB a bot is given.
tg-file-lost = The file could not be fetched. Send it again.

# The terminal: the first run, and what the prompt says.
setup-missing = Metnos is not set up here yet: metnos init
setup-offer = { "Metnos is not set up here yet. Set it up now? [Y/n] " }
setup-questions = Three questions; Enter takes what stands in brackets.
setup-language = language: { $codes }
setup-languages = one of { $codes }
setup-zone = time zone
setup-no-zone = “{ $text }” is no time zone; for example Europe/Rome
setup-home = Your home directory is always open to Metnos. Other folders, with commas between them:
setup-folders = folders to open
setup-no-folder = { $path } is not a folder; - for none
setup-no-questions = metnos init --yes asks nothing
setup-closed = { $path } stays closed: { $why }
init-keys = keys        { $value }
init-workspace = workspace   { $value }
init-executors = executors   { $value } in use
init-host = host        { $value }…
init-broken = ✗ { $value } broke a birth promise and is in quarantine: metnos executors list
init-try = try         metnos ask "what time is it"    ·    metnos doctor    ·    metnos
cli-welcome = Metnos { $version }. { $n } executors, every call behind three kernel layers.
cli-how = Say what you want in plain words; help shows more.
cli-leave = Ctrl-D or quit leaves.
