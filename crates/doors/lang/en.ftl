# What a person may say to a card, in lower case, separated by commas.
words-yes = yes, y, yes please, ok, okay, sure, go ahead
words-no = no, n, no thanks, cancel

# The way in.
login-how = To come in, open the link that this command prints on the machine where Metnos runs:
login-lost = Metnos does not answer. Is it running?

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
answer-here = Answer yes or no here.
lost-now = The connection is lost. Trying again…
thinking = A model is thinking…
progress = { $n } so far…
progress-of = { $n } of { $m }…
cancelling = Stopping at the next safe point…
steps = Steps: { $n }
steps-show = How it was done
step-planned = planned
step-begins = at work
step-done = done
step-partly = partly done
step-ok = { $n } done
step-failed = { $n } failed
table-label = The list, scrolls sideways
table-rows = { $n } of { $m } rows
table-more = More rows
picture-alt = Picture: { $text }
by-model = A model made this plan.
card-once = Yes, this once
card-session = Yes, in this conversation
card-always = Yes, always here
card-no = No
card-never = Never do this
card-until = Until { $when }
card-expired = The time to answer is over. Ask again if you still want it.
card-by = Asked by { $who }
form-send = Answer
act-star = ★ Keep
act-star-why = Keep this plan for the next time you ask for this
act-undo = Undo
act-repeat = Repeat
act-cancel = Cancel
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
