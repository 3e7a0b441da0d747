use regelwerk::{diagnostic::Sink, pipeline, source::Sources};
fn main() {
    let mut sources = Sources::new();
    let mut sink = Sink::new();
    let name = std::env::args().nth(1).unwrap();
    let what = std::env::args().nth(2).unwrap_or_default();
    let (_, p) = pipeline::check(&name, &mut sources, &mut sink).unwrap();
    for d in sink.sorted() {
        println!("{d:?}");
    }
    let clean = |s: String| {
        let mut out = String::new();
        let re = s;
        let mut rest = re.as_str();
        while let Some(i) = rest.find("span: Span {") {
            out.push_str(&rest[..i]);
            let j = rest[i..].find('}').unwrap();
            rest = &rest[i + j + 1..];
        }
        out.push_str(rest);
        out.replace(",  }", " }").replace(" ,", " ")
    };
    for a in &p.actions {
        if a.name.contains(&what) {
            println!("ACTION {}\n{}", a.name, clean(format!("{:?}", a)));
        }
    }
    for a in &p.procedures {
        if a.name.contains(&what) {
            println!("PROC {}\n{}", a.name, clean(format!("{:?}", a)));
        }
    }
    for a in &p.functions {
        if a.name.contains(&what) {
            println!("FN {}\n{}", a.name, clean(format!("{:?}", a)));
        }
    }
    for a in &p.triggers {
        if a.name.contains(&what) {
            println!("TRIGGER {}\n{}", a.name, clean(format!("{:?}", a)));
        }
    }
    if what == "fields" {
        for (i, f) in p.fields.iter().enumerate() {
            println!("{i} {}", clean(format!("{f:?}")));
        }
        for f in &p.phases {
            println!("{}", clean(format!("{f:?}")));
        }
        for f in &p.domains {
            println!("{}", clean(format!("{f:?}")));
        }
        println!("{:?}", p.homes);
        println!("{:?} {:?}", p.supplies, p.yields);
    }
    if what == "setup" {
        println!("{}", clean(format!("{:?}", p.setup)));
        for i in &p.invariants {
            println!("{}", clean(format!("{i:?}")));
        }
        println!("{}", clean(format!("{:?}", p.ends)));
    }
}
