#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inhouse_fuzz_targets::targets::requests(bytes));
