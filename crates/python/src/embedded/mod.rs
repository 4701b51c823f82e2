//! Runtime `python`: the interpreter inside the host.
//!
//! It has no file, clock, socket, thread or environment of its own: it stops at every `ctx` call, the
//! host performs it, and it goes on with the answer. It is the same process, so the bounds here are the
//! first line and the kernel's limits on the cell are the last.

mod convert;
mod failure;
mod prints;

use crate::ctx::{self, CallError, METHODS, Raised, Reply, final_for_python};
use crate::{Bounds, Ctx, Runtime};
use convert::{from_json, to_json};
use failure::Uncaught;
use metnos_executor::Failure;
use monty::{FunctionCall, MontyRun, NameLookup, OsCall, RunProgress};
use monty_types::{
    BASELINE_MEMORY, CompileOptions, DictPairs, ExcType, ExtFunctionResult, LIVE_MEMORY, MontyClassInstance,
    MontyClassType, MontyException, MontyObject, MontyType, MontyUuid, NameLookupResult, ResourceLimits,
    ResourceTracker,
};
use prints::Prints;
use serde_json::{Map, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

/// The name of the code in messages.
const SCRIPT: &str = "main.py";

/// What the interpreter is told to do after it has read the executor.
const CALL: &str = include_str!("call.py");
const INPUTS: [&str; 4] = ["__metnos_args", "__metnos_ctx", "__metnos_most", "__metnos_kit"];

/// What a method of `ctx` is called once it is a value of its own; no name in Python holds a dot.
const BOUND: &str = "ctx.";

const CTX_ID: MontyUuid = MontyUuid::from_u128(1);
const CTX_CLASS_ID: MontyUuid = MontyUuid::from_u128(2);

/// Memory is counted for the whole process, so one run at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs `run(args, ctx)` of `code` and returns what it answered.
pub fn run(code: &str, args: &Value, ctx: &mut dyn Ctx, bounds: Bounds) -> Result<Value, Failure> {
    crate::check::enforce(code, Runtime::Python)?;
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let live = LIVE_MEMORY.load(Ordering::Relaxed);
    if live == 0 {
        return Err(Failure::internal("the counting allocator is not installed, so memory has no limit"));
    }
    BASELINE_MEMORY.store(live, Ordering::Relaxed);
    let _ceiling = Ceiling::set(bounds.memory_bytes)?;

    let mut prints = Prints::default();
    let outcome = catch_unwind(AssertUnwindSafe(|| Driver::new(code, ctx, &mut prints, bounds).run(args)));
    for line in prints.lines() {
        ctx.log(line);
    }
    outcome.unwrap_or_else(|_| Err(Failure::internal("the interpreter broke off on a defect of its own")))
}

/// The end of the line while a run lasts: some operations of the interpreter allocate without looking
/// at its limit, and one that goes past twice the bound ends the process with
/// [`OOM_EXIT_CODE`](crate::OOM_EXIT_CODE).
struct Ceiling;

impl Ceiling {
    fn set(memory_bytes: usize) -> Result<Self, Failure> {
        monty_alloc::set_limit(Some(memory_bytes.saturating_mul(2)), false).map_err(Failure::internal)?;
        Ok(Self)
    }
}

impl Drop for Ceiling {
    fn drop(&mut self) {
        // It fails only where setting it had failed.
        let _ = monty_alloc::set_limit(None, false);
    }
}

/// One run: answers each stop of the interpreter until it ends.
struct Driver<'a> {
    code: &'a str,
    ctx: &'a mut dyn Ctx,
    prints: &'a mut Prints,
    bounds: Bounds,
    /// Calls served so far.
    calls: usize,
    /// The last failure handed to Python.
    raised: Option<Raised>,
}

/// The next stop of the interpreter, or how it ended.
type Step = Result<Result<RunProgress, MontyException>, Failure>;

impl<'a> Driver<'a> {
    fn new(code: &'a str, ctx: &'a mut dyn Ctx, prints: &'a mut Prints, bounds: Bounds) -> Self {
        Self { code, ctx, prints, bounds, calls: 0, raised: None }
    }

    fn run(mut self, args: &Value) -> Result<Value, Failure> {
        let limits = ResourceLimits::default()
            .max_duration(self.bounds.duration)
            .max_memory(self.bounds.memory_bytes)
            .max_recursion_depth(self.bounds.depth());
        let most = i64::try_from(self.bounds.output_bytes).unwrap_or(i64::MAX);
        let inputs = vec![from_json(args)?, ctx_object(), MontyObject::Int(most), kit()];
        let names = INPUTS.map(str::to_owned).to_vec();
        let program =
            MontyRun::new(format!("{}\n{CALL}", self.code), SCRIPT, names, CompileOptions::default())
                .map_err(|e| self.uncaught(&e))?;
        let mut step = program.start(inputs, ResourceTracker::new(limits), self.prints.writer());
        loop {
            step = match step.map_err(|e| self.uncaught(&e))? {
                RunProgress::Complete(answer) => return self.answer(answer),
                RunProgress::FunctionCall(call) => self.function(call)?,
                RunProgress::NameLookup(lookup) => self.lookup(lookup)?,
                RunProgress::OsCall(call) => self.system(call)?,
                RunProgress::ResolveFutures(_) => {
                    return Err(Failure::internal("the executor waits for something that cannot come"));
                }
            };
        }
    }

    fn function(&mut self, mut call: FunctionCall) -> Step {
        self.count()?;
        // A name nobody defined also arrives as a call; only what came out of `ctx` is one.
        let method = match call.object_id {
            Some(CTX_ID) => Some(call.function_name.clone()),
            _ => call.function_name.strip_prefix(BOUND).map(str::to_owned),
        };
        let Some(method) = method else {
            let unknown = ExtFunctionResult::NotFound(call.function_name.clone());
            return Ok(call.resume(unknown, self.prints.writer()));
        };
        let args = std::mem::take(&mut call.args);
        let kwargs = std::mem::take(&mut call.kwargs);
        let result: ExtFunctionResult = match self.perform(&method, args, kwargs) {
            Ok(Reply::Json(value)) => from_json(&value)?.into(),
            Ok(Reply::Bytes(bytes)) => MontyObject::Bytes(bytes).into(),
            Err(CallError::Usage(text)) => exception(ExcType::TypeError, text).into(),
            Err(CallError::Ended(failure)) => return Err(failure),
            Err(CallError::Failed(failure)) if final_for_python(failure.class) => return Err(failure),
            Err(CallError::Failed(failure)) => {
                let raised = Raised::new(failure);
                let kind = raised.kind.parse().unwrap_or(ExcType::OSError);
                let exc = exception(kind, raised.failure.message.clone());
                self.raised = Some(raised);
                exc.into()
            }
        };
        Ok(call.resume(result, self.prints.writer()))
    }

    fn perform(
        &mut self,
        name: &str,
        args: Vec<MontyObject>,
        kwargs: Vec<(MontyObject, MontyObject)>,
    ) -> Result<Reply, CallError> {
        let plain = |value| to_json(value, "argument").map_err(|f| CallError::Usage(f.message));
        let args = args.into_iter().map(plain).collect::<Result<Vec<_>, _>>()?;
        let kwargs = kwargs
            .into_iter()
            .map(|(key, value)| match key {
                MontyObject::String(key) => Ok((key, plain(value)?)),
                _ => Err(CallError::Usage("a keyword is not a name".into())),
            })
            .collect::<Result<Map<_, _>, _>>()?;
        ctx::call(self.ctx, name, args, kwargs)
    }

    /// `ctx.name` without a call, as in `read = ctx.read_text`; any other unknown name stays unknown.
    fn lookup(&mut self, lookup: NameLookup) -> Step {
        self.count()?;
        let known = lookup.object_id() == Some(CTX_ID) && METHODS.iter().any(|(m, _, _)| *m == lookup.name);
        let result = if known {
            let name = format!("{BOUND}{}", lookup.name);
            NameLookupResult::Value(MontyObject::Function { name, docstring: None })
        } else {
            NameLookupResult::Undefined
        };
        Ok(lookup.resume(result, self.prints.writer()))
    }

    /// `open`, `Path.read_text`, `datetime.now` and their like: `ctx` is the only way out.
    fn system(&mut self, call: OsCall) -> Step {
        self.count()?;
        let text = format!("{} is not available here: use ctx", call.function_call);
        Ok(call.resume(exception(ExcType::PermissionError, text), self.prints.writer()))
    }

    fn count(&mut self) -> Result<(), Failure> {
        self.calls = self.calls.saturating_add(1);
        if self.calls > self.bounds.calls {
            return Err(Failure::limit("calls", format!("more than {} ctx calls", self.bounds.calls)));
        }
        Ok(())
    }

    fn answer(&self, answer: MontyObject) -> Result<Value, Failure> {
        let MontyObject::Tuple(parts) = answer else {
            return Err(Failure::internal("the executor replaced its own caller"));
        };
        match <[MontyObject; 2]>::try_from(parts) {
            Ok([MontyObject::String(wrong), _]) => Err(Failure::internal(format!("the answer {wrong}"))),
            Ok([MontyObject::Bool(_), _]) => Err(self.over()),
            Ok([_, answer @ MontyObject::Dict(_)]) => {
                let answer = to_json(answer, "answer")?;
                let size = serde_json::to_vec(&answer).map_or(usize::MAX, |bytes| bytes.len());
                if size > self.bounds.output_bytes { Err(self.over()) } else { Ok(answer) }
            }
            Ok([_, other]) => {
                Err(Failure::internal(format!("run must return a dict, not {}", other.type_name())))
            }
            Err(_) => Err(Failure::internal("the executor replaced its own caller")),
        }
    }

    fn over(&self) -> Failure {
        Failure::limit("output", format!("the answer has more than {} bytes", self.bounds.output_bytes))
    }

    fn uncaught(&self, exc: &MontyException) -> Failure {
        Uncaught { exc, lines: self.code.lines().count(), raised: self.raised.as_ref() }.failure()
    }
}

fn exception(kind: ExcType, text: String) -> MontyException {
    MontyException::new(kind, Some(text))
}

/// The object whose methods come back to us as calls.
fn ctx_object() -> MontyObject {
    MontyObject::ClassInstance(Box::new(MontyClassInstance {
        class_type: MontyClassType {
            name: "Ctx".into(),
            id: CTX_CLASS_ID,
            host_defined: true,
            is_dataclass: false,
            attrs: DictPairs::default(),
        },
        instance_id: CTX_ID,
        attrs: DictPairs::default(),
    }))
}

/// The builtins that measuring the answer needs, from us: the executor may have names of its own for them.
fn kit() -> MontyObject {
    let function = |name| MontyObject::builtin_function_from_name(name).unwrap_or(MontyObject::None);
    let types = [MontyType::Str, MontyType::Dict, MontyType::List, MontyType::Tuple, MontyType::Int];
    let types = types.into_iter().chain([MontyType::Float]).map(MontyObject::Type);
    let functions = ["isinstance", "len", "type"].map(function);
    MontyObject::Tuple(functions.into_iter().chain(types).collect())
}

#[cfg(test)]
mod subset;
#[cfg(test)]
mod tests;
