//! The tests. The ring skips this module by its name if there is no Restate, and the one in it if there is no PostgreSQL.

mod postgres;
