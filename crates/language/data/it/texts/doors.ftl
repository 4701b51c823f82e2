# Quello che si può rispondere a una scheda, in minuscolo, separato da virgole.
words-yes = sì, si, s, sì grazie, ok, okay, va bene, certo, procedi
words-no = no, n, no grazie, annulla, annullalo, annulla tutto, lascia perdere, lascia stare, non farlo, ferma, fermati
words-details = dettagli, dettaglio, mostra i dettagli
words-on = continua, vai avanti, prosegui, riprendi, fatto

# L'ingresso.
login-how = Per entrare, apri il link che stampa questo comando sulla macchina dove gira Metnos:
login-lost = Metnos non risponde. È in funzione?
login-other = In questo browser è connesso { $here }. Vuoi entrare come { $next }?
login-switch = Entra come un'altra persona

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
answer-here = Rispondi qui sì o no (scheda { $code }; “dettagli” mostra di più), oppure su { $link }
lost-now = La connessione è caduta. Riprovo…
thinking = Un modello sta pensando…
progress = { $n } finora…
progress-looks = Guardate { $n } di { $m }…
progress-of = { $n } di { $m }…
cancelling = Mi fermo al prossimo punto sicuro…
steps = Passi: { $n }
steps-show = Come è stato fatto
step-planned = previsto
step-begins = in corso
step-done = fatto
step-partly = fatto in parte
step-waits = aspetta un sì
step-failed = non riuscito
step-ok = { $n } riusciti
step-failed-count = { $n } non riusciti
arg-base_path = in
arg-by = per
arg-contains = che contengono
arg-content = col testo
arg-dst = in
arg-dst_dir = in
arg-expression = di
arg-field = di
arg-format = come
arg-hidden = anche nascosti:
arg-kind = di tipo
arg-limit = al massimo
arg-max_results = al massimo
arg-mode = in modo
arg-modified_after = modificati dal
arg-modified_before = modificati prima del
arg-name_template = col nome
arg-order = nell'ordine
arg-path = in
arg-paths = quali:
arg-patterns = di nome
arg-query = su
arg-recursive = con tutto il contenuto:
arg-size_max = al massimo
arg-size_min = almeno
arg-to = a
arg-top = i primi
arg-value = il valore
arg-where = dove
taken-wholly = Riportato indietro
taken-partly = Riportato indietro in parte
table-label = L'elenco, scorre di lato
table-rows = { $n } righe su { $m }
table-more = Altre righe
file-take = Prendi questo file
column-content = contenuto
column-copy = copia
column-count = quanti
column-cpu = processore
column-dst = a
column-ext = estensione
column-files = file
column-free = liberi
column-group = gruppo
column-key = gruppo
column-kind = tipo
column-line = riga
column-memory = memoria
column-mtime = modificato
column-name = nome
column-ok = fatto
column-pages = pagine
column-path = dove
column-size = dimensione
column-src = da
column-text = testo
column-title = titolo
column-to = a
column-type = tipo
column-user = utente
column-value = valore
picture-alt = Immagine: { $text }
by-model = Il piano è stato fatto da un modello.
card-once = Sì, questa volta
card-session = Sì, in questa conversazione
card-always = Sì, sempre qui
card-no = No
card-never = Non farlo mai
card-details = Dettagli
card-until = Fino a { $when }
card-expired = Il tempo per rispondere è finito. Se lo vuoi ancora, chiedilo di nuovo.
card-by = Chiesto da { $who }
form-send = Rispondi
offer-none = Nessuna di queste
form-credential = Per questo serve la credenziale «{ $name }». Viene conservata cifrata e mai più mostrata.
form-credential-field = { $field } di { $name }
form-keep = Conserva e continua
act-star = ★ Tieni
act-star-why = Tieni questo piano per la prossima volta che lo chiedi
act-undo = Annulla
act-repeat = Ripeti
act-cancel = Ferma
act-go-on = Continua
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

# Le pagine sulla casa.
title-overview = Panoramica
title-approvals = In attesa
title-turns = Turni
title-turn = Turno
title-undo = Annullare
title-plans = Piani
title-executors = Esecutori
title-executor = Esecutore
title-gaps = Lacune
title-safety = Sicurezza
title-people = Persone
title-models = Modelli
title-system = Sistema
host-only = Questo lo può vedere solo il padrone di casa.
host-only-how = I tuoi turni, i tuoi piani e ciò che hai cambiato sono nel menu.
pages = Pagine
page-older = Precedenti
page-newest = Ai più recenti
filter-all = tutti
filter-show = Mostra
save = Salva
revoke = Revoca
revoke-sure = Revocare davvero?
revoked-at = revocato { $when }
not-chosen = non scelto
days = { $n ->
    [one] { $n } giorno
   *[other] { $n } giorni
}

# Colonne.
col-acts = Che cosa si può fare
col-args = Con
col-by = Da
col-capability = Può
col-changes = Modifiche
col-channel = Canale
col-command = Comando
col-context = Contesto
col-decision = Decisione
col-default = Predefinito
col-does = Che cosa fa
col-executor = Esecutore
col-failed = Non riusciti
col-from = Da dove
col-guard = Guardia
col-id = Id
col-kept = Tenuto
col-key = Chiave
col-kind = Tipo
col-last = Ultimo uso
col-list = Lista
col-model = Modello
col-name = Nome
col-ok = Riusciti
col-outcome = Esito
col-person = Persona
col-reason = Motivo
col-request = Richiesta
col-role = Ruolo
col-root = Provenienza
col-rule = Regola
col-scope = Vale per
col-sender = Mittente
col-signature = Firma
col-since = Da
col-stage = Pianificato da
col-state = Stato
col-status = Stato
col-target = Dove
col-timeout = Tempo massimo
col-tokens-in = Token in entrata
col-tokens-out = Token in uscita
col-took = Durata
col-until = Fino a
col-url = Indirizzo
col-uses = Usi
col-value = Valore
col-what = Che cosa
col-when = Quando
col-words = Non capito

# Panoramica.
overview-now = Adesso
overview-lately = Gli ultimi 30 giorni
tile-state = Stato
tile-good = Al lavoro
tile-stopped = Fermo
tile-waiting = In attesa di un sì
tile-knocking = Bussano alla porta
tile-running = Turni in corso
tile-queued = { $n } aspettano posto
tile-out-of-use = { $n } fuori uso
tile-streams = { $n } flussi aperti
plot-turns = Turni al giorno; la parte piena ha fatto ciò che era chiesto
plot-turns-most = Turni al giorno, al massimo { $n }
plot-latency = Quanto è durato un turno: la metà (scuro), 95 su 100 (chiaro)
plot-latency-most = Quanto è durato un turno ogni giorno, al massimo { $n }
sizes = Che cosa è tenuto
kept-turns = Elenchi dei turni
kept-undo = Per annullare
kept-logs = Registro
kept-database = Banca dati
kept-audit = Audit
is-stopped = È tutto fermo.

# Fatti.
fact-version = Versione
fact-versions = Versioni installate
fact-memory = Memoria
fact-up = In funzione da
fact-streams = Flussi aperti
fact-warm = Celle calde
warm-hits = { $n } chiamate ne hanno trovata una
warm-misses = { $n } hanno dovuto aspettarla
fact-state = Stato
fact-roots = Cartelle aperte
fact-born = Prove di nascita
born-yes = superate su questa macchina
born-no = non ancora superate su questa macchina
fact-effects = Effetti
fact-digest = Impronta
fact-language = Lingua
fact-zone = Fuso orario
fact-tokens = Token
fact-cost = Costo
fact-per-turn = Token di un turno, al massimo

# Turni.
turns-none = Qui non è stato ancora chiesto nulla.
turn-answer = Risposta
turn-steps = Passi
turn-no-steps = Nessun passo è stato previsto.
turn-phases = Quanto è durato
turn-why = Perché era permesso?
turn-replay = Decidilo di nuovo
turn-log = Registro
turn-log-count = Voci: { $n }. Bastano per decidere di nuovo il turno.
replay-same = Deciso di nuovo dal registro: { $n } voci, ogni volta lo stesso.
replay-differs = Deciso di nuovo dal registro: di { $n } voci { $m } ora sono decise diversamente, la prima alla riga { $line }.
stage-literal = una parola fissa
stage-fastpath = un piano tenuto
stage-autopath = una forma tenuta
stage-embedded = il pianificatore interno
stage-model = un modello
phase-literal = parole fisse
phase-memory = memoria
phase-intent = comprensione
phase-exec = esecuzione
phase-model = modelli

# Esecutori.
executors-lead = I piccoli programmi firmati di cui è fatto Metnos. Ognuno è controllato di nuovo a ogni chiamata.
executors-none = Nessun esecutore è installato.
signature-good = verificata
signature-bad = non verificata
state-proposed = proposto
state-synthesised = scritto
state-active = in uso
state-below_threshold = sotto la soglia
state-fused = fuso
state-archived = archiviato
state-quarantined = in quarantena
state-disabled = spento
state-learning = in prova
state-retired = a riposo
root-seed = fornito con Metnos
root-synt = costruito qui
root-skills = importato
root-builtin = parte del demone
part-input = Che cosa prende
part-output = Che cosa dà
part-sandbox = Che cosa può toccare
part-reverse = Come si torna indietro
part-error_classes = Come può fallire
part-runtime = Come viene eseguito

# Piani.
plans-lead = Piani che hanno fatto ciò che era chiesto. Uno con la stella risponde d'ora in poi alla stessa richiesta.
plans-none = Nessun piano è ancora tenuto. I piani arrivano da soli quando le richieste trovano risposta.
plankind-exact = questa richiesta
plankind-shape = ogni richiesta di questa forma
plan-star = Tieni
plan-starred = Con la stella
plan-reject = Rifiuta
plan-forget = Dimentica
plan-forget-sure = Dimenticare davvero?

# Che cosa aspetta.
approvals-none = Nulla aspetta una risposta.
approvals-more = { $n } aspettano; sono mostrati i più recenti.

# Lacune.
gaps-lead = Richieste che nessun esecutore ha saputo soddisfare.
gaps-none = Nulla di ciò che è stato chiesto era fuori portata.

# Annullare.
undo-lead = Che cosa è stato cambiato. Ciò che è ancora tenuto si può riportare indietro.
undo-none = Nulla è stato ancora cambiato.
undo-sure = Riportare davvero indietro?
undo-freed-at = lasciato andare { $when }
change-open = in corso
change-done = fatto
change-undoing = in annullamento
change-partly_undone = annullato in parte
change-undone = riportato indietro
change-rolled_back = interrotto e riportato indietro
change-freed = non si può più annullare
change-permanent = eliminato per sempre
change-damaged = danneggiato

# Modelli.
models-bound = Collegati
models-none = Nessun modello è collegato: fa tutto il pianificatore interno. [tiers] in metnos.toml ne collega uno.
models-today = Oggi
models-no-calls = Oggi non è stato chiesto nulla a nessun modello.
of-budget = su { $n }
key-vault = nella cassaforte

# Sicurezza.
audit = Audit
audit-lines = Righe
audit-last = Ultimo controllo
audit-never = nessuno dall'avvio
audit-good = { $n } righe, la catena tiene
audit-bad = la catena è danneggiata
audit-verify = Controlla ora tutta la catena
levels = Livelli
levels-none = Nessun livello è stato deciso: ognuno ha quello consueto.
grants = Permessi duraturi
grants-none = Nulla è stato permesso per più di una volta.
rules = Mai questo
rules-none = Nulla è stato proibito per sempre.
commands = Comandi
commands-none = Nulla è stato deciso sui comandi.
verdicts = Che cosa hanno detto le guardie di recente
verdicts-none = Le guardie non hanno ancora detto nulla.
damaged = Registrazioni danneggiate: finché ci sono non si cambia nulla
damaged-remove = Rimuovi
scope-always = sempre
scope-session = una conversazione
scope-schedule = un programma
list-allow = si esegue
list-grey = chiede
list-deny = non si esegue mai
decision-allow = permesso
decision-ask = chiesto
decision-deny = negato
decision-yes = sì

# Persone.
everybody = Tutti
knocks = Alla porta
knocks-none = Nessuno aspetta di entrare.
knock-code = Il codice che hanno ricevuto
knock-admit = Fai entrare
pairings = Abbinamenti
pairings-none = Nessun mittente di un altro canale è abbinato.
unpair = Disabbina
tokens = Sessioni e dispositivi
tokens-none = Nessuna sessione e nessun dispositivo è aperto.
token-this = questa
tokenkind-login = link d'ingresso
tokenkind-session = browser
tokenkind-device = dispositivo
role-host = padrone di casa
role-member = membro
role-guest = ospite

# Sistema.
halt = Fermare tutto
halt-lead = Ferma ogni lavoro al prossimo punto sicuro, finché non lo lasci ripartire. Annullare funziona lo stesso.
stop = Ferma tutto
stop-sure = Fermare davvero tutto?
resume = Lascia ripartire
doctor = Esamina tutto ora
config = Configurazione in vigore


# Una pagina che non c'è, e una richiesta che non dice niente.
nowhere = Qui non c'è niente
nowhere-back = Torna alla chat
empty-request = (vuoto)

# Telegram.
tg-code = Il tuo codice è { $code }. Leggilo a chi gestisce questo Metnos, entro cinque minuti.
tg-no-invitation = Questo invito è già stato usato, è troppo vecchio o non è dei nostri. Chiedine un altro.
tg-admitted = { $name } è entrato come ospite, con il nome { $id }.
tg-welcome = Ciao, { $name }. Di' cosa vuoi; /help mostra come.
tg-help = Di' cosa vuoi con parole tue. Le foto e i file che mandi vanno nella tua inbox.
    /undo annulla l'ultima modifica
    /stop ferma quello che è in corso
    /lang CODICE cambia la lingua: { $codes }
    /pair CODICE fa entrare chi ha ricevuto quel codice (per chi gestisce questo Metnos)
tg-undo-request = annulla
tg-progress-over = È finita.
tg-stopping = Si ferma al prossimo punto sicuro.
tg-nothing-runs = Qui non è in corso niente.
tg-language = D'ora in poi parlo italiano.
tg-only-text = Capisco testo, foto e file.
tg-passed-on = Questo l'ha scritto qualcun altro, quindi non ne faccio niente. Se lo vuoi, scrivilo tu.
tg-edited = Un messaggio modificato non viene eseguito di nuovo. Se lo vuoi, mandalo da capo.
tg-empty = Fatto.
tg-as-file = La risposta è lunga, quindi arriva come file.
tg-interrupted = Metnos è stato fermato mentre lavorava a «{ $request }». Una modifica interrotta viene annullata, quello che era finito resta. Guarda prima di chiedere di nuovo.
tg-details = Dettagli
tg-yes = Sì
tg-no = No
tg-session = Sì, in questa conversazione
tg-always = Sì, sempre qui
tg-asks = { $name } chiede:
tg-not-sent = Quello che hai mandato a { $name } non è arrivato: { $why }
tg-perhaps-sent = Non si sa se quello che hai mandato a { $name } sia arrivato: { $why }
tg-host-asked = È stato chiesto al padrone di casa.
tg-host-only = Può rispondere solo il padrone di casa.
tg-not-yours = Questa domanda non è per te.
tg-over = Questa domanda è chiusa.
tg-chosen = Scelto: { $says }
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

# Il terminale: il primo avvio, e che cosa dice il prompt.
setup-missing = Metnos non è ancora configurato qui: metnos init
setup-offer = { "Metnos non è ancora configurato qui. Lo configuro ora? [S/n] " }
setup-questions = Tre domande; Invio accetta ciò che sta tra parentesi.
setup-language = lingua: { $codes }
setup-languages = una tra { $codes }
setup-zone = fuso orario
setup-no-zone = “{ $text }” non è un fuso orario; per esempio Europe/Rome
setup-home = La tua cartella personale è sempre aperta a Metnos. Altre cartelle, separate da virgole:
setup-folders = cartelle da aprire
setup-no-folder = { $path } non è una cartella; - per nessuna
setup-no-questions = metnos init --yes non chiede nulla
setup-closed = { $path } resta chiusa: { $why }
init-keys = chiavi      { $value }
init-workspace = lavoro      { $value }
init-executors = esecutori   { $value } in uso
init-host = host        { $value }…
init-broken = ✗ { $value } non ha mantenuto una promessa di nascita ed è in quarantena: metnos executors list
init-try = prova       metnos ask "che ore sono"    ·    metnos doctor    ·    metnos
cli-welcome = Metnos { $version }. { $n } esecutori, ogni chiamata dietro tre strati del kernel.
cli-how = Di' che cosa vuoi con parole semplici; aiuto mostra di più.
cli-leave = Ctrl-D o esci chiude.
