//! A process under measurement.

use std::fs;
use std::process::{self, Child, Command};
use std::time::Duration;

use rustix::param::clock_ticks_per_second;
use rustix::process::{Pid, Signal, kill_process};

use super::Fallible;

/// A node in a separate process, which ends with this value.
pub struct Peer {
    pub name: &'static str,
    /// Its full ROS name.
    pub node: String,
    child: Child,
}

/// The resources used by a process so far.
pub struct Usage {
    /// Processor time of all its threads.
    pub processor: Duration,
    /// Its present memory \[KiB\].
    pub resident: u64,
}

impl Peer {
    /// Starts the command, whose last arguments are for ROS, as a node in its own namespace.
    pub fn start(name: &'static str, mut command: Command) -> Fallible<Self> {
        let node = format!("/bench_{}/{}", process::id(), name.replace(' ', "_"));
        let (namespace, bare) = node.rsplit_once('/').unwrap_or_default();
        command.arg("-r").arg(format!("__ns:={namespace}")).arg("-r").arg(format!("__node:={bare}"));
        Ok(Self { name, child: command.spawn()?, node })
    }

    fn send(&self, signal: Signal) -> Fallible<()> {
        let id = i32::try_from(self.child.id())?;
        Ok(kill_process(Pid::from_raw(id).ok_or("no process has the number 0")?, signal)?)
    }

    /// Stops it until [`Peer::resume`].
    pub fn pause(&self) -> Fallible<()> {
        self.send(Signal::STOP)
    }

    pub fn resume(&self) -> Fallible<()> {
        self.send(Signal::CONT)
    }

    pub fn usage(&self) -> Fallible<Usage> {
        let folder = format!("/proc/{}", self.child.id());
        let stat = fs::read_to_string(format!("{folder}/stat"))?;
        // After the command's name, which may contain any character: user and system time are fields 14 and 15 of the
        // line.
        let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
        let ticks: Vec<u64> = fields.skip(11).take(2).map(str::parse).collect::<Result<_, _>>()?;
        let status = fs::read_to_string(format!("{folder}/status"))?;
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS in /proc")?;
        let resident = resident.trim().trim_end_matches(" kB").parse()?;
        let processor = Duration::from_millis(1000 * ticks.iter().sum::<u64>() / clock_ticks_per_second());
        Ok(Usage { processor, resident })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended already; then nothing remains to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
