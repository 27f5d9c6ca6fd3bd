use super::*;

#[test]
fn a_wait_is_seconds_or_a_date() {
    assert_eq!(seconds("120"), Some(Duration::from_secs(120)));
    assert_eq!(seconds("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO), "that is over");
    assert!(seconds("Wed, 21 Oct 2093 07:28:00 GMT").is_some_and(|wait| wait.as_secs() > 1 << 30));
    assert_eq!((seconds("-1"), seconds("soon")), (None, None));
}

/// Like one that keeps a stream's window closed, or does not allow streams. The test controls the clock.
#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_left() {
    // The system accepts the connections.
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let base = format!("http://{}", silent.local_addr().unwrap());
    let settings = ClientSettings {
        base: Base::new(&base, false).unwrap(),
        form: RangeForm { kind: Kind::Sha1, digits: 2, min_count: 1 },
        parallel: 1,
        retry_delay: Duration::from_secs(1),
        proxy: None,
    };
    let (client, start) = (Client::new(&settings, None).unwrap(), tokio::time::Instant::now());
    let refused = client.ask(7, None).await.unwrap_err();
    assert!(refused.tries == TRIES && refused.fault.may_pass(), "{refused}");
    let tries = ANSWER_WITHIN * TRIES;
    assert!((tries..tries + Duration::from_secs(15)).contains(&start.elapsed()), "{:?}", start.elapsed());
}

#[test]
fn only_an_etag_that_can_be_sent_again_is_kept() {
    assert!(is_kept("W/\"0x8DB2C0E1C6F9B2A\"") && !is_kept("\"a\r\nb\""));
    assert!(!is_kept(&"a".repeat(MAX_ETAG_BYTES + 1)));
}
