# Lo que una persona puede decir ante una pregunta, en minúsculas, separado por comas.
words-yes = sí, si, s, sí por favor, vale, ok, okay, claro, adelante, de acuerdo, hazlo
words-no = no, n, no gracias, cancela, cancelar, cancélalo, déjalo, olvídalo, da igual, mejor no, no lo hagas, para
words-details = detalles, detalle, más, muestra los detalles, ver detalles
words-on = continúa, continua, sigue, adelante, seguir, listo, hecho

# La entrada.
login-how = Para entrar, abre el enlace que muestra este comando en la máquina donde corre Metnos:
login-lost = Metnos no responde. ¿Está en marcha?
login-other = { $here } tiene abierta la sesión en este navegador. ¿Entrar como { $next }?
login-switch = Entrar como otra persona

# Alrededor de cada página.
skip = Ir al contenido
nav-main = Principal
nav-house = Casa
leave = Salir
lost = Metnos no responde. ¿Está en marcha?
working = Trabajando…

# La conversación.
title-chat = Conversación
ask-label = Di qué quieres
ask-send = Enviar
ask-keys = Intro envía, Mayús+Intro hace una línea nueva, Esc detiene lo que está en marcha.
welcome = A tu servicio
welcome-how = Di qué necesitas con palabras sencillas. Antes de cambiar algo importante se te pregunta; lo que se cambia se puede deshacer.
example-time = ¿Qué hora es?
example-find = Busca los archivos más grandes de Documentos
example-disk = ¿Cuánto espacio queda en el disco?
older = Ver anteriores
elsewhere = Pedido en otro sitio, espera tu respuesta
rows-more = Se muestran { $shown } de { $count } filas.
answer-here = Responde sí o no aquí (pregunta { $code }; «detalles» muestra más), o en { $link }
lost-now = Se ha perdido la conexión. Probando otra vez…
thinking = Un modelo está pensando…
progress = { $n } por ahora…
progress-looks = Mirados { $n } de { $m }…
progress-of = { $n } de { $m }…
cancelling = Se detiene en el próximo punto seguro…
steps = Pasos: { $n }
steps-show = Cómo se hizo
step-planned = previsto
step-begins = en marcha
step-done = hecho
step-partly = hecho en parte
step-waits = espera un sí
step-failed = ha fallado
step-ok = { $n } hechos
step-failed-count = { $n } fallidos
arg-base_path = en
arg-by = por
arg-contains = que contiene
arg-content = con el texto
arg-dst = en
arg-dst_dir = en
arg-expression = de
arg-field = de
arg-format = como
arg-hidden = también los ocultos:
arg-kind = de tipo
arg-limit = como mucho
arg-max_results = como mucho
arg-mode = por
arg-modified_after = cambiado desde
arg-modified_before = cambiado antes de
arg-name_template = con el nombre
arg-order = en el orden
arg-path = en
arg-paths = cuáles:
arg-patterns = llamados
arg-query = sobre
arg-recursive = con todo lo que contiene:
arg-size_max = como mucho
arg-size_min = como mínimo
arg-to = a
arg-top = los primeros
arg-value = el valor
arg-where = donde
taken-wholly = Deshecho
taken-partly = Deshecho en parte
table-label = La lista, se desplaza de lado
table-rows = { $n } de { $m } filas
table-more = Más filas
file-take = Descargar este archivo
column-content = contenido
column-copy = copia
column-count = cuántos
column-cpu = procesador
column-dst = a
column-ext = extensión
column-files = archivos
column-free = libre
column-group = grupo
column-key = grupo
column-kind = tipo
column-line = línea
column-memory = memoria
column-mtime = cambiado
column-name = nombre
column-ok = hecho
column-pages = páginas
column-path = dónde
column-size = tamaño
column-src = desde
column-text = texto
column-title = título
column-to = a
column-type = tipo
column-user = usuario
column-value = valor
picture-alt = Imagen: { $text }
by-model = Este plan lo ha hecho un modelo.
card-once = Sí, esta vez
card-session = Sí, en esta conversación
card-always = Sí, siempre aquí
card-no = No
card-never = No hacerlo nunca
card-details = Detalles
card-until = Hasta { $when }
card-expired = Se acabó el tiempo para responder. Pídelo otra vez si aún lo quieres.
card-by = Lo pide { $who }
form-send = Responder
offer-none = Ninguna de estas
form-credential = Para esto hace falta la credencial «{ $name }». Se guarda cifrada y no se vuelve a mostrar.
form-credential-field = { $field } de { $name }
form-keep = Guardar y continuar
act-star = ★ Conservar
act-star-why = Conserva este plan para la próxima vez que pidas esto
act-undo = Deshacer
act-repeat = Repetir
act-cancel = Cancelar
act-go-on = Continuar
act-retry = Probar otra vez
act-details = Detalles
starred = Conservado: desde ahora este plan responde a la misma petición.
starred-none = De este turno no se conserva nada, así que no hay nada que marcar.
undone = Deshecho: { $n }

# Cómo está un turno.
status-running = en marcha
status-done = hecho
status-partly = hecho en parte
status-failed = ha fallado
status-waits = espera un sí
status-asks = pregunta
status-cancelled = cancelado
status-unclear = no entendido
status-gap = nada puede hacerlo todavía
status-dormant = necesita algo que está apagado
status-interrupted = interrumpido

# Las páginas sobre la casa.
title-overview = Resumen
title-approvals = En espera
title-turns = Turnos
title-turn = Turno
title-undo = Deshacer
title-plans = Planes
title-executors = Ejecutores
title-executor = Ejecutor
title-gaps = Carencias
title-safety = Seguridad
title-people = Personas
title-models = Modelos
title-system = Sistema
host-only = Solo quien administra la casa puede ver esto.
host-only-how = Tus turnos, tus planes y lo que has cambiado están en el menú.
pages = Páginas
page-older = Anteriores
page-newest = A lo más reciente
filter-all = todo
filter-show = Mostrar
save = Guardar
revoke = Revocar
revoke-sure = ¿Revocar de verdad?
revoked-at = revocado { $when }
not-chosen = sin elegir
days = { $n ->
    [one] { $n } día
   *[other] { $n } días
}

# Columnas.
col-acts = Qué se puede hacer
col-args = Con
col-by = Por
col-capability = Puede
col-changes = Cambios
col-channel = Canal
col-command = Comando
col-context = Contexto
col-decision = Decisión
col-default = Por defecto
col-does = Qué hace
col-executor = Ejecutor
col-failed = Fallidos
col-from = Desde
col-guard = Guardián
col-id = Id
col-kept = Conservado
col-key = Clave
col-kind = Tipo
col-last = Último uso
col-list = Lista
col-model = Modelo
col-name = Nombre
col-ok = Hechos
col-outcome = Resultado
col-person = Persona
col-reason = Motivo
col-request = Petición
col-role = Papel
col-root = Viene de
col-rule = Regla
col-scope = Vale para
col-sender = Remitente
col-signature = Firma
col-since = Desde
col-stage = Planeado por
col-state = Estado
col-status = Situación
col-target = Dónde
col-timeout = Límite de tiempo
col-tokens-in = Tokens de entrada
col-tokens-out = Tokens de salida
col-took = Tardó
col-until = Hasta
col-url = Dirección
col-uses = Usos
col-value = Valor
col-what = Qué
col-when = Cuándo
col-words = Sin entender

# Resumen.
overview-now = Ahora
overview-lately = Los últimos 30 días
tile-state = Estado
tile-good = En marcha
tile-stopped = Detenido
tile-waiting = Esperan un sí
tile-knocking = Llaman a la puerta
tile-running = Turnos en marcha
tile-queued = { $n } esperan sitio
tile-out-of-use = { $n } fuera de uso
tile-streams = { $n } conexiones abiertas
plot-turns = Turnos por día; la parte fuerte hizo lo que se pidió
plot-turns-most = Turnos por día, como mucho { $n }
plot-latency = Cuánto tardó un turno: la mitad (fuerte), 95 de cada 100 (claro)
plot-latency-most = Cuánto tardó un turno cada día, como mucho { $n }
sizes = Qué se conserva
kept-turns = Listas de los turnos
kept-undo = Para deshacer
kept-logs = Registro
kept-database = Base de datos
kept-audit = Auditoría
is-stopped = Todo está detenido.

# Datos.
fact-version = Versión
fact-versions = Versiones instaladas
fact-memory = Memoria
fact-up = En marcha desde hace
fact-streams = Conexiones abiertas
fact-warm = Celdas listas
warm-hits = { $n } llamadas encontraron una
warm-misses = { $n } tuvieron que esperarla
fact-state = Estado
fact-roots = Carpetas abiertas
fact-born = Pruebas de nacimiento
born-yes = superadas en esta máquina
born-no = aún no superadas en esta máquina
fact-effects = Efectos
fact-digest = Huella
fact-language = Idioma
fact-zone = Zona horaria
fact-tokens = Tokens
fact-cost = Coste
fact-per-turn = Tokens de un turno, como mucho

# Turnos.
turns-none = Aquí no se ha pedido nada todavía.
turn-answer = Respuesta
turn-steps = Pasos
turn-no-steps = No se planeó ningún paso.
turn-phases = Cuánto tardó
turn-why = ¿Por qué se permitió?
turn-replay = Decidirlo otra vez
turn-log = Registro
turn-log-count = Anotaciones: { $n }. Bastan para decidir el turno otra vez.
replay-same = Decidido otra vez a partir de su registro: { $n } anotaciones, todas iguales.
replay-differs = Decidido otra vez a partir de su registro: de { $n } anotaciones, { $m } se deciden ahora de otro modo, la primera en la línea { $line }.
stage-literal = una frase fija
stage-fastpath = un plan conservado
stage-autopath = una forma conservada
stage-embedded = el planificador propio
stage-model = un modelo
phase-literal = frases fijas
phase-memory = memoria
phase-intent = comprensión
phase-exec = ejecución
phase-model = modelos

# Ejecutores.
executors-lead = Los pequeños programas firmados de los que está hecho Metnos. Cada uno se comprueba en cada llamada.
executors-none = No hay ningún ejecutor instalado.
signature-good = verificada
signature-bad = no verificada
state-proposed = propuesto
state-synthesised = escrito
state-active = en uso
state-below_threshold = por debajo del umbral
state-fused = fusionado
state-archived = archivado
state-quarantined = en cuarentena
state-disabled = apagado
state-learning = aprendiendo
state-retired = retirado
root-seed = viene con Metnos
root-synt = hecho aquí
root-skills = importado
root-builtin = parte del servicio
part-input = Qué recibe
part-output = Qué devuelve
part-sandbox = Qué puede tocar
part-reverse = Cómo se deshace
part-error_classes = Cómo puede fallar
part-runtime = Cómo se ejecuta

# Planes.
plans-lead = Planes que hicieron lo que se pidió. Uno marcado responde desde ahora a la misma petición.
plans-none = Aún no se conserva ningún plan. Los planes llegan solos al responder peticiones.
plankind-exact = esta petición
plankind-shape = toda petición de esta forma
plan-star = Conservar
plan-starred = Marcado
plan-reject = Rechazar
plan-forget = Olvidar
plan-forget-sure = ¿Olvidarlo de verdad?

# Lo que espera.
approvals-none = Nada espera una respuesta.
approvals-more = { $n } esperan; se muestran las más recientes.

# Carencias.
gaps-lead = Peticiones que ningún ejecutor pudo cumplir.
gaps-none = Nada de lo que se pidió quedó fuera de alcance.

# Deshacer.
undo-lead = Qué se cambió. Lo que aún se conserva se puede deshacer.
undo-none = Aún no se ha cambiado nada.
undo-sure = ¿Deshacerlo de verdad?
undo-freed-at = se soltó { $when }
change-open = en marcha
change-done = hecho
change-undoing = deshaciéndose
change-partly_undone = deshecho en parte
change-undone = deshecho
change-rolled_back = interrumpido y deshecho
change-freed = ya no se puede deshacer
change-permanent = eliminado para siempre
change-damaged = dañado

# Modelos.
models-bound = Conectados
models-none = No hay ningún modelo conectado: lo hace todo el planificador propio. [tiers] en metnos.toml conecta uno.
models-today = Hoy
models-no-calls = Hoy no se ha preguntado nada a ningún modelo.
of-budget = de { $n }
key-vault = en la caja fuerte

# Seguridad.
audit = Auditoría
audit-lines = Líneas
audit-last = Última comprobación
audit-never = ninguna desde el arranque
audit-good = { $n } líneas, la cadena está intacta
audit-bad = la cadena está dañada
audit-verify = Comprobar ahora toda la cadena
levels = Niveles
levels-none = No se ha fijado ningún nivel: cada persona tiene el habitual.
grants = Permisos vigentes
grants-none = Nada se ha permitido por más de una vez.
rules = Esto nunca
rules-none = Nada se ha prohibido para siempre.
commands = Comandos
commands-none = No se ha decidido nada sobre comandos.
verdicts = Lo que dijeron los guardianes
verdicts-none = Los guardianes aún no han tenido nada que decir.
damaged = Registros dañados: no se cambia nada hasta que se quiten
damaged-remove = Quitar
scope-always = siempre
scope-session = una conversación
scope-schedule = una programación
list-allow = se ejecuta
list-grey = pregunta
list-deny = no se ejecuta nunca
decision-allow = permitido
decision-ask = preguntado
decision-deny = denegado
decision-yes = sí

# Personas.
everybody = Todos
knocks = A la puerta
knocks-none = Nadie espera para entrar.
knock-code = El código que recibieron
knock-admit = Dejar entrar
pairings = Enlaces
pairings-none = No hay ningún remitente de otro canal enlazado.
unpair = Desenlazar
tokens = Sesiones y dispositivos
tokens-none = No hay ninguna sesión ni ningún dispositivo abierto.
token-this = este
tokenkind-login = enlace de entrada
tokenkind-session = navegador
tokenkind-device = dispositivo
role-host = anfitrión
role-member = miembro
role-guest = invitado

# Sistema.
halt = Detener todo
halt-lead = Termina todo el trabajo en su próximo punto seguro, hasta que lo dejes seguir. Deshacer sigue funcionando mientras tanto.
stop = Detener todo
stop-sure = ¿Detener todo de verdad?
resume = Dejar seguir el trabajo
doctor = Examinarlo todo ahora
config = Configuración vigente


# Una página que no existe, y una petición que no dice nada.
nowhere = Aquí no hay nada
nowhere-back = Volver a la conversación
empty-request = (vacía)

# Telegram.
tg-code = Tu código es { $code }. Léeselo a quien lleva este Metnos, en menos de cinco minutos.
tg-no-invitation = Esta invitación ya se usó, es demasiado antigua o no es de aquí. Pide otra.
tg-admitted = { $name } entra como invitado, con el nombre { $id }.
tg-welcome = Te damos la bienvenida, { $name }. Di qué quieres; /help explica cómo.
tg-help = Di qué quieres con palabras sencillas. Las fotos y los archivos que envíes van a tu bandeja de entrada.
    /undo deshace el último cambio
    /stop detiene lo que está en marcha
    /lang CÓDIGO cambia el idioma: { $codes }
    /pair CÓDIGO deja entrar a quien recibió ese código (para quien lleva este Metnos)
tg-undo-request = deshaz
tg-progress-over = Ha terminado.
tg-stopping = Se detiene en el próximo punto seguro.
tg-nothing-runs = Aquí no hay nada en marcha.
tg-language = Desde ahora hablo español.
tg-only-text = Entiendo texto, fotos y archivos.
tg-passed-on = Eso lo escribió otra persona, así que no se hace nada con ello. Escríbelo tú si quieres que se haga.
tg-edited = Un mensaje cambiado no se vuelve a hacer. Envíalo de nuevo si lo quieres.
tg-empty = Hecho.
tg-as-file = La respuesta es larga, así que llega como archivo.
tg-interrupted = Metnos se detuvo mientras trabajaba en «{ $request }». Un cambio a medias se deshace; lo terminado se queda. Míralo antes de pedirlo otra vez.
tg-details = Detalles
tg-yes = Sí
tg-no = No
tg-session = Sí, en esta conversación
tg-always = Sí, siempre aquí
tg-asks = { $name } pide:
tg-not-sent = Lo que enviaste a { $name } no llegó: { $why }
tg-perhaps-sent = No se sabe si lo que enviaste a { $name } llegó: { $why }
tg-host-asked = Se le ha preguntado a quien administra la casa.
tg-host-only = Esto solo lo puede responder quien administra la casa.
tg-not-yours = Esta pregunta no es para ti.
tg-over = Esta pregunta ya está cerrada.
tg-chosen = Elegido: { $says }
tg-said-yes = Sí. Sigue adelante.
tg-said-no = No. No se hace nada.
tg-expired = No se respondió a tiempo.
tg-decided-yes = ✓ { $name } dijo que sí.
tg-decided-session = ✓ { $name } dijo que sí, para esta conversación.
tg-decided-always = ✓ { $name } dijo que sí, siempre aquí.
tg-decided-no = ✗ { $name } dijo que no.
tg-kept = Guardado como { $path }
tg-too-large = Este archivo pasa de los 20 MB que recibe un bot.
tg-file-lost = No se pudo descargar el archivo. Envíalo otra vez.

# El terminal: la primera vez, y lo que dice el indicador.
setup-missing = Metnos aún no está configurado aquí: metnos init
setup-offer = { "Metnos aún no está configurado aquí. ¿Configurarlo ahora? [S/n] " }
setup-questions = Tres preguntas; Intro acepta lo que está entre corchetes.
setup-language = idioma: { $codes }
setup-languages = uno de { $codes }
setup-zone = zona horaria
setup-no-zone = «{ $text }» no es una zona horaria; por ejemplo Europe/Rome
setup-home = Tu carpeta personal siempre está abierta para Metnos. Otras carpetas, separadas por comas:
setup-folders = carpetas que abrir
setup-no-folder = { $path } no es una carpeta; - para ninguna
setup-no-questions = metnos init --yes no pregunta nada
setup-closed = { $path } sigue cerrada: { $why }
init-keys = claves      { $value }
init-workspace = trabajo     { $value }
init-executors = ejecutores  { $value } en uso
init-host = anfitrión   { $value }…
init-broken = ✗ { $value } ha roto una promesa de nacimiento y está en cuarentena: metnos executors list
init-try = prueba      metnos ask "qué hora es"    ·    metnos doctor    ·    metnos
cli-welcome = Metnos { $version }. { $n } ejecutores, cada llamada detrás de tres capas del núcleo.
cli-how = Di qué quieres con palabras sencillas; ayuda muestra más.
cli-leave = Ctrl-D o salir para salir.
