# What a person may say to a card, in lower case, separated by commas.
words-yes = yes, y, yes please, ok, okay, sure, go ahead
words-no = no, n, no thanks, cancel

login-how = To come in, open the link that this command prints on the machine where Metnos runs:
login-lost = Metnos does not answer. Is it running?
title-chat = Chat
ask-label = Say what you want
ask-send = Send
rows-more = { $shown } of { $count } rows are shown.
answer-here = Answer yes or no here.

# Telegram.
tg-code = Your code is { $code }. Read it to whoever runs this Metnos, within five minutes.
tg-no-invitation = This invitation was used, is too old, or is none of ours. Ask for another one.
tg-welcome = Welcome, { $name }. Say what you want; /help shows how.
tg-help = Say what you want in plain words. Photos and files you send go into your inbox.
    /undo takes the last change back
    /stop stops what runs
    /lang it or /lang en changes the language
tg-undo-request = undo
tg-stopping = It stops at the next safe point.
tg-nothing-runs = Nothing runs here.
tg-language = From now on I speak English.
tg-only-text = I understand text, photos and files.
tg-edited = A message that was changed is not done again. Send it anew if you want it.
tg-empty = Done.
tg-as-file = The answer is long, so it comes as a file.
tg-interrupted = Metnos was stopped while it worked on “{ $request }”. A change that was cut off is taken back, what was finished stands. Look before you ask again.
tg-yes = Yes
tg-no = No
tg-session = Yes, in this conversation
tg-always = Yes, always here
tg-asks = { $name } asks:
tg-host-asked = The host was asked.
tg-host-only = Only the host may answer this.
tg-not-yours = This question is not for you.
tg-over = This question is over.
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
