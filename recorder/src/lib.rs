//! Native path recording: the instrumentation pass and the runtime linked into the program.
