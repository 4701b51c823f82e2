# Quello che si può rispondere a una scheda, in minuscolo, separato da virgole.
words-yes = sì, si, s, sì grazie, ok, okay, va bene, certo, procedi
words-no = no, n, no grazie, annulla

# L'ingresso.
login-how = Per entrare, apri il link che stampa questo comando sulla macchina dove gira Metnos:
login-lost = Metnos non risponde. È in funzione?

# Intorno a ogni pagina.
skip = Vai al contenuto
nav-main = Principale
nav-house = Casa
leave = Esci
lost = Metnos non risponde. È in funzione?
working = Al lavoro…

# La chat.
title-chat = Chat
ask-label = Di' cosa vuoi
ask-send = Invia
ask-keys = Invio manda, Maiusc+Invio va a capo, Esc annulla ciò che è in corso.
welcome = Ai tuoi ordini
welcome-how = Di' con parole tue che cosa ti serve. Prima di un cambiamento importante ti viene chiesto; ciò che è stato cambiato si può annullare.
example-time = Che ore sono?
example-find = Trova i file più grandi in Documenti
example-disk = Quanto spazio è rimasto sul disco?
older = Mostra i precedenti
elsewhere = Chiesto altrove, in attesa della tua risposta
rows-more = Sono mostrate { $shown } righe su { $count }.
answer-here = Rispondi qui sì o no.
lost-now = La connessione è caduta. Riprovo…
thinking = Un modello sta pensando…
progress = { $n } finora…
progress-of = { $n } di { $m }…
cancelling = Mi fermo al prossimo punto sicuro…
steps = Passi: { $n }
steps-show = Come è stato fatto
step-planned = previsto
step-begins = in corso
step-done = fatto
step-partly = fatto in parte
step-ok = { $n } riusciti
step-failed = { $n } non riusciti
table-label = L'elenco, scorre di lato
table-rows = { $n } righe su { $m }
table-more = Altre righe
picture-alt = Immagine: { $text }
by-model = Il piano è stato fatto da un modello.
card-once = Sì, questa volta
card-session = Sì, in questa conversazione
card-always = Sì, sempre qui
card-no = No
card-never = Non farlo mai
card-until = Fino a { $when }
card-expired = Il tempo per rispondere è finito. Se lo vuoi ancora, chiedilo di nuovo.
card-by = Chiesto da { $who }
form-send = Rispondi
act-star = ★ Tieni
act-star-why = Tieni questo piano per la prossima volta che lo chiedi
act-undo = Annulla
act-repeat = Ripeti
act-cancel = Ferma
act-retry = Riprova
act-details = Dettagli
starred = Tenuto: da ora la stessa richiesta usa questo piano.
starred-none = Di questo turno non è tenuto nulla, quindi non c'è nulla da segnare.
undone = Riportati indietro: { $n }

# A che punto è un turno.
status-running = in corso
status-done = fatto
status-partly = fatto in parte
status-failed = non riuscito
status-waits = aspetta un sì
status-asks = chiede
status-cancelled = annullato
status-unclear = non capito
status-gap = nessuno sa ancora farlo
status-dormant = manca qualcosa da attivare
status-interrupted = interrotto
