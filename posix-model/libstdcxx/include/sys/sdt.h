/* libstdc++ wants this header for its tracing probes where the host has it; there are none here. */
