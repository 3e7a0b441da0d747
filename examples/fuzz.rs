use regelwerk::{
    board, check,
    diagnostic::{Severity, Sink},
    source::Sources,
    syntax,
};
fn main() {
    let n: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut files = vec![
        ("scenarios/catan/catan.rules", "scenarios/catan/island.board", "island.board"),
        ("tests/stage/stage.rules", "tests/stage/valley.board", "valley.board"),
    ];
    files.push(("/tmp/odd/odd-cases.rules", "scenarios/catan/island.board", "island.board"));
    let mut seed: u64 = 88172645463325252;
    let mut rnd = |m: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % m as u64) as usize
    };
    let mut worst = 0;
    let mut hist = [0usize; 40];
    for i in 0..n {
        let (r, b, bn) = files[rnd(files.len())];
        let text = std::fs::read_to_string(r).unwrap();
        let mut words: Vec<String> = vec![];
        let mut cur = String::new();
        for c in text.chars() {
            if c.is_alphanumeric() || c == '_' {
                cur.push(c)
            } else {
                if !cur.is_empty() {
                    words.push(std::mem::take(&mut cur));
                }
                words.push(c.to_string());
            }
        }
        let idx: Vec<usize> = (0..words.len()).filter(|k| !words[*k].trim().is_empty()).collect();
        let k = 1 + rnd(2);
        for _ in 0..k {
            let a = idx[rnd(idx.len())];
            match rnd(4) {
                0 => words[a] = String::new(),
                1 => {
                    let o = idx[rnd(idx.len())];
                    words[a] = words[o].clone();
                }
                2 => words[a].push('x'),
                _ => {
                    let o = idx[rnd(idx.len())];
                    words.swap(a, o);
                }
            }
        }
        let mutated = words.concat();
        let mut sources = Sources::new();
        let mut sink = Sink::new();
        let f = sources.add("m.rules", mutated.clone());
        let bt = std::fs::read_to_string(b).unwrap();
        let bf = sources.add("b.board", bt.clone());
        let board = board::parse(bf, &bt, &mut sink);
        let file = syntax::parse(f, &mutated, &mut sink);
        let input = check::Input {
            name: "m".into(),
            title: "".into(),
            players: vec![3, 4],
            is_abstract: false,
            complete: true,
            layers: vec![check::Layer {
                name: "m".into(),
                files: vec![file],
                boards: vec![(bn.into(), board)],
                scripts: vec![],
            }],
        };
        let r = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check::check(&input, &sources, &mut sink)));
        if r.is_err() {
            std::fs::write(format!("/tmp/crash{i}.rules"), &mutated).unwrap();
            println!("PANIC {i}");
        }
        let found = sink.sorted();
        let e = found.iter().filter(|d| d.severity == Severity::Error).count();
        if !r.is_err() {
            hist[e.min(39)] += 1;
            if e > 12 && !b.is_empty() && bn == "island.board" && !mutated.contains("castaways") {
                println!("MANY {i} {e}");
                std::fs::write(format!("/tmp/many{i}.rules"), &mutated).unwrap();
            }
        }
        worst = worst.max(e);
    }
    println!("{worst} {hist:?}");
}
