//! Ports of the loopback for servers that a test starts, kills and starts again.

use std::{
    net::{TcpListener, UdpSocket},
    sync::{Mutex, PoisonError},
};

/// A port that is this process's for as long as it runs, also while a server on it is away: no connection is
/// given a port of this range, and whoever else asks here finds its number taken for datagrams.
pub fn free_port() -> u16 {
    static HELD: Mutex<Vec<UdpSocket>> = Mutex::new(Vec::new());
    let first = std::process::id().wrapping_mul(31) % 10_000;
    let mut ports = (0..10_000).map(|number| 20_000 + (first + number) % 10_000);
    let reserved = ports.find_map(|port| {
        let address = ("127.0.0.1", u16::try_from(port).ok()?);
        let mark = UdpSocket::bind(address).ok()?;
        TcpListener::bind(address).ok()?;
        HELD.lock().unwrap_or_else(PoisonError::into_inner).push(mark);
        Some(address.1)
    });
    reserved.expect("a port can be had")
}
