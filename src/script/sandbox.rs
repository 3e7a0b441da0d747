//! The Rhai engine as scripts get it: pure functions over numbers, truths, texts, lists and maps, every bound set, and
//! nothing by which a script could reach outside, keep something, wait, or catch a fault of the game.

use std::cell::Cell;
use std::cmp::Ordering;
use std::rc::Rc;

use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicIteratorPackage, BasicMapPackage, BasicStringPackage, LogicPackage,
    MoreStringPackage, Package,
};
use rhai::{Array, Dynamic, Engine, EvalAltResult, FnPtr, Map, NativeCallContext, OptimizationLevel};

/// The longest script, in bytes.
pub const TEXT_BYTES: usize = 64 * 1024;
/// Steps of one call of a script.
pub const OPERATIONS: u64 = 100_000;
/// How deep functions of a script may call each other.
const CALL_LEVELS: usize = 16;
/// How deep expressions and blocks may stand inside each other.
const EXPRESSION_DEPTH: usize = 32;
const VARIABLES: usize = 128;
const FUNCTIONS: usize = 256;
/// Characters of a text, elements of a list, entries of a map, each with all that is in them.
const TEXT_SIZE: usize = 4096;
const LIST_SIZE: usize = 1024;
const MAP_SIZE: usize = 1024;

/// Words of Rhai that scripts do not have: texts as programs, output, and faults that are caught.
pub const WITHHELD: &[&str] = &["eval", "import", "export", "print", "debug", "try", "catch", "curry", "this", "exit"];

/// An engine with the bounds and the packages, without the functions of the game. `steps` holds the number of
/// steps of the call under way. They are counted here, since Rhai forgets those of functions that are handed to
/// functions.
pub fn engine(steps: &Rc<Cell<u64>>) -> Engine {
    let mut engine = Engine::new_raw();
    engine
        .set_max_operations(OPERATIONS)
        .set_max_call_levels(CALL_LEVELS)
        .set_max_expr_depths(EXPRESSION_DEPTH, EXPRESSION_DEPTH)
        .set_max_variables(VARIABLES)
        .set_max_functions(FUNCTIONS)
        .set_max_string_size(TEXT_SIZE)
        .set_max_array_size(LIST_SIZE)
        .set_max_map_size(MAP_SIZE)
        .set_strict_variables(true)
        .set_fail_on_invalid_map_property(true)
        .set_optimization_level(OptimizationLevel::None);
    for word in WITHHELD {
        engine.disable_symbol(*word);
    }
    ArithmeticPackage::new().register_into_engine(&mut engine);
    LogicPackage::new().register_into_engine(&mut engine);
    BasicArrayPackage::new().register_into_engine(&mut engine);
    BasicMapPackage::new().register_into_engine(&mut engine);
    BasicStringPackage::new().register_into_engine(&mut engine);
    MoreStringPackage::new().register_into_engine(&mut engine);
    BasicIteratorPackage::new().register_into_engine(&mut engine);
    for name in ["sort", "sort_by"] {
        engine.register_fn(name, sort);
    }
    for name in ["order", "order_by"] {
        engine.register_fn(name, |context: NativeCallContext, list: Array, comparer: FnPtr| {
            let mut list = list;
            sort(context, &mut list, comparer).map(|()| list)
        });
    }
    comparisons(&mut engine, steps);
    let steps = Rc::clone(steps);
    engine.on_progress(move |_| {
        steps.set(steps.get() + 1);
        (steps.get() > OPERATIONS).then_some(Dynamic::UNIT)
    });
    engine
}

/// Rhai's own comparisons of lists look up a function for each pair of elements, and count as one step each.
fn comparisons(engine: &mut Engine, steps: &Rc<Cell<u64>>) {
    let own = Rc::clone(steps);
    engine.register_fn("contains", move |list: &mut Array, value: Dynamic| {
        list.iter().any(|item| equal(item, &value, &own))
    });
    let own = Rc::clone(steps);
    engine.register_fn("index_of", move |list: &mut Array, value: Dynamic| {
        list.iter().position(|item| equal(item, &value, &own)).map_or(-1, |at| at as i64)
    });
    let own = Rc::clone(steps);
    engine.register_fn("==", move |a: &mut Array, b: Array| equal_lists(a, &b, &own));
    let own = Rc::clone(steps);
    engine.register_fn("!=", move |a: &mut Array, b: Array| !equal_lists(a, &b, &own));
    let own = Rc::clone(steps);
    engine.register_fn("==", move |a: &mut Map, b: Map| equal_maps(a, &b, &own));
    let own = Rc::clone(steps);
    engine.register_fn("!=", move |a: &mut Map, b: Map| !equal_maps(a, &b, &own));
}

fn equal_lists(a: &Array, b: &Array, steps: &Cell<u64>) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b, steps))
}

fn equal_maps(a: &Map, b: &Map, steps: &Cell<u64>) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && equal(a, b, steps))
}

/// Are two values of the same kind and equal? Functions and ranges never are. Each comparison counts as a step.
fn equal(a: &Dynamic, b: &Dynamic, steps: &Cell<u64>) -> bool {
    steps.set(steps.get() + 1);
    if let (Ok(a), Ok(b)) = (a.as_int(), b.as_int()) {
        return a == b;
    }
    if let (Ok(a), Ok(b)) = (a.as_immutable_string_ref(), b.as_immutable_string_ref()) {
        return *a == *b;
    }
    if let (Ok(a), Ok(b)) = (a.as_array_ref(), b.as_array_ref()) {
        return equal_lists(&a, &b, steps);
    }
    if let (Ok(a), Ok(b)) = (a.as_map_ref(), b.as_map_ref()) {
        return equal_maps(&a, &b, steps);
    }
    let truths = matches!((a.as_bool(), b.as_bool()), (Ok(a), Ok(b)) if a == b);
    let signs = matches!((a.as_char(), b.as_char()), (Ok(a), Ok(b)) if a == b);
    truths || signs || (a.is_unit() && b.is_unit())
}

/// Sorts by a function of the script. Rhai's own hands the function to the sort of the standard library, which
/// panics where the function contradicts itself, and it swallows faults of the function.
fn sort(context: NativeCallContext, list: &mut Array, comparer: FnPtr) -> Result<(), Box<EvalAltResult>> {
    let mut width = 1;
    while width < list.len() {
        let mut merged = Array::with_capacity(list.len());
        for pair in list.chunks(2 * width) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let ([first, ..], [other, ..]) = (left, right) {
                let order: Dynamic = comparer.call_within_context(&context, (first.clone(), other.clone()))?;
                if order_of(&order) == Ordering::Greater {
                    merged.push(other.clone());
                    right = right.get(1..).unwrap_or(&[]);
                } else {
                    merged.push(first.clone());
                    left = left.get(1..).unwrap_or(&[]);
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        *list = merged;
        width *= 2;
    }
    Ok(())
}

/// A comparing function answers with a number below, at or above zero, or with "the first comes first".
fn order_of(answer: &Dynamic) -> Ordering {
    match (answer.as_int(), answer.as_bool()) {
        (Ok(number), _) => number.cmp(&0),
        (_, Ok(true)) => Ordering::Less,
        (_, Ok(false)) => Ordering::Greater,
        (Err(_), Err(_)) => Ordering::Equal,
    }
}
