//! Prints code for people.
