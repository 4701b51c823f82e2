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
