//! Tools without a CLI: definitions, arguments, results and limits, through `ToolServer::call`.

mod arguments;
mod definitions;
mod extractors;
mod failures;
mod limits;
mod listener;
mod problems;
mod results;
mod router;
mod telemetry;
