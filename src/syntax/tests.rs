//! Tests of the parser.

use crate::diagnostic::Sink;
use crate::source::Sources;

#[test]
fn adhoc() {
    let Ok(paths) = std::env::var("RW_FILES") else { return };
    for path in paths.split(':') {
        let text = std::fs::read_to_string(path).unwrap();
        let mut sources = Sources::new();
        let file = sources.add(path, text.clone());
        let mut sink = Sink::new();
        let start = std::time::Instant::now();
        let tree = super::parse(file, &text, &mut sink);
        println!("{path}: {} items, {:?}", tree.items.len(), start.elapsed());
        for d in sink.sorted() {
            let p = sources.file(file).position(d.span.start);
            println!(
                "  {}:{}-{} {} {} | {}",
                p.line,
                p.column,
                d.span.end - d.span.start,
                d.code,
                d.message,
                d.help.unwrap_or_default()
            );
            println!("      {}", sources.file(file).line(p.line));
        }
        if std::env::var("RW_TREE").is_ok() {
            println!("{:#?}", tree);
        }
    }
}
