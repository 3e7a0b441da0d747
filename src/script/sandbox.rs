//! The Rhai engine as scripts get it: pure functions over numbers, truths, texts, lists and maps, every bound set, and
//! nothing by which a script could reach outside, keep something, wait, or catch a fault of the game.

use std::cell::Cell;
use std::cmp::Ordering;
use std::rc::Rc;

use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicIteratorPackage, BasicMapPackage, BasicStringPackage, LogicPackage,
    MoreStringPackage, Package,
};
use rhai::{Array, Dynamic, Engine, EvalAltResult, FnPtr, NativeCallContext, OptimizationLevel};

/// The longest script, in bytes.
pub const TEXT_BYTES: usize = 64 * 1024;
/// Steps of one call of a script.
pub const OPERATIONS: u64 = 200_000;
/// How deep functions of a script may call each other.
const CALL_LEVELS: usize = 16;
/// How deep expressions and blocks may stand inside each other.
const EXPRESSION_DEPTH: usize = 32;
const VARIABLES: usize = 128;
const FUNCTIONS: usize = 256;
/// Characters of a text, elements of a list, entries of a map, each with all that is in them.
const TEXT_SIZE: usize = 4096;
const LIST_SIZE: usize = 4096;
const MAP_SIZE: usize = 1024;

/// Words of Rhai that scripts do not have: texts as programs, output, and faults that are caught.
pub const WITHHELD: &[&str] = &["eval", "import", "export", "print", "debug", "try", "catch", "curry", "this", "exit"];

/// An engine with the bounds and the packages, without the functions of the game. `steps` holds the number of
/// steps of the call under way.
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
    let steps = Rc::clone(steps);
    engine.on_progress(move |count| {
        steps.set(count);
        None
    });
    engine
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
