//! The functions in a server, against a model of bytes.

use nearmiss_agent::functions::{self, Function};
use nearmiss_fleet_tests::{Server, careful, no_store};
use nearmiss_tests::skip::skipped;
use redis::{Connection, RedisResult, Value};

const KEY: &str = "nm1:{0badcafe.3}";
const SEEN: &str = "nm1r:{0badcafe.3}";
const SHARD: usize = 65_536;

/// xorshift: fixed numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 16) % bound
    }
}

struct Store {
    _server: Server,
    connection: Connection,
}

impl Store {
    fn start() -> Store {
        let server = Server::start(&careful());
        let connection = server.connect();
        let mut store = Store { _server: server, connection };
        let loaded: String =
            redis::cmd("FUNCTION").arg("LOAD").arg(functions::text()).query(&mut store.connection).unwrap();
        assert_eq!(loaded, functions::library());
        store
    }

    fn call(&mut self, function: &str, keys: &[&str], arguments: &[Vec<u8>]) -> RedisResult<Value> {
        let is_it = |one: &&Function| one.name().rsplit_once('_').is_some_and(|(stem, _)| stem == function);
        let mut call = Function::ALL.iter().find(is_it).unwrap().call();
        call.arg(keys.len()).arg(keys).arg(arguments).query(&mut self.connection)
    }

    fn shard(&mut self) -> Vec<u8> {
        redis::cmd("GET").arg(KEY).query(&mut self.connection).unwrap()
    }

    fn make(&mut self, bytes: &[u8]) -> RedisResult<Value> {
        self.call("nm1_make", &[KEY], &[bytes.to_vec()])
    }
}

fn number(number: u64) -> Vec<u8> {
    number.to_string().into_bytes()
}

fn packed(places: &[u16]) -> Vec<u8> {
    places.iter().flat_map(|place| place.to_le_bytes()).collect()
}

fn bytes(numbers: &mut Numbers) -> Vec<u8> {
    (0..SHARD).map(|_| u8::try_from(numbers.below(256)).unwrap()).collect()
}

/// The array of the format: bit i of a page is bit i mod 8 of its byte i / 8.
struct Model(Vec<u8>);

impl Model {
    fn zeros(&self, page: usize, places: &[u16]) -> Vec<u16> {
        let is_one = |place: u16| self.0[page * 4096 + usize::from(place / 8)] >> (place % 8) & 1 == 1;
        places.iter().copied().filter(|place| !is_one(*place)).collect()
    }

    fn step(&mut self, page: usize, places: &[u16], choice: u64) -> usize {
        let zeros = self.zeros(page, places);
        if !zeros.is_empty() {
            let place = zeros[usize::try_from(choice % zeros.len() as u64).unwrap()];
            self.0[page * 4096 + usize::from(place / 8)] |= 1 << (place % 8);
        }
        places.len() - zeros.len()
    }
}

#[test]
fn heights_and_rungs_are_those_of_the_format() {
    if skipped(no_store()) {
        return;
    }
    let (mut store, mut numbers) = (Store::start(), Numbers(11));
    let mut model = Model(bytes(&mut numbers));
    assert_eq!(store.make(&model.0.clone()).unwrap(), Value::Int(1));
    for turn in 0..3000 {
        let page = numbers.below(16);
        let places: Vec<u16> = (0..48).map(|_| u16::try_from(numbers.below(1 << 15)).unwrap()).collect();
        let places = if turn % 3 == 0 { places } else { (0..48).map(|place| place * 680 + 7).collect() };
        let (at, choice) = (usize::try_from(page).unwrap(), numbers.next() >> 11);
        let arguments = [number(page), packed(&places)];
        let expected = (places.len() - model.zeros(at, &places).len()).try_into().unwrap();
        assert_eq!(store.call("nm1_height", &[KEY], &arguments).unwrap(), Value::Int(expected));
        let step = [&arguments[..], &[number(choice)]].concat();
        assert_eq!(store.call("nm1_step", &[KEY], &step).unwrap(), Value::Int(expected));
        model.step(at, &places, choice);
        let place = numbers.below(SHARD as u64 * 8);
        let put = [number(place), number(turn % 2)];
        assert_eq!(store.call("nm1_put", &[KEY], &put).unwrap(), Value::Int(0));
        let (byte, mask) = (usize::try_from(place / 8).unwrap(), 1 << (place % 8));
        if turn % 2 == 1 { model.0[byte] |= mask } else { model.0[byte] &= !mask }
    }
    assert!(store.shard() == model.0, "the arrays differ");
}

#[test]
fn several_steps_in_one_call_are_as_many_rungs() {
    if skipped(no_store()) {
        return;
    }
    let mut store = Store::start();
    store.make(&vec![0; SHARD]).unwrap();
    let places: Vec<u16> = (0..16).map(|place| place * 2000).collect();
    let step = |count: usize| {
        let choices = (0..count).map(|choice| number(choice as u64 * 7919));
        [number(5), packed(&places)].into_iter().chain(choices).collect::<Vec<_>>()
    };
    for (count, before) in [(3, 0), (3, 3), (9, 6), (4, 15), (1, 16)] {
        assert_eq!(store.call("nm1_step", &[KEY], &step(count)).unwrap(), Value::Int(before));
    }
    let ones: u32 = store.shard().iter().map(|byte| byte.count_ones()).sum();
    assert_eq!(ones, 16, "nothing but the rungs");
}

/// Without the look at its length a lost shard would come back as zeros.
#[test]
fn no_function_makes_a_shard_of_zeros() {
    if skipped(no_store()) {
        return;
    }
    let (mut store, mut numbers) = (Store::start(), Numbers(5));
    let element = [number(0), packed(&[1, 2, 3])];
    let one = |more: &[Vec<u8>]| [&element[..], more].concat();
    let all = |store: &mut Store| {
        let queue = [b"0".to_vec(), b"x".to_vec(), b"9".to_vec()];
        [
            store.call("nm1_height", &[KEY], &element).unwrap(),
            store.call("nm1_step", &[KEY], &one(&[number(1)])).unwrap(),
            store.call("nm1_put", &[KEY], &[number(7), number(1)]).unwrap(),
            store.call("nm1_observe", &[KEY, SEEN], &one(&queue)).unwrap(),
        ]
    };
    let none =
        [Value::Int(-1), Value::Int(-1), Value::Int(-1), Value::Array(vec![Value::Int(-1), Value::Int(0)])];
    assert_eq!(all(&mut store), none);
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut store.connection).unwrap();
    assert!(keys.is_empty(), "{keys:?}");
    // A shorter one is not written to either, and made whole.
    for length in [0, 1, 7, 8, 9, SHARD - 1] {
        let _: () = redis::cmd("SET").arg(KEY).arg(vec![1_u8; length]).query(&mut store.connection).unwrap();
        assert_eq!(all(&mut store), none);
        assert_eq!(store.shard().len(), length);
    }
    assert!(store.make(&[1; 9]).is_err());
    let whole = bytes(&mut numbers);
    assert_eq!(store.make(&whole).unwrap(), Value::Int(1));
    assert_eq!(store.make(&vec![0; SHARD]).unwrap(), Value::Int(0));
    assert!(store.shard() == whole, "a whole shard was made again");
    // A value that a thief of an agent's password makes longer begins with the shard.
    let longer = [&whole[..], &[1]].concat();
    let _: () = redis::cmd("SET").arg(KEY).arg(&longer).query(&mut store.connection).unwrap();
    assert!(matches!(store.call("nm1_height", &[KEY], &element).unwrap(), Value::Int(0..)));
    assert_eq!(store.make(&vec![0; SHARD]).unwrap(), Value::Int(0));
    let _: () = redis::cmd("SET").arg(KEY).arg(&whole).query(&mut store.connection).unwrap();
    // An offset outside is refused and makes no value longer.
    assert!(store.call("nm1_put", &[KEY], &[number(SHARD as u64 * 8), number(1)]).is_err());
    assert!(store.call("nm1_step", &[KEY], &[number(16), packed(&[1]), number(1)]).is_err());
    assert!(store.call("nm1_observe", &[KEY, SEEN], &one(&[number(1024), b"x".to_vec()])).is_err());
    assert!(store.shard() == whole, "the shard was changed");
}

/// A function that has written cannot be ended: a call that is longer than any request does nothing.
#[test]
fn a_call_longer_than_any_request_is_refused() {
    if skipped(no_store()) {
        return;
    }
    let mut store = Store::start();
    let zeros = vec![0; SHARD];
    store.make(&zeros).unwrap();
    let step = |places: u16, steps: u64| {
        let places: Vec<u16> = (0..places).collect();
        [number(0), packed(&places)].into_iter().chain((0..steps).map(number)).collect::<Vec<_>>()
    };
    let put = |bits: u64| (0..2 * bits).map(|at| number(at % 2)).collect::<Vec<_>>();
    let observe = |steps: u64| {
        let queue = [number(0), b"x".to_vec()];
        [&step(1, 0)[..], &queue, &(0..steps).map(number).collect::<Vec<_>>()].concat()
    };
    let calls = [
        ("nm1_height", step(129, 0)),
        ("nm1_step", step(129, 1)),
        ("nm1_step", step(128, 131)),
        ("nm1_step", step(1, 200_000)),
        ("nm1_put", put(100_000)),
        ("nm1_observe", observe(129)),
    ];
    for (function, arguments) in calls {
        let error = store.call(function, &[KEY, SEEN][..=usize::from(function == "nm1_observe")], &arguments);
        assert!(error.unwrap_err().to_string().contains("longer than any request"), "{function}");
    }
    assert!(store.shard() == zeros, "the shard was changed");
    // The longest requests.
    assert_eq!(store.call("nm1_step", &[KEY], &step(128, 128)).unwrap(), Value::Int(0));
    let reply = store.call("nm1_observe", &[KEY, SEEN], &observe(128)).unwrap();
    assert!(matches!(reply, Value::Array(_)));
}

/// The queue set beside a shard, as that of one host: eight fingerprints a word, newest first.
#[test]
fn a_failure_counts_once_while_it_is_among_the_last_eight_of_its_word() {
    if skipped(no_store()) {
        return;
    }
    let (mut store, mut numbers) = (Store::start(), Numbers(3));
    store.make(&bytes(&mut numbers)).unwrap();
    let mut words: Vec<Vec<u8>> = vec![Vec::new(); 4];
    for _ in 0..2000 {
        let word = numbers.below(4);
        let print = u8::try_from(64 + numbers.below(16)).unwrap();
        let queue = &mut words[usize::try_from(word).unwrap()];
        let found = queue.iter().position(|other| *other == print);
        found.map(|place| queue.remove(place));
        queue.insert(0, print);
        queue.truncate(8);
        let arguments = [number(1), packed(&[5, 6]), number(word * 300), vec![print], number(4)];
        let Value::Array(reply) = store.call("nm1_observe", &[KEY, SEEN], &arguments).unwrap() else {
            panic!()
        };
        assert_eq!(reply[1], Value::Int(i64::from(found.is_none())));
    }
    let set: Vec<u8> = redis::cmd("GET").arg(SEEN).query(&mut store.connection).unwrap();
    for (word, queue) in words.iter().enumerate() {
        assert_eq!(set[word * 300 * 8..][..8], queue[..]);
    }
}
