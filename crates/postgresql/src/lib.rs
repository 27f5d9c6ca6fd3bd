//! `nearmiss_pg.so`: a library for PostgreSQL's `shared_preload_libraries` that checks each password that
//! `CREATE ROLE` and `ALTER ROLE` set in plain text.
//!
//! A password that arrives hashed (psql's `\password`, most drivers' functions for it) cannot be checked and
//! is accepted, unless `nearmiss.refuse_hashed` is on: the server never sees the password itself.

#[cfg(not(panic = "unwind"))]
compile_error!("the library must be built with panic = \"unwind\": an abort would kill the server");

mod ffi;
