use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, SystemTime};

use automatic_rostering::{FileStore, RedisStore, Store, redis};

const HOUR: Duration = Duration::from_hours(1);

/// The format that docs/fleet.md specifies for all languages.
#[tokio::test]
async fn format_of_the_files() {
    const HASH: &str = "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"; // of "key"
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("made/by it");
    let store = FileStore::new(&folder).unwrap();
    let path = |name: &str| folder.join(name);
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
    for (content, expected) in [
        ("4102444800000\nten\nten".into(), Some("ten\nten")),
        (format!("{}\nexpired", now - 1), None),
        ("no expiry".into(), None),
        ("4102444800000".into(), None),
    ] {
        fs::write(path(HASH), &content).unwrap();
        assert_eq!(store.get("key").await.unwrap().as_deref(), expected, "{content}");
    }
    fs::write(path(HASH), b"4102444800000\n\xff").unwrap();
    assert_eq!(store.get("key").await.unwrap(), None);

    // Files of a process that died, and of one that is writing.
    let (dead, alive) = (format!("{}.tmp.00", "a".repeat(64)), format!("{HASH}.tmp.11"));
    for name in [&dead, &alive] {
        fs::write(path(name), "").unwrap();
    }
    let file = fs::File::open(path(&dead)).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(61)).unwrap();
    assert!(store.add("key", "new", HOUR).await.unwrap());
    let files = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    assert_eq!(files.collect::<BTreeSet<_>>(), BTreeSet::from([HASH.into(), alive]));
    let content = fs::read_to_string(path(HASH)).unwrap();
    let (expiry, value) = content.split_once('\n').unwrap();
    let expiry: u128 = expiry.parse().unwrap();
    assert!(value == "new" && (now + 3_600_000..now + 3_700_000).contains(&expiry), "{content}");
    #[cfg(unix)]
    for (path, expected) in [(folder.clone(), 0o700), (path(HASH), 0o600)] {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, expected);
    }
}

#[test]
fn what_errors_and_debug_show() {
    let under_a_file = FileStore::new("/dev/null/none").unwrap_err();
    assert!(under_a_file.to_string().contains("/dev/null/none"), "{under_a_file}");
    let store = RedisStore::new(redis::Client::open("redis://user:password@127.0.0.1:1").unwrap());
    assert!(!format!("{store:?}").contains("password"));
}
