//! Campaigns in trouble: over a bad network, at a full server, with workers whose clocks jump or that stand
//! still.

mod bad_network;
mod clock;
mod full;
mod network;
mod slow;
