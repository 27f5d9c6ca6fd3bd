//! `nearmiss_pg.so`: a library for PostgreSQL's `shared_preload_libraries` that asks nearmiss about each
//! password that `CREATE ROLE` and `ALTER ROLE` set in the clear.
//!
//! A password that arrives hashed (psql's `\password`, most drivers' functions for it) cannot be judged and
//! is let through, unless `nearmiss.refuse_hashed` is on: the server has never seen it.

#[cfg(not(panic = "unwind"))]
compile_error!("the library must be built with panic = \"unwind\": an abort would kill the server");

mod ffi;
