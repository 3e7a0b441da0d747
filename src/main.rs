//! The command `regelwerk`; everything it does is in the library's `cli`.

fn main() -> std::process::ExitCode {
    regelwerk::cli::main()
}
