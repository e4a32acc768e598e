//! What the processes of live runs use and hold (S10.4, S10.5).

use std::sync::Arc;
use std::time::Duration;

use shtask::api::{PortFacts, StartRequest, StopRequest};

use crate::harness::have;

use super::ground::{Ground, on_every_ground, within};

on_every_ground!(what_live_runs_use_is_measured_when_asked, a_port_belongs_to_the_run_whose_process_holds_it);

/// How often it is looked again.
const PAUSE: Duration = Duration::from_millis(20);

async fn what_live_runs_use_is_measured_when_asked(ground: Arc<Ground>) {
    let client = &ground.client;
    let start = || client.start(StartRequest { spec: ground.sh("sleep 1000 & exec sleep 1000"), replace: false });
    let (one, other) = (start().await.expect("started").id, start().await.expect("started").id);
    let both = async {
        loop {
            let usage = client.usage().await.expect("measured");
            let of = |run| {
                usage
                    .iter()
                    .find(|usage| usage.run == run)
                    .is_some_and(|usage| usage.processes == 2 && usage.resident_bytes > 0)
            };
            if of(one) && of(other) {
                break;
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    within("both have their processes", both).await;
    client.stop(one, StopRequest { kill: true }).reply.await.expect("stopped");
    let usage = client.usage().await.expect("measured");
    assert!(usage.iter().all(|usage| usage.run != one), "an ended one uses nothing: {usage:?}");
}

async fn a_port_belongs_to_the_run_whose_process_holds_it(ground: Arc<Ground>) {
    let client = &ground.client;
    let server =
        "exec python3 -c 'import socket, time; s = socket.create_server((\"127.0.0.1\", 0)); time.sleep(1000)'";
    if !have("python3") {
        return;
    }
    let mut spec = ground.sh(server);
    spec.env.set.push(("API_TOKEN".into(), "sk-12345678901234567890".into()));
    let run = client.start(StartRequest { spec, replace: false }).await.expect("started").id;
    let quiet =
        client.start(StartRequest { spec: ground.sh("exec sleep 1000"), replace: false }).await.expect("started");
    let listens = async {
        let is_its = |port: &PortFacts| port.protocol == "tcp" && port.address.starts_with("127.0.0.1:");
        while !client.surroundings(run).await.expect("looked").ports.iter().any(is_its) {
            tokio::time::sleep(PAUSE).await;
        }
    };
    within("its port is found", listens).await;
    let found = client.surroundings(run).await.expect("looked");
    let token = found.environment.iter().find(|(name, _)| name == "API_TOKEN").map(|(_, value)| value.as_str());
    assert!(token.is_some_and(|token| !token.contains("12345678901234567890")), "{token:?}");
    assert!(found.limits.iter().any(|limit| limit.name == "Max open files"), "{:?}", found.limits);
    assert_eq!(client.surroundings(quiet.id).await.expect("looked").ports, []);
}
