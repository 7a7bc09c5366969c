//! The vocabulary execution and reasoning share: events, decisions, schedules, profiles, reports.

pub mod profile;
