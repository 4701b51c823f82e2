# Quello che si può rispondere a una scheda, in minuscolo, separato da virgole.
words-yes = sì, si, s, sì grazie, ok, okay, va bene, certo, procedi
words-no = no, n, no grazie, annulla

login-how = Per entrare, apri il link che stampa questo comando sulla macchina dove gira Metnos:
login-lost = Metnos non risponde. È in funzione?
title-chat = Chat
ask-label = Di' cosa vuoi
ask-send = Invia
rows-more = Sono mostrate { $shown } righe su { $count }.
answer-here = Rispondi qui sì o no.
