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

# Telegram.
tg-code = Il tuo codice è { $code }. Leggilo a chi gestisce questo Metnos, entro cinque minuti.
tg-no-invitation = Questo invito è già stato usato, è troppo vecchio o non è dei nostri. Chiedine un altro.
tg-welcome = Ciao, { $name }. Di' cosa vuoi; /help mostra come.
tg-help = Di' cosa vuoi con parole tue. Le foto e i file che mandi vanno nella tua inbox.
    /undo annulla l'ultima modifica
    /stop ferma quello che è in corso
    /lang it oppure /lang en cambia la lingua
tg-undo-request = annulla
tg-stopping = Si ferma al prossimo punto sicuro.
tg-nothing-runs = Qui non è in corso niente.
tg-language = D'ora in poi parlo italiano.
tg-only-text = Capisco testo, foto e file.
tg-edited = Un messaggio modificato non viene eseguito di nuovo. Se lo vuoi, mandalo da capo.
tg-empty = Fatto.
tg-as-file = La risposta è lunga, quindi arriva come file.
tg-interrupted = Metnos è stato fermato mentre lavorava a «{ $request }». Una modifica interrotta viene annullata, quello che era finito resta. Guarda prima di chiedere di nuovo.
tg-yes = Sì
tg-no = No
tg-session = Sì, in questa conversazione
tg-always = Sì, sempre qui
tg-asks = { $name } chiede:
tg-host-asked = È stato chiesto al padrone di casa.
tg-host-only = Può rispondere solo il padrone di casa.
tg-not-yours = Questa domanda non è per te.
tg-over = Questa domanda è chiusa.
tg-said-yes = Sì. Si va avanti.
tg-said-no = No. Non si fa niente.
tg-expired = Non c'è stata risposta in tempo.
tg-decided-yes = ✓ { $name } ha detto sì.
tg-decided-session = ✓ { $name } ha detto sì, per questa conversazione.
tg-decided-always = ✓ { $name } ha detto sì, sempre qui.
tg-decided-no = ✗ { $name } ha detto no.
tg-kept = Salvato come { $path }
tg-too-large = Questo file supera i 20 MB che un bot può ricevere.
tg-file-lost = Non è stato possibile prendere il file. Mandalo di nuovo.
